//! What an event calls for, and what was found for it: what a session asks of the store and what it is
//! answered.
//!
//! A [`SessionStep`] is made by a session, a [`Lookup`] by whoever asks the store. Nothing here decides.

use hardwon_core::{
    capture::question::TurnQuestion,
    event::ToolCall,
    id::LessonId,
    loops::LoopedCall,
    text::{CleanText, RawText},
    writ::SpottedWrit,
};
use hardwon_store::{Moment, Recall};

use super::ReplyChannel;
use crate::{KeptWrit, model::ModelError};

/// What an event calls for.
#[derive(Debug, Default)]
pub struct SessionStep {
    pub(super) lookup: Option<LookupKind>,
    pub(super) detected_loop: Option<LoopedCall>,
    pub(super) writs: Vec<SpottedWrit>,
    pub(super) reply_channel: ReplyChannel,
    pub(super) is_capture_due: bool,
    /// Whether the writs are the words of somebody who had read content from outside.
    pub(super) is_tainted: bool,
    /// What the turn that ends is worth asking about.
    pub(super) question: Option<TurnQuestion>,
    /// The question that the writs answer.
    pub(super) answered_question: Option<TurnQuestion>,
    /// The question that they answer before anybody asked.
    pub(super) forestalled_question: Option<TurnQuestion>,
}

/// What is to be looked up.
#[derive(Debug)]
pub(super) enum LookupKind {
    /// The lessons that a session begins with.
    SessionStart,
    /// Those that a prompt calls for.
    Prompt(RawText),
    /// Those that name a call.
    BeforeCall(ToolCall<CleanText>),
    /// Those about the failure of a call.
    Failure(ToolCall<CleanText>),
}

impl LookupKind {
    /// Returns the moment at which what is found is shown.
    pub(super) fn moment(&self) -> Moment {
        match self {
            Self::SessionStart => Moment::SessionStart,
            Self::Prompt(_) => Moment::Prompt,
            Self::BeforeCall(_) => Moment::BeforeCall,
            Self::Failure(_) => Moment::Failure,
        }
    }
}

/// What an event needs of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// Nothing: the store need not be opened.
    None,
    /// Lessons, to read.
    ReadLessons,
    /// To change lessons.
    ChangeLessons,
}

impl SessionStep {
    /// Returns what the event needs of the store.
    #[must_use]
    pub fn store_access(&self) -> StoreAccess {
        match (&self.lookup, &self.question, self.writs.is_empty()) {
            (_, _, false) => StoreAccess::ChangeLessons,
            (Some(_), _, true) | (_, Some(_), true) => StoreAccess::ReadLessons,
            (None, None, true) => StoreAccess::None,
        }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Lookup {
    /// The lessons, worded.
    pub(super) preamble: Option<String>,
    /// Which they are.
    pub(super) shown: Vec<LessonId>,
    /// Those that are held back from now on.
    pub(super) controls: Vec<LessonId>,
    /// Those that are left to later moments.
    pub(super) deferred: Vec<LessonId>,
    /// What is to be noted about it.
    pub(super) recalls: Vec<Recall>,
    /// What the writs came to.
    pub(super) answers: Vec<WritAnswer>,
    /// What the agent is asked.
    pub(super) question: Option<TurnQuestion>,
    /// Why the embedding that is set had no say.
    pub embedding_error: Option<ModelError>,
}

/// What a writ came to.
#[derive(Debug)]
pub(super) struct WritAnswer {
    /// What its writer reads back.
    pub(super) reply: String,
    /// Whether it was a question.
    pub(super) is_query: bool,
    /// The lesson that it made or met.
    pub(super) lesson: Option<LessonId>,
}

impl Lookup {
    /// Says that writs were kept and will be carried out later.
    #[must_use]
    pub fn with_kept_writs(mut self, kept: &[KeptWrit]) -> Self {
        let what = match kept.len() {
            1 => "it".to_owned(),
            count => format!("all {count}"),
        };
        self.answers.push(WritAnswer {
            reply: format!(
                "[/lesson]\nKEPT: the database is busy; {what} will be stored as soon as it is \
                 free\n[END LESSON]"
            ),
            is_query: false,
            lesson: None,
        });
        self
    }
}
