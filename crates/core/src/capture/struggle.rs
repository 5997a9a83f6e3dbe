//! Finds what a run failed at, with what was tried and what ended it, so that a model can be asked.
//!
//! Rules find a failed call and a similar one that worked; where nothing is similar they find nothing, and that is
//! where asking a model is worth it. So more counts here than what rules can learn from: also checks and programs
//! that failed, because what fails in session after session is hardly one task's work. Failures that print nothing,
//! were interrupted or are temporary are left out. Whether a model is asked is decided elsewhere.

use super::{
    fix,
    parsed_run::{ParsedRun, RunCall},
};
use crate::{CallEffect, CallFailure, FailureKey, Trace, limits, trace::effect};

/// How often a run must have had the same failure for it to be costly.
const COSTLY_TIMES: u32 = 3;

/// How many calls after an unresolved failure are shown.
const OPEN_SPAN: usize = 6;

/// A failure that a run had, with what was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struggle {
    /// The key of the failure.
    pub key: FailureKey,
    /// The key of its error at any command of the program.
    pub error_key: Option<FailureKey>,
    /// The failure for people: a command, and its error in parentheses.
    pub signature: String,
    /// The position in the run of its first occurrence.
    pub place: u32,
    /// How often it occurred; at least 1.
    pub times: u32,
    /// Whether it cost so much that one run is enough to ask a model about it.
    pub is_costly: bool,
    /// Whether content from outside the machine had a part in it.
    pub external: bool,
    /// The calls from the first failure to what ended it; at most [`limits::STRUGGLE_CALLS`].
    pub calls: Vec<TriedCall>,
    /// Whether the same command worked in the end.
    pub is_resolved: bool,
}

/// A call, or one step of a call's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments; for a step, its words.
    pub args: String,
    /// How the call ended.
    pub outcome: CallOutcome,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The call worked.
    Worked,
    /// The call ran; a pipe or a later command hides whether it worked.
    Ran,
    /// The call failed, with the first lines of its error.
    Failed(String),
}

/// Finds the struggles of a run, in order of first occurrence; at most [`limits::STRUGGLES`].
pub fn find_struggles(trace: &Trace) -> Vec<Struggle> {
    let reading = ParsedRun::from_trace(trace);
    let mut struggles: Vec<Struggle> = Vec::new();
    for (index, run_call) in reading.calls.iter().enumerate() {
        let Some(failure) = find_askable_failure(run_call) else {
            continue;
        };
        if let Some(known) = struggles.iter_mut().find(|known| known.key == failure.key) {
            known.times += 1;
            known.is_costly = known.times >= COSTLY_TIMES && !failure.family.is_the_work();
        } else if struggles.len() < limits::STRUGGLES {
            struggles.push(build_struggle(&reading, index, failure));
        }
    }
    struggles
}

/// Returns the failure of a call, if a model might be asked about it.
fn find_askable_failure<'s>(run_call: &'s RunCall<'_>) -> Option<&'s CallFailure> {
    let failure = run_call.failure.as_ref()?;
    // The errors of a client's own tools say what to do.
    let is_told = failure.client_refusal.is_some();
    let is_asking = match run_call.call.line() {
        Some(line) => {
            effect::is_probe(line)
                || fix::is_path_guess(line, failure)
                || fix::is_deliberate(run_call)
        }
        None => run_call.effect != CallEffect::Acts,
    };
    let says = failure.family.is_the_work() || fix::check_teachable(failure.family).is_ok();
    (!is_told && !is_asking && says).then_some(failure)
}

fn build_struggle(reading: &ParsedRun<'_>, index: usize, failure: &CallFailure) -> Struggle {
    let later = &reading.calls[index + 1..];
    let ends = later.iter().position(|later| {
        later.runs_command(&failure.label, |_| true)
            && classify_outcome(later) == CallOutcome::Worked
    });
    // If nothing ended it, calls long after have nothing to do with it.
    let after = ends.map_or(later.len().min(OPEN_SPAN), |at| at + 1);
    let until = index + 1 + after.min(limits::STRUGGLE_SPAN);
    let span: Vec<usize> = (index..until).collect();
    Struggle {
        key: failure.key.clone(),
        error_key: failure.error_key.clone(),
        signature: failure.signature(),
        place: reading.first_position(&span),
        times: 1,
        is_costly: false,
        external: reading.is_external_around(&span),
        calls: select_tried_calls(&reading.calls[index..until]),
        is_resolved: ends.is_some_and(|at| index + 1 + at < until),
    }
}

fn classify_outcome(run_call: &RunCall<'_>) -> CallOutcome {
    if !run_call.has_worked() {
        CallOutcome::Failed(run_call.error.to_owned())
    } else if run_call.call.line().is_none_or(fix::shows_success) {
        CallOutcome::Worked
    } else {
        CallOutcome::Ran
    }
}

/// Selects the calls worth showing: the first, and of the others the last ones that failed or did more than look.
fn select_tried_calls(calls: &[RunCall<'_>]) -> Vec<TriedCall> {
    let tells =
        |run_call: &&RunCall<'_>| !run_call.has_worked() || run_call.effect != CallEffect::Reads;
    let (first, rest) = calls.split_first().expect("a struggle begins with a call");
    let mut last: Vec<&RunCall<'_>> = rest.iter().filter(tells).collect();
    last.drain(..last.len().saturating_sub(limits::STRUGGLE_CALLS - 1));
    let call_of = |run_call: &RunCall<'_>| TriedCall {
        tool: run_call.tool.to_owned(),
        args: run_call.args.to_string(),
        outcome: classify_outcome(run_call),
    };
    std::iter::once(first).chain(last).map(call_of).collect()
}
