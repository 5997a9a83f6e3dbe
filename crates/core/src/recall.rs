//! The record of a recall: what was found, what was shown, and what was not, and why.
//!
//! It has two of the four records of [`credit`](crate::credit): what was retrieved and what was shown. The text of
//! the query is stored apart, redacted, and for days only.

use jiff::Timestamp;

use crate::{
    CleanText, LessonId, Scope, digest,
    id::{ClientName, RunId},
    named_enum::named_enum,
};

named_enum! {
    /// When in a run a recall was made.
    Moment {
        /// At the start of a session, before any prompt.
        SessionStart = "start",
        /// Before a turn, for its prompt.
        Prompt = "turn",
        /// Before a tool call that a lesson names.
        BeforeCall = "call",
        /// After a call failed.
        Failure = "failure",
        /// On request of an agent or a person.
        Requested = "asked",
    }
}

impl Moment {
    /// Says when that is, as people read it: `at a prompt`.
    pub fn words(self) -> &'static str {
        match self {
            Self::SessionStart => "at a session's start",
            Self::Prompt => "at a prompt",
            Self::BeforeCall => "before a tool call",
            Self::Failure => "at a failure",
            Self::Requested => "on request",
        }
    }
}

/// A digest of a prompt: enough to recognise the same prompt, not to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptDigest {
    /// The first eight bytes of its SHA-256.
    pub hash: [u8; 8],
    /// Its length in characters.
    pub chars: u32,
}

impl PromptDigest {
    /// Computes the digest of a prompt.
    pub fn from_text(text: &str) -> Self {
        let digest = digest::hash_parts([text.as_bytes()]);
        let (&hash, _) = digest.split_first_chunk().expect("32 bytes hold 8");
        let chars = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self { hash, chars }
    }
}

/// What a recall did with a lesson that it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Treatment {
    /// The lesson was shown.
    Shown,
    /// The lesson would have been shown and was withheld at random, to measure its effect.
    HeldOut,
    /// The lesson was excluded.
    Excluded {
        /// The reason; at most [`limits::REASON_CHARS`](crate::limits::REASON_CHARS) characters.
        why: CleanText,
    },
}

impl Treatment {
    /// Says what was done, as people read it.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::HeldOut => "left out at random",
            Self::Excluded { .. } => "not shown",
        }
    }
}

/// A lesson that a recall found.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsideredLesson {
    /// The lesson's number.
    pub lesson: LessonId,
    /// Its score in the ranking.
    pub score: f32,
    /// What was done with it.
    pub treatment: Treatment,
    /// The probability of withholding it, 0 to 1; 0 where nothing was left to chance.
    pub holdout_chance: f32,
}

/// One recall: what was shown to which run, when and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The scope of the request.
    pub scope: Scope,
    /// The run that it was made in, if any.
    pub run: Option<RunId>,
    /// The client that made the request, if any.
    pub client: Option<ClientName>,
    /// The time of the recall, stored in milliseconds.
    pub at: Timestamp,
    /// The moment of the run.
    pub moment: Moment,
    /// The digest of the prompt.
    pub prompt: PromptDigest,
    /// The prompt or the call, redacted, at most [`limits::QUERY_TEXT_CHARS`](crate::limits::QUERY_TEXT_CHARS)
    /// characters; `None` where it must not be stored. A store keeps it apart: a recall that is read back has none.
    pub query_text: Option<CleanText>,
    /// The lessons found, best first; at most [`limits::CANDIDATES`](crate::limits::CANDIDATES) are stored.
    pub considered: Vec<ConsideredLesson>,
    /// Why nothing was shown, if nothing was.
    pub silence: Option<CleanText>,
}

impl Recall {
    /// Returns the lessons that were good enough: those shown, and those withheld at random.
    pub fn eligible_lessons(&self) -> impl Iterator<Item = LessonId> {
        let is_meant = |it: &&ConsideredLesson| !matches!(it.treatment, Treatment::Excluded { .. });
        self.considered
            .iter()
            .filter(is_meant)
            .map(|candidate| candidate.lesson)
    }

    /// Returns the lessons that count as shown: none of what a person asked for by hand, which no agent read.
    pub fn counted_lessons(&self) -> impl Iterator<Item = LessonId> {
        let is_by_hand =
            self.moment == Moment::Requested && self.run.is_none() && self.client.is_none();
        self.shown_lessons().filter(move |_| !is_by_hand)
    }

    /// Returns the lessons that were shown.
    pub fn shown_lessons(&self) -> impl Iterator<Item = LessonId> {
        self.considered
            .iter()
            .filter(|candidate| candidate.treatment == Treatment::Shown)
            .map(|candidate| candidate.lesson)
    }
}
