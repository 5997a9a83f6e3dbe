//! What belongs in a file, and what that means for the bytes that are there.
//!
//! Before anything is put into a file, its bytes are kept beside it. A file that nobody else changed
//! since is given those bytes back; from one that was changed, only what is ours is taken.

use super::{SetupProblem, json, toml};

/// What belongs in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContent {
    /// Hooks and a server, in JSON that others write too.
    Json(json::SettingsPart),
    /// A server, in Codex's settings.
    Toml {
        /// The server's command, word for word; nothing for no server.
        command: Vec<String>,
        /// Under which names Codex keeps the trust in our hooks.
        trusted: Vec<String>,
    },
    /// The whole file; what it holds names hardwon in [`MARK`].
    Whole {
        /// Its text.
        text: String,
        /// Whether it is a program.
        is_program: bool,
    },
}

/// What every file of our own says about itself.
pub const MARK: &str = "Written by `hardwon init`";

/// What is to be done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStep {
    /// Nothing: it is as it should be.
    Nothing,
    /// It is written anew.
    Write {
        /// What it says then.
        text: String,
        /// Whether what it says now is to be kept beside it.
        is_kept: bool,
    },
    /// It is removed.
    Remove,
}

impl FileContent {
    /// Decides how the content gets into a file. `now` is what the file says, if it is there;
    /// `before` is what was kept beside it.
    pub fn install(
        &self,
        now: Option<&str>,
        before: Option<&str>,
    ) -> Result<FileStep, SetupProblem> {
        let Some(now) = now else {
            let text = self.apply_to("")?;
            return Ok(match text.is_empty() {
                true => FileStep::Nothing,
                false => FileStep::Write {
                    text,
                    is_kept: false,
                },
            });
        };
        if self.apply_to(now)? == now {
            return Ok(FileStep::Nothing);
        }
        let is_new = self.strip_from(now, now)? == now;
        let base = match before {
            Some(before) if !is_new && self.is_untouched(now, before)? => before,
            _ => now,
        };
        let text = self.apply_to(base)?;
        if before.is_none() && self.is_empty_text(&text) {
            return Ok(FileStep::Remove);
        }
        Ok(FileStep::Write {
            text,
            is_kept: is_new,
        })
    }

    /// Decides how what is ours gets out of a file.
    pub fn remove(
        &self,
        now: Option<&str>,
        before: Option<&str>,
    ) -> Result<FileStep, SetupProblem> {
        // Whatever else may be wrong with a file that does not name us is none of our business.
        let Some(now) = now.filter(|now| now.contains("hardwon")) else {
            return Ok(FileStep::Nothing);
        };
        let left = self.strip_from(now, before.unwrap_or_default())?;
        if left == now {
            return Ok(FileStep::Nothing);
        }
        match before {
            None if self.is_empty_text(&left) => Ok(FileStep::Remove),
            Some(before) if self.is_untouched(now, before)? => Ok(FileStep::Write {
                text: before.to_owned(),
                is_kept: false,
            }),
            _ => Ok(FileStep::Write {
                text: left,
                is_kept: false,
            }),
        }
    }

    /// Returns whether a text is, but for what is ours, what it was with `before` and us.
    ///
    /// An older version may have put other entries in; what is left without them is the same.
    fn is_untouched(&self, now: &str, before: &str) -> Result<bool, SetupProblem> {
        let Ok(with_us) = self.apply_to(before) else {
            return Ok(false);
        };
        Ok(self.strip_from(now, before)? == self.strip_from(&with_us, before)?)
    }

    /// Returns a text with the content in it.
    pub fn apply_to(&self, text: &str) -> Result<String, SetupProblem> {
        match self {
            Self::Json(part) => json::insert_part(text, part),
            Self::Toml { command, .. } => {
                if command.is_empty() {
                    return toml::remove_server(text, &[], text);
                }
                let words: Vec<&str> = command.iter().map(String::as_str).collect();
                toml::insert_server(text, &words)
            }
            Self::Whole { text: whole, .. } if text.is_empty() || text.contains(MARK) => {
                Ok(whole.clone())
            }
            Self::Whole { .. } => Err(SetupProblem::new(
                "a file of another origin has its name",
                "rename that file, then run `hardwon init` again",
            )),
        }
    }

    /// Returns a text without what is ours. `before` is what it was before that was put in.
    pub fn strip_from(&self, text: &str, before: &str) -> Result<String, SetupProblem> {
        match self {
            Self::Json(part) => json::remove_part(text, before, part),
            Self::Toml { trusted, .. } => toml::remove_server(text, trusted, before),
            Self::Whole { .. } if text.contains(MARK) => Ok(String::new()),
            Self::Whole { .. } => Ok(text.to_owned()),
        }
    }

    fn is_empty_text(&self, text: &str) -> bool {
        match self {
            Self::Json(_) => json::is_bare(text),
            Self::Toml { .. } => toml::is_bare(text),
            Self::Whole { .. } => text.is_empty(),
        }
    }
}
