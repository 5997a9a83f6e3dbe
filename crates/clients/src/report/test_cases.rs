//! What several runs of tests show: which fail now and then, which were mended, which still fail.
//!
//! A test that failed once is the work at hand. It teaches when it took another run to pass, or did not.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{RawText, Signal};

/// How many names of tests with one trouble are told.
const NAMES_TOLD: usize = 3;

/// How a test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TestOutcome {
    Passed,
    /// With the first line of its message.
    Failed(String),
}

/// One run of tests: each test with how it ended, several times if it was run again by itself.
///
/// The last time counts. Some runners list the times before it without their failures.
#[derive(Debug, Default)]
pub(super) struct TestRun {
    tests: BTreeMap<String, Vec<TestOutcome>>,
}

impl TestRun {
    pub(super) fn add(&mut self, test: &str, outcome: TestOutcome) {
        self.tests.entry(test.to_owned()).or_default().push(outcome);
    }
}

/// What became of a test that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TestFate {
    /// It failed and passed in one run, without a change.
    Flaky,
    /// It passes in the last run.
    Mended,
    /// It failed in several runs, the last included.
    Open,
}

/// Tests with one trouble.
struct Trouble {
    tests: Vec<String>,
    /// Runs, until the last of them.
    runs: u32,
}

/// Returns what there is to learn from runs of the same tests, in the order in which they were made, and the names of the
/// tests that it is about.
pub(super) fn compare_runs(runs: &[TestRun]) -> (Vec<Signal<RawText>>, Vec<String>) {
    let names: BTreeSet<&String> = runs.iter().flat_map(|run| run.tests.keys()).collect();
    let mut troubles: BTreeMap<(TestFate, String), Trouble> = BTreeMap::new();
    let mut test_names = Vec::new();
    for name in names {
        if let Some((fate, message, runs)) = judge_test(name, runs) {
            let trouble = troubles.entry((fate, message)).or_insert(Trouble {
                tests: Vec::new(),
                runs: 0,
            });
            trouble.tests.push(name.clone());
            trouble.runs = trouble.runs.max(runs);
            test_names.push(name.clone());
        }
    }
    let troubles = troubles.into_iter();
    let signals = troubles.map(|((fate, message), trouble)| Signal::Heal {
        attempts: trouble.runs.max(2),
        escalated: fate == TestFate::Open,
        detail: RawText::from(word_trouble(fate, &message, &trouble)),
    });
    (signals.collect(), test_names)
}

/// Returns what became of a test that failed, its last message, and in how many runs it took part.
fn judge_test(name: &str, runs: &[TestRun]) -> Option<(TestFate, String, u32)> {
    let outcomes = runs.iter().filter_map(|run| run.tests.get(name));
    let outcomes: Vec<&[TestOutcome]> = outcomes.map(Vec::as_slice).collect();
    let latest = outcomes
        .iter()
        .rev()
        .flat_map(|outcome| outcome.iter().rev());
    let mut messages = latest.filter_map(|outcome| match outcome {
        TestOutcome::Failed(message) => Some(message),
        TestOutcome::Passed => None,
    });
    let message = messages.next()?.clone();
    let failures = outcomes.iter().filter(|outcome| has_failed(outcome));
    let failures = failures.count();
    let passes = outcomes.last()?.last() == Some(&TestOutcome::Passed);
    let is_mixed =
        |run: &&[TestOutcome]| has_failed(run) && run.last() == Some(&TestOutcome::Passed);
    let is_flaky = outcomes.iter().any(is_mixed);
    let fate = match (is_flaky, passes, failures) {
        (true, ..) => TestFate::Flaky,
        (false, true, _) => TestFate::Mended,
        (false, false, 2..) => TestFate::Open,
        (false, false, _) => return None,
    };
    let runs = u32::try_from(outcomes.len()).unwrap_or(u32::MAX);
    Some((fate, message, runs))
}

fn has_failed(run: &[TestOutcome]) -> bool {
    run.iter().any(|run| *run != TestOutcome::Passed)
}

fn word_trouble(fate: TestFate, message: &str, trouble: &Trouble) -> String {
    let tests = word_names(&trouble.tests);
    let message = message.trim_end_matches('.');
    match fate {
        TestFate::Flaky => format!(
            "Run {tests} again before looking for a cause in your change: it fails now and then with: {message}."
        ),
        TestFate::Mended => {
            format!(
                "Run {tests} before handing over: it failed until the last run, with: {message}."
            )
        }
        TestFate::Open => {
            format!(
                "{tests} still fails after {} runs, with: {message}.",
                trouble.runs
            )
        }
    }
}

fn word_names(tests: &[String]) -> String {
    let names = tests.iter().take(NAMES_TOLD);
    let names: Vec<String> = names.map(|test| format!("`{test}`")).collect();
    match tests.len().saturating_sub(NAMES_TOLD) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
