//! How two lessons are related: the same, another one, or the opposite.

use super::*;

/// Returns how two texts relate, read in both directions.
fn relation(a: &str, b: &str) -> &'static str {
    let (a, b) = (content(a), content(b));
    let (first, second) = (Meaning::from_content(&a), Meaning::from_content(&b));
    assert_eq!(first.is_same(&second), second.is_same(&first));
    assert_eq!(first.opposes(&second), second.opposes(&first));
    let same = meaning::is_exact(&a, &b) || first.is_same(&second);
    let opposite = first.opposes(&second);
    assert!(!(same && opposite), "{a:?} {b:?}");
    if same || opposite {
        assert_eq!(first.key(), second.key(), "{a:?} {b:?}");
    }
    match (same, opposite) {
        (true, _) => "same",
        (_, true) => "opposite",
        (false, false) => "different",
    }
}

fn check(expected: &str, pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert_eq!(relation(a, b), expected, "{a} | {b}");
    }
}

#[test]
fn the_same_in_other_words_of_no_weight() {
    check(
        "same",
        &[
            ("Use tabs in Go files", "use tabs in Go files."),
            ("Use tabs in Go files", "Always use tabs in the Go files"),
            ("Use tabs in Go files", "In Go files, use tabs"),
            (
                "Use tabs in Go files",
                "Please remember: you should use tabs for Go files",
            ),
            ("Lesson: quote the path", "You must quote the path."),
            (
                "Run `cargo fmt` before a commit",
                "Before a commit, run cargo fmt",
            ),
            (
                "Run the tests before committing",
                "run tests before committing",
            ),
            ("Cache the pages", "caching pages"),
            ("Avoid plain GET", "do not use plain GET"),
            ("Don't use plain GET", "never use plain GET"),
            ("use pnpm, not npm", "use pnpm instead of npm"),
            ("copy from x to y", "to y, copy from x"),
            (
                "fetch fails without a token",
                "fetch is failing without the token",
            ),
            ("Правило: тесты", "Правило: тесты."),
            ("you can not push", "you cannot push"),
        ],
    );
}

#[test]
fn another_object_number_name_or_order_is_another_lesson() {
    check(
        "different",
        &[
            ("use tabs in go", "use tabs in rust"),
            (
                "use tabs in go and spaces in rust",
                "use spaces in go and tabs in rust",
            ),
            ("retry 3 times", "retry 5 times"),
            ("run `git add -a`", "run `git add -A`"),
            ("quote the PATH", "quote the path"),
            ("call parse_url", "call parseUrl"),
            ("copy from a to b", "copy from b to a"),
            ("run make check before it", "run make check after it"),
            ("mv source target", "mv target source"),
            ("run lint before test", "run test before lint"),
            ("run all tests", "run some tests"),
            ("if x > y stop", "if x < y stop"),
            ("the server calls the client", "the client calls the server"),
            ("use the operator", "use the operation"),
            ("set mod to 1", "set mode to 1"),
            ("log in first", "log out first"),
            ("use tabs or spaces", "use tabs and spaces"),
            ("使用标签", "不要使用标签"),
            ("Tabs benutzen", "keine Tabs benutzen"),
            ("always", "never"),
            ("there is no need to quote the path", "quote the path"),
            ("run pytest -n 4", "run pytest -n 8"),
            ("enable the cache", "disable the cache"),
            ("prefer rg to grep", "prefer grep to rg"),
            ("use tabs only in go", "use tabs in go"),
            (
                "the server does not call the client",
                "the client calls the server",
            ),
            ("", "the"),
        ],
    );
}

#[test]
fn the_same_things_said_for_and_against_are_opposites() {
    check(
        "opposite",
        &[
            ("use tabs in go", "do not use tabs in go"),
            ("use tabs in go", "Avoid tabs in Go"),
            ("use tabs in go", "in go, never use tabs"),
            ("use tabs in go", "Don’t use tabs in go"),
            ("use pnpm, not npm", "use npm instead of pnpm"),
            ("call it with a token", "call it without a token"),
            ("do not avoid retries", "avoid retries"),
            ("stop using retries", "use retries"),
            (
                "The build won't work without gen",
                "The build works without gen",
            ),
            (
                "npm test does not work here; use pnpm",
                "npm test works here; use pnpm",
            ),
            ("you cannot use tabs", "you can use tabs"),
            ("you can't use tabs", "you can use tabs"),
            ("it is fine to push", "it is not fine to push"),
            ("neither tabs nor spaces", "tabs and spaces"),
        ],
    );
}

#[test]
fn a_different_name_audience_or_tool_is_a_different_lesson() {
    let plain = content("use tabs");
    let vary = |change: &dyn Fn(&mut LessonContent)| {
        let mut varied = content("always use tabs");
        change(&mut varied);
        let there = known(vec![lesson(
            1,
            admitted(plain.clone(), TrustClass::Agent, "r1"),
        )]);
        let new = admitted(varied, TrustClass::Agent, "r2");
        decide_admission(new, &there, 1000, at(10)).outcome
    };
    assert_eq!(vary(&|_| {}), DecisionOutcome::Reinforced);
    assert_eq!(
        vary(&|it| it.title = clean("Tabs!")),
        DecisionOutcome::Reinforced
    );
    assert_eq!(
        vary(&|it| it.tools = vec![clean("fmt")]),
        DecisionOutcome::Reinforced
    );
    assert_eq!(
        vary(&|it| it.reference = Some(clean("d1"))),
        DecisionOutcome::Added
    );
    assert_eq!(
        vary(&|it| it.situation = Some(clean("go files"))),
        DecisionOutcome::Added
    );
    assert_eq!(
        vary(&|it| it.targets = vec![LessonTarget {
            kind: TargetKind::Role,
            glob: clean("review*"),
        }]),
        DecisionOutcome::Added
    );
}

proptest! {
    /// Any text is the same as itself, never its own opposite, and is found by its own keys.
    #[test]
    fn a_text_is_itself(text in ".{0,200}") {
        let content = content(&text);
        let meaning = Meaning::from_content(&content);
        prop_assert!(meaning::is_exact(&content, &content));
        prop_assert!(!meaning.opposes(&meaning));
    }

    /// Two lessons are the same, or opposites, or neither; in both directions.
    #[test]
    fn a_relation_is_one(
        a in "((use|avoid|not|without|unless|in|from|to|a|b|c),? ){0,8}",
        b in "((use|avoid|not|without|unless|in|from|to|a|b|c),? ){0,8}",
    ) {
        relation(&a, &b);
    }
}
