//! The marks that show how informative a line of output is about a failure.
//!
//! They are searched all at once, in one pass over the line, because a failed build prints thousands of lines.

use hardwon_redact::finder::{self, WordGroups};

use super::LineClass;

/// Where in a line a mark counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkPosition {
    Start,
    Anywhere,
}

/// The marks, in lower case.
#[rustfmt::skip]
const MARKS: &[(LineClass, MarkPosition, &[&str])] = &[
    // Lines that follow every failure of a program, whatever it was.
    (LineClass::Boilerplate, MarkPosition::Start, &[
        "error: could not compile", "error: aborting due to", "error: test failed, to rerun",
        "error: process didn't exit successfully", "error: recipe ", "error: failed to compile",
        "error command failed with exit code", "make: ***", "make[", "elifecycle", "note: ", "hint: ", "help: ",
        "usage:", "for more information", "some errors have detailed", "error: build failed", "[error] re-run maven",
        "[error] to see the full stack", "[error] for more information", "[error] -> [help", "[error] after correcting",
        "error: subprocess-exited-with-error", "error: process completed", "warning:", "warn ", "npm warn", "[warn",
        "deprecat", "caused by:", "errors:", "error: command failed",
    ]),
    (LineClass::Boilerplate, MarkPosition::Anywhere, &[
        "warning: ",
    ]),
    // Lines that have the form of a diagnosis.
    (LineClass::Diagnosis, MarkPosition::Start, &[
        "error:", "error[", "error ", "[error]", "fatal:", "fatal ", "panic:", "exception:", "uncaught ", "unhandled ",
        "err_pnpm", "error executing", "e   ", "e: ", "curl: (", "err:", "failed:", "✘", "× ", "! [rejected]",
        "conflict (", "exception in thread", "runtimeerror", "segmentation fault", "killed", "oci runtime",
        "unexpected error", "command failed", "modulenotfound",
    ]),
    (LineClass::Diagnosis, MarkPosition::Anywhere, &[
        ": error", ": fatal error", "panicked at", ": command not found", ": no matches found: ", ") error ts",
        "- error ts", " error ts", "exception: ", "error: ",
    ]),
    // Words with which a line says what is wrong.
    (LineClass::Complaint, MarkPosition::Anywhere, &[
        "no such ", "permission denied", "cannot find", "could not find", "couldn't find", "not found",
        "undefined reference", "undefined:", "is not defined", "undeclared", "unresolved", "refused", "unrecognized",
        "unknown option", "unknown command", "unknown argument", "unexpected argument", "invalid option",
        "missing script", "does not exist", "doesn't exist", "already exists", "not a git repository",
        "not permitted", "access denied", "unauthorized", "forbidden", "timed out", "out of memory", "no space left",
        "cannot ", "can't ", "could not ", "unable to", "failed to", "is required", "must be", "syntax error",
        "parse error", "unexpected token", "type mismatch", "assertion", "expected", "not supported", "unsupported",
        "no module named", "address already in use", "must precede", "out of range", "is not a ", "not recognized",
        "has not been read", "no matching", "not match", "in use", "too many", "more than one ", "too long", "same file",
        "crashed", "merge conflict", "non-fast-forward", "not allowed", "[rejected]",
    ]),
    // Words with which a line mentions a failure.
    (LineClass::Mention, MarkPosition::Anywhere, &[
        "error", "fail", "invalid", "missing", "denied", "exception", "abort", "warning", "unexpected", "rejected",
        "wrong", "bad ", "illegal", "not ", "✕", "✗", "✖", "unknown",
    ]),
];

/// The words of each row of [`MARKS`].
const MARK_WORDS: [&[&str]; MARKS.len()] = {
    let mut words: [&[&str]; MARKS.len()] = [&[]; MARKS.len()];
    let mut line = 0;
    while line < MARKS.len() {
        words[line] = MARKS[line].2;
        line += 1;
    }
    words
};

static MARK_FINDER: WordGroups<{ finder::count_words(&MARK_WORDS) }> = WordGroups::new(&MARK_WORDS);

/// Returns the highest class of any mark in the line; boilerplate outranks all, because it uses the words of a
/// diagnosis.
pub(super) fn classify_by_marks(line: &str) -> LineClass {
    let mut best = LineClass::Silent;
    for (at, mark) in MARK_FINDER.find_iter(line.as_bytes()) {
        let (class, place, _) = MARKS[mark];
        if place == MarkPosition::Anywhere || at == 0 {
            if class == LineClass::Boilerplate {
                return class;
            }
            best = best.max(class);
        }
    }
    best
}
