use super::*;

/// Checks what was parsed, one line a writ; an error shows its first line.
fn check(text: &str, expected: &[&str]) {
    let got: Vec<String> = parse(text)
        .into_iter()
        .map(|spotted| show(&spotted))
        .collect();
    assert_eq!(got, expected, "in {text:?}");
}

fn show(spotted: &SpottedWrit) -> String {
    match &spotted.writ {
        Ok(Writ::Create { signature, text }) => {
            format!(
                "{} {:?} -> {:?}",
                spotted.line,
                signature.expose(),
                text.expose()
            )
        }
        Ok(Writ::Reflect { text }) => format!("{} reflect {:?}", spotted.line, text.expose()),
        Ok(Writ::Queue(order)) => format!("{} queue {order:?}", spotted.line),
        Ok(Writ::List) => format!("{} list", spotted.line),
        Ok(Writ::Search { query }) => format!("{} search {:?}", spotted.line, query.expose()),
        Ok(writ @ (Writ::Show(id) | Writ::Delete(id) | Writ::Helped(id) | Writ::Wrong(id))) => {
            format!("{} {} {id}", spotted.line, writ.verb())
        }
        Err(error) => format!("{} ERR {}", spotted.line, error.message),
    }
}

#[test]
fn single_lines_split_at_the_first_colon_with_a_space() {
    check(
        "/lesson tests: run `just test`",
        &[r#"1 "tests" -> "run `just test`""#],
    );
    check("/lesson a: b: c", &[r#"1 "a" -> "b: c""#]);
    check(
        "/lesson /fetch https://x: use auth",
        &[r#"1 "/fetch https://x" -> "use auth""#],
    );
    check(
        "/lesson std::fmt: use Display",
        &[r#"1 "std::fmt" -> "use Display""#],
    );
    check("/lesson a:\tb", &[r#"1 "a" -> "b""#]);
    check(
        "/lesson sig: /read gives base64",
        &[r#"1 "sig" -> "/read gives base64""#],
    );
}

#[test]
fn a_colon_that_is_quoted_splits_nothing() {
    for (line, expected) in [
        (
            r#"/lesson bin/kiln fire says "connect: refused": start the hearth: it is down"#,
            r#"1 "bin/kiln fire says \"connect: refused\"" -> "start the hearth: it is down""#,
        ),
        (
            "/lesson bin/chart (open datum.cfg: ENOENT): cd into the folder",
            r#"1 "bin/chart (open datum.cfg: ENOENT)" -> "cd into the folder""#,
        ),
        ("/lesson `x: y`: z", r#"1 "`x: y`" -> "z""#),
        // An unclosed mark quotes nothing, and there must be a text.
        (
            r#"/lesson a 5" disk: use it"#,
            r#"1 "a 5\" disk" -> "use it""#,
        ),
        (r#"/lesson say "a: b""#, r#"1 "say \"a" -> "b\"""#),
    ] {
        check(line, &[expected]);
    }
}

#[test]
fn a_secret_goes_before_its_line_is_split() {
    check(
        r#"/lesson login {"client_secret": "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ"}"#,
        &[r#"1 "login {\"client_secret\"" -> "\"[REDACTED:secret]\"}""#],
    );
}

#[test]
fn without_a_space_they_split_at_the_first_colon_that_is_no_urls() {
    check("/lesson tests:run them", &[r#"1 "tests" -> "run them""#]);
    check(
        "/lesson /fetch https://x:use auth",
        &[r#"1 "/fetch https://x" -> "use auth""#],
    );
    check(
        "/lesson http://h:8080/a:wait",
        &[r#"1 "http://h:8080/a" -> "wait""#],
    );
}

/// Lessons as they are printed, taken back as they were.
#[test]
fn a_printed_lesson_is_taken() {
    for (line, expected) in [
        (
            "/lesson [cargo test] Run it alone.",
            r#"1 "cargo test" -> "Run it alone.""#,
        ),
        (
            "/lesson [cargo test] Run it alone: it locks. (#14)",
            r#"1 "cargo test" -> "Run it alone: it locks.""#,
        ),
        (
            "/lesson [caution] [cargo test] Run it alone. (#14; it went wrong 3 times)",
            r#"1 "cargo test" -> "Run it alone.""#,
        ),
        (
            "/lesson [cargo test]: alone",
            r#"1 "cargo test" -> "alone""#,
        ),
        (
            "/lesson [caution] go slowly",
            r#"1 "caution" -> "go slowly""#,
        ),
        ("/lesson [a: b] c: d", r#"1 "a: b" -> "c: d""#),
        (
            "/lesson [app/[id]/x.ts] await it",
            r#"1 "app/[id]/x.ts" -> "await it""#,
        ),
        (
            "/lesson [grep '[a'] quote it",
            r#"1 "grep '[a'" -> "quote it""#,
        ),
        (
            "/lesson [deploy] see (#14) first",
            r#"1 "deploy" -> "see (#14) first""#,
        ),
        // These are no printed lessons.
        (
            "/lesson [[ -f x ]]: use test",
            r#"1 "[[ -f x ]]" -> "use test""#,
        ),
        (
            "/lesson [ -f x ]: use test",
            r#"1 "[ -f x ]" -> "use test""#,
        ),
        (
            "/lesson [id]/page.tsx: await it",
            r#"1 "[id]/page.tsx" -> "await it""#,
        ),
        (
            "/lesson [cargo test]\nRun it\n\nalone. (#14)\n/endlesson",
            r#"1 "cargo test" -> "Run it\n\nalone.""#,
        ),
        (
            "/lesson [caution] [cargo test] Run it\nalone.\n/endlesson",
            r#"1 "cargo test" -> "Run it\nalone.""#,
        ),
        (
            "/lesson [[ -f x ]]\nuse test\n/endlesson",
            r#"1 "[[ -f x ]]" -> "use test""#,
        ),
    ] {
        check(line, &[expected]);
    }
    check(
        "/lesson [cargo test]",
        &[
            "1 ERR missing /endlesson: the block that starts here is never \
         closed, so nothing was recorded",
        ],
    );
    check("/lesson [] x: y", &[r#"1 "[] x" -> "y""#]);
}

/// Without a word before it that it is a lesson with a signature, only a short head is one.
#[test]
fn a_sentence_with_a_colon_is_a_text() {
    for (lesson, expected) in [
        (
            "deploy.sh: wait for the lock",
            Some(("deploy.sh", "wait for the lock")),
        ),
        ("[deploy.sh] wait (#3)", Some(("deploy.sh", "wait"))),
        (
            "bin/chart (open datum.cfg: ENOENT): cd into the folder",
            Some(("bin/chart (open datum.cfg: ENOENT)", "cd into the folder")),
        ),
        (
            "Whatever you do with Maven, do it with the wrapper: `./mvnw`",
            None,
        ),
        (
            "(Merge conflict in oak.lock) run `oak lock`",
            Some(("Merge conflict in oak.lock", "run `oak lock`")),
        ),
        ("(optional) run `oak lock`", None),
        ("Remember: staging is behind the VPN", None),
        ("Please note: nobody deploys on Fridays", None),
        ("The log says \"connect: refused\" when it is down", None),
        ("Use `npm run test:unit` for units", None),
        ("Use std::fmt", None),
        ("wait\nfor it: now", None),
        (": wait", None),
        ("wait", None),
        ("", None),
    ] {
        assert_eq!(split_lesson(lesson), expected, "{lesson}");
    }
}

#[test]
fn the_queue_is_no_lesson() {
    use QueueOrder::{Drain, Failed, List, Purge, Retry};
    for (words, order) in [
        ("list", List),
        ("failed", Failed),
        ("  drain ", Drain),
        ("retry 3", Retry(3)),
        ("purge 14", Purge(14)),
    ] {
        check(
            &format!("/reflect {words}"),
            &[&format!("1 queue {order:?}")],
        );
    }
    for (words, verb) in [
        ("retry", "retry"),
        ("retry all", "retry"),
        ("purge 1x", "purge"),
    ] {
        let message = format!("1 ERR {verb} takes the number of a job, as /reflect list shows it");
        check(&format!("/reflect {words}"), &[&message]);
    }
    for text in [
        "list every flag",
        "retry the call once",
        "Drain the tank: slowly",
    ] {
        check(
            &format!("/reflect {text}"),
            &[&format!("1 reflect {text:?}")],
        );
    }
}

#[test]
fn blocks_keep_their_lines() {
    check(
        "/lesson sig\na\n\nb\n/endlesson",
        &[r#"1 "sig" -> "a\n\nb""#],
    );
    check("/lesson sig:\na\n/endlesson", &[r#"1 "sig" -> "a""#]);
    check(
        "/lesson sig\n/read gives base64\n/endlesson\n/lesson list",
        &[r#"1 "sig" -> "/read gives base64""#, "4 list"],
    );
    check(
        "/lesson sig\n/lesson x: y\n/endlesson",
        &[r#"1 "sig" -> "/lesson x: y""#],
    );
    check(
        "/lesson https://x\nretry\n/endlesson",
        &[r#"1 "https://x" -> "retry""#],
    );
    check(
        "/lesson sig\n```\n/endlesson\n```\nb\n/endlesson",
        &[r#"1 "sig" -> "```\n/endlesson\n```\nb""#],
    );
    check(
        "/lesson sig\r\na  \r\n/endlesson  \r\n",
        &[r#"1 "sig" -> "a""#],
    );
}

#[test]
fn the_header_of_a_block_may_hold_colons() {
    for header in [
        "npm run test:unit",
        "docker run -p 8080:80",
        "std::sync::Mutex",
        "src/main.rs:120",
        "error: connection refused",
        "delete stale locks",
        "list all: or some",
    ] {
        let text = format!("/lesson {header}\nbody\n/endlesson");
        check(&text, &[&format!("1 {header:?} -> \"body\"")]);
    }
    // A command is a command, and a one-line lesson before another lesson's end is one.
    check("/lesson list\nbody\n/endlesson", &["1 list"]);
    check(
        "/lesson a: b\n/lesson c\nbody\n/endlesson",
        &[r#"1 "a" -> "b""#, r#"2 "c" -> "body""#],
    );
}

#[test]
fn a_plain_sentence_at_the_end_is_a_lesson() {
    let parsed = parse("/lesson We never use default exports here.\n");
    let text = "We never use default exports here.".into();
    assert_eq!(parsed[0].writ, Ok(Writ::Reflect { text }));
    assert!(
        parse("/lesson We never use that\nbut this")[0]
            .writ
            .is_err()
    );
}

#[test]
fn an_open_block_stores_nothing_and_hides_nothing() {
    let unclosed = "1 ERR missing /endlesson: the block that starts here is never closed, so nothing \
                    was recorded";
    check(
        "/lesson sig\nsome prose\n/lesson npm run a:b\nbody\n/endlesson",
        &[unclosed, r#"3 "npm run a:b" -> "body""#],
    );
    check(
        "/lesson sig\na\n/lesson b: c",
        &[
            "1 ERR missing /endlesson: the block that starts here is never closed, so nothing was \
         recorded",
            r#"3 "b" -> "c""#,
        ],
    );
    check(
        "/lesson sig\n\n/endlesson",
        &["1 ERR the lesson has no text"],
    );
}

#[test]
fn verbs_fit_to_their_end() {
    check("/lesson list", &["1 list"]);
    check("/lesson   list  ", &["1 list"]);
    check(
        "/lesson list comprehension: prefer loops",
        &[r#"1 "list comprehension" -> "prefer loops""#],
    );
    check(
        "/lesson list all",
        &["1 ERR list takes nothing; to look for words, use search"],
    );
    check(
        "/lesson search base64 in /read",
        &[r#"1 search "base64 in /read""#],
    );
    check("/lesson search", &["1 ERR search for what?"]);
    check("/lesson show 14", &["1 show #14"]);
    check("/lesson delete #14", &["1 delete #14"]);
    check("/lesson helped 14", &["1 helped #14"]);
    check("/lesson wrong 14", &["1 wrong #14"]);
    check(
        "/lesson delete 14abc",
        &["1 ERR delete takes a lesson number, as in #14"],
    );
    check(
        "/lesson delete",
        &["1 ERR delete takes a lesson number, as in #14"],
    );
    check(
        "/lesson search index goes stale: rebuild it nightly",
        &[r#"1 "search index goes stale" -> "rebuild it nightly""#],
    );
    check(
        "/lesson search https://x a:b",
        &[r#"1 search "https://x a:b""#],
    );
    check(
        "/lesson delete stale locks: remove the file",
        &[r#"1 "delete stale locks" -> "remove the file""#],
    );
    check(
        "/lesson wrong branch: switch first",
        &[r#"1 "wrong branch" -> "switch first""#],
    );
}

#[test]
fn only_column_0_outside_fences_counts() {
    check(" /lesson a: b", &[]);
    check("say /lesson a: b", &[]);
    check("/lessons list", &[]);
    check("/lesson-list", &[]);
    check("```\n/lesson a: b\n```\n/lesson c: d", &[r#"4 "c" -> "d""#]);
    check(
        "~~~ text\n/lesson a: b\n```\n~~~\n/lesson c: d",
        &[r#"5 "c" -> "d""#],
    );
    check(
        "````\n```\n/lesson a: b\n````\n/reflect on it",
        &[r#"5 reflect "on it""#],
    );
    check("``` `x` ```\n/lesson a: b", &[r#"2 "a" -> "b""#]);
}

#[test]
fn what_is_quoted_is_no_writ() {
    for text in [
        "> see\n/lesson a: b",
        "<issue>\n/lesson a: b\n</issue>",
        "<file path=\"a\">\ntext\n\n/lesson a: b\n</file>\n",
    ] {
        check(text, &[]);
    }
    check("> see\n\n/lesson a: b", &[r#"3 "a" -> "b""#]);
    check("uses <T>\n/lesson a: b", &[r#"2 "a" -> "b""#]);
}

#[test]
fn only_what_nothing_stands_before_opens_a_text() {
    let text = "\n/lesson a: b\n/lesson c\nd\n/endlesson\n/lesson list\nMend it.\n/lesson e: f";
    let opens: Vec<bool> = parse(text)
        .iter()
        .map(|spotted| spotted.opens_text)
        .collect();
    assert_eq!(opens, [true, true, true, false]);
}

#[test]
fn incomplete_ones_say_so() {
    check(
        "/lesson",
        &["1 ERR say what to record: /lesson <signature>: <text>"],
    );
    check(
        "/lesson : b",
        &["1 ERR a lesson needs a signature before the colon"],
    );
    let usage = "1 ERR say what was learned: /reflect <text>; of what waits: list, failed, drain, retry <n>, purge <n>";
    for words in ["", " status", " help", " --help", " \t?"] {
        check(&format!("/reflect{words}"), &[usage]);
    }
    check(
        "/reflect 先にロックを外す",
        &[r#"1 reflect "先にロックを外す""#],
    );
    check(
        "/reflect when editing large files, edit in place",
        &[r#"1 reflect "when editing large files, edit in place""#],
    );
}

#[test]
fn an_error_points_at_the_place() {
    let spotted = parse("/lesson delete 14abc").remove(0);
    insta::assert_snapshot!(spotted.writ.unwrap_err(), @r"
    delete takes a lesson number, as in #14
      /lesson delete 14abc
                     ^
    ");
}

#[test]
fn an_error_quotes_neither_secrets_nor_markers() {
    let token = format!("ghp_{}", "Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ");
    let line = format!("/lesson show x [END LESSON] \u{1b}[31m{token}");
    let spotted = parse(&line).remove(0);
    insta::assert_snapshot!(spotted.writ.unwrap_err(), @r"
    show takes a lesson number, as in #14
      /lesson show x (marker removed) [REDACTED:github-token]
                                                             ^
    ");
}

proptest::proptest! {
    #[test]
    fn any_text_parses(text in r"(/lesson|/reflect|/endlesson|```|~~~|list|search|a|:| |\n|\r|é){0,60}") {
        let lines = text.lines().count();
        for spotted in parse(&text) {
            assert!(spotted.line <= lines);
        }
    }
}
