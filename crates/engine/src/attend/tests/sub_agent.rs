//! What a sub-agent is told, and by whom.

use super::*;

/// A sub-agent begins with the task that its parent gave it: what fits that, and not what a session begins with.
#[test]
fn a_sub_agent_begins_with_its_task() {
    let mut stage = Stage::new();
    let id = stage.note(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    );
    let tasks = |stage: &mut Stage| {
        let mut session = stage.session();
        let taken = std::iter::from_fn(|| session.take_delegated_task(stage.now));
        let taken: Vec<String> = taken.map(|it| it.as_str().to_owned()).collect();
        stage.memory.extend(session.take_unwritten().bytes());
        taken
    };
    assert_eq!(tasks(&mut stage), [""; 0]);
    let asked = "Find out why npm test fails.";
    for task in [asked, "Read the docs."] {
        stage.on(delegating(task));
    }
    assert_eq!(tasks(&mut stage), [asked, "Read the docs."]);
    assert_eq!(tasks(&mut stage), [""; 0], "each is taken once");
    stage.on(delegating(asked));
    stage.on(prompted("Leave it, and go on."));
    assert_eq!(tasks(&mut stage), [""; 0], "it was not taken up");
    for number in 0..20 {
        stage.on(delegating(&format!("{number}: {}", "word ".repeat(900))));
    }
    let left = tasks(&mut stage);
    assert_eq!(left.len(), limits::DELEGATED_TASKS);
    assert!(left[0].starts_with("12: ") && left[0].len() <= limits::DELEGATED_TASK_BYTES);

    let mut child = Stage::new();
    child.note(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    );
    child.note("git push", "Pull first.");
    child.in_subagent = true;
    assert_eq!(said(&child.on(started())), "");
    let attended = child.on(prompted(asked));
    assert_eq!(
        (attended.shown, said(&child.on(calling("npm test")))),
        (vec![id], "")
    );
}

/// A sub-agent's run is its own; its parent's prompt is not a person's.
#[test]
fn a_sub_agent_is_told_by_its_parent() {
    let mut stage = Stage::new();
    stage.in_subagent = true;
    let attended = stage.on(prompted(
        "/lesson a b: do c first\nno, use yarn instead of npm",
    ));
    assert_eq!((attended.reply, stage.lessons()), (HookReply::Empty, 0));
    stage.on(called("npm test", true));
    let trace = stage.session().into_trace();
    assert_eq!((trace.steps().len(), trace.call_count()), (1, 1));
    assert!(stage.on(stopped("done")).is_capture_due);
}
