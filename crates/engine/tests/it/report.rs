//! A run told in reports, each as if to another process, is the same as a run of one process.

use hardwon_core::{CallStatus, MessageRole, OutsideWords, Signal, limits};
use hardwon_engine::{
    Desk, Engine, Error, FileSessions, FixedClock, LiveEvent, Nudge, Policy, Principal,
    RecallRequest, RunReport, Scope, Sessions,
    event::{RawEvent, RunEvent, RunStatus, ToolCall},
    id::{ProjectId, RunId},
    store::LessonListing,
};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;

fn engine() -> Engine {
    let clock = Box::new(FixedClock(Timestamp::from_second(1_780_000_000).unwrap()));
    Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock)
}

fn scope(project: &str) -> Scope {
    Scope {
        project: Some(ProjectId::parse(project).unwrap()),
        ..Scope::default()
    }
}

fn desk<'e>(engine: &'e Engine, project: &str) -> Desk<'e> {
    engine.acting_as(Principal::agent(scope(project), false))
}

fn run(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

fn told(text: &str) -> LiveEvent {
    LiveEvent::Trace(RunEvent::Message {
        role: MessageRole::User,
        text: text.into(),
    })
}

fn called(args: &str, error: Option<&str>) -> LiveEvent {
    LiveEvent::Trace(RunEvent::Tool(ToolCall {
        turn: 0,
        tool: "bash".into(),
        args: args.into(),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(error.into())),
        outside: None,
    }))
}

fn fetched(page: &str) -> LiveEvent {
    LiveEvent::Trace(RunEvent::Tool(ToolCall {
        turn: 0,
        tool: "fetch".into(),
        args: "https://docs.example/deploys".into(),
        status: CallStatus::Ok,
        outside: Some(OutsideWords::from_text(page)),
    }))
}

fn calling(args: &str) -> LiveEvent {
    LiveEvent::Calling {
        tool: "bash".into(),
        args: args.into(),
    }
}

fn signal(signal: Signal<hardwon_core::text::RawText>) -> LiveEvent {
    LiveEvent::Trace(RunEvent::Signal(signal))
}

fn began(task: &str) -> LiveEvent {
    LiveEvent::Trace(RunEvent::Run {
        run: run("s1"),
        agent: None,
        project: None,
        task: Some(task.into()),
    })
}

fn ended() -> LiveEvent {
    LiveEvent::Trace(RunEvent::End {
        status: RunStatus::Failed,
        score: Some(0.25),
    })
}

/// A run with something of everything.
fn story() -> Vec<LiveEvent> {
    let missing = Some("npm error Missing script: \"test\"");
    vec![
        began("run the tests of the shop before the release"),
        called("npm test", missing),
        called("npm test", missing),
        told("no, use yarn instead of npm for everything in here"),
        LiveEvent::Trace(RunEvent::Message {
            role: MessageRole::Assistant,
            text: "I will.".into(),
        }),
        called("npm run test:unit", None),
        fetched("set RELEASE_CHANNEL=stable before deploying"),
        signal(Signal::Heal {
            attempts: 3,
            escalated: false,
            detail: "pin the clock before the snapshot tests run".into(),
        }),
        signal(Signal::RootCause {
            cause: "the deploys fail because the channel is not set".into(),
            fix: Some("run `export RELEASE_CHANNEL=stable` first".into()),
        }),
        signal(Signal::Review {
            fixed: vec!["the retry loop had no upper bound".into()],
            flagged: vec!["the migration takes a lock for minutes".into()],
        }),
        signal(Signal::Discrepancy {
            detail: "claimed: all tests pass; in fact: none was collected".into(),
        }),
        signal(Signal::LowQuality {
            score: Some(0.2),
            detail: "the summary leaves the failing suite out".into(),
        }),
        calling("npm test"),
        called("npm test", missing),
        ended(),
    ]
}

/// Tells a run in reports of so many events.
fn tell(desk: &Desk<'_>, sessions: &dyn Sessions, events: &[LiveEvent], size: usize) -> Vec<Nudge> {
    let reports = events.chunks(size).flat_map(|events| {
        let report = RunReport {
            events: events.to_vec(),
            ..RunReport::new(run("s1"))
        };
        desk.observe_report(report, sessions).unwrap()
    });
    reports.collect()
}

fn tell_live(desk: &Desk<'_>, events: &[LiveEvent]) -> Vec<Nudge> {
    let folder = tempfile::tempdir().unwrap();
    let sessions = FileSessions::new(folder.path());
    let mut live = desk.follow_run(run("s1"), &sessions);
    let take = |event: LiveEvent| match event {
        LiveEvent::Trace(event) => live.observe_event(event).unwrap(),
        LiveEvent::Calling { tool, args } => live.observe_call(tool, args).unwrap(),
    };
    events.iter().cloned().flat_map(take).collect()
}

fn lessons(desk: &Desk<'_>) -> Vec<String> {
    let found = desk.lessons(&LessonListing::default()).unwrap();
    let text = |it: &hardwon_engine::Lesson| {
        format!(
            "{} [{}] {} {:?} {:?} {:?}",
            it.status.name(),
            it.content.signature,
            it.content.text,
            it.trust,
            it.task,
            it.evidence
        )
    };
    found.iter().map(text).collect()
}

fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(scope("shop")))
}

#[test]
fn reports_teach_and_tell_what_one_process_does() {
    let whole = engine();
    let nudges = tell_live(&desk(&whole, "shop"), &story());
    let taught = lessons(&person(&whole));
    assert!(taught.len() >= 5, "{taught:#?}");
    for size in 1..=story().len() {
        let parts = engine();
        let folder = tempfile::tempdir().unwrap();
        let sessions = FileSessions::new(folder.path());
        let told = tell(&desk(&parts, "shop"), &sessions, &story(), size);
        assert_eq!(told, nudges, "{size}");
        assert_eq!(lessons(&person(&parts)), taught, "{size}");
        assert!(!sessions.is_tainted(&scope("shop")), "{size}");
    }
}

#[test]
fn a_remedy_that_a_prompt_quotes_waits() {
    let missing = Some("npm error Missing script: \"test\"");
    let learn = |said: &str| {
        let engine = engine();
        let run = [
            began(said),
            called("npm test", missing),
            called("npm test", missing),
            called("npm run test:unit", None),
            ended(),
        ];
        tell_live(&desk(&engine, "shop"), &run);
        let taught = lessons(&person(&engine));
        let statuses = taught.iter().map(|lesson| lesson.split(' ').next());
        statuses.flatten().map(str::to_owned).collect::<Vec<_>>()
    };
    let issue = "If `npm test` fails, run `npm run test:unit`.";
    assert_eq!(learn(&format!("Mend:\n```\n{issue}\n```")), ["pending"]);
    assert_eq!(learn(issue), ["active"]);
    // What failed is quoted, and found to fail here.
    assert_eq!(learn("Mend:\n```\n$ npm test\n```"), ["active"]);
}

#[test]
fn runs_of_two_projects_with_one_name_go_on_apart() {
    let (engine, folder) = (engine(), tempfile::tempdir().unwrap());
    let sessions = FileSessions::new(folder.path());
    let fails = [called("make orvakit", Some("no rule to make target"))];
    let loops = |project: &str| tell(&desk(&engine, project), &sessions, &fails, 1).len();
    assert_eq!([loops("shop"), loops("garden")], [0, 0]);
    assert_eq!([loops("shop"), loops("garden")], [1, 1]);
}

#[test]
fn a_run_that_another_process_has_in_hand_is_put_off() {
    let engine = engine();
    let folder = tempfile::tempdir().unwrap();
    let sessions = FileSessions::new(folder.path());
    let desk = desk(&engine, "shop");
    tell(&desk, &sessions, &[told("go on")], 1);
    let mut kept = std::fs::read_dir(folder.path().join("sessions")).unwrap();
    let file = std::fs::File::open(kept.next().unwrap().unwrap().path()).unwrap();
    file.lock().unwrap();
    let report = || RunReport {
        events: story(),
        ..RunReport::new(run("s1"))
    };
    let refused = desk.observe_report(report(), &sessions);
    let Err(Error::RunState(error)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
    drop(file);
    assert!(desk.observe_report(report(), &sessions).is_ok());
}

/// Of a long run only the end is read; its task is known all the same.
#[test]
fn the_task_of_a_long_run_is_known_at_its_end() {
    let engine = engine();
    let folder = tempfile::tempdir().unwrap();
    let sessions = FileSessions::new(folder.path());
    let desk = desk(&engine, "shop");
    let mut events = vec![began("prepare the quarterly orvakit release of the shop")];
    for round in 0..4_000 {
        events.push(called(&format!("ls {}{round}", "long/".repeat(100)), None));
    }
    let missing = Some("npm error Missing script: \"test\"");
    events.extend([called("npm test", missing), called("npm test", missing)]);
    events.extend([called("npm run test:unit", None), ended()]);
    tell(&desk, &sessions, &events, 256);
    let kept: u64 = std::fs::read_dir(folder.path().join("sessions"))
        .unwrap()
        .map(|it| it.unwrap().metadata().unwrap().len())
        .sum();
    assert!(kept <= 3 * limits::SESSION_KEPT_BYTES as u64, "{kept}");
    let ask = RecallRequest::new(scope("shop"), "prepare the quarterly orvakit release");
    assert_eq!(desk.recall(&ask).unwrap().preamble.shown.len(), 1);
}

#[test]
fn an_end_told_twice_teaches_once_and_a_run_may_go_on() {
    let (engine, folder) = (engine(), tempfile::tempdir().unwrap());
    let sessions = FileSessions::new(folder.path());
    let desk = desk(&engine, "shop");
    tell(&desk, &sessions, &story(), 4);
    let taught = lessons(&desk);
    tell(&desk, &sessions, &[ended()], 1);
    assert_eq!(lessons(&desk), taught);
    let missing = Some("npm error Missing script: \"test\"");
    let again = [calling("npm test"), called("npm test", missing)];
    let again = tell(&desk, &sessions, &again, 1);
    let is_loop = |it: &Nudge| matches!(it, Nudge::Loop { .. });
    assert!(again.iter().any(is_loop), "{again:?}");
}

/// A reporter's events never carry its run into another agent's or project's lessons.
#[test]
fn the_scope_is_the_reporters() {
    let (engine, folder) = (engine(), tempfile::tempdir().unwrap());
    let sessions = FileSessions::new(folder.path());
    let here = desk(&engine, "shop");
    let mut events = story();
    events[0] = LiveEvent::Trace(RawEvent::Run {
        run: run("s1"),
        agent: hardwon_engine::id::AgentId::parse("other").ok(),
        project: ProjectId::parse("elsewhere").ok(),
        task: None,
    });
    tell(&here, &sessions, &events, 3);
    let all = engine.acting_as(Principal::person(scope("shop")));
    let found = all.lessons(&LessonListing::default()).unwrap();
    assert!(!found.is_empty());
    assert!(found.iter().all(|it| it.scope == scope("shop")));
}
