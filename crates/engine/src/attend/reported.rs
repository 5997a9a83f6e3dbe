//! What only a runtime with a trace of its own reports of a run: its task, messages, signals and end.
//!
//! Clients' hooks report none of these. They get no reply; they are kept so that a run whose events come to several
//! processes can be learned from at its end. Each is one line of a session's memory.

use hardwon_core::{
    CleanEvent, CleanText, MessageRole, RunEvent, RunId, RunStatus, Signal, limits,
};
use serde::{Deserialize, Serialize};

/// A reported event, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ReportedEvent {
    /// The task of the run.
    Task(CleanText),
    /// A message of the person.
    UserMessage(CleanText),
    /// A message of the agent, of which nothing but its place is kept.
    AgentMessage,
    /// A finding of the runtime.
    Signal(Signal<CleanText>),
    /// The run ended.
    End {
        status: RunStatus,
        score: Option<f64>,
    },
}

impl ReportedEvent {
    /// Returns what is kept of an event; `None` for a call, which is attended, and a beginning without a task.
    pub(super) fn from_event(event: &CleanEvent) -> Option<Self> {
        Some(match event {
            RunEvent::Run { task, .. } => Self::Task(task.clone()?),
            RunEvent::Tool(_) => return None,
            RunEvent::Message { role, text } => match role {
                MessageRole::User => Self::UserMessage(text.clone()),
                MessageRole::Assistant => Self::AgentMessage,
            },
            RunEvent::Signal(signal) => Self::Signal(shorten_signal(signal.clone())),
            RunEvent::End { status, score } => Self::End {
                status: *status,
                score: *score,
            },
        })
    }

    /// Returns the event of a run's trace that it was.
    pub(super) fn into_event(self, run: &RunId) -> CleanEvent {
        match self {
            Self::Task(task) => RunEvent::Run {
                run: run.clone(),
                agent: None,
                project: None,
                task: Some(task),
            },
            Self::UserMessage(text) => RunEvent::Message {
                role: MessageRole::User,
                text,
            },
            Self::AgentMessage => RunEvent::Message {
                role: MessageRole::Assistant,
                text: CleanText::default(),
            },
            Self::Signal(signal) => RunEvent::Signal(signal),
            Self::End { status, score } => RunEvent::End { status, score },
        }
    }
}

/// Cuts what no trace keeps, so that the length of a line is bounded.
fn shorten_signal(mut signal: Signal<CleanText>) -> Signal<CleanText> {
    if let Signal::Review { fixed, flagged } = &mut signal {
        fixed.truncate(limits::REVIEW_POINTS);
        flagged.truncate(limits::REVIEW_POINTS);
    }
    signal
}
