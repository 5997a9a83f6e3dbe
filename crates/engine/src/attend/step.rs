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

use super::{ReplyChannel, SessionStartKind};
use crate::{KeptWrit, model::ModelError};

/// What an event calls for.
#[derive(Debug, Default)]
pub struct SessionStep {
    pub(super) lookup: Option<LookupKind>,
    pub(super) detected_loop: Option<LoopedCall>,
    pub(super) writs: Vec<SpottedWrit>,
    pub(super) reply_channel: ReplyChannel,
    pub(super) is_capture_due: bool,
    /// Whether the writs' author had read content from outside.
    pub(super) is_tainted: bool,
    /// The question that the ending turn is worth.
    pub(super) question: Option<TurnQuestion>,
    /// The question that the writs answer.
    pub(super) answered_question: Option<TurnQuestion>,
    /// The question that they answer before it was asked.
    pub(super) forestalled_question: Option<TurnQuestion>,
}

/// What to look up.
#[derive(Debug)]
pub(super) enum LookupKind {
    /// The lessons that a session begins with.
    SessionStart(SessionStartKind),
    /// The lessons that match a prompt.
    Prompt(RawText),
    /// The lessons that name a call.
    BeforeCall(ToolCall<CleanText>),
    /// The lessons about the failure of a call.
    Failure(ToolCall<CleanText>),
}

impl LookupKind {
    /// Returns the moment at which the result is shown.
    pub(super) fn moment(&self) -> Moment {
        match self {
            Self::SessionStart(_) => Moment::SessionStart,
            Self::Prompt(_) => Moment::Prompt,
            Self::BeforeCall(_) => Moment::BeforeCall,
            Self::Failure(_) => Moment::Failure,
        }
    }
}

/// How much access to the store an event needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// Nothing: the store need not be opened.
    None,
    /// To read lessons.
    ReadLessons,
    /// To change lessons.
    ChangeLessons,
}

impl SessionStep {
    /// Returns how much access to the store the event needs.
    #[must_use]
    pub fn store_access(&self) -> StoreAccess {
        match (&self.lookup, &self.question, self.writs.is_empty()) {
            (_, _, false) => StoreAccess::ChangeLessons,
            (Some(_), _, true) | (_, Some(_), true) => StoreAccess::ReadLessons,
            (None, None, true) => StoreAccess::None,
        }
    }
}

/// The result of looking up what an event calls for.
#[derive(Debug, Default)]
pub struct Lookup {
    /// The rendered lessons; `None` if there are none.
    pub(super) preamble: Option<String>,
    /// The lessons in it.
    pub(super) shown: Vec<LessonId>,
    /// Whether they hold the call.
    pub(super) holds_call: bool,
    /// Lessons left out at random from now on.
    pub(super) controls: Vec<LessonId>,
    /// Lessons left to later moments.
    pub(super) deferred: Vec<LessonId>,
    /// Recalls to record.
    pub(super) recalls: Vec<Recall>,
    /// The answers to writs.
    pub(super) answers: Vec<WritAnswer>,
    /// The question to the agent, if there is one.
    pub(super) question: Option<TurnQuestion>,
    /// Why the configured embedding was not used.
    pub embedding_error: Option<ModelError>,
}

/// The answer to a writ.
#[derive(Debug)]
pub(super) struct WritAnswer {
    /// The text for its writer.
    pub(super) reply: String,
    /// Whether the writ was a query.
    pub(super) is_query: bool,
    /// The lesson that it made or was about.
    pub(super) lesson: Option<LessonId>,
}

impl Lookup {
    /// Adds the answer that writs were kept and will be run later.
    #[must_use]
    pub fn with_kept_writs(self, kept: &[KeptWrit]) -> Self {
        let what = name_all(kept);
        self.with_answer(&format!(
            "KEPT: the database is busy; {what} will be stored as soon as it is free"
        ))
    }

    /// Adds the answer that writs are on their way to the server that keeps the lessons.
    #[must_use]
    pub fn with_sent_writs(self, sent: &[KeptWrit]) -> Self {
        let what = name_all(sent);
        self.with_answer(&format!("SENT: {what} will be carried out by the server"))
    }

    fn with_answer(mut self, said: &str) -> Self {
        self.answers.push(WritAnswer {
            reply: format!("[/lesson]\n{said}\n[END LESSON]"),
            is_query: false,
            lesson: None,
        });
        self
    }
}

fn name_all(writs: &[KeptWrit]) -> String {
    match writs.len() {
        1 => "it".to_owned(),
        count => format!("all {count}"),
    }
}
