//! What each kind of report teaches, as lessons would be worded from its signals.

use hardwon_core::{CapturePolicy, RunOutcome, Scope, capture::capture_episodes, distil};
use insta::assert_snapshot;

use super::{ReportKind, read_report};

/// Reads a report and returns the text of each lesson that it proposes.
fn told(kind: ReportKind, text: &str) -> String {
    let report = match read_report(kind, text) {
        Ok(report) => report,
        Err(error) => return format!("error: {error}"),
    };
    let trace = report.into_trace(Scope::default());
    let captured = capture_episodes(&trace, &CapturePolicy::default());
    let drafts = captured.episodes.iter().flat_map(distil::draft_episode);
    let texts: Vec<String> = drafts
        .map(|it| it.content.text.expose().to_owned())
        .collect();
    if texts.is_empty() {
        "nothing".to_owned()
    } else {
        texts.join("\n")
    }
}

#[test]
fn a_repair_loop_teaches_if_it_took_several_attempts() {
    let heal = |it: &str| told(ReportKind::Heal, it);
    assert_snapshot!(heal(r#"{"status":"healed","task":"fix the flaky auth test","attempts":[{"output":"x"}]}"#), @"nothing");
    assert_snapshot!(heal(r#"{"status":"healed","task":"fix the flaky auth test","attempts":[{},{"summary":"Freeze the clock in tests/auth/test_token.py before the token is made."}]}"#), @"Freeze the clock in tests/auth/test_token.py before the token is made.");
    assert_snapshot!(heal(r#"{"status":"healed","task":"fix the flaky auth test","attempts":[{},{},{}]}"#), @"Run the checks early in such a task, and read the whole failure before another try: they passed at attempt 3 only.");
    assert_snapshot!(heal(r#"{"status":"escalated","task":"fix the flaky auth test","attempts":[{},{}],"escalation_reason":"retries exhausted","remaining_failures":[{"file_path":"tests/auth/test_token.py","line":42,"error_type":"TypeError","message":"can't compare offset-naive and offset-aware datetimes"}]}"#), @"Trace the cause before trying fixes, which did not help: retries exhausted. tests/auth/test_token.py:42: can't compare offset-naive and offset-aware datetimes.");
    assert_snapshot!(heal(r#"[1]"#), @"error: it has neither `status` nor `attempts`, which say how the loop ended");
    // An end that nobody names shows in what is left.
    assert_snapshot!(heal(r#"{"task":"fix the flaky auth test","attempts":[{},{},{}]}"#), @"Run the checks early in such a task, and read the whole failure before another try: they passed at attempt 3 only.");
    assert_snapshot!(heal(r#"{"attempts":[{},{}],"remaining_failures":[{"message":"the clock is wrong"}]}"#), @"Trace the cause before trying fixes, which did not help: the clock is wrong.");
    assert_snapshot!(heal("not JSON"), @"error: it is not JSON: expected ident at line 1 column 2");
}

/// A lesson says how the work ended that it comes from.
#[test]
fn what_was_not_solved_teaches_failure() {
    let outcome = |kind, text: &str| {
        let report = read_report(kind, text).unwrap();
        let trace = report.into_trace(Scope::default());
        let captured = capture_episodes(&trace, &CapturePolicy::default());
        let outcomes = captured.episodes.iter().map(|episode| episode.outcome);
        let outcomes: Vec<&str> = outcomes.map(RunOutcome::name).collect();
        outcomes.join(" ")
    };
    use ReportKind::{Debug, Heal, Review};
    for (kind, text, expected) in [
        (
            Heal,
            r#"{"status":"escalated","task":"t","remaining_failures":[{"file_path":"a.py","message":"m"}]}"#,
            "failure",
        ),
        (Heal, r#"{"status":"gave_up","task":"t"}"#, "failure"),
        (
            Heal,
            r#"{"status":"healed","task":"t","attempts":[{},{"summary":"Freeze the clock."}]}"#,
            "success",
        ),
        (Debug, r#"{"cause":"The key lacks the locale."}"#, "failure"),
        (
            Debug,
            r#"{"phases":{"trace":{"data_flow":"It is closed early."},"fix":{"status":"failed","fix_description":"x"}}}"#,
            "failure",
        ),
        (
            Debug,
            r#"{"cause":"The key lacks the locale.","fix":"Add it."}"#,
            "success",
        ),
        (
            Review,
            r#"{"verdict":"blocked","blockers":["It drops a table that is in use."]}"#,
            "failure",
        ),
        (
            Review,
            r#"{"verdict":"blocked","fixes":["Close the file on errors."],"blockers":["It drops a table."]}"#,
            "failure failure",
        ),
        (
            Review,
            r#"{"verdict":"fixed","fixes":["Close the file on errors."]}"#,
            "success",
        ),
        (
            Review,
            r#"{"verdict":"approved","residual_risks":["The retry has no limit."]}"#,
            "success",
        ),
    ] {
        assert_eq!(outcome(kind, text), expected, "{text}");
    }
}

/// Whoever gives no name is known by what they say.
#[test]
fn a_report_without_a_subject_is_named_by_its_content() {
    let name = |kind, text: &str| read_report(kind, text).unwrap().run_id();
    for (kind, one, other) in [
        (
            ReportKind::Heal,
            r#"{"status":"escalated"}"#,
            r#"{"status":"healed","attempts":[{"output":"x"},{}]}"#,
        ),
        (
            ReportKind::Heal,
            r#"{"status":"escalated","reason":"retries"}"#,
            r#"{"status":"escalated","reason":"retries","attempts":[{}]}"#,
        ),
        (
            ReportKind::Debug,
            r#"{"cause":"It is slow."}"#,
            r#"{"cause":"It is slow.","fix":"Index it."}"#,
        ),
        (
            ReportKind::Review,
            r#"{"verdict":"blocked"}"#,
            r#"{"verdict":"fixed"}"#,
        ),
        (ReportKind::Review, r#"[{"body":"a"}]"#, r#"[{"body":"b"}]"#),
    ] {
        assert_ne!(name(kind, one), name(kind, other), "{one}");
        assert_eq!(name(kind, one), name(kind, one));
    }
    let named = |text: &str| name(ReportKind::Heal, text);
    assert_eq!(
        named(r#"{"status":"healed","task":"t"}"#),
        named(r#"{"status":"escalated","task":"t"}"#)
    );
}

#[test]
fn a_journal_teaches_if_it_names_a_cause() {
    let journal = |it: &str| told(ReportKind::Debug, it);
    assert_snapshot!(journal(r#"{"bug_id":"abc","description":"The refresh fails at night.","phases":{"trace":{"root_cause_file":"src/auth/refresh.py","root_cause_line":88,"data_flow":"The expiry is compared with a naive datetime."},"fix":{"status":"passed","fix_description":"Make every datetime timezone-aware when it is parsed."}}}"#), @"Make every datetime timezone-aware when it is parsed. The cause was: The expiry is compared with a naive datetime. It is at src/auth/refresh.py:88.");
    assert_snapshot!(journal(r#"{"description":"x","phases":{"trace":{"data_flow":"The pool is closed before the last query."},"fix":{"status":"failed","fix_description":"Close it later."}}}"#), @"Look for this cause first: The pool is closed before the last query.");
    assert_snapshot!(journal(r#"{"cause":"The cache key lacks the locale.","fix":"Add the locale to the cache key."}"#), @"Add the locale to the cache key. The cause was: The cache key lacks the locale.");
    assert_snapshot!(journal(r#"{"description":"x","phases":{}}"#), @"nothing");
}

#[test]
fn a_review_teaches_what_it_fixed_and_flagged() {
    let review = |it: &str| told(ReportKind::Review, it);
    assert_snapshot!(review(r#"{"verdict":"pass","changes":[],"residual_risks":[]}"#), @"nothing");
    assert_snapshot!(review(r#"{"verdict":"approved","fixes":[],"residual_risks":["none known","N/A","No residual risks were found."]}"#), @"nothing");
    assert_snapshot!(review(r#"{"verdict":"fixed","task":"add retries","fixes":[{"what":"Added backoff to the retry in src/client.rs","why":"it hammered the endpoint"}],"residual_risks":["The limit of attempts is not configurable."]}"#), @"
    Check before handing over: Added backoff to the retry in src/client.rs: it hammered the endpoint.
    Check before handing over: The limit of attempts is not configurable.
    ");
    assert_snapshot!(review(r#"{"verdict":"blocked","blockers":[{"what":"Dropping a table before it is copied","anchors":["a.sql:1"]}],"fixes":[]}"#), @"Check before handing over: Dropping a table before it is copied.");
    assert_snapshot!(review(r#"{"url":"https://github.com/a/b/pull/7","reviews":[{"author":{"login":"ann"},"state":"CHANGES_REQUESTED","body":"Use Decimal for money, a float loses cents.\n\nSee below."},{"state":"APPROVED","body":"Looks good to me now, thanks a lot"}],"comments":[{"author":{"login":"renovate[bot]"},"body":"This branch has conflicts that must be resolved"}]}"#), @"Check before handing over: Use Decimal for money, a float loses cents.");
    assert_snapshot!(review(r#"{"data":{"repository":{"pullRequest":{"url":"u","reviewThreads":{"nodes":[{"isResolved":true,"comments":{"nodes":[{"path":"src/pay.rs","body":"> old\nRound only once, at the end of the sum.\n```suggestion\nx\n```"},{"body":"Done, thanks for the hint here"}]}},{"isResolved":false,"comments":{"nodes":[{"path":"src/a.rs","body":"Why is this needed at all?"}]}}]}}}}}"#), @"Check before handing over: Round only once, at the end of the sum (src/pay.rs).");
    assert_snapshot!(review(r#"[{"path":"src/db.rs","body":"Never hold the lock across an await point.","user":{"login":"ben"}},{"in_reply_to_id":1,"body":"I will change this one tomorrow."}]"#), @"Check before handing over: Never hold the lock across an await point (src/db.rs).");
    assert_snapshot!(review(r#"{"title":"x"}"#), @"error: it has neither a `verdict`, nor `reviews`, `comments` or `reviewThreads`, nor is it a list of comments");
}

#[test]
fn a_report_keeps_its_name_when_it_is_worded_anew() {
    let name = |text: &str| {
        let report = read_report(ReportKind::Debug, text).unwrap();
        report.run_id().as_str().to_owned()
    };
    let first = name(r#"{"bug_id":"abc","cause":"The clock is naive."}"#);
    assert_eq!(
        name(r#"{"bug_id":"abc","cause":"A naive clock was used."}"#),
        first
    );
    assert_ne!(
        name(r#"{"bug_id":"abd","cause":"The clock is naive."}"#),
        first
    );
}

#[test]
fn what_others_wrote_is_known_as_theirs() {
    let outside = |text: &str| {
        let report = read_report(ReportKind::Review, text).unwrap();
        !report.outside.is_empty()
    };
    let comment = r#"[{"body":"Never hold the lock across an await point."}]"#;
    assert!(outside(comment));
    let own = r#"{"verdict":"fixed","fixes":["Hold the lock no longer than needed."]}"#;
    assert!(!outside(own));
}
