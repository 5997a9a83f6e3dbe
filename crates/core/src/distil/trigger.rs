//! Decides whether a model is asked about a run that the rules have read.
//!
//! Each cause has a switch. A run that somebody stopped is no run to learn from, and one in which
//! nothing went wrong has nothing to ask about. What asking costs is not weighed here.

use crate::{
    capture::{CapturePolicy, EpisodeKind, Gated, Skip},
    event::{RunStatus, Signal},
    lesson::Cause,
    trace::{Trace, What},
    writ::{self, Writ},
};

/// Which causes a model is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triggers {
    /// Something failed.
    pub error: bool,
    /// A verifier found that a claim was not so.
    pub hallucination: bool,
    /// The result scored low.
    pub low_quality: bool,
    /// A person wrote `/reflect`.
    pub manual: bool,
    /// A person corrected the agent.
    pub correction: bool,
}

impl Default for Triggers {
    /// All but a low score, which says that something was bad and not what.
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

/// Returns the cause for which a model is asked about a run, the one that proves most first; none
/// if it is not asked. `gated` is what the rules made of it.
#[must_use]
pub fn trigger(
    trace: &Trace,
    gated: &Gated,
    capture: &CapturePolicy,
    on: Triggers,
) -> Option<Cause> {
    let end = trace.end().filter(|end| end.status != RunStatus::Aborted)?;
    let is_low = |score: Option<f64>| score.is_some_and(|it| it < capture.low_quality_below);
    let signals = || trace.signals().iter();
    let corrected = || {
        let mut kinds = gated.episodes.iter().map(|it| &it.kind);
        kinds.any(|kind| matches!(kind, EpisodeKind::Correction(_)))
    };
    let causes: [(bool, Cause, &dyn Fn() -> bool); 5] = [
        (on.manual, Cause::Manual, &|| is_reflected(trace)),
        (on.correction, Cause::Correction, &corrected),
        (on.error, Cause::Error, &|| {
            end.status == RunStatus::Failed || has_trouble(gated)
        }),
        (on.hallucination, Cause::Hallucination, &|| {
            signals().any(|it| matches!(it, Signal::Discrepancy { .. }))
        }),
        (on.low_quality, Cause::LowQuality, &|| {
            let says = |it: &Signal<_>| match it {
                Signal::LowQuality { score, .. } => score.is_none() || is_low(*score),
                _ => false,
            };
            is_low(end.score) || signals().any(says)
        }),
    ];
    let mut met = causes.into_iter().filter(|(on, _, holds)| *on && holds());
    met.next().map(|(_, cause, _)| cause)
}

/// Returns whether the rules met a failure that cost something: one they made an episode of, or
/// one that was left behind.
fn has_trouble(gated: &Gated) -> bool {
    let failed = |kind: &EpisodeKind| match kind {
        EpisodeKind::Fix(_)
        | EpisodeKind::Stated(_)
        | EpisodeKind::Schema(_)
        | EpisodeKind::Repeated(_)
        | EpisodeKind::RunFailed(_)
        | EpisodeKind::RootCause { .. }
        | EpisodeKind::Heal { .. } => true,
        EpisodeKind::Correction(_)
        | EpisodeKind::Review { .. }
        | EpisodeKind::Discrepancy { .. }
        | EpisodeKind::LowQuality { .. }
        | EpisodeKind::Plain(_) => false,
    };
    gated.episodes.iter().any(|it| failed(&it.kind)) || gated.skipped.contains_key(&Skip::Unsolved)
}

fn is_reflected(trace: &Trace) -> bool {
    let asks = |text: &str| {
        text.contains("/reflect")
            && writ::parse(text)
                .iter()
                .any(|it| matches!(it.writ, Ok(Writ::Reflect { .. })))
    };
    trace.steps().iter().any(|step| match &step.what {
        What::Said { text, .. } => asks(text.as_str()),
        What::Call(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        capture::gate,
        distil::samples::{call, end, failed, said, trace},
        event::RawEvent,
    };

    const ALL: Triggers = Triggers {
        error: true,
        hallucination: true,
        low_quality: true,
        manual: true,
        correction: true,
    };

    fn cause(events: Vec<RawEvent>, on: Triggers) -> Option<Cause> {
        let trace = trace(events);
        let policy = CapturePolicy::default();
        trigger(&trace, &gate(&trace, &policy), &policy, on)
    }

    fn signal(signal: Signal<crate::text::RawText>) -> RawEvent {
        RawEvent::Signal(signal)
    }

    #[test]
    fn each_cause_has_its_run_and_its_switch() {
        let bad = || {
            signal(Signal::Discrepancy {
                detail: "it said v2, the file says v3".into(),
            })
        };
        let low = |score| {
            signal(Signal::LowQuality {
                score: Some(score),
                detail: "half of it is missing".into(),
            })
        };
        let done = || end(RunStatus::Completed);
        let cases: Vec<(Vec<RawEvent>, Option<Cause>, Triggers)> = vec![
            (vec![call("bash", "ls"), done()], None, ALL),
            (vec![call("bash", "ls"), low(0.7), done()], None, ALL),
            (
                vec![call("bash", "ls"), low(0.2), done()],
                Some(Cause::LowQuality),
                Triggers {
                    low_quality: false,
                    ..ALL
                },
            ),
            (
                vec![call("bash", "ls"), bad(), done()],
                Some(Cause::Hallucination),
                Triggers {
                    hallucination: false,
                    ..ALL
                },
            ),
            (
                vec![call("bash", "ls"), end(RunStatus::Failed)],
                Some(Cause::Error),
                Triggers {
                    error: false,
                    ..ALL
                },
            ),
            (
                vec![
                    call("bash", "ls"),
                    said("no, don't use npm, use `pnpm` instead"),
                    done(),
                ],
                Some(Cause::Correction),
                Triggers {
                    correction: false,
                    ..ALL
                },
            ),
            (
                vec![
                    call("bash", "ls"),
                    said("/reflect look at the lock file first"),
                    done(),
                ],
                Some(Cause::Manual),
                Triggers {
                    manual: false,
                    ..ALL
                },
            ),
        ];
        for (events, expected, without) in cases {
            assert_eq!(cause(events.clone(), ALL), expected, "{events:?}");
            assert_eq!(cause(events.clone(), without), None, "{events:?}");
        }
    }

    #[test]
    fn a_run_that_was_stopped_or_goes_on_is_not_asked_about() {
        let events = |last: Option<RawEvent>| {
            let failed = [failed("bash", "make", "boom"), said("no, use `just`")];
            failed.into_iter().chain(last).collect()
        };
        assert_eq!(cause(events(Some(end(RunStatus::Aborted))), ALL), None);
        assert_eq!(cause(events(None), ALL), None);
        assert!(cause(events(Some(end(RunStatus::Failed))), ALL).is_some());
    }
}
