//! A trace made ready for comparing: every call read once, every failure named once.

use std::collections::HashMap;

use crate::{
    event::{CallStatus, ToolCall},
    text::CleanText,
    trace::{
        Trace, What,
        call::{self, Call},
        effect::{self, Effect},
        failure::Failure,
    },
};

/// One call of the run.
pub(super) struct Seen<'a> {
    /// How many steps before it were dropped from the trace.
    dropped: u32,
    /// As it was recorded.
    pub(super) raw: &'a ToolCall<CleanText>,
    /// As it reads.
    pub(super) call: Call,
    /// Its failure, if it failed.
    pub(super) failure: Option<Failure>,
    /// What it may have changed.
    pub(super) effect: Effect,
}

impl Seen<'_> {
    pub(super) fn worked(&self) -> bool {
        self.failure.is_none()
    }
}

/// Something the person said.
pub(super) struct Said<'a> {
    /// What.
    pub(super) text: &'a CleanText,
    /// Whether the agent had done or said something before.
    pub(super) answers_agent: bool,
    /// What the agent called just before, if anything.
    pub(super) before: Option<String>,
}

/// A run, read.
pub(super) struct Reading<'a> {
    pub(super) calls: Vec<Seen<'a>>,
    pub(super) said: Vec<Said<'a>>,
    /// Where a command of each label last worked.
    last_worked: HashMap<String, usize>,
    /// How often each (tool, arguments) worked and failed.
    tally: HashMap<(&'a str, &'a str), (u32, u32)>,
}

impl<'a> Reading<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let mut reading = Self {
            calls: Vec::new(),
            said: Vec::new(),
            last_worked: HashMap::new(),
            tally: HashMap::new(),
        };
        for (index, step) in trace.steps().iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            match &step.what {
                What::Call(raw) => reading.see(step.at.saturating_sub(index), raw),
                What::Said {
                    text,
                    answers_agent,
                } => {
                    let before = reading.calls.last().map(|seen| seen.call.label());
                    reading.said.push(Said {
                        text,
                        answers_agent: *answers_agent,
                        before,
                    });
                }
            }
        }
        reading
    }

    fn see(&mut self, dropped: u32, raw: &'a ToolCall<CleanText>) {
        let call = call::read(raw);
        let failure = match &raw.status {
            CallStatus::Ok => None,
            CallStatus::Error(error) => Some(Failure::name(&call, error.as_str())),
        };
        let effect = effect::of(&call);
        let tally = self
            .tally
            .entry((raw.tool.as_str(), raw.args.as_str().trim()))
            .or_default();
        match failure {
            None => tally.0 += 1,
            Some(_) => tally.1 += 1,
        }
        if failure.is_none()
            && let Some(line) = call.line()
        {
            for command in &line.commands {
                self.last_worked.insert(command.label(), self.calls.len());
            }
        }
        self.calls.push(Seen {
            dropped,
            raw,
            call,
            failure,
            effect,
        });
    }

    /// Returns how often this very call worked and failed in the run.
    pub(super) fn tally(&self, raw: &ToolCall<CleanText>) -> (u32, u32) {
        self.tally
            .get(&(raw.tool.as_str(), raw.args.as_str().trim()))
            .copied()
            .unwrap_or_default()
    }

    /// Returns whether a line with a command of this label worked after the call at `index`.
    pub(super) fn worked_after(&self, label: &str, index: usize) -> bool {
        self.last_worked
            .get(label)
            .is_some_and(|last| *last > index)
    }

    /// Returns whether every step between two calls was kept, so that nothing is unknown.
    pub(super) fn is_whole(&self, from: usize, to: usize) -> bool {
        self.calls[from].dropped == self.calls[to].dropped
    }

    /// Returns whether a call between the two worked and edited files.
    pub(super) fn edited_between(&self, from: usize, to: usize) -> bool {
        self.calls[from + 1..to]
            .iter()
            .any(|seen| seen.worked() && seen.effect == Effect::Edits)
    }

    /// Returns whether content from outside may have had a part: it came shortly before the first of
    /// these calls, or between them.
    pub(super) fn is_external_around(&self, calls: &[usize]) -> bool {
        const BEFORE: usize = 5;
        let first = calls
            .iter()
            .min()
            .copied()
            .unwrap_or_default()
            .saturating_sub(BEFORE);
        let last = calls.iter().max().copied().unwrap_or_default();
        self.calls
            .iter()
            .take(last + 1)
            .skip(first)
            .any(|seen| seen.raw.external)
    }

    pub(super) fn any_external(&self) -> bool {
        self.calls.iter().any(|seen| seen.raw.external)
    }
}
