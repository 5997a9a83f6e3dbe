//! Tests of the question at the end of a turn, and its answer.

use super::*;

impl Stage {
    /// A turn in which `npm test` fails twice and then works.
    fn struggle(&mut self) {
        self.reply_channel = ReplyChannel::Context;
        for (args, ok) in [
            ("npm test", false),
            ("npm test -- --ci", false),
            ("npm test", true),
        ] {
            self.on(calling(args));
            self.on(called(args, ok));
        }
        self.reply_channel = ReplyChannel::Continue;
    }

    /// Plays the agent's second stop, after it was asked.
    fn answer(&mut self, said: &str) -> AttendOutcome {
        self.on(SessionEventKind::Stopped {
            last_message: Some(said.into()),
            is_continuation: true,
        })
    }
}

fn is_asked(attended: &AttendOutcome) -> bool {
    let goes_on =
        matches!(&attended.reply, HookReply::Continue(text) if text.contains("[TURN QUESTION]"));
    assert_eq!(goes_on, attended.question.is_some(), "{attended:?}");
    goes_on
}

#[test]
fn a_turn_that_cost_something_is_asked_about_once_a_session() {
    let mut stage = Stage::new();
    stage.on(prompted("run the tests"));
    stage.struggle();
    let attended = stage.on(stopped("done"));
    assert!(is_asked(&attended));
    insta::assert_snapshot!(said(&attended), @r#"
    [TURN QUESTION]
    By hardwon (off: `hardwon config set ask off`).
    This turn got past trouble: npm test (Missing script: "test") failed 2 times.
    Would a later session in this project meet it again, with nothing in its docs on it? Then write up to two lines:
      /lesson <command>: <what to do>
    Otherwise write none; that is a good answer.
    [END TURN QUESTION]
    "#);
    let answered = stage.answer("Nothing to add.");
    assert_eq!(
        (answered.answer_lessons, &answered.reply),
        (Some(Vec::new()), &HookReply::Empty)
    );
    stage.on(prompted("and again"));
    stage.struggle();
    let attended = stage.on(stopped("done again"));
    assert!(!is_asked(&attended));
    assert_eq!(attended.answer_lessons, None);
}

#[test]
fn the_answer_is_tied_to_the_failure_and_comes_up_at_it() {
    let mut stage = Stage::new();
    stage.struggle();
    assert!(is_asked(&stage.on(stopped("done"))));
    let said_last = "/lesson npm test: Run `npm run setup` once before; it writes the script.";
    let answered = stage.answer(said_last).answer_lessons.unwrap();
    let [id] = answered[..] else {
        panic!("{answered:?}")
    };
    let lesson = person(&stage.engine).lesson(id).unwrap();
    assert_eq!(lesson.trust.class, crate::TrustClass::Agent);
    let [evidence] = &lesson.evidence[..] else {
        panic!("{:?}", lesson.evidence)
    };
    assert_eq!(evidence.reference.as_str(), Stage::run().as_str());
    assert_eq!(
        evidence.note.as_ref().unwrap().as_str(),
        "npm test (Missing script: \"test\") failed 2 times"
    );
    // A later session: the lesson is shown at the failure, and the question is not asked again.
    stage.memory.clear();
    stage.reply_channel = ReplyChannel::Context;
    assert_eq!(stage.on(called("npm test --silent", false)).shown, [id]);
    stage.struggle();
    assert!(!is_asked(&stage.on(stopped("done"))));
}

#[test]
fn who_says_it_unasked_is_not_asked() {
    let mut stage = Stage::new();
    stage.struggle();
    let told = stage.on(stopped(
        "done\n/lesson npm test: Run `npm run setup` once before.",
    ));
    assert!(
        !is_asked(&told) && told.answer_lessons.is_none(),
        "{told:?}"
    );
    stage.memory.clear();
    stage.reply_channel = ReplyChannel::Context;
    let again = stage.on(called("npm test --silent", false));
    assert_eq!(
        again.shown.len(),
        1,
        "it is tied to the failure as an answer is"
    );

    let mut stage = Stage::new();
    stage.struggle();
    let other = stage.on(stopped(
        "done\n/lesson changelog: Write it in the imperative.",
    ));
    assert!(is_asked(&other), "that was about something else");
}

#[test]
fn a_task_of_its_kind_brings_a_lesson_up_before_its_failure() {
    let mut stage = Stage::new();
    stage.on(prompted("Hand build-41 to the yard."));
    stage.on(prompted("Go on."));
    stage.struggle();
    stage.on(stopped(
        "done\n/lesson npm test: Run `npm run setup` once before.",
    ));
    stage.memory.clear();
    stage.reply_channel = ReplyChannel::Context;
    assert_eq!(stage.on(prompted("Draw the map of the harbour.")).shown, []);
    let shown = stage.on(prompted("hand build-42 to the yard"));
    assert_eq!(shown.shown.len(), 1);
    assert!(!said(&shown).contains("yard"), "{}", said(&shown));
}

#[test]
fn nobody_is_asked_who_must_not_be() {
    let check = |why: &str, change: &dyn Fn(&mut Stage), stop: SessionEventKind| {
        let mut stage = Stage::new();
        stage.struggle();
        change(&mut stage);
        assert!(!is_asked(&stage.on(stop)), "{why}");
    };
    check("a sub-agent", &|it| it.in_subagent = true, stopped("x"));
    check(
        "it cannot go on",
        &|it| it.reply_channel = ReplyChannel::None,
        stopped("x"),
    );
    let active = SessionEventKind::Stopped {
        last_message: Some("x".into()),
        is_continuation: true,
    };
    check("a stop hook is active", &|_| {}, active);
    let mute = SessionEventKind::Stopped {
        last_message: None,
        is_continuation: false,
    };
    check("its words are not told", &|_| {}, mute);
    let other_turn = |it: &mut Stage| drop(it.on(prompted("another thing")));
    check("another turn", &other_turn, stopped("x"));
}

/// An agent with nothing to add repeats at once that it is done.
#[test]
fn the_same_words_again_are_an_answer_and_another_hooks_are_none() {
    let mut stage = Stage::new();
    stage.struggle();
    assert!(is_asked(&stage.on(stopped("done"))));
    let twice = stage.again(stopped("done"));
    assert_eq!((twice.answer_lessons, twice.question), (None, None));
    let answer = SessionEventKind::Stopped {
        last_message: Some("done".into()),
        is_continuation: true,
    };
    assert_eq!(stage.again(answer.clone()).answer_lessons, Some(Vec::new()));
    assert_eq!(stage.again(answer).answer_lessons, None);
}

#[test]
fn what_comes_after_somebody_else_spoke_is_no_answer() {
    let mut stage = Stage::new();
    stage.struggle();
    assert!(is_asked(&stage.on(stopped("done"))));
    stage.on(prompted("never mind, go on with the cart"));
    let attended = stage.on(stopped("/lesson yarn: Use npm here, there is no yarn."));
    assert_eq!(attended.answer_lessons, None);
    let lessons = person(&stage.engine).lessons(&LessonListing::default());
    assert_eq!(lessons.unwrap()[0].evidence[0].note, None);
}

#[test]
fn what_was_asked_outlives_a_memory_of_which_only_the_end_is_read() {
    let mut stage = Stage::new();
    stage.struggle();
    assert!(is_asked(&stage.on(stopped("done"))));
    let state = stage.session().stands().clone();
    let line = MemoryLine {
        at_ms: 0,
        in_subagent: false,
        entry: MemoryEntry::SessionState(state.clone()),
    };
    stage.memory = line.render().into_bytes();
    assert_eq!(stage.session().stands(), &state);
    assert_eq!(stage.answer("no").answer_lessons, Some(Vec::new()));
    stage.struggle();
    assert!(!is_asked(&stage.on(stopped("done again"))));
}
