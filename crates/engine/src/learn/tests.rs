//! Tests of what runs teach, alone and together.

use hardwon_core::{
    CallStatus, Change, MessageRole, RawText, Retirement, RunEvent, RunStatus, Scope, Signal,
    ToolCall, event::scrub_event,
};
use hardwon_store::LessonListing;
use hardwon_store_suite::MemoryStore;

use super::*;
use crate::{Engine, FixedClock, Policy, desk::person};

/// An episode that taught nothing is counted, also where only the wording failed.
#[test]
fn a_signal_that_says_nothing_is_counted() {
    let text = |words: &str| words.into();
    let signals = [
        Signal::RootCause {
            cause: text(" "),
            fix: None,
        },
        Signal::Heal {
            attempts: 3,
            escalated: false,
            detail: text(""),
        },
        Signal::Heal {
            attempts: 1,
            escalated: false,
            detail: text("pin the clock"),
        },
        Signal::Review {
            fixed: vec![text("")],
            flagged: Vec::new(),
        },
    ];
    for signal in signals {
        let engine = empty_engine();
        let trace = completed_run("r1", [RunEvent::Signal(signal)]);
        let learned = person(&engine).learn_from_run(&trace).unwrap();
        assert!(learned.note_outcomes.is_empty(), "{learned:?}");
        assert_eq!(learned.skipped, BTreeMap::from([(Skip::NoAdvice, 1)]));
    }
}

fn empty_engine() -> Engine {
    let clock = Box::new(FixedClock(Timestamp::UNIX_EPOCH));
    Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock)
}

/// Makes the trace of a run that was completed after these events.
fn completed_run(run: &str, events: impl IntoIterator<Item = RunEvent<RawText>>) -> Trace {
    let mut trace = Trace::new(RunId::parse(run).unwrap(), Scope::default());
    let end = RunEvent::End {
        status: RunStatus::Completed,
        score: None,
    };
    for event in events.into_iter().chain([end]) {
        trace.push(scrub_event(event));
    }
    trace
}

fn shell_call(
    command: &str,
    error: Option<&str>,
    outside: Option<OutsideWords>,
) -> RunEvent<RawText> {
    RunEvent::Tool(ToolCall {
        turn: 0,
        tool: "bash".into(),
        args: command.into(),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(error.into())),
        outside,
    })
}

fn stored_lessons(engine: &Engine) -> Vec<Lesson> {
    person(engine).lessons(&LessonListing::default()).unwrap()
}

fn stored_texts(engine: &Engine) -> Vec<String> {
    let lessons = stored_lessons(engine).into_iter();
    lessons
        .map(|lesson| lesson.content.text.to_string())
        .collect()
}

/// Learns from a run in which a person says something to the agent, and returns the lessons that are there then.
fn learn_said(engine: &Engine, run: &str, said: &str) -> Vec<String> {
    let say = |role: MessageRole, text: &str| RunEvent::Message {
        role,
        text: text.into(),
    };
    let events = [
        say(MessageRole::User, "Fix the open ticket."),
        say(MessageRole::Assistant, "I did."),
        say(MessageRole::User, said),
    ];
    let trace = completed_run(run, events);
    person(engine).learn_from_run(&trace).unwrap();
    stored_texts(engine)
}

#[test]
fn two_corrections_answer_the_call_that_is_known_of_both() {
    for (ours, theirs, expected) in [
        ("psql", "psql", "psql"),
        ("psql", "", "psql"),
        ("", "psql", "psql"),
        ("psql", "*.sql", ""),
    ] {
        let joined = join_signatures(&clean_derived(ours), &clean_derived(theirs));
        assert_eq!(joined.as_str(), expected, "{ours} {theirs}");
    }
}

#[test]
fn what_two_sessions_say_in_other_words_is_a_lesson() {
    for (first, second, expected) in [
        (
            "yarn berry, so it's yarn dlx. npx won't find the workspaces",
            "npx doesnt work with our pnp setup, yarn dlx",
            Some("yarn berry, so it's yarn dlx. npx won't find the workspaces."),
        ),
        (
            "branches are named feat/<initials>-<ticket>, not whatever that was",
            "wrong branch name, should be feat/<initials>-<ticket>",
            Some("Branches are named feat/<initials>-<ticket>, not whatever that was."),
        ),
        (
            "no, don't touch the parser tests in this PR",
            "the parser tests got touched again in this PR, don't",
            None,
        ),
        (
            "make the button blue",
            "make the button of the header blue too",
            None,
        ),
    ] {
        let engine = empty_engine();
        assert!(learn_said(&engine, "r1", first).is_empty(), "{first}");
        let learned = learn_said(&engine, "r2", second);
        assert_eq!(learned, Vec::from_iter(expected), "{first} / {second}");
    }
}

/// Returns the texts of the lessons that are in use.
fn active_texts(engine: &Engine) -> Vec<String> {
    let mut lessons = stored_lessons(engine);
    lessons.retain(|lesson| lesson.status == Status::Active);
    let texts = lessons.iter().map(|lesson| lesson.content.text.to_string());
    texts.collect()
}

#[test]
fn a_later_order_takes_the_place_of_its_opposite_whatever_call_it_answers() {
    for (first, second, expected) in [
        (
            ("npm install oak", "no, use pnpm instead of npm, always"),
            ("pnpm add elm", "no, use npm instead of pnpm, always"),
            &["Use npm instead of pnpm, always."][..],
        ),
        (
            (
                "npm install oak",
                "no, use pnpm instead of npm here, always",
            ),
            (
                "pnpm add elm",
                "no, use npm instead of pnpm here, always. we moved back",
            ),
            &["Use npm instead of pnpm here, always. We moved back."],
        ),
        (
            ("npm install oak", "no, use pnpm instead of npm, always"),
            ("pip install elm", "no, use uv instead of pip, always"),
            &[
                "Use pnpm instead of npm, always.",
                "Use uv instead of pip, always.",
            ],
        ),
    ] {
        let engine = empty_engine();
        for (run, (command, said)) in ["r1", "r2"].into_iter().zip([first, second]) {
            let say = |role: MessageRole, text: &str| RunEvent::Message {
                role,
                text: text.into(),
            };
            let events = [
                say(MessageRole::User, "Fix the open ticket."),
                shell_call(command, None, None),
                say(MessageRole::Assistant, "I did."),
                say(MessageRole::User, said),
            ];
            let trace = completed_run(run, events);
            person(&engine).learn_from_run(&trace).unwrap();
        }
        let mut active = active_texts(&engine);
        active.sort();
        assert_eq!(active, expected, "{first:?} {second:?}");
    }
}

#[test]
fn that_nothing_gets_past_an_error_is_said_only_if_no_run_did() {
    const ERROR: Option<&str> = Some("yard: E9 region unset for this tenant");
    let stuck: &[(&str, Option<&str>)] = &[
        ("yard deploy oak", ERROR),
        ("yard deploy oak --region elm", ERROR),
    ];
    let passed: &[(&str, Option<&str>)] = &[
        ("yard deploy oak", ERROR),
        ("yard deploy oak --region elm", None),
    ];
    for (runs, expected) in [
        ([passed, stuck, stuck], false),
        ([stuck, passed, stuck], false),
        ([stuck, stuck, stuck], true),
    ] {
        let engine = empty_engine();
        for (at, commands) in runs.iter().enumerate() {
            let calls = commands.iter();
            let calls = calls.map(|(command, error)| shell_call(command, *error, None));
            let trace = completed_run(&format!("r{at}"), calls);
            person(&engine).learn_from_run(&trace).unwrap();
        }
        let texts = active_texts(&engine);
        let is_said = texts
            .iter()
            .any(|text| text.contains("nothing got past it"));
        assert_eq!(is_said, expected, "{runs:?}: {texts:?}");
    }
}

/// Learns from two runs in which a call to a service failed with this error, and one with an option worked.
fn learn_from_service(error: &str, option: &str) -> Vec<(String, bool)> {
    let engine = empty_engine();
    for run in ["r1", "r2"] {
        let call = |command: String, error: Option<&str>| {
            let words = OutsideWords::from_text(error.unwrap_or("pods: none"));
            shell_call(&command, error, Some(words))
        };
        let events = [
            call(format!("kubectl get {run}"), Some(error)),
            call(format!("kubectl {option} get {run}"), None),
        ];
        let trace = completed_run(run, events);
        person(&engine).learn_from_run(&trace).unwrap();
    }
    let lessons = stored_lessons(&engine).into_iter();
    lessons
        .map(|lesson| (lesson.content.text.to_string(), lesson.trust.tainted))
        .collect()
}

#[test]
fn an_error_from_outside_is_not_quoted() {
    let quiet = "Error from server (Forbidden): pods may not be listed in the harbour";
    let advice = "`kubectl` without `--context oak` fails with an error. Add `--context oak`; with it the same command worked.";
    assert_eq!(
        learn_from_service(quiet, "--context oak"),
        [(advice.to_owned(), false)]
    );
    // What to do stood there too.
    let told = format!("{quiet}, try --context oak");
    let learned = learn_from_service(&told, "--context oak");
    assert!(
        learned.iter().all(|(_, tainted)| *tainted) && !learned.is_empty(),
        "{learned:?}"
    );
}

/// Learns from runs of commands, each with the error of the one that failed, and returns the lessons that are there then.
fn learn_from_commands(runs: &[[(&str, Option<&str>); 2]]) -> Vec<String> {
    let engine = empty_engine();
    for (at, commands) in runs.iter().enumerate() {
        let calls = commands.map(|(command, error)| shell_call(command, error, None));
        let trace = completed_run(&format!("r{at}"), calls);
        person(&engine).learn_from_run(&trace).unwrap();
    }
    stored_texts(&engine)
}

#[test]
fn two_sessions_agree_on_what_was_given_by_whatever_name() {
    let error = Some("yard: the harbour map is missing");
    for (first, second, expected) in [
        (
            ("yard moor oak", "yard -m maps/port.yml moor oak"),
            ("yard weigh elm", "yard --map=maps/port.yml weigh elm"),
            Some("Add `--map=maps/port.yml`"),
        ),
        (
            ("yard moor oak", "yard --pilot north-sea moor oak"),
            ("yard weigh elm", "YARD_PILOT=north-sea yard weigh elm"),
            Some("Set `YARD_PILOT=north-sea`"),
        ),
        (
            ("yard moor oak", "yard dredge --deep port && yard moor oak"),
            ("yard weigh elm", "yard dredge -q port && yard weigh elm"),
            Some("Run `yard dredge port` first"),
        ),
        (
            ("yard moor oak", "yard -m maps/port.yml moor oak"),
            ("yard weigh elm", "YARD_MAP=maps/port.yml yard weigh elm"),
            Some("Set `YARD_MAP=maps/port.yml`"),
        ),
        // Two tasks mark their messages with two words, or with the same.
        (
            ("yard log -m 'the lids'", "yard log -m 'oak: the lids'"),
            ("yard log -m 'the hulls'", "yard log -m 'elm: the hulls'"),
            Some("Use `-m '…: …'`"),
        ),
        (
            ("yard log -m 'the lids'", "yard log -m 'fix(oak): the lids'"),
            (
                "yard log -m 'the hulls'",
                "yard log -m 'feat(elm): the hulls'",
            ),
            Some("(…): …'`"),
        ),
        (
            ("yard log -m 'the lids'", "yard log -m 'YARD-12 the lids'"),
            ("yard log -m 'the hulls'", "yard log -m 'YARD-31 the hulls'"),
            Some("Use `-m 'YARD-N …'`"),
        ),
        // The step is the same on other operands and by another runner, the option by another spelling.
        (
            ("yard moor oak", "yard dredge bay && yard moor oak"),
            ("yard weigh elm", "yard dredge port && yard weigh elm"),
            Some("Run `yard dredge …` first"),
        ),
        (
            ("yard moor oak", "yard dredge port && yard moor oak"),
            (
                "uv run yard weigh elm",
                "uv run yard dredge port && uv run yard weigh elm",
            ),
            Some("Run `uv run yard dredge port` first"),
        ),
        (
            ("yard moor oak", "yard --noreply moor oak"),
            ("yard weigh elm", "yard --no-reply weigh elm"),
            Some("Add `--no-reply`"),
        ),
        // Each its own, or what any task may give.
        (
            ("yard moor oak", "yard -m maps/port.yml moor oak"),
            ("yard weigh elm", "yard --map=maps/bay.yml weigh elm"),
            None,
        ),
        (
            ("yard moor oak", "yard -n 12 moor oak"),
            ("yard weigh elm", "yard --count 12 weigh elm"),
            None,
        ),
    ] {
        let run = |(failed, worked)| [(failed, error), (worked, None)];
        let learned = learn_from_commands(&[run(first), run(second)]);
        let is_it = |text: &String| expected.is_some_and(|advice| text.contains(advice));
        assert_eq!(
            learned.len(),
            usize::from(expected.is_some()),
            "{second:?}: {learned:?}"
        );
        assert!(learned.iter().all(is_it), "{second:?}: {learned:?}");
    }
}

/// A failure that the rules only learn from once two runs agree, and what they then did.
const MAKE_DIST: [(&str, Option<&str>); 2] = [
    (
        "make dist",
        Some("make: *** No rule to make target 'dist'.  Stop."),
    ),
    ("make package", None),
];

fn learn_make_dist(engine: &Engine, run: &str) -> LearnOutcome {
    let calls = MAKE_DIST.map(|(command, error)| shell_call(command, error, None));
    person(engine)
        .learn_from_run(&completed_run(run, calls))
        .unwrap()
}

/// Puts a lesson into a state or gives it an end, past the engine.
fn change_first(engine: &Engine, change: impl Fn(&Lesson) -> Change) {
    let lesson = stored_lessons(engine).pop().unwrap();
    let batch = person(engine).make_batch(vec![change(&lesson)]);
    person(engine)
        .commit(|tx| Ok(tx.apply(&batch).map(drop)?))
        .unwrap();
}

fn archive_as(lesson: &Lesson, by: Retirement) -> Change {
    Change::SetStatus {
        id: lesson.id,
        status: Status::Archived {
            by,
            why: CleanText::from_literal("for a test"),
        },
    }
}

#[test]
fn a_further_run_with_the_same_remedy_is_one_more_witness() {
    let engine = empty_engine();
    for run in ["r1", "r2"] {
        learn_make_dist(&engine, run);
    }
    let before = stored_lessons(&engine);
    assert_eq!(before.len(), 1, "{before:?}");
    let again = learn_make_dist(&engine, "r3");
    assert!(
        matches!(again.note_outcomes[..], [NoteOutcome::AlreadyKnown(_)]),
        "{again:?}"
    );
    let after = stored_lessons(&engine);
    assert_eq!(after[0].evidence.len(), before[0].evidence.len() + 1);
}

#[test]
fn what_expired_is_learned_again_whatever_it_took_to_learn_it() {
    let engine = empty_engine();
    for run in ["r1", "r2"] {
        learn_make_dist(&engine, run);
    }
    change_first(&engine, |lesson| archive_as(lesson, Retirement::Expired));
    let again = learn_make_dist(&engine, "r3");
    assert!(
        matches!(again.note_outcomes[..], [NoteOutcome::Recorded(_)]),
        "{again:?}"
    );
    let states: Vec<&str> = stored_lessons(&engine)
        .iter()
        .map(|lesson| lesson.status.name())
        .collect();
    assert_eq!(states, ["active", "superseded"]);
}

#[test]
fn what_nobody_had_needed_is_back_when_its_moment_comes() {
    let check = |by: Retirement, calls: &[(&str, Option<&str>)], expected: &str| {
        let engine = empty_engine();
        for run in ["r1", "r2"] {
            learn_make_dist(&engine, run);
        }
        change_first(&engine, |lesson| archive_as(lesson, by));
        let calls = calls
            .iter()
            .map(|(command, error)| shell_call(command, *error, None));
        person(&engine)
            .learn_from_run(&completed_run("r9", calls))
            .unwrap();
        let state = stored_lessons(&engine)[0].status.name();
        assert_eq!(state, expected, "{by:?}");
    };
    let failed = &MAKE_DIST[..1];
    check(Retirement::NeverNeeded, failed, "active");
    check(Retirement::NeverNeeded, &[("ls", None)], "archived");
    check(Retirement::Dismissed, failed, "archived");
    check(Retirement::Expired, failed, "archived");
}

#[test]
fn what_is_written_about_a_call_and_nobody_had_needed_is_back_at_that_call() {
    let engine = empty_engine();
    let agent = engine.acting_as(crate::Principal::agent(Scope::default(), false));
    let text = "Never run `helm upgrade` without `--atomic`.";
    agent
        .note(crate::Note::new(hardwon_core::LessonContent::new("", text)))
        .unwrap();
    change_first(&engine, |lesson| {
        archive_as(lesson, Retirement::NeverNeeded)
    });
    for (command, expected) in [("helm list", "archived"), ("helm upgrade shop .", "active")] {
        let run = completed_run(
            &format!("r{}", command.len()),
            [shell_call(command, None, None)],
        );
        person(&engine).learn_from_run(&run).unwrap();
        assert_eq!(
            stored_lessons(&engine)[0].status.name(),
            expected,
            "{command}"
        );
    }
}

/// Nothing but that there was a lesson is left of one that is erased: no candidate with its words, no prompt, and its
/// evidence names all sessions whose logs go with it.
#[test]
fn what_a_lesson_was_made_of_is_erased_with_it() {
    let policy = Policy {
        keep_prompts: true,
        ..Policy::default()
    };
    let engine = Engine {
        policy: std::sync::Arc::new(policy),
        ..empty_engine()
    };
    for run in ["r1", "r2"] {
        learn_make_dist(&engine, run);
    }
    learn_said(
        &engine,
        "r3",
        "yarn berry, so it's yarn dlx. npx won't find the workspaces",
    );
    learn_said(
        &engine,
        "r4",
        "npx doesnt work with our pnp setup, yarn dlx",
    );
    let lessons = stored_lessons(&engine);
    assert_eq!(lessons.len(), 2);
    for lesson in &lessons {
        assert_eq!(lesson.evidence.len(), 2, "{lesson:?}");
    }
    let desk = person(&engine);
    desk.recall(&crate::RecallRequest::new(
        Scope::default(),
        "yarn berry: npx?",
    ))
    .unwrap();
    let candidates = || {
        let reader = desk.snapshot().unwrap();
        reader.candidate_lessons(&Scope::default()).unwrap().len()
    };
    assert!(candidates() > 0);
    for lesson in &lessons {
        desk.erase_lesson(lesson.id).unwrap();
    }
    assert_eq!(candidates(), 0);
    let recalls = desk
        .recalls(&hardwon_store::RecallListing::default())
        .unwrap();
    let texts = recalls.iter().map(|(id, _)| desk.query_text(*id).unwrap());
    assert_eq!(texts.collect::<Vec<_>>(), [None]);
}

#[test]
fn what_a_written_lesson_advises_already_is_evidence_of_it() {
    let engine = empty_engine();
    let written = hardwon_core::LessonContent::new(
        "npm test (Missing script)",
        "`npm test` fails with *Missing script*. Run `npm run test:unit` instead.",
    );
    person(&engine).note(crate::Note::new(written)).unwrap();
    for run in ["r1", "r2"] {
        let error = "npm ERR! Missing script: \"test\"";
        let calls = [("npm test", Some(error)), ("npm run test:unit", None)];
        let calls = calls.map(|(command, error)| shell_call(command, error, None));
        person(&engine)
            .learn_from_run(&completed_run(run, calls))
            .unwrap();
    }
    let lessons = stored_lessons(&engine);
    assert_eq!(lessons.len(), 1, "{lessons:#?}");
    assert_eq!(lessons[0].evidence.len(), 3);
}
