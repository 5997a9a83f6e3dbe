//! Serialises a trace between processes: hooks are separate programs, and a transcript may grow.
//!
//! The form is one JSON object with a version. It is our own cache, not a format for others. What is
//! read back is checked as if it came from outside.

use serde::{Deserialize, Serialize};

use super::count_text_bytes;
use crate::{AgentTurn, RunEnd, StepKind, Trace, TraceStep};
use crate::{
    CleanText, OutsideWords, Scope, Signal,
    id::{AgentId, ProjectId, RunId, TenantId},
    limits,
};

const VERSION: u32 = 2;

/// Why a stored trace cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum BadTrace {
    /// The text is not JSON of this form.
    #[error("the stored trace cannot be read")]
    Damaged(#[from] serde_json::Error),
    /// It was written by another version.
    #[error("the stored trace has version {0}, not {VERSION}")]
    Version(u32),
    /// The steps are out of order.
    #[error("the stored trace is out of order")]
    Order,
}

#[derive(Serialize, Deserialize)]
struct StoredTrace {
    v: u32,
    run: RunId,
    tenant: TenantId,
    agent: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<CleanText>,
    seen: u32,
    calls: u32,
    turn: AgentTurn,
    steps: Vec<TraceStep>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<Signal<CleanText>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<RunEnd>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outside: Vec<u32>,
}

impl Trace {
    /// Serialises the trace for a later process.
    pub fn to_json(&self) -> String {
        let form = StoredTrace {
            v: VERSION,
            run: self.run.clone(),
            tenant: self.scope.tenant.clone(),
            agent: self.scope.agent.clone(),
            project: self.scope.project.clone(),
            task: self.task.clone(),
            seen: self.steps_seen,
            calls: self.call_count,
            turn: self.agent_turn,
            steps: self.steps.clone(),
            signals: self.signals.clone(),
            end: self.end,
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
            tenant: form.tenant,
            agent: form.agent,
            project: form.project,
        };
        let mut trace = Self::new(form.run, scope);
        trace.outside = OutsideWords::from_numbers(form.outside);
        trace.task = form.task;
        trace.steps = form.steps;
        for step in &mut trace.steps {
            if let StepKind::Call(call) = &mut step.kind {
                // Its words are among those of the run.
                call.outside = call.outside.take().map(|_| OutsideWords::default());
            }
        }
        let in_order = |one: &TraceStep, two: &TraceStep| one.position < two.position;
        if !trace.steps.is_sorted_by(in_order) {
            return Err(BadTrace::Order);
        }
        let last = trace.steps.last();
        let next = last.map_or(0, |step| step.position.saturating_add(1));
        trace.steps_seen = form.seen.max(next);
        trace.call_count = form.calls;
        trace.agent_turn = form.turn;
        let texts = trace.steps.iter().map(|step| count_text_bytes(&step.kind));
        trace.kept_bytes = texts.sum();
        if trace.exceeds_limits() {
            trace.drop_old_steps();
        }
        for signal in form.signals.into_iter().take(limits::TRACE_SIGNALS) {
            trace.keep_signal(signal);
        }
        trace.end = form.end;
        Ok(trace)
    }
}

/// Serialises a signal, to be kept beside a trace.
pub fn signal_to_json(signal: &Signal<CleanText>) -> String {
    serde_json::to_string(signal).expect("strings and numbers always serialise")
}

/// Restores a signal that [`signal_to_json`] wrote; `None` if the text is no such signal.
pub fn signal_from_json(text: &str) -> Option<Signal<CleanText>> {
    serde_json::from_str(text).ok()
}
