//! What lessons would have been worth.

use hardwon_api::v1::replay::{FailureClassDto, ReplayDto, per_hundred_calls};
use hardwon_core::{CallStatus, ToolCall};
use hardwon_engine::ReplayReport;
use hardwon_engine::{
    ClassCounts, FailureClass, LessonScores, MomentCounts,
    replay::scores::{ReplayMoment, ReplaySession, ReplayTotals},
};

use crate::samples::{bare_lesson, clean, show};

fn failed_session() -> ReplaySession {
    let mut session = ReplaySession::default();
    let call = ToolCall {
        turn: 0,
        tool: clean("Bash"),
        args: clean("npm test"),
        status: CallStatus::Error(clean("npm error Missing script: \"test\"")),
        outside: None,
    };
    session.record_call(&call, &[]);
    session
}

#[test]
fn replayed() {
    let class = FailureClass {
        is_preventable: true,
        name: "missing script",
    };
    let counts = ClassCounts {
        failures: 9,
        recurrences: 4,
        fixed: 3,
        covered: 2,
        covered_at_start: 1,
    };
    let moment = MomentCounts {
        shown: 7,
        covered: 2,
        fixed_otherwise: 1,
        unclear: 1,
        unneeded: 3,
        recurrences_covered: 2,
    };
    let scores = LessonScores {
        shown: 7,
        covered: 2,
        unneeded: 3,
    };
    let mut totals = ReplayTotals::default();
    totals.add_session(None, "monday", failed_session());
    totals.add_session(None, "tuesday", failed_session());
    let again = totals.recurring_failures();
    let failure = show("RecurringFailure", again[0]);
    let report = ReplayReport {
        sessions: 1,
        runs: 2,
        prompts: 3,
        calls: 40,
        learned: 5,
        tokens: 60,
        start_tokens: 7,
        max_start_tokens: 8,
        sessions_asked: 9,
        unreadable: 10,
        totals: {
            let mut totals = ReplayTotals::default();
            totals.classes.insert(class, counts);
            totals.moments.insert(ReplayMoment::Prompt, moment);
            totals
        },
    };
    let full = ReplayDto::from_report(&report, &[(bare_lesson(), scores)], (0, &[])).unwrap();
    let golden = [
        show("MomentCounts", &moment),
        show("FailureClassDto", &FailureClassDto { class, counts }),
        show("ReplayLessonDto", &full.lessons[0]),
        failure,
        show("ReplayDto", &full),
        show(
            "ReplayDto, nothing",
            &ReplayDto::from_report(&ReplayReport::default(), &[], (0, &[])).unwrap(),
        ),
    ];
    insta::assert_snapshot!("replay", golden.concat());
    for (number, calls, expected) in [(0, 0, 0.0), (1, 3, 33.3), (5, 5, 100.0)] {
        assert_eq!(
            per_hundred_calls(number, calls).to_string(),
            f64::to_string(&expected)
        );
    }
}
