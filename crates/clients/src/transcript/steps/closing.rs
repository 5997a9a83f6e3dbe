//! The words with which a build, a run of tests or a crash closes, whoever it was.
//!
//! A run that failed ends in few ways: a count of what failed, a verdict over the whole, an exit code in
//! words, a trace of where it broke. Each row says which programs close so; whether one of them stands in
//! the line, and which, is told elsewhere. A count of none is no failure.

use crate::transcript::{
    sentence::{exit_in, names_an_exception},
    text::{holds_any, starts_with_any},
};

/// What kind of run closes so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of tests.
    Tests,
    /// A linter, a formatter or a checker of types.
    Lint,
    /// A compiler, or whatever runs one.
    Build,
    /// Any of them.
    Any,
    /// A program that broke.
    Crash,
}

/// How a run closed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closing {
    pub(super) kind: Kind,
    /// The programs that close so; empty if many do.
    pub(super) programs: &'static str,
    /// Whether only a run that failed closes so; else it may be a count of anything.
    pub(super) is_sure: bool,
}

/// Beginnings that close a failed run, in lower case.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, Kind, &str)] = &[
    ("test result: failed", Kind::Tests, "cargo"),
    ("error: test failed", Kind::Tests, "cargo deno"),
    ("--- fail: ", Kind::Tests, "go"),
    ("fail\t", Kind::Tests, "go"),
    ("failed (", Kind::Tests, ""),
    ("failures!", Kind::Tests, "phpunit"),
    ("test run failed", Kind::Tests, "dotnet"),
    ("failed! ", Kind::Tests, "dotnet"),
    ("the following tests failed", Kind::Tests, "ctest"),
    ("error: file or directory not found", Kind::Tests, "pytest"),
    ("error: could not compile", Kind::Build, "cargo"),
    ("error: aborting due to", Kind::Build, "cargo rustc"),
    ("error[e", Kind::Build, "cargo rustc"),
    ("build failed", Kind::Build, ""),
    ("failure: build failed", Kind::Build, "gradle gradlew"),
    ("execution failed for task", Kind::Build, "gradle gradlew"),
    ("** build failed", Kind::Build, "xcodebuild"),
    ("[info] build failure", Kind::Build, "mvn mvnw"),
    ("[error] failed to execute goal", Kind::Build, "mvn mvnw"),
    ("ninja: build stopped", Kind::Build, "ninja cmake meson"),
    ("collect2: error", Kind::Build, ""),
    ("error: linking with", Kind::Build, "cargo rustc"),
    ("error command failed", Kind::Any, "yarn"),
    ("error: script ", Kind::Any, "bun"),
    ("error: recipe", Kind::Any, "just"),
    ("command failed with exit code", Kind::Any, ""),
    ("code style issues", Kind::Lint, "prettier"),
    ("lifecycle script", Kind::Any, "npm"),
    ("failed to compile", Kind::Build, ""),
    ("compilation failed", Kind::Build, ""),
    ("issues found", Kind::Lint, "flutter"),
    ("would reformat", Kind::Lint, "ruff black"),
    ("error from server", Kind::Any, "kubectl oc helm"),
    ("cannot connect to the docker daemon", Kind::Any, "docker docker-compose"),
    ("error: failed to solve", Kind::Any, "docker docker-compose"),
    ("error response from daemon", Kind::Any, "docker docker-compose"),
    ("an error occurred (", Kind::Any, "aws"),
    ("error: (gcloud", Kind::Any, "gcloud"),
    ("automatic merge failed", Kind::Any, "git"),
    ("error: your local changes", Kind::Any, "git"),
    ("error: toolchain ", Kind::Any, "rustup"),
    ("e: ", Kind::Any, "apt apt-get"),
    ("node:", Kind::Crash, "node npx tsx ts-node npm yarn pnpm"),
    ("node.js v", Kind::Crash, "node npx tsx ts-node npm yarn pnpm"),
    ("panic: ", Kind::Crash, "go"),
    ("goroutine 1 [", Kind::Crash, "go"),
    ("thread 'main'", Kind::Crash, "cargo"),
    ("exception in thread ", Kind::Crash, "java gradle gradlew mvn kotlin scala sbt"),
    ("php fatal error", Kind::Crash, "php composer"),
    ("php parse error", Kind::Crash, "php composer"),
    ("fatal error: uncaught", Kind::Crash, "php composer"),
    ("unhandled exception", Kind::Crash, "dotnet"),
    ("segmentation fault", Kind::Crash, ""),
    ("traceback (most recent call last)", Kind::Crash, "python"),
    ("err_pnpm_", Kind::Any, "pnpm"),
];

/// Returns how a run closed, if a line says that it failed.
pub(super) fn of(said: &str) -> Option<Closing> {
    let said =
        said.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '*' | '[' | '-'));
    let lower = said.to_ascii_lowercase();
    let made = |kind, programs, is_sure| {
        Some(Closing {
            kind,
            programs,
            is_sure,
        })
    };
    if is_diagnostic(&lower) {
        return made(Kind::Lint, "", false);
    }
    let counted_text = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let row = BEGINNINGS.iter().find(|(start, ..)| {
        lower.starts_with(start) || (*start == "issues found" && counted_text.starts_with(start))
    });
    if let Some((_, kind, programs)) = row {
        let ends_in_number = || {
            lower
                .rsplit(':')
                .next()
                .is_some_and(|it| it.parse::<u32>().is_ok())
        };
        let is_meant = match lower.split(['[', ':', ' ']).next() {
            Some("thread") => lower.contains("panicked"),
            Some("node") => ends_in_number(),
            Some("error") if lower.starts_with("error[e") => lower.as_bytes()[7..]
                .first()
                .is_some_and(u8::is_ascii_digit),
            _ => true,
        };
        return made(*kind, programs, true).filter(|_| is_meant);
    }
    if lower.contains("error ts")
        && (lower.contains("): error ts") || lower.contains(" - error ts"))
    {
        return made(Kind::Lint, "tsc vue-tsc", true);
    }
    if holds_any(
        &lower,
        &[": error cs", ": error msb", ": error fs", ": error nu"],
    ) {
        return made(Kind::Build, "dotnet msbuild", true);
    }
    if lower.contains("elifecycle") {
        return made(Kind::Any, "npm pnpm yarn", true);
    }
    if names_go_line(said) {
        return made(Kind::Build, "go", true);
    }
    if names_python_error(said) {
        return made(Kind::Crash, "python", true);
    }
    if names_ruby_line(&lower) {
        return made(Kind::Crash, "ruby bundle rails rake", true);
    }
    if exit_in(said).is_some_and(|code| code != 0) {
        return made(Kind::Any, "", true);
    }
    counted(&lower).and_then(|kind| made(kind, "", kind == Kind::Tests))
}

/// Returns whether a line says of a whole run that nothing failed.
pub(super) fn is_all_passed(said: &str) -> bool {
    let lower = said.to_ascii_lowercase();
    let passed = counts(&lower, &["passed", "passing", "pass"]);
    let is_ok = starts_with_any(&lower, &["test result: ok", "ok  \t", "pass\t"]);
    is_ok || (passed && counted(&lower).is_none())
}

/// Returns whether a line is what a checker says of a place in a file, and calls an error:
/// `a.md:3:81 error MD013`, `  12:9  error  unused`, `error • it is undefined • lib/a.dart:3:5`.
fn is_diagnostic(lower: &str) -> bool {
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = |word: &str| {
        let mut parts = word.trim_end_matches([':', ',']).rsplit(':');
        parts.next().is_some_and(is_digits)
            && parts
                .next()
                .is_some_and(|it| it.contains('.') || is_digits(it))
    };
    let mut words = lower.split_whitespace();
    match (words.next(), words.next()) {
        (Some(place), Some("error" | "error:")) => is_place(place),
        (Some("error"), Some("•" | "-")) => words.any(is_place),
        _ => false,
    }
}

/// Reads a closing count: `2 failed, 3 passed`, `Tests: 1 failed`, `FAILED (errors=1)`, `Found 3 errors`.
fn counted(lower: &str) -> Option<Kind> {
    const LONGEST: usize = 200;
    let is_short = lower.len() <= LONGEST;
    let failed = counts(lower, &["failed", "failing", "fail", "failure", "failures"]);
    let errors = counts(
        lower,
        &["error", "errors", "problem", "problems", "error(s)"],
    );
    let starts_with_number = lower.starts_with(|c: char| c.is_ascii_digit());
    let is_tests = starts_with_any(
        lower,
        &[
            "tests",
            "test files",
            "test suites",
            "summary",
            "failures:",
            "failed:",
            "fail ",
        ],
    ) || lower.contains("passed")
        || lower.contains("examples,")
        || lower.contains("assertions")
        || lower.contains("tests,");
    if !is_short || !(failed || errors) {
        return None;
    }
    let is_sum = starts_with_number && lower.split_whitespace().count() <= 14;
    match (failed, errors) {
        (true, _) if is_tests => Some(Kind::Tests),
        (_, true)
            if starts_with_any(lower, &["found ", "summary", "total"])
                || lower.contains("problem") =>
        {
            Some(Kind::Lint)
        }
        _ if is_sum => Some(Kind::Any),
        _ => None,
    }
}

/// Returns whether one of these words has a count that is not none: `2 failed`, `failures: 1`, `fail 1`.
fn counts(lower: &str, wanted: &[&str]) -> bool {
    let is_count = |it: &str| {
        it.bytes().all(|byte| byte.is_ascii_digit()) && it.bytes().any(|byte| byte != b'0')
    };
    let is_wanted = |word: &str| wanted.contains(&word.trim_end_matches([':', '.', '!']));
    let clauses = lower.split([',', ';', '|', '(', ')']);
    clauses.into_iter().any(|clause| {
        let clause = clause.replace('=', ": ");
        let words: Vec<&str> = clause.split_whitespace().collect();
        let is_alone = words.len() == 2;
        words.windows(2).any(|pair| {
            let is_before = is_count(pair[0]) && is_wanted(pair[1]);
            let is_behind =
                is_wanted(pair[0]) && (is_alone || pair[0].ends_with(':')) && is_count(pair[1]);
            is_before || is_behind
        })
    })
}

/// Returns whether a line points into a source of Go, as its compiler does.
fn names_go_line(said: &str) -> bool {
    let place = said.split_once(".go:").map_or("", |(_, rest)| rest);
    let mut numbers = place.split(':');
    let is_number = |it: Option<&str>| {
        it.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_number(numbers.next()) && is_number(numbers.next()) && numbers.next().is_some()
}

fn names_ruby_line(lower: &str) -> bool {
    let place = lower.split_once(".rb:").map_or("", |(_, rest)| rest);
    place.contains(":in ") && lower.ends_with("error)")
}

fn names_python_error(said: &str) -> bool {
    names_an_exception(said) && !said.starts_with("Error: ") && !said.starts_with("Exception: ")
}
