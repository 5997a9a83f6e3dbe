//! The events of a run: a closed set, raw as parsed and clean after redaction.
//!
//! [`RawEvent`] is an event as parsed from a client; [`CleanEvent`] is the same after [`redact`](hardwon_redact)
//! processed every text in it. Events carry statuses, the first lines of errors, and arguments. Tool output is not
//! part of them, so it cannot reach a lesson.

mod scrub;

pub use scrub::{scrub_call, scrub_event};
pub(crate) use scrub::{scrub_message, scrub_signal};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    CleanText, OutsideWords, RawText,
    id::{AgentId, ProjectId, RunId},
    limits,
    named_enum::named_enum,
};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// A person who typed it.
    User,
    /// The agent.
    Assistant,
}

/// The error that a reader fills in for a failed call without any output.
pub const NO_OUTPUT: &str = "failed without output";

/// How a tool call ended. `T` is the type of its texts, raw or clean.
///
/// It is stored as the error of the whole call and those of its steps; a doubt is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "(Option<T>, Vec<(usize, T)>)",
    into = "(Option<T>, Vec<(usize, T)>)"
)]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub enum CallStatus<T> {
    /// The call succeeded.
    Ok,
    /// The client reports success, but steps of the command line failed: `a; b`, `a | tail`, `a; echo rc=$?`. Never
    /// empty, in the order of the line.
    PartlyFailed(Vec<FailedStep<T>>),
    /// The client reports success, and a step printed what reads like an error: it may have failed, or print such words by
    /// trade (a test of errors). A later call that works without them tells ([`capture`](crate::capture)); until then it is a
    /// success.
    Doubtful(FailedStep<T>),
    /// The call failed, with the first lines of its error (status line, message), not its output.
    Error(T),
}

/// A step of a command line that failed although the whole line succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedStep<T> {
    /// The index of the simple command in the line, as [`shell::parse_line`](crate::shell::parse_line) counts.
    pub step: usize,
    /// The first lines of its error, not its output.
    pub error: T,
}

impl<T> FailedStep<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> FailedStep<U> {
        FailedStep {
            step: self.step,
            error: f(self.error),
        }
    }
}

impl<T> CallStatus<T> {
    /// Returns whether the call failed, in whole or in part.
    pub fn has_failure(&self) -> bool {
        matches!(self, Self::PartlyFailed(_) | Self::Error(_))
    }

    /// Returns its error messages, in the order of its steps.
    pub fn errors(&self) -> impl Iterator<Item = &T> {
        let (steps, whole) = match self {
            Self::Ok | Self::Doubtful(_) => (&[][..], None),
            Self::PartlyFailed(steps) => (&steps[..], None),
            Self::Error(error) => (&[][..], Some(error)),
        };
        steps.iter().map(|step| &step.error).chain(whole)
    }

    /// Applies `f` to every text of the status.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> CallStatus<U> {
        match self {
            Self::Ok => CallStatus::Ok,
            Self::PartlyFailed(steps) => {
                CallStatus::PartlyFailed(steps.into_iter().map(|step| step.map(&mut f)).collect())
            }
            Self::Doubtful(step) => CallStatus::Doubtful(step.map(f)),
            Self::Error(error) => CallStatus::Error(f(error)),
        }
    }
}

impl<T> From<(Option<T>, Vec<(usize, T)>)> for CallStatus<T> {
    fn from((whole, steps): (Option<T>, Vec<(usize, T)>)) -> Self {
        match whole {
            Some(error) => Self::Error(error),
            None if steps.is_empty() => Self::Ok,
            None => {
                let steps = steps.into_iter().take(limits::FAILED_STEPS);
                let failures = steps.map(|(step, error)| FailedStep { step, error });
                Self::PartlyFailed(failures.collect())
            }
        }
    }
}

impl<T> From<CallStatus<T>> for (Option<T>, Vec<(usize, T)>) {
    fn from(status: CallStatus<T>) -> Self {
        match status {
            CallStatus::Ok | CallStatus::Doubtful(_) => (None, Vec::new()),
            CallStatus::PartlyFailed(steps) => {
                let steps = steps.into_iter().map(|step| (step.step, step.error));
                (None, steps.collect())
            }
            CallStatus::Error(error) => (Some(error), Vec::new()),
        }
    }
}

/// One call of a tool, with its status.
///
/// Of the words from outside it is stored only that there were some, because they are kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub struct ToolCall<T> {
    /// The turn of the run that it belongs to, from 0.
    #[serde(default)]
    pub turn: u32,
    /// The tool's name as the agent calls it.
    pub tool: T,
    /// The arguments: a command line for a shell, compact JSON for other tools.
    pub args: T,
    /// How the call ended.
    pub status: CallStatus<T>,
    /// The words of its result, if they come from outside the machine (a fetched page, a remote tool).
    #[serde(serialize_with = "write_outside", deserialize_with = "read_outside")]
    pub outside: Option<OutsideWords>,
}

#[expect(clippy::ref_option, reason = "serde hands the member over so")]
fn write_outside<S: Serializer>(words: &Option<OutsideWords>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(words.is_some())
}

fn read_outside<'de, D: Deserializer<'de>>(from: D) -> Result<Option<OutsideWords>, D::Error> {
    Ok(bool::deserialize(from)?.then(OutsideWords::unknown))
}

/// What a runtime reports about its own run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "snake_case")]
pub enum Signal<T> {
    /// A verifier found a claim to be false.
    Discrepancy {
        /// The claim, and what is true instead.
        detail: T,
    },
    /// A result got a low score.
    LowQuality {
        /// The score, 0 to 1, if there is one.
        score: Option<f64>,
        /// What was wrong with the result.
        detail: T,
    },
    /// A debugging session traced a failure to its cause.
    RootCause {
        /// The cause, as the runtime states it.
        cause: T,
        /// What fixed it, if anything did.
        fix: Option<T>,
    },
    /// A loop that repairs failing checks ended.
    Heal {
        /// How many attempts it took.
        attempts: u32,
        /// Whether the loop gave up and asked for help.
        escalated: bool,
        /// What was being repaired and what helped.
        detail: T,
    },
    /// A review fixed or flagged something.
    Review {
        /// The points that the review fixed.
        fixed: Vec<T>,
        /// The points that it only flagged.
        flagged: Vec<T>,
    },
}

named_enum! {
    /// How a run ended.
    RunStatus {
        /// The run did what it was asked to do.
        Completed = "completed",
        /// The run failed.
        Failed = "failed",
        /// The run was stopped before its end.
        Aborted = "aborted",
    }
}

/// One event of a run. `T` is the type of its texts, raw or clean.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent<T> {
    /// The run began.
    Run {
        /// The id of the run.
        run: RunId,
        /// The agent that it belongs to, if the trace says so.
        agent: Option<AgentId>,
        /// The project that it works in, if the trace says so.
        project: Option<ProjectId>,
        /// The task that the run was given, if known.
        task: Option<T>,
    },
    /// A tool was called and returned.
    Tool(ToolCall<T>),
    /// A person or the agent wrote a message.
    Message {
        /// The author of the message.
        role: MessageRole,
        /// The text of the message.
        text: T,
    },
    /// The runtime reported something about the run.
    Signal(Signal<T>),
    /// The run ended.
    End {
        /// How the run ended.
        status: RunStatus,
        /// The score of the run, 0 to 1, if there is one.
        score: Option<f64>,
    },
}

/// An event as it was parsed, before redaction.
pub type RawEvent = RunEvent<RawText>;
/// An event after redaction.
pub type CleanEvent = RunEvent<CleanText>;

impl<T> RunEvent<T> {
    /// Removes agent and project from the event, so that the caller must supply both.
    #[must_use]
    pub fn without_agent_and_project(self) -> Self {
        match self {
            Self::Run { run, task, .. } => Self::Run {
                run,
                agent: None,
                project: None,
                task,
            },
            other => other,
        }
    }

    /// Applies `f` to every text of the event. This is the only way to turn a [`RawEvent`] into a [`CleanEvent`], so
    /// that no text can be forgotten.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> RunEvent<U> {
        match self {
            Self::Run {
                run,
                agent,
                project,
                task,
            } => RunEvent::Run {
                run,
                agent,
                project,
                task: task.map(f),
            },
            Self::Tool(call) => RunEvent::Tool(call.map(f)),
            Self::Message { role, text } => RunEvent::Message {
                role,
                text: f(text),
            },
            Self::Signal(signal) => RunEvent::Signal(signal.map(f)),
            Self::End { status, score } => RunEvent::End { status, score },
        }
    }
}

impl<T> ToolCall<T> {
    pub(crate) fn map<U>(self, mut f: impl FnMut(T) -> U) -> ToolCall<U> {
        ToolCall {
            turn: self.turn,
            tool: f(self.tool),
            args: f(self.args),
            status: self.status.map(f),
            outside: self.outside,
        }
    }
}

impl<T> Signal<T> {
    pub(crate) fn map<U>(self, mut f: impl FnMut(T) -> U) -> Signal<U> {
        match self {
            Self::Discrepancy { detail } => Signal::Discrepancy { detail: f(detail) },
            Self::LowQuality { score, detail } => Signal::LowQuality {
                score,
                detail: f(detail),
            },
            Self::RootCause { cause, fix } => Signal::RootCause {
                cause: f(cause),
                fix: fix.map(f),
            },
            Self::Heal {
                attempts,
                escalated,
                detail,
            } => Signal::Heal {
                attempts,
                escalated,
                detail: f(detail),
            },
            Self::Review { fixed, flagged } => Signal::Review {
                fixed: fixed.into_iter().map(&mut f).collect(),
                flagged: flagged.into_iter().map(f).collect(),
            },
        }
    }
}
