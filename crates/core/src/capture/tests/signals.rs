//! Signals of plain outcomes, with the drafts that they give.

use super::*;

#[test]
fn plain_outcomes_follow_the_published_rule() {
    let policy = CapturePolicy {
        mode: CaptureMode::EveryRun,
        ..CapturePolicy::default()
    };
    for (run, expected) in [
        (
            "@read a\n@read b\n@write c",
            "Completed using read, write. 3 step(s) succeeded.",
        ),
        (
            "@read a => Error: no a\n@read b => Error: no b\n@read c => Error: no c\n@read d => Error: no d\n! failed",
            "Failed: no a; no b; no c",
        ),
        (
            "@read a\n! aborted",
            "Failed with 0 failed step(s) using read.",
        ),
        // What a failed run reports about itself need not read like an error.
        ("@pump a => boom\n! failed", "Failed: boom"),
        ("@pump a => 403\n! failed", "Failed: 403"),
        ("@pump a => HTTP 500\n! failed", "Failed: HTTP 500"),
        ("@pump a => exit code 1\n! failed", "Failed: exit code 1"),
        ("@pump a => Datei fehlt\n! failed", "Failed: Datei fehlt"),
        ("@pump a => 動きません\n! failed", "Failed: 動きません"),
        (
            "@pump a => failed without output\n! failed",
            "Failed with 1 failed step(s) using pump.",
        ),
    ] {
        let gated = capture_episodes(&trace(run), &policy);
        let plain = gated
            .episodes
            .iter()
            .find(|episode| matches!(episode.kind, EpisodeKind::RunSummary(_)));
        let draft = draft_episode(plain.unwrap()).unwrap();
        assert_eq!(draft.content.text.expose(), expected);
    }
    assert!(
        capture_episodes(&trace("> only words"), &policy)
            .episodes
            .is_empty()
    );
}

/// A runtime's report on its run may repeat what the run read.
#[test]
fn a_signal_after_content_from_outside_is_tainted() {
    for external in [false, true] {
        let mut trace = Trace::new(RunId::parse("r1").unwrap(), Scope::default());
        trace.push(CleanEvent::Tool(ToolCall {
            turn: 0,
            tool: clean("WebFetch"),
            args: clean("https://docs.example"),
            status: CallStatus::Ok,
            outside: external.then(crate::outside::OutsideWords::unknown),
        }));
        let detail = clean("the port is 8080 and not 80");
        trace.push(CleanEvent::Signal(Signal::Discrepancy { detail }));
        trace.push(CleanEvent::End {
            status: RunStatus::Completed,
            score: None,
        });
        let gated = capture_episodes(&trace, &CapturePolicy::default());
        assert_eq!(gated.episodes[0].external, external);
    }
}

#[test]
fn signals_teach_what_they_name() {
    let at = |task: &str, signal: Signal<CleanText>| {
        let mut trace = Trace::new(RunId::parse("r1").unwrap(), Scope::default());
        trace.push(CleanEvent::Run {
            run: RunId::parse("r1").unwrap(),
            agent: None,
            project: None,
            task: (!task.is_empty()).then(|| clean(task)),
        });
        trace.push(CleanEvent::Signal(signal));
        trace.push(CleanEvent::End {
            status: RunStatus::Completed,
            score: None,
        });
        let gated = capture_episodes(&trace, &CapturePolicy::default());
        let texts: Vec<String> = gated
            .episodes
            .iter()
            .filter_map(draft_episode)
            .map(|draft| draft.content.text.expose().to_owned())
            .collect();
        texts
    };
    let with = |signal: Signal<CleanText>| at("", signal);
    let text = |words: &str| clean(words);
    let none: [&str; 0] = [];
    assert_eq!(
        with(Signal::RootCause {
            cause: text("naive times"),
            fix: Some(text("use aware times"))
        }),
        ["use aware times. The cause was: naive times."]
    );
    assert_eq!(
        with(Signal::RootCause {
            cause: text("naive times"),
            fix: None
        }),
        ["Look for this cause first: naive times."]
    );
    assert_eq!(
        with(Signal::RootCause {
            cause: text(" "),
            fix: None
        }),
        none
    );
    let untold = |attempts, escalated| Signal::Heal {
        attempts,
        escalated,
        detail: text(""),
    };
    assert_eq!(
        at("mend the clock", untold(3, false)),
        [
            "Run the checks early in such a task, and read the whole failure before another try: they passed at attempt 3 only."
        ]
    );
    assert_eq!(
        at("mend the clock", untold(1, true)),
        ["Ask a person early in such a task: attempts to get its checks to pass were given up."]
    );
    assert_eq!(with(untold(3, false)), none);
    assert_eq!(
        with(Signal::Heal {
            attempts: 1,
            escalated: false,
            detail: text("x y")
        }),
        none
    );
    assert_eq!(
        with(Signal::Heal {
            attempts: 3,
            escalated: false,
            detail: text("Pin the clock in tests")
        }),
        ["Pin the clock in tests."]
    );
    assert_eq!(
        with(Signal::Review {
            fixed: vec![text("Close files")],
            flagged: vec![text("No retries")]
        }),
        [
            "Check before handing over: Close files.",
            "Check before handing over: No retries."
        ]
    );
    assert_eq!(
        with(Signal::Discrepancy {
            detail: text("tests were said to pass and did not run")
        }),
        ["Verify before claiming: tests were said to pass and did not run."]
    );
    assert_eq!(
        with(Signal::LowQuality {
            score: Some(0.9),
            detail: text("fine")
        }),
        none
    );
    assert_eq!(
        with(Signal::LowQuality {
            score: Some(0.1),
            detail: text("no sources")
        }),
        ["Check the result for this before handing it over: no sources."]
    );
    assert_eq!(
        with(Signal::Heal {
            attempts: 2,
            escalated: true,
            detail: text(&"word ".repeat(500))
        }),
        none
    );
}
