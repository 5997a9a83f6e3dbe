//! Serialises a trace between processes: hooks are separate programs, and a transcript may grow.
//!
//! The form is one JSON object with a version and short keys. It is our own cache, not a format for others: the
//! domain types stay free of it. What is read back is checked as if it came from outside.

use serde::{Deserialize, Serialize};

use super::{AgentTurn, RunEnd, StepKind, Trace, TraceStep, count_text_bytes};
use crate::{
    event::{CallStatus, RunStatus, Signal, ToolCall},
    id::{AgentId, ProjectId, RunId, TenantId},
    limits,
    outside::OutsideWords,
    scope::Scope,
    text::CleanText,
};

const VERSION: u32 = 1;

/// Why a stored trace cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum BadTrace {
    /// The text is not JSON of this form.
    #[error("the stored trace cannot be read")]
    Damaged(#[from] serde_json::Error),
    /// It was written by another version.
    #[error("the stored trace has version {0}, not {VERSION}")]
    Version(u32),
    /// A name in it is invalid.
    #[error("the stored trace holds a bad name")]
    Name(#[from] crate::id::InvalidName),
    /// The steps are out of order.
    #[error("the stored trace is out of order")]
    Order,
}

#[derive(Serialize, Deserialize)]
struct StoredTrace {
    v: u32,
    run: String,
    tenant: String,
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    seen: u32,
    calls: u32,
    answered: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    asked: bool,
    steps: Vec<StoredStep>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<StoredSignal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<StoredEnd>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outside: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "k")]
enum StoredStep {
    #[serde(rename = "c")]
    Call {
        at: u32,
        turn: u32,
        tool: String,
        args: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        err: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        part: Vec<(usize, String)>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ext: bool,
    },
    #[serde(rename = "u")]
    UserMessage {
        at: u32,
        text: String,
        after: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asked: bool,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "snake_case")]
enum StoredSignal {
    Discrepancy {
        detail: String,
    },
    LowQuality {
        score: Option<f64>,
        detail: String,
    },
    RootCause {
        cause: String,
        fix: Option<String>,
    },
    Heal {
        attempts: u32,
        escalated: bool,
        detail: String,
    },
    Review {
        fixed: Vec<String>,
        flagged: Vec<String>,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredEnd {
    status: StoredStatus,
    score: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredStatus {
    Completed,
    Failed,
    Aborted,
}

impl Trace {
    /// Serialises the trace for a later process.
    pub fn to_json(&self) -> String {
        let form = StoredTrace {
            v: VERSION,
            run: self.run.to_string(),
            tenant: self.scope.tenant.to_string(),
            agent: self.scope.agent.to_string(),
            project: self.scope.project.as_ref().map(ToString::to_string),
            task: self.task.as_ref().map(ToString::to_string),
            seen: self.steps_seen,
            calls: self.call_count,
            answered: self.agent_turn != AgentTurn::None,
            asked: self.agent_turn == AgentTurn::Question,
            steps: self.steps.iter().map(store_step).collect(),
            signals: self.signals.iter().map(store_signal).collect(),
            end: self.end.map(|end| StoredEnd {
                status: match end.status {
                    RunStatus::Completed => StoredStatus::Completed,
                    RunStatus::Failed => StoredStatus::Failed,
                    RunStatus::Aborted => StoredStatus::Aborted,
                },
                score: end.score,
            }),
            outside: self.outside.to_numbers(),
        };
        serde_json::to_string(&form).expect("strings and numbers always serialise")
    }

    /// Restores a trace that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// Returns why the text is no such trace; damage never panics, and the limits are enforced again.
    pub fn from_json(text: &str) -> Result<Self, BadTrace> {
        let form: StoredTrace = serde_json::from_str(text)?;
        if form.v != VERSION {
            return Err(BadTrace::Version(form.v));
        }
        let scope = Scope {
            tenant: TenantId::parse(&form.tenant)?,
            agent: AgentId::parse(&form.agent)?,
            project: form.project.as_deref().map(ProjectId::parse).transpose()?,
        };
        let mut trace = Self::new(RunId::parse(&form.run)?, scope);
        trace.outside = OutsideWords::from_numbers(form.outside);
        trace.task = form.task.map(CleanText::from_stored);
        trace.steps = form.steps.into_iter().map(load_step).collect();
        if trace
            .steps
            .windows(2)
            .any(|pair| pair[0].position >= pair[1].position)
        {
            return Err(BadTrace::Order);
        }
        let next = trace
            .steps
            .last()
            .map_or(0, |step| step.position.saturating_add(1));
        trace.steps_seen = form.seen.max(next);
        trace.call_count = form.calls;
        trace.agent_turn = load_turn(form.answered, form.asked);
        trace.kept_bytes = trace
            .steps
            .iter()
            .map(|step| count_text_bytes(&step.kind))
            .sum();
        if trace.exceeds_limits() {
            trace.drop_old_steps();
        }
        for signal in form.signals.into_iter().take(limits::TRACE_SIGNALS) {
            trace.keep_signal(load_signal(signal));
        }
        trace.end = form.end.map(|end| RunEnd {
            status: match end.status {
                StoredStatus::Completed => RunStatus::Completed,
                StoredStatus::Failed => RunStatus::Failed,
                StoredStatus::Aborted => RunStatus::Aborted,
            },
            score: end.score,
        });
        Ok(trace)
    }
}

/// Serialises a signal, to be kept beside a trace.
pub fn signal_to_json(signal: &Signal<CleanText>) -> String {
    serde_json::to_string(&store_signal(signal)).expect("strings and numbers always serialise")
}

/// Restores a signal that [`signal_to_json`] wrote; `None` if the text is no such signal.
pub fn signal_from_json(text: &str) -> Option<Signal<CleanText>> {
    serde_json::from_str(text).ok().map(load_signal)
}

fn store_step(step: &TraceStep) -> StoredStep {
    match &step.kind {
        StepKind::Call(call) => {
            let (err, part) = call.status.to_stored(ToString::to_string);
            StoredStep::Call {
                at: step.position,
                turn: call.turn,
                tool: call.tool.to_string(),
                args: call.args.to_string(),
                err,
                part,
                ext: call.outside.is_some(),
            }
        }
        StepKind::UserMessage { text, after } => StoredStep::UserMessage {
            at: step.position,
            text: text.to_string(),
            after: *after != AgentTurn::None,
            asked: *after == AgentTurn::Question,
        },
    }
}

fn load_turn(has_acted: bool, asked: bool) -> AgentTurn {
    match (has_acted, asked) {
        (false, _) => AgentTurn::None,
        (true, false) => AgentTurn::Act,
        (true, true) => AgentTurn::Question,
    }
}

fn load_step(step: StoredStep) -> TraceStep {
    match step {
        StoredStep::Call {
            at,
            turn,
            tool,
            args,
            err,
            part,
            ext,
        } => TraceStep {
            position: at,
            kind: StepKind::Call(ToolCall {
                turn,
                tool: CleanText::from_stored(tool),
                args: CleanText::from_stored(args),
                status: CallStatus::from_stored(
                    err.map(CleanText::from_stored),
                    part,
                    CleanText::from_stored,
                ),
                outside: ext.then(OutsideWords::default),
            }),
        },
        StoredStep::UserMessage {
            at,
            text,
            after,
            asked,
        } => TraceStep {
            position: at,
            kind: StepKind::UserMessage {
                text: CleanText::from_stored(text),
                after: load_turn(after, asked),
            },
        },
    }
}

fn store_signal(signal: &Signal<CleanText>) -> StoredSignal {
    let all = |texts: &[CleanText]| texts.iter().map(ToString::to_string).collect();
    match signal {
        Signal::Discrepancy { detail } => StoredSignal::Discrepancy {
            detail: detail.to_string(),
        },
        Signal::LowQuality { score, detail } => StoredSignal::LowQuality {
            score: *score,
            detail: detail.to_string(),
        },
        Signal::RootCause { cause, fix } => StoredSignal::RootCause {
            cause: cause.to_string(),
            fix: fix.as_ref().map(ToString::to_string),
        },
        Signal::Heal {
            attempts,
            escalated,
            detail,
        } => StoredSignal::Heal {
            attempts: *attempts,
            escalated: *escalated,
            detail: detail.to_string(),
        },
        Signal::Review { fixed, flagged } => StoredSignal::Review {
            fixed: all(fixed),
            flagged: all(flagged),
        },
    }
}

fn load_signal(signal: StoredSignal) -> Signal<CleanText> {
    let all = |texts: Vec<String>| texts.into_iter().map(CleanText::from_stored).collect();
    match signal {
        StoredSignal::Discrepancy { detail } => Signal::Discrepancy {
            detail: CleanText::from_stored(detail),
        },
        StoredSignal::LowQuality { score, detail } => Signal::LowQuality {
            score,
            detail: CleanText::from_stored(detail),
        },
        StoredSignal::RootCause { cause, fix } => Signal::RootCause {
            cause: CleanText::from_stored(cause),
            fix: fix.map(CleanText::from_stored),
        },
        StoredSignal::Heal {
            attempts,
            escalated,
            detail,
        } => Signal::Heal {
            attempts,
            escalated,
            detail: CleanText::from_stored(detail),
        },
        StoredSignal::Review { fixed, flagged } => Signal::Review {
            fixed: all(fixed),
            flagged: all(flagged),
        },
    }
}
