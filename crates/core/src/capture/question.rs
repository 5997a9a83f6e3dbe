//! Decides whether to ask an agent, at the end of a turn, what a later session should know.
//!
//! The agent that got past a failure knows best what caused it, and forgets it soon. Asking costs one more turn of
//! the model over its whole context, so it happens only where a turn really cost something and got past it: the same
//! command failed repeatedly, or took several calls until it worked, for a reason that lies in the call and not in
//! the work. The question names the failures; the answer is the agent's own report, tied to those failures. Whether a
//! client may be asked at all, and what is known already, is decided elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    fix,
    parsed_run::{ParsedRun, RunCall},
};
use crate::{
    CallEffect, CallFailure, FailureKey, ShellCommand, StepKind, Trace, TraceStep, guard, limits,
    shell::is_listed,
    trace::{call::has_apart, effect, family::FailureFamily},
};

/// The line that opens the question.
pub const QUESTION_OPEN: &str = "[TURN QUESTION]";
/// The line that closes the question.
pub const QUESTION_CLOSE: &str = "[END TURN QUESTION]";

/// How often one command must at least have failed in a turn.
const SAME_FAILURES_MIN: usize = 2;
/// How many calls it must at least have taken until it worked, if it failed once.
const CALLS_TO_FIX_MIN: usize = 2;
/// How many tries must at least have failed in all, if none failed twice.
const ALL_FAILURES_MIN: usize = 3;

/// A failure that a turn got past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFailure {
    /// Its failure key; of several, that of the most frequent failure.
    pub key: FailureKey,
    /// The command or tool that failed.
    pub label: String,
    /// The failure in words for people, safe to show.
    pub display_text: String,
    /// How often it failed.
    pub times: u32,
}

/// A question to an agent, at the end of a turn, about at least one failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<TurnFailure>", into = "Vec<TurnFailure>")]
pub struct TurnQuestion {
    failures: Vec<TurnFailure>,
}

impl TryFrom<Vec<TurnFailure>> for TurnQuestion {
    type Error = &'static str;

    fn try_from(failures: Vec<TurnFailure>) -> Result<Self, Self::Error> {
        Self::new(failures).ok_or("a question is about a failure")
    }
}

impl From<TurnQuestion> for Vec<TurnFailure> {
    fn from(question: TurnQuestion) -> Self {
        question.failures
    }
}

impl TurnQuestion {
    /// Creates the question about a run's latest turn; `None` if it cost too little or nothing was fixed.
    pub fn from_latest_turn(trace: &Trace) -> Option<Self> {
        let turn = latest_turn(trace);
        if !has_failures(turn) {
            return None;
        }
        let reading = ParsedRun::from_steps(turn);
        let calls = &reading.calls;
        let groups = group_failures(calls);
        let all: usize = groups.iter().map(Vec::len).sum();
        let past = groups.into_iter();
        let past = past.filter_map(|group| OvercomeFailures::from_group(group, calls));
        let mut past: Vec<OvercomeFailures<'_>> = past.collect();
        if past.iter().any(OvercomeFailures::is_costly) {
            past.retain(OvercomeFailures::is_costly);
        } else if all < ALL_FAILURES_MIN {
            past.clear();
        }
        past.sort_by_key(|past| std::cmp::Reverse(past.failed.len()));
        Self::new(past.iter().map(OvercomeFailures::to_turn_failure).collect())
    }

    /// Creates a question about the first [`limits::QUESTION_FAILURES`] of these failures; `None` if there are none.
    pub fn new(mut troubles: Vec<TurnFailure>) -> Option<Self> {
        troubles.truncate(limits::QUESTION_FAILURES);
        (!troubles.is_empty()).then_some(Self { failures: troubles })
    }

    /// Removes the failures that are already known; `None` if none remains.
    #[must_use]
    pub fn without_known(self, is_known: impl Fn(&TurnFailure) -> bool) -> Option<Self> {
        let unknown = self.failures.into_iter();
        Self::new(unknown.filter(|failure| !is_known(failure)).collect())
    }

    /// Returns the failures that it asks about; never empty.
    pub fn failures(&self) -> &[TurnFailure] {
        &self.failures
    }

    /// Returns the failures in one line: for the agent, for people, and as evidence.
    pub fn gist(&self) -> String {
        let parts = self.failures.iter().map(|trouble| {
            let times = match trouble.times {
                1 => "failed".to_owned(),
                times => format!("failed {times} times"),
            };
            format!("{} {times}", trouble.display_text)
        });
        parts.collect::<Vec<_>>().join("; ")
    }

    /// Returns the question as the agent reads it.
    pub fn render(&self) -> String {
        format!(
            "{QUESTION_OPEN}\n\
             By hardwon (off: `hardwon config set ask off`).\n\
             This turn got past trouble: {}.\n\
             Would a later session in this project meet it again, with nothing in its docs on it? \
             Then write up to two lines:\n  \
             /lesson <command>: <what to do>\n\
             Otherwise write none; that is a good answer.\n\
             {QUESTION_CLOSE}\n",
            self.gist()
        )
    }

    /// Returns the failure that an answer is about: the one whose command it names, else the first.
    pub fn failure_answered_by(&self, signature: &str, text: &str) -> &TurnFailure {
        self.failure_named_by(signature, text)
            .unwrap_or(&self.failures[0])
    }

    /// Returns the failure whose command a lesson names, if any.
    pub fn failure_named_by(&self, signature: &str, text: &str) -> Option<&TurnFailure> {
        let names = |said: &str| {
            let is_named = |trouble: &&TurnFailure| names_command(said, &trouble.label);
            self.failures.iter().find(is_named)
        };
        names(signature).or_else(|| names(text))
    }
}

/// Returns whether a text names a command; `store-sqlite` does not name `sqlite`.
pub fn names_command(text: &str, label: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !label.is_empty() && has_apart(text, label, is_part)
}

/// Returns the steps since the person's last message.
fn latest_turn(trace: &Trace) -> &[TraceStep] {
    let steps = trace.steps();
    let is_said = |step: &TraceStep| matches!(step.kind, StepKind::UserMessage { .. });
    let begins = steps.iter().rposition(is_said).map_or(0, |at| at + 1);
    &steps[begins..]
}

/// Returns whether anything failed: a call, or a step of a call that succeeded as a whole. Most turns go well, and
/// parsing one costs more than this check.
fn has_failures(turn: &[TraceStep]) -> bool {
    turn.iter().any(|step| match &step.kind {
        StepKind::Call(call) => call.status.has_failure(),
        StepKind::UserMessage { .. } => false,
    })
}

/// Returns the failure of a call, if a lesson could spare another session from it.
fn find_askable_failure<'s>(run_call: &'s RunCall<'_>) -> Option<&'s CallFailure> {
    let failure = run_call.failure.as_ref()?;
    let is_own = match run_call.call.line() {
        Some(line) => {
            let culprit = find_culprit_command(run_call, failure);
            let is_bare = culprit.is_some_and(|culprit| culprit.args().is_empty());
            // Called without arguments, to see its usage.
            let asks_usage = is_bare && failure.family == FailureFamily::Usage;
            let asks = effect::is_probe(line) || asks_usage;
            !asks && !fix::is_path_guess(line, failure) && !is_own_work(failure)
        }
        // The errors of a client's own file tools say what to do.
        None => run_call.effect == CallEffect::Acts && failure.family != FailureFamily::FileMissing,
    };
    (is_own && fix::check_teachable(failure.family).is_ok()).then_some(failure)
}

/// Returns whether the command that failed in one call ran in another and worked.
fn did_command_work(run_call: &RunCall<'_>, failed: &RunCall<'_>, failure: &CallFailure) -> bool {
    let verb = find_culprit_command(failed, failure).and_then(project_verb);
    let is_same = |it: &ShellCommand| verb.is_none() || self::project_verb(it) == verb;
    run_call.has_worked() && run_call.runs_command(&failure.label, is_same)
}

/// Returns the command of a line that failed, if it is known.
fn find_culprit_command<'s>(
    run_call: &'s RunCall<'_>,
    failure: &CallFailure,
) -> Option<&'s ShellCommand> {
    run_call.call.line()?.commands.get(failure.culprit?)
}

/// Returns whether a failure is common to every project and explained by none: bad shell quoting, or wrong use of a
/// well-known tool.
fn is_everyday_failure(failure: &CallFailure) -> bool {
    const PROGRAMS: &str = "git gh glab rg grep egrep ag find fd ls cat head tail less sed awk gawk jq yq cut sort uniq wc tr \
        xargs diff tar unzip zip base64 xxd date touch cp mv rm mkdir ln chmod curl wget ssh scp rsync kill pkill ps echo \
        printf test which tee source export cd python python3 node";
    failure.family == FailureFamily::ShellSyntax || is_listed(PROGRAMS, failure.program())
}

/// Returns whether a program is called by a path within the project.
fn is_project_program(command: &ShellCommand) -> bool {
    let path = command.words[0].text.as_str();
    path.contains('/') && !path.starts_with(['/', '~', '$'])
}

/// Returns the first argument of a project's own program if it looks like a subcommand: no list says which programs
/// have subcommands.
fn project_verb(command: &ShellCommand) -> Option<&str> {
    let first = command.args().first()?.text.as_str();
    let is_word = first.starts_with(|c: char| c.is_ascii_alphabetic())
        && first.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_project_program(command) && is_word).then_some(first)
}

/// Returns whether what failed is the agent's own task: its tests, its build, its own scripts. It is not if the
/// program is missing or was called wrongly.
fn is_own_work(failure: &CallFailure) -> bool {
    const PROGRAMS: &str = "pytest py.test tox nox jest vitest mocha ava karma rspec minitest phpunit ctest tsc eslint ruff \
        mypy flake8 pylint pyright prettier black biome golangci-lint gcc g++ cc clang clang++ javac rustc swiftc ghc make \
        ninja mvn gradle gradlew node deno ruby perl php lua Rscript java a.out tsx ts-node gofmt goimports pre-commit";
    const VERBS: &str = "test tests build check clippy run nextest bench fmt vet lint compile typecheck exec start dev";
    const RUNNERS: &str = "cargo go npm pnpm yarn bun dotnet swift zig mix just task mise rake turbo nx bazel uv poetry npx bunx";
    const MERGING: &str = "rebase merge cherry-pick revert";
    let mut words = failure.label.split(' ');
    let program = words.next().unwrap_or_default();
    let is_python = crate::shell::is_python(program);
    let verb = words.next().unwrap_or_default();
    let ending = program.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_checked = is_listed(PROGRAMS, program)
        || is_listed("py js mjs cjs ts rb php pl lua", ending)
        || is_python
        || is_listed(RUNNERS, program) && (verb.is_empty() || is_listed(VERBS, verb))
        || program == "git" && is_listed(MERGING, verb);
    is_checked && !is_about_call(failure.family)
}

/// Returns whether failures of this family lie in how a program was called.
fn is_about_call(family: FailureFamily) -> bool {
    matches!(
        family,
        FailureFamily::CommandMissing
            | FailureFamily::ModuleMissing
            | FailureFamily::ScriptMissing
            | FailureFamily::OptionUnknown
            | FailureFamily::NotInProject
    )
}

/// A call, or a step, that failed.
type FailedCall<'a> = (&'a RunCall<'a>, &'a CallFailure);

/// Groups the failures by command, in order of first occurrence.
fn group_failures<'s>(tried: &'s [RunCall<'s>]) -> Vec<Vec<FailedCall<'s>>> {
    let mut groups: Vec<Vec<FailedCall<'_>>> = Vec::new();
    for it in tried {
        let Some(failure) = find_askable_failure(it) else {
            continue;
        };
        let same = |group: &&mut Vec<FailedCall<'_>>| group[0].1.label == failure.label;
        match groups.iter_mut().find(same) {
            Some(group) => group.push((it, failure)),
            None => groups.push(vec![(it, failure)]),
        }
    }
    groups
}

/// The failures of one command until it worked. Later tries cost nothing and are left out.
struct OvercomeFailures<'a> {
    /// Never empty.
    failed: Vec<FailedCall<'a>>,
    /// How many calls it took from the last failure until it worked; 0 if it worked within the same call.
    calls_to_success: usize,
}

impl<'a> OvercomeFailures<'a> {
    /// Returns the failures of a group up to its success; `None` if its command never worked.
    fn from_group(mut failed: Vec<FailedCall<'a>>, tried: &[RunCall<'_>]) -> Option<Self> {
        let mends = |it: &&RunCall<'_>, (run_call, failure): &FailedCall<'_>| {
            it.call_index >= run_call.call_index && did_command_work(it, run_call, failure)
        };
        let is_end = |it: &&RunCall<'_>| failed.iter().any(|failed| mends(it, failed));
        let until = tried.iter().rfind(is_end)?.call_index;
        failed.retain(|(run_call, _)| run_call.call_index <= until);
        let last = failed.last()?;
        let success = tried.iter().find(|attempt| mends(attempt, last));
        let distance = success.map_or(0, |success| success.call_index - last.0.call_index);
        Some(Self {
            failed,
            calls_to_success: distance,
        })
    }

    /// Returns whether it failed repeatedly or, unless it is an everyday slip, took several calls to fix. For a
    /// program of the project one failure is enough: its usage is known nowhere else.
    fn is_costly(&self) -> bool {
        let mut failures = self.failed.iter();
        let commands = failures.clone();
        let mut commands =
            commands.filter_map(|(run_call, failure)| find_culprit_command(run_call, failure));
        let is_slip = failures.all(|(_, failure)| is_everyday_failure(failure));
        self.failed.len() >= SAME_FAILURES_MIN
            || (self.calls_to_success >= CALLS_TO_FIX_MIN && !is_slip)
            || (self.calls_to_success > 0 && commands.any(is_project_program))
    }

    fn to_turn_failure(&self) -> TurnFailure {
        let failures = || self.failed.iter().map(|(_, failure)| *failure);
        let mut times: BTreeMap<&FailureKey, usize> = BTreeMap::new();
        for failure in failures() {
            *times.entry(&failure.key).or_default() += 1;
        }
        // Of several the first.
        let usual = failures().rev().max_by_key(|failure| times[&failure.key]);
        let usual = usual.expect("something failed");
        let label = usual.label.chars().take(limits::FAILURE_NAME_CHARS);
        TurnFailure {
            key: usual.key.clone(),
            label: label.collect(),
            display_text: guard::neutralise_within(&usual.signature(), limits::FAILURE_NAME_CHARS),
            times: u32::try_from(self.failed.len()).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
