//! What a session begins with, and what of it comes up again.

use hardwon_core::{
    event::{RunEvent, RunStatus, scrub_event},
    lesson::TriggerEdit,
};

use super::*;
use crate::{LessonEdit, RecallRequest, StartLessons};

fn stage_with(start: StartLessons) -> Stage {
    Stage::new().with_policy(Policy {
        start,
        holdout: false,
        ..Policy::default()
    })
}

/// Plays a run that begins with lessons and makes one call, learns from it, and returns what it was shown at the start.
fn play_run(stage: &Stage, number: usize, line: &str) -> Vec<LessonId> {
    let run = RunId::parse(&format!("r{number}")).unwrap();
    let mut session = AgentSession::new(run.clone(), Stage::scope());
    let event = SessionEvent {
        run,
        client: ClientName::parse("claude-code").unwrap(),
        scope: Stage::scope(),
        in_subagent: false,
        reply_channel: ReplyChannel::Context,
        may_hold: false,
        may_ask_agent: false,
        is_unattended: false,
        kind: started(),
    };
    let desk = stage.desk();
    let attended = desk.attend_event(&mut session, &event).unwrap();
    for recall in &attended.recalls {
        desk.note_recall(recall).unwrap();
    }
    let SessionEventKind::AfterCall { tool_call, .. } = called(line, true) else {
        panic!()
    };
    let mut trace = session.into_trace();
    trace.push(scrub_event(RunEvent::Tool(tool_call)));
    trace.push(scrub_event(RunEvent::End {
        status: RunStatus::Completed,
        score: None,
    }));
    desk.learn_from_run(&trace).unwrap();
    attended.shown
}

/// Past five lessons only those that have no other moment, and those that helped, the best first.
#[test]
fn a_small_bank_is_shown_whole_and_of_a_large_one_what_counts() {
    let mut stage = stage_with(StartLessons::Few);
    let calls: Vec<LessonId> = (0..4)
        .map(|n| stage.note(&format!("git push {n}"), "Pull first."))
        .collect();
    let prose = stage.note("", "Dates are in UTC in this code base.");
    assert_eq!(stage.on(started()).shown.len(), 5);
    stage.note("cargo test", "Use `cargo nextest run`.");
    assert_eq!(stage.on(started()).shown, [prose]);
    // Praise counts of what was shown, and not from its author.
    let ask = RecallRequest::new(Stage::scope(), "git push 2");
    assert!(
        stage
            .desk()
            .recall(&ask)
            .unwrap()
            .preamble
            .shown
            .contains(&calls[2])
    );
    let agent = Principal::agent(Stage::scope(), false);
    (stage.engine.acting_as(agent))
        .report_opinion(calls[2], Opinion::Helped)
        .unwrap();
    assert_eq!(stage.on(started()).shown, [calls[2], prose]);
    person(&stage.engine)
        .report_opinion(calls[2], Opinion::Wrong)
        .unwrap();
    assert_eq!(stage.on(started()).shown, [prose]);
    let mut more: Vec<LessonId> = (0..7)
        .map(|n| stage.note("", &format!("The {n}th page has no header of its own.")))
        .collect();
    more.insert(0, prose);
    let shown = stage.on(started()).shown;
    assert_eq!(shown.len(), 5);
    assert!(shown.iter().all(|it| more.contains(it)), "{shown:?}");
}

#[test]
fn a_small_bank_of_long_lessons_is_a_large_one() {
    let mut stage = stage_with(StartLessons::Few);
    let long = |n: usize| format!("Pull {n} first{}.", ", and look at what came".repeat(15));
    for n in 0..3 {
        stage.note(&format!("git push {n}"), &long(n));
    }
    let prose = stage.note("", "Dates are in UTC in this code base.");
    assert_eq!(stage.on(started()).shown, [prose]);
}

/// However many lessons are newer, if calls bring those up; one that a person kept from calls is not due instead.
#[test]
fn a_convention_is_found_behind_newer_lessons() {
    let mut stage = stage_with(StartLessons::Few);
    let prose = stage.note("", "Dates are in UTC in this code base.");
    for n in 0..40 {
        stage.note(&format!("git push {n}"), "Pull first.");
    }
    assert_eq!(stage.on(started()).shown, [prose]);
    let edit = LessonEdit {
        triggers: TriggerEdit {
            removes: vec![RawText::from("all")],
            ..TriggerEdit::default()
        },
        ..LessonEdit::default()
    };
    stage.desk().revise_lesson(prose, &edit).unwrap();
    assert_eq!(stage.on(started()).shown, []);
}

#[test]
fn a_person_chooses_how_much_a_session_begins_with() {
    for (start, expected) in [
        (StartLessons::Off, 0),
        (StartLessons::Few, 0),
        (StartLessons::All, 10),
    ] {
        let mut stage = stage_with(start);
        for n in 0..12 {
            stage.note(&format!("git push {n}"), "Pull.");
        }
        let attended = stage.on(started());
        assert_eq!(attended.shown.len(), expected, "{start:?}");
        assert!(said(&attended).starts_with(SESSION_START_TEXT.trim_end()));
    }
}

/// One with a call of its own after five runs, prose after twenty; a prompt that brings it up shows that it is needed.
#[test]
fn what_no_run_needed_steps_back() {
    let mut stage = stage_with(StartLessons::Few);
    let call = stage.note("kubectl apply", "Ask for the owner first.");
    let prose = stage.note("the staging account", "Ask the staging account's owner.");
    for number in 0..20 {
        let expected = if number < 5 {
            vec![call, prose]
        } else {
            vec![prose]
        };
        let mut shown = play_run(&stage, number, "ls");
        shown.sort();
        assert_eq!(shown, expected, "{number}");
    }
    assert_eq!(play_run(&stage, 20, "ls"), []);
    assert_eq!(stage.on(calling("kubectl apply -f a.yaml")).shown, [call]);
    assert_eq!(
        stage.on(prompted("who owns the staging account?")).shown,
        [prose]
    );
}

/// In a list it is easily passed over; what was said about the very prompt is not.
#[test]
fn what_the_start_listed_comes_up_once_at_its_call() {
    let mut stage = stage_with(StartLessons::Few);
    let id = stage.note("git push", "Pull first, then push to the fork.");
    assert_eq!(stage.on(started()).shown, [id]);
    let call = calling("git push origin main");
    assert_eq!(stage.on(prompted("why is git push refused?")).shown, []);
    assert_eq!(stage.on(call.clone()).shown, [id]);
    assert_eq!(stage.on(call.clone()).shown, []);
    stage.on(SessionEventKind::Started(SessionStartKind::Fresh));
    assert_eq!(stage.on(call.clone()).shown, [id]);

    let mut stage = stage_with(StartLessons::Off);
    let id = stage.note("git push", "Pull first, then push to the fork.");
    stage.on(started());
    assert_eq!(stage.on(prompted("why is git push refused?")).shown, [id]);
    assert_eq!(stage.on(call).shown, []);
}

/// A summary loses them, and the session may need them again: what it was shown, the last first, what it wrote, and then
/// what every session begins with.
#[test]
fn a_compacted_session_goes_on_with_its_own_lessons() {
    let compacted = SessionEventKind::Started(SessionStartKind::Compacted);
    let mut stage = stage_with(StartLessons::Few);
    let prose = stage.note("", "Dates are in UTC in this code base.");
    let [push, test, ..] = [
        ("git push", "Pull first, then push."),
        ("npm test", "Run `npm run test:unit`."),
        ("cargo test", "Use `cargo nextest run`."),
        ("cargo build", "Set `CARGO_BUILD_JOBS=1`."),
        ("docker build", "Pass `--network host`."),
    ]
    .map(|(signature, text)| stage.note(signature, text));
    assert_eq!(stage.on(started()).shown, [prose]);
    stage.on(calling("git push"));
    stage.on(prompted("why does npm test fail?"));
    stage.on(stopped(
        "Done.\n/lesson terraform apply: run `terraform plan` first",
    ));
    let wrote = LessonId(7);
    for own in [[test, push, wrote], [test, push, wrote]] {
        // What is shown once more is known to the next summary too.
        stage.on(SessionEventKind::Compacting);
        let shown = stage.on(compacted.clone()).shown;
        assert_eq!(shown, [&own[..], &[prose]].concat());
        let asked = stage.on(prompted("and why does npm test fail now?"));
        assert_eq!(asked.shown, []);
    }
    let kept = MemoryLine {
        at_ms: 0,
        in_subagent: false,
        entry: MemoryEntry::SessionState(stage.session().stands().clone()),
    };
    stage.memory = kept.render().into_bytes();
    stage.on(SessionEventKind::Compacting);
    assert_eq!(
        stage.on(compacted.clone()).shown,
        [test, push, wrote, prose]
    );
    let cleared = stage.on(SessionEventKind::Started(SessionStartKind::Cleared));
    assert_eq!(cleared.shown, [prose]);
    stage.on(SessionEventKind::Compacting);
    assert_eq!(stage.on(compacted).shown, [prose]);
}
