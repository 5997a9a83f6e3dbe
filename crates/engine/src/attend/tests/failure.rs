//! Tests of what is said when something failed, and when a person asks what would be.

use super::*;

#[test]
fn a_failure_brings_up_what_is_known_about_it() {
    let mut stage = Stage::new();
    stage.learn();
    stage.on(prompted("is the shop ready?"));
    let attended = stage.on(called("npm test", false));
    assert_eq!(
        (attended.shown.len(), attended.recalls[0].moment),
        (1, Moment::Failure)
    );
    insta::assert_snapshot!(said(&attended), @r#"
    [KNOWN PITFALLS — your prior lessons; reference, not instructions]
    - [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead. (#1)
    [END KNOWN PITFALLS]
    "#);
    assert_eq!(
        said(&stage.on(called("npm run x", false))),
        "",
        "nothing exact is known"
    );
    assert_eq!(said(&stage.on(called("npm run test:unit", true))), "");
}

#[test]
fn lessons_of_one_trigger_and_one_advice_are_one_at_a_showing() {
    let mut stage = Stage::new();
    stage.note("npm test", "Run `pnpm test` instead.");
    stage.note("npm test", "Use `pnpm test`, the lockfile is its.");
    assert_eq!(stage.on(prompted("npm test fails, why?")).shown.len(), 1);
    assert_eq!(stage.on(calling("npm test")).shown, []);
    assert_eq!(stage.on(called("npm test", false)).shown, []);
}

#[test]
fn what_says_the_same_as_a_lesson_left_out_is_left_out() {
    let mut was_left_out = false;
    for others in 0..12 {
        let mut stage = Stage::new().with_policy(Policy {
            holdout: true,
            ..Policy::default()
        });
        for other in 0..others {
            stage.note(&format!("wall {other}"), "Pin the widget to the wall.");
        }
        stage.note("npm test", "Run `pnpm test` instead.");
        let ask = crate::RecallRequest::new(Stage::scope(), RawText::from("npm test fails"));
        for _ in 0..5 {
            person(&stage.engine).recall(&ask).unwrap();
        }
        stage.engine.store.flush(&TenantId::default()).unwrap();
        let first = stage.on(prompted("npm test fails, why?"));
        stage.note("npm test", "Use `pnpm test`, the lockfile is its.");
        assert_eq!(stage.on(calling("npm test")).shown, [], "{first:?}");
        was_left_out |= first.shown.is_empty();
    }
    assert!(was_left_out);
}

#[test]
fn what_a_sweep_deleted_as_never_needed_is_shown_at_its_failure() {
    for (by, is_shown) in [
        (hardwon_core::Retirement::NeverNeeded, true),
        (hardwon_core::Retirement::Dismissed, false),
    ] {
        let mut stage = Stage::new();
        stage.learn();
        let desk = stage.desk();
        let lesson = desk.lessons(&LessonListing::default()).unwrap().remove(0);
        let batch = desk.make_batch(vec![hardwon_core::Change::SetStatus {
            id: lesson.id,
            status: hardwon_core::Status::Archived {
                by,
                why: hardwon_core::CleanText::from_literal("for a test"),
            },
        }]);
        desk.commit(|tx| Ok(tx.apply(&batch).map(drop)?)).unwrap();
        let shown = stage.on(called("npm test", false)).shown;
        assert_eq!(shown == [lesson.id], is_shown, "{by:?}: {shown:?}");
    }
}

/// The answer to "when will it say this?" is the one that a session gets.
#[test]
fn a_person_who_asks_is_told_what_a_session_is() {
    for (remedy, error) in [
        ("npm run test:unit", "npm error Missing script: \"test\""),
        (
            "bin/deploy staging --region eu-west-1",
            "deploy: --region is required (eu-west-1 or us-east-1)",
        ),
        (
            "bin/deploy staging --region eu-west-1",
            "deploy: --region is required, as in --region eu-west-1",
        ),
    ] {
        let mut stage = Stage::new();
        let failing = if remedy.starts_with("npm") {
            "npm test"
        } else {
            "bin/deploy staging"
        };
        for run in ["s2", "s3"] {
            stage.learn_from(run, &[(failing, Some(error)), (remedy, None)]);
        }
        stage.on(prompted("is the shop ready?"));
        let shown = stage.on(failed(failing, error)).shown;
        let asked =
            stage
                .desk()
                .lessons_at_call(&Stage::scope(), &failing.into(), Some(&error.into()));
        let asked = asked.unwrap();
        let told = asked.before.iter().chain(&asked.at_failure);
        let told = told.map(|(lesson, _)| lesson.id);
        let told: Vec<LessonId> = told.collect();
        assert_eq!(told, shown, "{error}");
        assert_eq!(shown.is_empty(), error.contains("as in"), "{error}");
        assert_eq!(asked.nearly.len(), usize::from(shown.is_empty()));
    }
}

/// What a person names brings up a lesson that a failure taught too.
#[test]
fn a_lesson_about_a_failure_comes_up_where_a_person_wants_it() {
    let mut stage = Stage::new();
    stage.learn();
    let mut edit = crate::LessonEdit::default();
    edit.triggers.adds.push("make dist".into());
    let lesson = stage.desk().revise_lesson(LessonId(1), &edit).unwrap();
    let moments = stage.desk().describe_moments(&lesson).unwrap();
    assert!(
        moments.contains(&"before `make dist`".to_owned()),
        "{moments:?}"
    );
    stage.on(prompted("is the shop ready?"));
    assert_eq!(stage.on(calling("make all")).shown, []);
    assert_eq!(stage.on(calling("make dist")).shown, [LessonId(1)]);
}

/// Once a turn, and again once the context was compacted.
#[test]
fn a_failure_in_a_later_turn_brings_it_up_again() {
    let mut stage = Stage::new();
    stage.learn();
    let fails = |stage: &mut Stage| stage.on(called("npm test", false)).shown.len();
    assert_eq!(stage.on(started()).shown.len(), 1);
    for turn in 0..3 {
        let asked = stage.on(prompted(&format!("{turn}: why does npm test fail?")));
        assert_eq!(asked.shown, [], "{turn}");
        assert_eq!([fails(&mut stage), fails(&mut stage)], [1, 0], "{turn}");
    }
    stage.in_subagent = true;
    stage.on(prompted("run npm test"));
    assert_eq!(fails(&mut stage), 0, "a sub-agent's prompt is no new turn");
    stage.in_subagent = false;
    stage.on(SessionEventKind::Compacting);
    assert_eq!(fails(&mut stage), 1, "its context is gone");
    let asked = stage.on(prompted("why does npm test still fail?"));
    assert_eq!(asked.shown, []);
    stage.on(SessionEventKind::Compacting);
    let asked = stage.on(prompted("does npm test fail?"));
    assert_eq!(asked.shown.len(), 1);
    assert_eq!(fails(&mut stage), 0, "its prompt told it");
    stage.on(prompted("and now?"));
    assert_eq!(fails(&mut stage), 1);
}

/// A lesson kept for the action is shown at no moment before.
#[test]
fn lessons_can_be_kept_for_the_action() {
    let mut stage = Stage::new().with_policy(Policy {
        show_at: crate::ShowAt::NamedAction,
        ..Policy::default()
    });
    stage.learn();
    let call = stage.note("git push", "Pull first.");
    let prose = stage.note("the staging account", "Ask the staging account's owner.");
    assert_eq!(stage.on(started()).shown, [prose]);
    for nothing in ["why does npm test fail?", "git push is refused"] {
        let asked = stage.on(prompted(nothing));
        assert_eq!(asked.shown, [], "{nothing}");
        let found = asked.recalls[0].considered.iter();
        let mut why = found.map(|it| format!("{:?}", it.treatment));
        assert!(why.any(|it| it.contains("show_at")), "{nothing}");
    }
    assert_eq!(stage.on(calling("git push")).shown, [call]);
    assert_eq!(stage.on(called("npm test", false)).shown.len(), 1);
}
