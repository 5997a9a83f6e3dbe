//! Whether what somebody wrote down for later may be advice, and if not, what it is.
//!
//! The memories that agents and people keep hold more than lessons: lists of what is where, things to be done. They are
//! told by their form. Which words are an order is not asked: there is no list of them in all languages, and a rule that
//! is left out is worse than a remark that comes in, which a person sees before any agent does.

use hardwon_core::{advice::strip_list_mark, named_enum};

named_enum! {
    /// What a text is that somebody wrote down for later.
    NoteKind {
        /// It may say what to do, what not to do, or what goes wrong.
        Advice = "advice",
        /// It says where other texts are.
        Contents = "a table of contents",
        /// It says what is left to do.
        Todo = "something to be done",
        /// It says nothing.
        Empty = "it says nothing",
    }
}

/// Marks of what is left to do; the words are marks with a colon behind them.
const TODO_BOXES: &[&str] = &["[ ]", "[x]"];
const TODO_WORDS: &[&str] = &["todo", "to-do", "to do", "fixme", "next", "remaining"];

/// Says what a text is.
pub(super) fn judge_note(text: &str) -> NoteKind {
    let lines: Vec<&str> = text.lines().map(strip_list_mark).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let letters = |line: &&str| line.chars().filter(|c| c.is_alphabetic()).count();
    if lines.iter().map(letters).sum::<usize>() < 3 {
        return NoteKind::Empty;
    }
    if lines.iter().all(|line| is_reference(line)) {
        return NoteKind::Contents;
    }
    if is_todo(lines[0]) {
        NoteKind::Todo
    } else {
        NoteKind::Advice
    }
}

/// Returns whether a line has a mark of what is left to do.
fn is_todo(line: &str) -> bool {
    let head = line.to_lowercase().replace(['*', '_', '`'], "");
    let is_marked = |word: &&str| {
        let rest = head.strip_prefix(*word);
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    TODO_BOXES.iter().any(|boxes| head.starts_with(boxes)) || TODO_WORDS.iter().any(is_marked)
}

/// Returns whether a line leads to another file: a link at its beginning, or an import.
fn is_reference(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '_']);
    if line.starts_with("[[") || (line.starts_with('@') && !line.contains(char::is_whitespace)) {
        return true;
    }
    let Some((_, target)) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]("))
    else {
        return false;
    };
    let target = target.split(')').next().unwrap_or_default();
    !target.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: NoteKind) {
        assert_eq!(judge_note(text), expected, "{text}");
    }

    #[test]
    fn advice_says_what_to_do_or_what_goes_wrong() {
        for text in [
            "Use `npm run test:unit` instead of `npm test`.",
            "Never push to upstream.",
            "The migration hangs with an open psql.",
            "Build: `cargo build --release`",
            "symptom: 403 -> cause: no token -> fix: log in",
            "Tests don\u{2019}t see the fixture.",
            "Vor jedem Deploy die Migration ausf\u{fc}hren.",
            "\u{30c6}\u{30b9}\u{30c8}\u{306f}\u{5fc5}\u{305a}\u{5b9f}\u{884c}",
        ] {
            check(text, NoteKind::Advice);
        }
    }

    /// Clear rules in words that no list has, and what merely looks like work that is left.
    #[test]
    fn no_words_keep_a_rule_out() {
        for text in [
            "Hands off `global.json`.",
            "It is `fvm flutter`, `flutter` alone is another SDK",
            "`vendor/` and `third_party/`: leave these alone",
            "The schema lives in `db/schema.rb`.",
            "Uses PostgreSQL 15 with Prisma",
            "src/api/ handlers, src/db/ queries",
            "WIP commits are squashed",
            "TODO comments name an issue",
            "Next steps are in the issue",
        ] {
            check(text, NoteKind::Advice);
        }
    }

    #[test]
    fn what_is_no_advice() {
        for (text, expected) in [
            ("", NoteKind::Empty),
            ("- 12", NoteKind::Empty),
            (
                "- [Tests](testing.md) \u{2014} never run all",
                NoteKind::Contents,
            ),
            ("- [A](a.md)\n- [[b]]\n- @docs/c.md", NoteKind::Contents),
            ("- [ ] Fix the login", NoteKind::Todo),
            ("**TODO**: use the new client", NoteKind::Todo),
            ("next: the login", NoteKind::Todo),
        ] {
            check(text, expected);
        }
        // A page elsewhere is no table of contents of this folder.
        check("[The docs](https://x.dev) are wrong", NoteKind::Advice);
    }
}
