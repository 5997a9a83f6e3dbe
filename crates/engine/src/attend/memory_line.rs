//! A session's memory as it is kept between two events: JSON lines, append-only.
//!
//! It holds what the trace holds, cleaned, and also which lessons were shown and which replies are pending. Names that
//! clients give to calls are kept as hashes. A line of kind `state` holds the session's whole state, so that the end of
//! a long memory is enough to continue; a line that cannot be read is skipped, for it was cut off in a crash or another
//! version wrote it. The form is our own cache, not a format for others.

use hardwon_core::{CleanText, LessonId, ToolCall, TurnQuestion};
use hardwon_store::Moment;
use serde::{Deserialize, Serialize};

use super::{SessionStartKind, reported::ReportedEvent};

/// How a line begins that holds the session's whole state.
pub(super) const STATE_BEGINS: &[u8] = br#"{"line":{"state":"#;

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MemoryLine {
    /// The content of the line.
    #[serde(rename = "line")]
    pub(super) entry: MemoryEntry,
    /// The time, in milliseconds since 1970.
    #[serde(rename = "t")]
    pub(super) at_ms: i64,
    /// Whether it happened in a sub-agent.
    #[serde(rename = "sub")]
    pub(super) in_subagent: bool,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MemoryEntry {
    /// An event, with the key that recognises a duplicate of it.
    Event(StoredEventKey, StoredEvent),
    /// What only a runtime with a trace of its own reports.
    Reported(ReportedEvent),
    /// Lessons were shown at a moment.
    Shown(Moment, Vec<LessonId>),
    /// Lessons are left out at random from now on.
    HeldOut(Vec<LessonId>),
    /// Lessons were written.
    Wrote(Vec<LessonId>),
    /// These replies are pending from now on, and no others.
    PendingReplies(Vec<String>),
    /// A sub-agent began with the first of the tasks that waited for one.
    SubagentBegan,
    /// The agent was asked this question at the end of a turn.
    Asked(TurnQuestion),
    /// The person was told of the lessons that wait, up to this one.
    ToldWaiting(LessonId),
    /// The session's whole state.
    #[serde(rename = "state")]
    SessionState(SessionState),
}

/// Recognises a duplicate of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredEventKey {
    /// The hash of the client's name.
    pub(super) client: u64,
    /// The hash of the client's name for the call.
    pub(super) call: Option<u64>,
    /// The hash of its content.
    pub(super) content: u64,
}

impl StoredEventKey {
    /// Returns whether both are of one call: the same content, and the same id where both have one.
    pub(super) fn is_same_call(&self, other: &Self) -> bool {
        let has_other_id =
            matches!((self.call, other.call), (Some(one), Some(other)) if one != other);
        self.content == other.content && !has_other_id
    }
}

/// An event, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredEvent {
    /// The session began.
    Started(SessionStartKind),
    /// A prompt was given.
    Prompted(CleanText),
    /// A tool was about to be used, and gave this task to a sub-agent; the key identifies the call.
    BeforeCall(Option<CleanText>),
    /// A tool was used.
    AfterCall(ToolCall<CleanText>),
    /// The agent ended its turn; the key has the hash of its words.
    Stopped,
    /// The context was about to be compacted.
    Compacting,
    /// The session ended.
    Ended,
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct SessionState {
    /// Lessons that were shown and at which moment, the first ones first.
    pub(super) shown: Vec<(Moment, LessonId)>,
    /// Lessons to go on with once the context is compacted, the last ones last: that were written, or that something brought
    /// up in a context before.
    pub(super) summarised: Vec<LessonId>,
    /// Lessons left out at random all through the session.
    pub(super) controls: Vec<LessonId>,
    /// How many of those in `shown` were shown before this turn.
    pub(super) shown_before: usize,
    /// The tasks of sub-agents that did not begin yet.
    pub(super) delegated: Vec<CleanText>,
    /// Replies that could not be given yet.
    pub(super) pending_replies: Vec<String>,
    /// The hash of the last prompt.
    pub(super) last_prompt_hash: Option<u64>,
    /// The hash of the agent's last message at the end of a turn.
    pub(super) last_message_hash: Option<u64>,
    /// Whether the clients report calls before they are made.
    pub(super) announces_calls: bool,
    /// Whether content from outside was read.
    pub(super) has_read_outside: bool,
    /// Whether the agent was asked what a later session should know.
    pub(super) question: QuestionState,
    /// The task that a runtime reported.
    pub(super) task: Option<CleanText>,
    /// The newest waiting lesson that the person was told of.
    pub(super) told_waiting: Option<LessonId>,
}

/// Whether the agent was asked what a later session should know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum QuestionState {
    /// It was not asked.
    #[default]
    Never,
    /// It was asked, and its next last message is the answer.
    AwaitingAnswer(TurnQuestion),
    /// It was asked, and had its chance to answer.
    Closed,
}

impl QuestionState {
    /// Closes the question after another message: no later one is the answer.
    pub(super) fn close(&mut self) {
        if matches!(self, Self::AwaitingAnswer(_)) {
            *self = Self::Closed;
        }
    }
}

impl MemoryLine {
    /// Renders the line, with its line break.
    pub(super) fn render(&self) -> String {
        let mut line = serde_json::to_string(self).expect("strings and numbers are JSON");
        line.push('\n');
        line
    }

    /// Parses a line; `None` if it was cut off, or is none.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}
