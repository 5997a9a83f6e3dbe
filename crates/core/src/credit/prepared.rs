//! Tells whether a run did in time what a lesson wants done before something else.

use super::observed_call::ObservedCall;
use crate::{LessonContent, Trace, TraceStep, Triggers};

/// Returns whether what a lesson says to do before a call was done in the run, and worked, since it last changed a file. A
/// lesson that puts one thing in another's place wants it each time.
pub fn was_prepared(content: &LessonContent, triggers: &Triggers, trace: &Trace) -> bool {
    if !triggers.advise_calls() || !triggers.warn_without_advice(content) {
        return false;
    }
    let calls = trace.steps().iter().rev().filter_map(TraceStep::call);
    for call in calls.map(|call| ObservedCall::from_call(0, call)) {
        if call.has_followed(triggers) {
            return true;
        }
        if call.changes_files() {
            return false;
        }
    }
    false
}
