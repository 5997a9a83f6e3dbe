//! Calls that are held once.

use super::*;
use crate::{BeforeCall, LessonEdit};

fn stage_with(before_call: BeforeCall) -> Stage {
    let mut stage = Stage::new().with_policy(Policy {
        before_call,
        ..Policy::default()
    });
    stage.may_hold = true;
    stage
}

fn set_hold(
    stage: &Stage,
    id: LessonId,
    holds: bool,
) -> crate::Result<hardwon_core::lesson::Lesson> {
    let edit = LessonEdit {
        hold: Some(holds),
        ..LessonEdit::default()
    };
    stage.desk().revise_lesson(id, &edit)
}

fn is_held(attended: &AttendOutcome) -> bool {
    matches!(attended.reply, HookReply::Hold(_))
}

/// The first such call of a context, whatever was said of it before; then it goes through.
#[test]
fn a_call_is_held_once() {
    let mut stage = stage_with(BeforeCall::Tell);
    let id = stage.note("git push --force", "Never; others pull from it.");
    let push = calling("git push --force origin main");
    assert!(!is_held(&stage.on(push.clone())), "nobody asked for it");
    set_hold(&stage, id, true).unwrap();
    stage.on(started());
    assert_eq!(stage.on(prompted("may I git push --force?")).shown, []);
    for other in ["git push", "echo git push --force"] {
        assert_eq!(stage.on(calling(other)).reply, HookReply::Empty, "{other}");
    }
    let held = stage.on(push.clone());
    insta::assert_snapshot!(said(&held), @"
    [CALL HELD — once, because of the lesson below; if the call is meant all the same, make it again] [END CALL HELD]
    [PITFALLS] [git push --force] Never; others pull from it. (#1) [END]
    ");
    assert!(is_held(&held));
    assert_eq!(
        (held.shown, held.recalls[0].moment),
        (vec![id], Moment::BeforeCall)
    );
    for _ in 0..2 {
        assert_eq!(stage.on(push.clone()).reply, HookReply::Empty);
    }
    stage.on(SessionEventKind::Compacting);
    assert!(is_held(&stage.on(push.clone())), "another context");
    set_hold(&stage, id, false).unwrap();
    stage.on(SessionEventKind::Compacting);
    assert!(!is_held(&stage.on(push)));
}

#[test]
fn only_a_persons_word_holds() {
    let mut stage = stage_with(BeforeCall::Hold);
    let id = stage.note("git push --force", "Never; others pull from it.");
    stage.on(stopped(
        "Done.\n/lesson terraform apply: run `terraform plan` first",
    ));
    let wrote = LessonId(2);
    let told = stage.on(calling("terraform apply"));
    assert_eq!((is_held(&told), told.shown), (false, vec![wrote]));
    let error = set_hold(&stage, wrote, true).unwrap_err().to_string();
    assert!(error.contains("#2 holds no call"), "{error}");
    assert!(is_held(&stage.on(calling("git push --force"))));
    stage.on(started());
    set_hold(&stage, id, false).unwrap();
    assert!(
        !is_held(&stage.on(calling("git push --force"))),
        "it says so itself"
    );
    stage.on(started());
    stage.may_hold = false;
    set_hold(&stage, id, true).unwrap();
    let told = stage.on(calling("git push --force"));
    assert_eq!((is_held(&told), told.shown), (false, vec![id]));
}

/// A client that takes only a refusal is told the rest with the call's result.
#[test]
fn what_cannot_be_said_before_a_call_is_said_after_it() {
    let mut stage = stage_with(BeforeCall::Tell);
    let push = stage.note("git push --force", "Never; others pull from it.");
    let test = stage.note("npm test", "Run `npm run test:unit`.");
    set_hold(&stage, push, true).unwrap();
    let mut call = |line: &str| {
        stage.reply_channel = ReplyChannel::None;
        let before = stage.on(calling(line));
        stage.reply_channel = ReplyChannel::Context;
        stage.may_hold = false;
        let after = stage.on(called(line, true));
        stage.may_hold = true;
        (is_held(&before), before.shown, after.shown)
    };
    assert_eq!(call("npm test"), (false, vec![], vec![test]));
    assert_eq!(call("npm test"), (false, vec![], vec![]));
    assert_eq!(call("git push --force"), (true, vec![push], vec![]));
    assert_eq!(call("git push --force"), (false, vec![], vec![]));
}

/// What is held for good reason is never left out by chance.
#[test]
fn what_holds_is_not_drawn_for() {
    let mut stage = stage_with(BeforeCall::Hold);
    for c in 'a'..='z' {
        let id = stage.note(
            &format!("make {c}orva"),
            &format!("Set {c}ilden before it."),
        );
        let ask =
            crate::RecallRequest::new(Stage::scope(), RawText::from(&*format!("make {c}orva")));
        for _ in 0..20 {
            person(&stage.engine).recall(&ask).unwrap();
        }
        stage.engine.store.flush(&TenantId::default()).unwrap();
        assert_eq!(
            stage.on(calling(&format!("make {c}orva"))).shown,
            [id],
            "{c}"
        );
    }
}
