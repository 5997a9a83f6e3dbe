//! The worth of lessons, in short sessions.

use super::{fix_search::collect_words, *};
use crate::{FixSearch, FixSearchStep};
use hardwon_core::{CallStatus, CleanText, LessonContent, ToolCall, trace::call};

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn made(tool: &str, args: &str, error: &str) -> ToolCall<CleanText> {
    ToolCall {
        turn: 0,
        tool: clean(tool),
        args: clean(args),
        status: match error {
            "" => CallStatus::Ok,
            error => CallStatus::Error(clean(error)),
        },
        outside: None,
    }
}

/// Returns whether a lesson states the fix of the first call; `None` if nothing fixed it.
fn says(tool: &str, failed: &str, later: &[&str], lesson: &str) -> Option<bool> {
    let failed = call::parse_call(&made(tool, failed, "error"));
    let mut search = FixSearch::from_failed_call(&failed, None);
    for args in later {
        let (tool, args) = args.split_once('|').unwrap_or((tool, args));
        match search.advance(&call::parse_call(&made(tool, args, "")), true) {
            FixSearchStep::Fixed(way_out) => {
                return Some(way_out.is_named_in(&collect_words(lesson)));
            }
            FixSearchStep::GaveUp => return None,
            FixSearchStep::Continue => {}
        }
    }
    None
}

#[test]
fn a_lesson_says_what_got_over_a_failure() {
    for (tool, failed, later, lesson, expected) in [
        // Words that were added.
        (
            "Bash",
            "npm test",
            &["npm run test:unit"][..],
            "Run `npm run test:unit`.",
            Some(true),
        ),
        (
            "Bash",
            "npm test",
            &["npm run test:unit"],
            "Use yarn.",
            Some(false),
        ),
        (
            "Bash",
            "gh pr view --json x",
            &["gh pr view --json title"],
            "The field is `title`.",
            Some(true),
        ),
        // An option that was left out.
        (
            "Bash",
            "grep -P foo a",
            &["grep foo a"],
            "There is no `-P` here.",
            Some(true),
        ),
        (
            "Bash",
            "grep -P foo a",
            &["grep foo a"],
            "Quote the pattern.",
            Some(false),
        ),
        // A wrapper that was left out.
        (
            "Bash",
            "rtk bun test:all x",
            &["bun test:all x"],
            "Call bun without rtk.",
            Some(true),
        ),
        // A step that was done in between.
        (
            "Edit",
            r#"{"file_path":"a.rs"}"#,
            &[r#"Read|{"file_path":"a.rs"}"#, r#"{"file_path":"a.rs"}"#],
            "Read a file before you edit it.",
            Some(true),
        ),
        (
            "Edit",
            r#"{"file_path":"a.rs"}"#,
            &[r#"Read|{"file_path":"a.rs"}"#, r#"{"file_path":"a.rs"}"#],
            "Make backups.",
            Some(false),
        ),
        (
            "Edit",
            r#"{"file_path":"a.rs"}"#,
            &[r#"{"file_path":"a.rs","replace_all":true}"#],
            "Set `replace_all`.",
            Some(true),
        ),
        (
            "Edit",
            r#"{"file_path":"a.rs","replace_all":false}"#,
            &[r#"Bash|cat a.rs"#, r#"{"file_path":"a.rs"}"#],
            "Read it first.",
            Some(true),
        ),
        // A patch is about its files, and not about the lines that it changes.
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a.rs\n-crane\n+ferry\n*** End Patch",
            &[
                "Bash|sed -n 1,9p a.rs",
                "*** Begin Patch\n*** Update File: a.rs\n-crane x\n+ferry x\n*** End Patch",
            ],
            "Read the lines again.",
            Some(true),
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a.rs\n-crane\n+ferry\n*** End Patch",
            &["*** Begin Patch\n*** Update File: b.rs\n-crane\n+ferry\n*** End Patch"],
            "Read the lines again.",
            None,
        ),
        // A call without arguments is about its program.
        (
            "Bash",
            "pytest",
            &["python3 -m pytest"],
            "Run `python3 -m pytest`.",
            Some(true),
        ),
        // No similar call.
        (
            "Bash",
            "npm test",
            &["ls src", "git status"],
            "Run `ls`.",
            None,
        ),
        (
            "Edit",
            r#"{"file_path":"a.rs"}"#,
            &[r#"{"file_path":"b.rs"}"#],
            "b.rs",
            None,
        ),
    ] {
        assert_eq!(
            says(tool, failed, later, lesson),
            expected,
            "{failed} {later:?} {lesson}"
        );
    }
}

#[test]
fn a_way_out_is_near() {
    let near = ["ls"; limits_less_one()];
    let mut far: Vec<&str> = near.to_vec();
    far.push("ls");
    let then = |calls: &[&str]| {
        let later = [calls, &["npm run test:unit"]].concat();
        says("Bash", "npm test", &later, "npm run test:unit")
    };
    assert_eq!(then(&near), Some(true));
    assert_eq!(then(&far), None);
}

const fn limits_less_one() -> usize {
    hardwon_core::limits::FIX_SEARCH_CALLS - 1
}

const MISSING: &str = "npm error Missing script: \"test\"";
const LESSON: LessonId = LessonId(1);

/// An action in a session.
#[derive(Clone, Copy)]
enum Do {
    Prompt,
    /// A lesson with this text is shown.
    Show(ReplayMoment, &'static str),
    Fail(&'static str),
    Work(&'static str),
}

fn played(what: &[Do], is_tied: bool) -> ReplaySession {
    let mut session = ReplaySession::default();
    let tied: &[LessonId] = if is_tied { &[LESSON] } else { &[] };
    for step in what {
        match step {
            Do::Prompt => session.begin_turn(),
            Do::Show(at, text) => {
                let content = LessonContent::<CleanText> {
                    title: clean(""),
                    ..LessonContent::new(clean(""), clean(text))
                };
                session.record_showing(LESSON, &content, *at);
            }
            Do::Fail(args) => session.record_call(&made("Bash", args, MISSING), tied),
            Do::Work(args) => session.record_call(&made("Bash", args, ""), tied),
        }
    }
    session
}

#[test]
fn a_showing_is_worth_what_it_was_to_the_failure_it_served_best() {
    use Do::{Fail, Prompt, Show, Work};
    use ReplayMoment::{Call, Failure, Prompt as AtPrompt, Start};
    const RIGHT: &str = "`npm test` is no script: run `npm run test:unit`.";
    const OTHER: &str = "`npm test` wants an install.";
    let fixed = [Fail("npm test"), Work("npm run test:unit")];
    for (before, after, is_tied, expected) in [
        (
            &[Show(Start, RIGHT)][..],
            &fixed[..],
            false,
            ShowingWorth::Covered,
        ),
        (
            &[Prompt, Show(AtPrompt, RIGHT)],
            &fixed,
            false,
            ShowingWorth::Covered,
        ),
        (&[Show(Call, RIGHT)], &fixed, false, ShowingWorth::Covered),
        (
            &[Show(Failure, RIGHT)],
            &fixed,
            false,
            ShowingWorth::Covered,
        ),
        // It names something else, but has the key of this failure.
        (
            &[Show(Failure, "Run `test:unit` instead, by `run`.")],
            &fixed,
            true,
            ShowingWorth::Covered,
        ),
        (
            &[Show(Failure, "Wash your hands.")],
            &fixed,
            false,
            ShowingWorth::Unneeded,
        ),
        // It was fixed in another way, or not at all.
        (
            &[Show(Failure, OTHER)],
            &fixed,
            false,
            ShowingWorth::FixedOtherwise,
        ),
        (
            &[Show(Failure, RIGHT)],
            &[Fail("npm test")],
            false,
            ShowingWorth::Unclear,
        ),
        // Another turn, another call.
        (
            &[Prompt, Show(AtPrompt, RIGHT), Prompt],
            &fixed,
            false,
            ShowingWorth::Unneeded,
        ),
        (
            &[Show(Call, RIGHT), Work("ls")],
            &fixed,
            false,
            ShowingWorth::Unneeded,
        ),
        // It was shown at an earlier failure of the same kind, which it did not help to fix.
        (
            &[Show(Failure, RIGHT), Fail("npm test"), Work("ls")],
            &fixed,
            false,
            ShowingWorth::Covered,
        ),
        (
            &[Show(Start, RIGHT)],
            &[Work("npm run test:unit")],
            false,
            ShowingWorth::Unneeded,
        ),
    ] {
        let (_, showings) = played(&[before, after].concat(), is_tied).finish();
        let worth: Vec<ShowingWorth> = showings.iter().map(|it| it.worth).collect();
        assert_eq!(worth, [expected], "{showings:?}");
    }
}

#[test]
fn a_repeat_is_of_another_session_of_the_project() {
    let fixed = [Do::Fail("npm test"), Do::Work("npm run test:unit")];
    let shop = ProjectId::parse("h/shop").unwrap();
    let mut totals = ReplayTotals::default();
    for (project, name, expected) in [
        (None, "one", 0),
        // A sub-agent's session, or the same session resumed.
        (None, "one", 0),
        (Some(&shop), "two", 0),
        (None, "two", 1),
        (None, "one", 2),
        (Some(&shop), "three", 3),
    ] {
        totals.add_session(project, name, played(&fixed, false));
        assert_eq!(totals.preventable_counts().recurrences, expected, "{name}");
    }
    assert_eq!(totals.preventable_counts().failures, 6);
    let recurring = totals.recurring_failures();
    let counts: Vec<(u64, u64, u64)> = recurring
        .iter()
        .map(|it| (it.sessions, it.recurrences, it.covered))
        .collect();
    assert_eq!(counts, [(3, 2, 0), (2, 1, 0)]);
}

#[test]
fn what_only_the_start_meets_is_counted_apart() {
    const RIGHT: &str = "`npm test` is no script: run `npm run test:unit`.";
    let fixed = [Do::Fail("npm test"), Do::Work("npm run test:unit")];
    let mut totals = ReplayTotals::default();
    totals.add_session(None, "one", played(&fixed, false));
    let at_start = [&[Do::Show(ReplayMoment::Start, RIGHT)], &fixed[..]].concat();
    totals.add_session(None, "two", played(&at_start, false));
    let at_both = [&[Do::Show(ReplayMoment::Failure, RIGHT)], &at_start[..]].concat();
    totals.add_session(None, "three", played(&at_both, false));
    let counts = totals.preventable_counts();
    assert_eq!(
        (counts.recurrences, counts.covered, counts.covered_at_start),
        (2, 1, 1)
    );
    assert_eq!(totals.moments[&ReplayMoment::Start].recurrences_covered, 2);
    assert_eq!(totals.counts_after_start().precision(), Some(1.0));
    assert_eq!(
        totals.lessons[&LESSON],
        LessonScores {
            shown: 3,
            covered: 3,
            unneeded: 0
        }
    );
}

#[test]
fn what_no_lesson_spares_is_told_apart() {
    for (tool, args, error, expected) in [
        ("Bash", "npm test", MISSING, true),
        (
            "Bash",
            "cargo test",
            "test result: FAILED. 1 passed; 1 failed",
            false,
        ),
        (
            "Bash",
            "bun run build",
            "error: the build went wrong",
            false,
        ),
        ("Bash", "shipit build", "error: the build went wrong", true),
        ("Bash", "cat a", "cat: a: No such file or directory", false),
        (
            "Bash",
            "sed -n 1p a && make b",
            "sed: can't read a: No such file or directory",
            false,
        ),
        (
            "Bash",
            "docker compose up",
            "open compose.yml: no such file or directory",
            true,
        ),
        ("Bash", "grep a b", "exit code 1", false),
        (
            "Bash",
            "curl x",
            "curl: (6) Could not resolve host: x",
            false,
        ),
        (
            "Edit",
            r#"{"file_path":"a"}"#,
            "String to replace not found in file.",
            true,
        ),
    ] {
        let made = made(tool, args, error);
        let failure = CallFailure::from_call(&made).unwrap();
        let class = FailureClass::classify(&failure, &call::parse_call(&made));
        assert_eq!(class.is_preventable, expected, "{args}: {class:?}");
    }
}
