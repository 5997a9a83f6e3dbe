//! What a run can tell us: a closed set of events, raw from a door and clean after intake.
//!
//! [`RawEvent`] is what a door parsed; [`CleanEvent`] is the same after [`scrub_event`]
//! went over every text in it. Events carry statuses, error heads and arguments. Tool output is
//! not among them, so it cannot reach a lesson.

mod scrub;

pub use scrub::scrub_event;

use crate::{
    id::{AgentId, ProjectId, RunId},
    limits,
    outside::OutsideWords,
    text::{CleanText, RawText},
};

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// A person, typing.
    User,
    /// The agent.
    Assistant,
}

/// What a reader puts for the error of a call that failed and said nothing.
pub const NO_OUTPUT: &str = "failed without output";

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStatus<T> {
    /// It did what it was asked.
    Ok,
    /// The client calls it a success, and yet steps of its command line failed: `a; b`, `a | tail`,
    /// `a; echo rc=$?`. Never empty, in the order of the line.
    PartlyFailed(Vec<FailedStep<T>>),
    /// It failed, with the head of its error (status line, message), not its output.
    Error(T),
}

/// A step of a command line that failed although the whole line passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedStep<T> {
    /// Which simple command of the line, as [`shell::parse_line`](crate::shell::parse_line) numbers them.
    pub step: usize,
    /// The head of its error, not its output.
    pub error: T,
}

impl<T> CallStatus<T> {
    /// Returns whether the call failed, whole or in part.
    #[must_use]
    pub fn has_failure(&self) -> bool {
        !matches!(self, Self::Ok)
    }

    /// Returns the heads of its errors, in the order of its steps.
    pub fn errors(&self) -> impl Iterator<Item = &T> {
        let (steps, whole) = match self {
            Self::Ok => (&[][..], None),
            Self::PartlyFailed(steps) => (&steps[..], None),
            Self::Error(error) => (&[][..], Some(error)),
        };
        steps.iter().map(|step| &step.error).chain(whole)
    }

    /// Puts together the status that was kept as the error of the whole and those of its steps.
    #[must_use]
    pub fn from_stored<S>(whole: Option<T>, steps: Vec<(usize, S)>, text: impl Fn(S) -> T) -> Self {
        match whole {
            Some(error) => Self::Error(error),
            None if steps.is_empty() => Self::Ok,
            None => {
                let steps = steps.into_iter().take(limits::FAILED_STEPS);
                let failed = steps.map(|(step, error)| FailedStep {
                    step,
                    error: text(error),
                });
                Self::PartlyFailed(failed.collect())
            }
        }
    }

    /// Takes a status apart into the error of the whole and those of its steps, as it is kept.
    pub fn to_stored<S>(&self, text: impl Fn(&T) -> S) -> (Option<S>, Vec<(usize, S)>) {
        match self {
            Self::Ok => (None, Vec::new()),
            Self::PartlyFailed(steps) => {
                let steps = steps.iter().map(|it| (it.step, text(&it.error)));
                (None, steps.collect())
            }
            Self::Error(error) => (Some(text(error)), Vec::new()),
        }
    }

    /// Makes the same status of other texts.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> CallStatus<U> {
        match self {
            Self::Ok => CallStatus::Ok,
            Self::PartlyFailed(steps) => {
                let steps = steps.into_iter().map(|it| FailedStep {
                    step: it.step,
                    error: f(it.error),
                });
                CallStatus::PartlyFailed(steps.collect())
            }
            Self::Error(error) => CallStatus::Error(f(error)),
        }
    }
}

/// One call of a tool, with how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall<T> {
    /// Which turn of the run it belongs to, from 0.
    pub turn: u32,
    /// The tool's name as the agent calls it.
    pub tool: T,
    /// Its arguments: a command line for a shell, compact JSON for the rest.
    pub args: T,
    /// How it ended.
    pub status: CallStatus<T>,
    /// The words of its result, where that was written elsewhere (a fetched page, a remote tool).
    pub outside: Option<OutsideWords>,
}

/// What a runtime may say about its own run.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal<T> {
    /// A verifier found that a claim was not so.
    Discrepancy {
        /// The claim, and what is so.
        detail: T,
    },
    /// A result scored low.
    LowQuality {
        /// The score, 0 to 1, when there is one.
        score: Option<f64>,
        /// What was wrong with it.
        detail: T,
    },
    /// A debugging session traced a trouble to its cause.
    RootCause {
        /// The cause.
        cause: T,
        /// What mended it, if anything did.
        fix: Option<T>,
    },
    /// A loop that mends failing checks ended.
    Heal {
        /// How many attempts it took.
        attempts: u32,
        /// Whether it gave up and asked.
        escalated: bool,
        /// What was being mended and what helped.
        detail: T,
    },
    /// A review fixed or flagged something.
    Review {
        /// What it mended.
        fixed: Vec<T>,
        /// What it only pointed at.
        flagged: Vec<T>,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// It did what it was asked.
    Completed,
    /// It did not.
    Failed,
    /// Somebody stopped it.
    Aborted,
}

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent<T> {
    /// The run began.
    Run {
        /// Its name.
        run: RunId,
        /// Whose it is, when the trace says so.
        agent: Option<AgentId>,
        /// Where it works, when the trace says so.
        project: Option<ProjectId>,
        /// What was asked.
        task: Option<T>,
    },
    /// A tool was called and answered.
    Tool(ToolCall<T>),
    /// Somebody said something.
    Message {
        /// Who.
        role: MessageRole,
        /// What.
        text: T,
    },
    /// The runtime judged something.
    Signal(Signal<T>),
    /// The run ended.
    End {
        /// How.
        status: RunStatus,
        /// A score, 0 to 1, when there is one.
        score: Option<f64>,
    },
}

/// An event as a door parsed it.
pub type RawEvent = RunEvent<RawText>;
/// An event that intake has cleaned.
pub type CleanEvent = RunEvent<CleanText>;

impl<T> RunEvent<T> {
    /// Returns the event without whose run it is and where it works, so that whoever takes it in
    /// says both.
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

    /// Applies `f` to every text of the event; the only way to turn a [`RawEvent`] into an
    /// [`CleanEvent`], so a text added later cannot be forgotten.
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
            Self::Tool(call) => RunEvent::Tool(ToolCall {
                turn: call.turn,
                tool: f(call.tool),
                args: f(call.args),
                status: call.status.map(&mut f),
                outside: call.outside,
            }),
            Self::Message { role, text } => RunEvent::Message {
                role,
                text: f(text),
            },
            Self::Signal(signal) => RunEvent::Signal(signal.map(f)),
            Self::End { status, score } => RunEvent::End { status, score },
        }
    }
}

impl<T> Signal<T> {
    fn map<U>(self, mut f: impl FnMut(T) -> U) -> Signal<U> {
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
