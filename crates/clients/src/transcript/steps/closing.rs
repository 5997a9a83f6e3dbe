//! The closing lines with which a build, a test run or a crash ends.
//!
//! A failed run ends in few ways: a count of what failed, a verdict over the whole, an exit code in words, a trace of
//! where it broke. Each row names the programs that end so; other modules decide whether one of them is in the command
//! line, and which. A count of zero is no failure.

use crate::transcript::{
    sentence::{names_exception, parse_exit_code},
    text::{contains_any, starts_with_any},
};

/// The kind of run that ends with a closing line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClosingKind {
    /// A test run.
    Tests,
    /// A linter, a formatter or a type checker.
    Lint,
    /// A compiler, or a program that runs one.
    Build,
    /// Any of them.
    Any,
    /// A program that crashed.
    Crash,
}

/// The closing line of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closing {
    pub(super) kind: ClosingKind,
    /// The programs that end so; empty if many do.
    pub(super) programs: &'static str,
    /// Whether only a failed run ends so; else it may be a count of anything.
    pub(super) is_sure: bool,
}

/// Beginnings that close a failed run, in lower case.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, ClosingKind, &str)] = &[
    ("test result: failed", ClosingKind::Tests, "cargo"),
    ("error: test failed", ClosingKind::Tests, "cargo deno"),
    ("--- fail: ", ClosingKind::Tests, "go"),
    ("fail\t", ClosingKind::Tests, "go"),
    ("failed (", ClosingKind::Tests, ""),
    ("failures!", ClosingKind::Tests, "phpunit"),
    ("test run failed", ClosingKind::Tests, "dotnet"),
    ("failed! ", ClosingKind::Tests, "dotnet"),
    ("the following tests failed", ClosingKind::Tests, "ctest"),
    ("error: file or directory not found", ClosingKind::Tests, "pytest"),
    ("error: could not compile", ClosingKind::Build, "cargo"),
    ("error: aborting due to", ClosingKind::Build, "cargo rustc"),
    ("error[e", ClosingKind::Build, "cargo rustc"),
    ("build failed", ClosingKind::Build, ""),
    ("failure: build failed", ClosingKind::Build, "gradle gradlew"),
    ("execution failed for task", ClosingKind::Build, "gradle gradlew"),
    ("** build failed", ClosingKind::Build, "xcodebuild"),
    ("[info] build failure", ClosingKind::Build, "mvn mvnw"),
    ("[error] failed to execute goal", ClosingKind::Build, "mvn mvnw"),
    ("ninja: build stopped", ClosingKind::Build, "ninja cmake meson"),
    ("collect2: error", ClosingKind::Build, ""),
    ("error: linking with", ClosingKind::Build, "cargo rustc"),
    ("error command failed", ClosingKind::Any, "yarn"),
    ("error: script ", ClosingKind::Any, "bun"),
    ("error: recipe", ClosingKind::Any, "just"),
    ("command failed with exit code", ClosingKind::Any, ""),
    ("code style issues", ClosingKind::Lint, "prettier"),
    ("lifecycle script", ClosingKind::Any, "npm"),
    ("failed to compile", ClosingKind::Build, ""),
    ("compilation failed", ClosingKind::Build, ""),
    ("issues found", ClosingKind::Lint, "flutter"),
    ("would reformat", ClosingKind::Lint, "ruff black"),
    ("error from server", ClosingKind::Any, "kubectl oc helm"),
    ("cannot connect to the docker daemon", ClosingKind::Any, "docker docker-compose"),
    ("error: failed to solve", ClosingKind::Any, "docker docker-compose"),
    ("error response from daemon", ClosingKind::Any, "docker docker-compose"),
    ("an error occurred (", ClosingKind::Any, "aws"),
    ("error: (gcloud", ClosingKind::Any, "gcloud"),
    ("automatic merge failed", ClosingKind::Any, "git"),
    ("error: your local changes", ClosingKind::Any, "git"),
    ("error: toolchain ", ClosingKind::Any, "rustup"),
    ("e: ", ClosingKind::Any, "apt apt-get"),
    ("node:", ClosingKind::Crash, "node npx tsx ts-node npm yarn pnpm"),
    ("node.js v", ClosingKind::Crash, "node npx tsx ts-node npm yarn pnpm"),
    ("panic: ", ClosingKind::Crash, "go"),
    ("goroutine 1 [", ClosingKind::Crash, "go"),
    ("thread 'main'", ClosingKind::Crash, "cargo"),
    ("exception in thread ", ClosingKind::Crash, "java gradle gradlew mvn kotlin scala sbt"),
    ("php fatal error", ClosingKind::Crash, "php composer"),
    ("php parse error", ClosingKind::Crash, "php composer"),
    ("fatal error: uncaught", ClosingKind::Crash, "php composer"),
    ("unhandled exception", ClosingKind::Crash, "dotnet"),
    ("segmentation fault", ClosingKind::Crash, ""),
    ("traceback (most recent call last)", ClosingKind::Crash, "python"),
    ("err_pnpm_", ClosingKind::Any, "pnpm"),
];

/// Returns the closing of a line that reports a failed run; `None` for any other line.
pub(super) fn find_closing(said: &str) -> Option<Closing> {
    let message =
        said.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '*' | '[' | '-'));
    let lower = message.to_ascii_lowercase();
    let closing = |kind, programs, is_sure| {
        Some(Closing {
            kind,
            programs,
            is_sure,
        })
    };
    if is_diagnostic(&lower) {
        return closing(ClosingKind::Lint, "", false);
    }
    let counted_text = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let row = BEGINNINGS.iter().find(|(start, ..)| {
        lower.starts_with(start) || (*start == "issues found" && counted_text.starts_with(start))
    });
    if let Some((_, kind, programs)) = row {
        let is_digit = |c: char| c.is_ascii_digit();
        let last = lower.rsplit(':').next().unwrap_or_default();
        let is_meant = match lower.split(['[', ':', ' ']).next() {
            Some("thread") => lower.contains("panicked"),
            Some("node") => last.parse::<u32>().is_ok(),
            Some("error") if lower.starts_with("error[e") => lower[7..].starts_with(is_digit),
            _ => true,
        };
        return closing(*kind, programs, true).filter(|_| is_meant);
    }
    if lower.contains("error ts")
        && (lower.contains("): error ts") || lower.contains(" - error ts"))
    {
        return closing(ClosingKind::Lint, "tsc vue-tsc", true);
    }
    if contains_any(&lower, ": error cs|: error msb|: error fs|: error nu") {
        return closing(ClosingKind::Build, "dotnet msbuild", true);
    }
    if lower.contains("elifecycle") {
        return closing(ClosingKind::Any, "npm pnpm yarn", true);
    }
    if names_go_line(message) {
        return closing(ClosingKind::Build, "go", true);
    }
    // Of python; what begins like this is of other programs.
    let is_other = message.starts_with("Error: ") || message.starts_with("Exception: ");
    if names_exception(message) && !is_other {
        return closing(ClosingKind::Crash, "python", true);
    }
    if names_ruby_line(&lower) {
        return closing(ClosingKind::Crash, "ruby bundle rails rake", true);
    }
    if parse_exit_code(message).is_some_and(|code| code != 0) {
        return closing(ClosingKind::Any, "", true);
    }
    parse_failure_count(&lower).and_then(|kind| closing(kind, "", kind == ClosingKind::Tests))
}

/// Returns whether a line reports of a whole run that nothing failed.
pub(super) fn is_all_passed(said: &str) -> bool {
    let lower = said.to_ascii_lowercase();
    let is_passed = has_count(&lower, &["passed", "passing", "pass"]);
    let is_ok = starts_with_any(&lower, "test result: ok|ok  \t|pass\t");
    is_ok || (is_passed && parse_failure_count(&lower).is_none())
}

/// Returns whether a line is a checker's error about a place in a file: `a.md:3:81 error MD013`, `  12:9  error
/// unused`, `error • it is undefined • lib/a.dart:3:5`.
fn is_diagnostic(lower: &str) -> bool {
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = |word: &str| {
        let mut parts = word.trim_end_matches([':', ',']).rsplit(':');
        let is_file = |part: &str| part.contains('.') || is_digits(part);
        parts.next().is_some_and(is_digits) && parts.next().is_some_and(is_file)
    };
    let mut words = lower.split_whitespace();
    match (words.next(), words.next()) {
        (Some(place), Some("error" | "error:")) => is_place(place),
        (Some("error"), Some("•" | "-")) => words.any(is_place),
        _ => false,
    }
}

/// Parses a closing count: `2 failed, 3 passed`, `Tests: 1 failed`, `FAILED (errors=1)`, `Found 3 errors`.
fn parse_failure_count(lower: &str) -> Option<ClosingKind> {
    const LONGEST: usize = 200;
    let is_short = lower.len() <= LONGEST;
    let has_failed = has_count(lower, &["failed", "failing", "fail", "failure", "failures"]);
    let errors = has_count(
        lower,
        &["error", "errors", "problem", "problems", "error(s)"],
    );
    let starts_with_number = lower.starts_with(|c: char| c.is_ascii_digit());
    const BY_TESTS: &str = "tests|test files|test suites|summary|failures:|failed:|fail ";
    let is_tests = starts_with_any(lower, BY_TESTS)
        || contains_any(lower, "passed|examples,|assertions|tests,");
    if !is_short || !(has_failed || errors) {
        return None;
    }
    let is_sum = starts_with_number && lower.split_whitespace().count() <= 14;
    match (has_failed, errors) {
        (true, _) if is_tests => Some(ClosingKind::Tests),
        (_, true)
            if starts_with_any(lower, "found |summary|total") || lower.contains("problem") =>
        {
            Some(ClosingKind::Lint)
        }
        _ if is_sum => Some(ClosingKind::Any),
        _ => None,
    }
}

/// Returns whether one of these words has a count above zero: `2 failed`, `failures: 1`, `fail 1`.
fn has_count(lower: &str, wanted: &[&str]) -> bool {
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

/// Returns whether a line names a place in a Go source, as its compiler does.
fn names_go_line(said: &str) -> bool {
    let place = said.split_once(".go:").map_or("", |(_, rest)| rest);
    let mut numbers = place.split(':');
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |part: Option<&str>| part.is_some_and(is_digits);
    is_number(numbers.next()) && is_number(numbers.next()) && numbers.next().is_some()
}

fn names_ruby_line(lower: &str) -> bool {
    let place = lower.split_once(".rb:").map_or("", |(_, rest)| rest);
    place.contains(":in ") && lower.ends_with("error)")
}
