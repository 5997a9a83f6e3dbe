//! Parses the `/reflect` lines that see to the questions waiting for a model, as `hardwon queue` does.
//!
//! A verb must be all there is, so `/reflect list every flag` is a lesson; but one that takes a number and is followed
//! by a single other word is an error, and so is any other word that stands alone.

use super::scan::split_first_word;

/// What may stand after `/reflect`.
const USAGE: &str = "say what was learned: /reflect <text>; of what waits: list, failed, drain, retry <n>, purge <n>";

/// What to do with the questions that wait for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// Lists them.
    List,
    /// Lists those that were given up.
    Failed,
    /// Asks them now.
    Drain,
    /// Has the question of this number asked again.
    Retry(i64),
    /// Deletes the question of this number.
    Purge(i64),
}

impl QueueOrder {
    /// Returns the name of the order in JSON.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::List => "queue-list",
            Self::Failed => "queue-failed",
            Self::Drain => "queue-drain",
            Self::Retry(_) => "queue-retry",
            Self::Purge(_) => "queue-purge",
        }
    }

    /// Returns the order as it is written after `/reflect`.
    pub fn words(self) -> String {
        match self {
            Self::List => "list".to_owned(),
            Self::Failed => "failed".to_owned(),
            Self::Drain => "drain".to_owned(),
            Self::Retry(job) => format!("retry {job}"),
            Self::Purge(job) => format!("purge {job}"),
        }
    }

    /// Parses the words after `/reflect`: an order, or what is wrong with it; `None` if they are a lesson.
    pub fn parse(words: &str) -> Option<Result<Self, String>> {
        let (verb, rest) = split_first_word(words.trim());
        let number = |make: fn(i64) -> Self| match rest.parse() {
            Ok(job) => Ok(make(job)),
            Err(_) => Err(format!(
                "{verb} takes the number of a job, as /reflect list shows it"
            )),
        };
        Some(match (verb, rest) {
            ("list", "") => Ok(Self::List),
            ("failed", "") => Ok(Self::Failed),
            ("drain", "") => Ok(Self::Drain),
            ("retry" | "purge", _) if rest.contains(char::is_whitespace) => return None,
            ("retry", _) => number(Self::Retry),
            ("purge", _) => number(Self::Purge),
            // A single word teaches nothing: it is an order that there is not. Some languages put no space between words.
            (_, "") if verb.is_ascii() => Err(USAGE.to_owned()),
            _ => return None,
        })
    }
}
