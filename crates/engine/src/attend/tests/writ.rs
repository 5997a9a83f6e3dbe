//! Tests of writs in a turn, and how much of them is answered.

use super::*;

#[test]
fn writs_are_carried_out_and_answered() {
    let mut stage = Stage::new();
    let attended = stage.on(prompted(
        "/lesson npm test: run `npm run test:unit`\nand fix it",
    ));
    assert_eq!(stage.lessons(), 1);
    assert!(
        said(&attended).contains("OK: recorded lesson #1"),
        "{}",
        said(&attended)
    );

    stage.reply_channel = ReplyChannel::Continue;
    let words = "Done.\n/lesson yarn: use npm, not yarn, in this repository";
    let attended = stage.on(stopped(words));
    assert_eq!((said(&attended), stage.lessons()), ("", 2));
    stage.on(stopped(words));
    assert_eq!(stage.lessons(), 2, "the same words again");

    stage.reply_channel = ReplyChannel::Context;
    let attended = stage.on(calling("ls"));
    assert!(
        said(&attended).contains("OK: recorded lesson #2"),
        "{}",
        said(&attended)
    );
    assert_eq!(said(&stage.on(calling("ls -l"))), "", "it was told");

    stage.reply_channel = ReplyChannel::Continue;
    let attended = stage.on(stopped(
        "/lesson search yarn\n/lesson x y: do z first, always",
    ));
    let HookReply::Continue(text) = &attended.reply else {
        panic!("{attended:?}")
    };
    assert!(text.contains("#2 [yarn] use npm"), "{text}");
    assert!(text.contains("OK: recorded lesson #3"), "{text}");
    let asked = SessionEventKind::Stopped {
        last_message: Some("/lesson show 1".into()),
        is_continuation: true,
    };
    assert_eq!(said(&stage.on(asked)), "", "it goes on only once");
    stage.reply_channel = ReplyChannel::Context;
    let attended = stage.on(prompted("thanks"));
    assert!(
        said(&attended).contains("[/lesson show #1]"),
        "{}",
        said(&attended)
    );
    assert_eq!(stage.on(prompted("bye")).reply, HookReply::Empty);
}

#[test]
fn what_begins_a_prompt_is_the_persons() {
    let check = |event: SessionEventKind, source: &str, status: &str| {
        let mut stage = Stage::new();
        stage.reply_channel = ReplyChannel::Continue;
        stage.on(event);
        let lesson = stage.desk().lesson(LessonId(1)).unwrap();
        let found = (lesson.trust.words(), lesson.status.name());
        assert_eq!(found, (source.to_owned(), status), "{source}");
    };
    let line = "/lesson npm test: run `npm run test:unit`";
    check(prompted(line), "a person", "active");
    check(
        prompted(&format!("See this:\n{line}")),
        "an agent, with content from outside",
        "pending",
    );
    check(stopped(line), "an agent", "active");
    let mut stage = Stage::new();
    stage.note("npm test", "Run `npm run test:unit`.");
    stage.on(prompted("/lesson delete 1"));
    let lesson = stage.desk().lesson(LessonId(1)).unwrap();
    assert_eq!(lesson.status.name(), "archived");
}

#[test]
fn what_a_writ_is_about_is_not_shown_besides() {
    let mut stage = Stage::new();
    for words in [
        "/lesson make build: close the browser first",
        "/lesson wrong 1\nWhy does make build close the browser first?",
    ] {
        let attended = stage.on(prompted(words));
        let text = said(&attended);
        assert!(
            text.contains("/lesson") && !text.contains("PITFALLS"),
            "{text}"
        );
        assert_eq!(attended.shown, [], "{words}");
    }
}

#[test]
fn what_is_said_fits_whatever_is_owed() {
    let mut stage = Stage::new();
    for (tree, c) in ('a'..='z').map(|c| (format!("{c}ilden"), c)) {
        let text = format!(
            "Start {tree} before the build, because the port that it listens on is taken by {c}orva \
             otherwise, and nobody is told why. When it says that it cannot be reached, look at the \
             file of settings under {c}umper first; the name of the host stands in its second line, \
             and the account that runs the build must be allowed to read it."
        );
        stage.note(&format!("build {tree}"), &text);
    }
    assert_eq!(stage.lessons(), 26);
    stage.reply_channel = ReplyChannel::None;
    for round in 0..9 {
        stage.on(stopped(&format!("{round}\n/lesson list")));
    }
    let long = "npm test ".repeat(200);
    stage.on(calling(&long));
    stage.on(called(&long, false));
    stage.on(calling(&long));
    stage.reply_channel = ReplyChannel::Context;
    let attended = stage.on(called(&long, false));
    let text = said(&attended);
    assert!(text.len() <= limits::HOOK_REPLY_BYTES, "{}", text.len());
    assert!(text.starts_with("[LOOP DETECTED]"), "{text}");
    assert!(
        text.contains("[/lesson list]\n#26 [build zilden] Start zilden"),
        "{text}"
    );
    assert!(text.ends_with("\n…\n[END LESSON]"), "{text}");
}
