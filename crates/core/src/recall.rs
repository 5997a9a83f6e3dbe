//! What a recall leaves behind: what was found, what was shown, and what was not, and why.
//!
//! Two of the four records of [`credit`](crate::credit) are here: what was retrieved and what was
//! shown. What it was made for is kept apart, without secrets, and for days only.

use jiff::Timestamp;

use crate::{
    digest,
    id::{ClientName, LessonId, RunId},
    scope::Scope,
    text::CleanText,
};

/// When in a run a recall was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// When a session began, before anything was asked.
    SessionStart,
    /// Before a turn, for the prompt.
    Prompt,
    /// Before a tool call that a lesson names.
    BeforeCall,
    /// At a failure just seen.
    Failure,
    /// When somebody asked.
    Requested,
}

impl Moment {
    /// All of them, in the order of a run.
    pub const ALL: [Self; 5] = [
        Self::SessionStart,
        Self::Prompt,
        Self::BeforeCall,
        Self::Failure,
        Self::Requested,
    ];

    /// Returns the name used in files, JSON and SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "start",
            Self::Prompt => "turn",
            Self::BeforeCall => "call",
            Self::Failure => "failure",
            Self::Requested => "asked",
        }
    }

    /// Reads a name back.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What is kept of a prompt: enough to see that two were alike, not what they said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptDigest {
    /// The first eight bytes of its SHA-256.
    pub hash: [u8; 8],
    /// How long it was, in characters.
    pub chars: u32,
}

impl PromptDigest {
    /// Returns what is kept of a prompt.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let digest = digest::hash_parts([text.as_bytes()]);
        let (&hash, _) = digest.split_first_chunk().expect("32 bytes hold 8");
        let chars = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self { hash, chars }
    }
}

/// What became of a lesson that a recall found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Treatment {
    /// It was shown.
    Shown,
    /// It would have been shown and was held back by chance, to see how it goes without it.
    HeldOut,
    /// It would have been shown and was left to a later moment of the session by chance, to see at which
    /// it does more.
    Deferred,
    /// It was not, because of this.
    Excluded {
        /// Why; at most `limits::REASON_CHARS` characters.
        why: CleanText,
    },
}

/// A lesson that a recall found.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsideredLesson {
    /// Which.
    pub lesson: LessonId,
    /// How well it matched.
    pub score: f32,
    /// What became of it.
    pub treatment: Treatment,
    /// How likely it was to be held back, 0 to 1; 0 where nothing was left to chance.
    pub holdout_chance: f32,
    /// How likely it was to be left to a later moment.
    pub deferral_chance: f32,
}

impl ConsideredLesson {
    /// Returns how likely it was to be held back rather than shown.
    #[must_use]
    pub fn holdout_probability(&self) -> f64 {
        f64::from(self.holdout_chance) / (1.0 - f64::from(self.deferral_chance))
    }

    /// Returns how likely it was to be left to a later moment rather than shown.
    #[must_use]
    pub fn deferral_probability(&self) -> f64 {
        f64::from(self.deferral_chance) / (1.0 - f64::from(self.holdout_chance))
    }
}

/// What was shown to whom, when and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// Where it was asked.
    pub scope: Scope,
    /// In which run, if it was in one.
    pub run: Option<RunId>,
    /// By which client, if one asked.
    pub client: Option<ClientName>,
    /// When; milliseconds are kept.
    pub at: Timestamp,
    /// At which moment of the run.
    pub moment: Moment,
    /// For which prompt.
    pub prompt: PromptDigest,
    /// The prompt or the call, without secrets, at most `limits::ASKED_CHARS` characters; none where
    /// it is not to be kept. A store keeps it apart: a recall that is read back has none.
    pub query_text: Option<CleanText>,
    /// What was found, the best first; at most `limits::CANDIDATES` are kept.
    pub considered: Vec<ConsideredLesson>,
    /// Why nothing was shown, if nothing was.
    pub silence: Option<CleanText>,
}

impl Recall {
    /// Returns the lessons that were good enough: those shown, and those held back by chance.
    pub fn eligible_lessons(&self) -> impl Iterator<Item = LessonId> {
        let is_meant = |it: &&ConsideredLesson| !matches!(it.treatment, Treatment::Excluded { .. });
        self.considered.iter().filter(is_meant).map(|it| it.lesson)
    }

    /// Returns the lessons that were shown.
    pub fn shown_lessons(&self) -> impl Iterator<Item = LessonId> {
        self.considered
            .iter()
            .filter(|it| it.treatment == Treatment::Shown)
            .map(|it| it.lesson)
    }
}
