//! Decides what to ask a model about a run that the rules have read.
//!
//! A run leads to two kinds of questions: about each failure that it struggled with, and about the run as a whole,
//! where a person, a verifier or a score refers to no particular failure. Each cause has a switch. A run that was
//! aborted is not learned from, and one in which nothing went wrong gives no question. Whether a failure is known, or
//! waits already, is decided where the store can be read.

use hardwon_redact::clean_derived;

use super::excerpt;
use crate::Excerpt;
use crate::{
    EpisodeKind, FailureKey, RunEnd, Signal, StepKind, Trace,
    capture::{
        CapturePolicy, CapturedEpisodes, EpisodeWeight,
        struggle::{self, Struggle},
    },
    distil::inquiry::{Inquiry, InquiryFailure, InquiryOrigin, JobMethod, JobTask},
    event::RunStatus,
    guard,
    lesson::{Cause, RunOutcome},
    limits,
    writ::{self, Writ},
};

/// Which causes lead to questions to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InquiryTriggers {
    /// Something failed.
    pub error: bool,
    /// A verifier found a claim to be false.
    pub hallucination: bool,
    /// The result got a low score.
    pub low_quality: bool,
    /// A person wrote `/reflect`.
    pub manual: bool,
    /// A person corrected the agent.
    pub correction: bool,
}

impl Default for InquiryTriggers {
    /// Returns all causes but a low score, which says that something was bad and not what.
    fn default() -> Self {
        Self {
            error: true,
            hallucination: true,
            low_quality: false,
            manual: true,
            correction: true,
        }
    }
}

/// Returns what to ask a model about a run, as far as the run alone decides it. `gated` is the result of the rules.
pub fn plan_inquiries(
    trace: &Trace,
    gated: &CapturedEpisodes,
    capture: &CapturePolicy,
    on: InquiryTriggers,
    method: JobMethod,
) -> Vec<Inquiry> {
    let Some(end) = trace.end().filter(|end| end.status != RunStatus::Aborted) else {
        return Vec::new();
    };
    let has_failed = end.status == RunStatus::Failed;
    let struggles = on.error.then(|| struggle::find_struggles(trace));
    let struggles = struggles.unwrap_or_default();
    let whole = whole_run_cause(trace, end, gated, capture, on);
    // A run that failed without a failed call needs an explanation of its own.
    let whole_cause = (on.error && has_failed && struggles.is_empty()).then_some(Cause::Error);
    let whole = whole.or(whole_cause);
    let mut inquiries = Vec::new();
    match method {
        JobMethod::Lesson => {
            let struggles = struggles.iter();
            inquiries.extend(struggles.map(|found| inquiry_for_struggle(trace, end, found)));
        }
        // The judge also reviews lessons, and needs the record of the run for that.
        JobMethod::Judge => {
            let keys = struggles.iter().map(list_keys).collect();
            if whole.is_none() && !struggles.is_empty() {
                inquiries.push(inquiry_for_run(trace, end, Cause::Error, method, keys));
            }
        }
    }
    inquiries.extend(whole.map(|cause| inquiry_for_run(trace, end, cause, method, Vec::new())));
    inquiries
}

/// Returns the keys under which a lesson about a struggle may be kept.
fn list_keys(struggle: &Struggle) -> Vec<FailureKey> {
    let keys = std::iter::once(&struggle.key).chain(&struggle.error_key);
    keys.cloned().collect()
}

/// Asks about a failure that a run struggled with.
fn inquiry_for_struggle(trace: &Trace, end: RunEnd, struggle: &Struggle) -> Inquiry {
    let signature = guard::neutralise_within(&struggle.signature, limits::SIGNATURE_CHARS);
    let excerpt = Excerpt::from_struggle(trace, struggle);
    let is_tainted = is_from_outside(trace, &excerpt, struggle.external);
    Inquiry {
        task: JobTask {
            method: JobMethod::Lesson,
            origin: InquiryOrigin {
                failure: Some(InquiryFailure {
                    key: struggle.key.clone(),
                    signature: clean_derived(&signature),
                }),
                task: trace.task_before(struggle.place).cloned(),
                ..build_origin(trace, end, Cause::Error, is_tainted)
            },
            excerpt,
        },
        unless_known: vec![list_keys(struggle)],
        is_sufficient_alone: end.status == RunStatus::Failed || struggle.is_costly,
    }
}

/// Asks about a run as a whole.
fn inquiry_for_run(
    trace: &Trace,
    end: RunEnd,
    cause: Cause,
    method: JobMethod,
    unless_known: Vec<Vec<FailureKey>>,
) -> Inquiry {
    let excerpt = Excerpt::from_trace(trace);
    let is_tainted = is_from_outside(trace, &excerpt, excerpt::has_external_content(trace));
    Inquiry {
        task: JobTask {
            method,
            origin: build_origin(trace, end, cause, is_tainted),
            excerpt,
        },
        unless_known,
        is_sufficient_alone: true,
    }
}

/// Returns whether a model that is shown this record may repeat what the run had read from outside.
///
/// The model knows nothing of the run but the record, and may reword it. So the words of the record count, not those
/// of the answer; where the words that were read are unknown, it counts that something was read nearby.
fn is_from_outside(trace: &Trace, record: &Excerpt, is_near: bool) -> bool {
    let words = trace.outside_words();
    words.has_unknown() && is_near || words.are_in_lines(record.text().as_str())
}

fn build_origin(trace: &Trace, end: RunEnd, cause: Cause, tainted: bool) -> InquiryOrigin {
    InquiryOrigin {
        scope: trace.scope().clone(),
        run: trace.run().clone(),
        other_runs: Vec::new(),
        failure: None,
        cause,
        outcome: match end.status {
            RunStatus::Completed => RunOutcome::Success,
            RunStatus::Failed | RunStatus::Aborted => RunOutcome::Failure,
        },
        tainted,
        task: trace.task().cloned(),
    }
}

/// Returns the cause for asking about a whole run, the most conclusive one first.
fn whole_run_cause(
    trace: &Trace,
    end: RunEnd,
    gated: &CapturedEpisodes,
    capture: &CapturePolicy,
    on: InquiryTriggers,
) -> Option<Cause> {
    let is_low = |score: Option<f64>| score.is_some_and(|score| score < capture.low_quality_below);
    let signals = || trace.signals().iter();
    // What the rules are sure of needs no second wording, and what may be no correction at all is not worth a call.
    let has_unsure_correction = || {
        gated.episodes.iter().any(|episode| {
            let is_unsure = episode.weight == EpisodeWeight::CandidateLesson;
            is_unsure && matches!(episode.kind, EpisodeKind::Correction(_))
        })
    };
    let causes: [(bool, Cause, &dyn Fn() -> bool); 4] = [
        (on.manual, Cause::Manual, &|| has_reflect_writ(trace)),
        (on.correction, Cause::Correction, &has_unsure_correction),
        (on.hallucination, Cause::Hallucination, &|| {
            signals().any(|signal| matches!(signal, Signal::Discrepancy { .. }))
        }),
        (on.low_quality, Cause::LowQuality, &|| {
            let says = |it: &Signal<_>| match it {
                Signal::LowQuality { score, .. } => score.is_none() || is_low(*score),
                _ => false,
            };
            is_low(end.score) || signals().any(says)
        }),
    ];
    let mut matching_causes = causes.into_iter().filter(|(on, _, holds)| *on && holds());
    matching_causes.next().map(|(_, cause, _)| cause)
}

fn has_reflect_writ(trace: &Trace) -> bool {
    let asks = |text: &str| {
        let mut writs = writ::parse(text).into_iter();
        text.contains("/reflect")
            && writs.any(|found| matches!(found.writ, Ok(Writ::Reflect { .. })))
    };
    trace.steps().iter().any(|step| match &step.kind {
        StepKind::UserMessage { text, .. } => asks(text.as_str()),
        StepKind::Call(_) => false,
    })
}

#[cfg(test)]
mod tests;
