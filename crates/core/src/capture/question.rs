//! Decides whether an agent is asked, at the end of a turn, what a later session should know.
//!
//! Whoever got past a trouble knows best what it was about, and forgets it a moment later. Asking
//! costs one more turn of the model over its whole context, so it is asked only where a turn really
//! cost something and got past it: the same command failed again and again, or it took several calls
//! until it worked, for a reason that lies in the call and not in the work. The question names what was
//! met; the answer is the agent's own word, tied to those failures. When a client may be asked at all,
//! and what is known already, is decided elsewhere.

use std::collections::BTreeMap;

use super::{
    fix,
    reading::{Reading, Seen},
};
use crate::{
    guard,
    lesson::FailureKey,
    limits,
    trace::{
        Step, Trace, What,
        effect::{self, Effect},
        failure::Failure,
        family::Family,
        shell::{Command, is_listed},
    },
};

/// Opens the question.
pub const QUESTION_OPEN: &str = "[TURN QUESTION]";
/// Closes it.
pub const QUESTION_CLOSE: &str = "[END TURN QUESTION]";

/// How often one command must have failed in a turn, at least.
const SAME_TIMES: usize = 2;
/// How many calls it must have taken until it worked, at least, where it failed once.
const CALLS_TO_FIX: usize = 2;
/// How many tries must have failed, at least, where none failed twice.
const ALL_TIMES: usize = 3;

/// A trouble that a turn met and got past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// By which failure it is known: the one that came most often.
    pub key: FailureKey,
    /// The command or tool that failed.
    pub label: String,
    /// The failure for people, safe to show.
    pub shown: String,
    /// How often it failed.
    pub times: u32,
}

/// What an agent is asked about at the end of a turn; it names at least one trouble.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    troubles: Vec<Trouble>,
}

impl Question {
    /// Asks about the latest turn of a run; none if it did not cost enough, or is not over with it.
    #[must_use]
    pub fn about_turn(trace: &Trace) -> Option<Self> {
        let turn = latest_turn(trace);
        if !has_failures(turn) {
            return None;
        }
        let reading = Reading::of_steps(turn);
        let tried = &reading.calls;
        let groups = groups(tried);
        let all: usize = groups.iter().map(Vec::len).sum();
        let past = groups.into_iter().filter_map(|it| Past::of(it, tried));
        let mut past: Vec<Past<'_>> = past.collect();
        if past.iter().any(Past::is_costly) {
            past.retain(Past::is_costly);
        } else if all < ALL_TIMES {
            past.clear();
        }
        past.sort_by_key(|it| std::cmp::Reverse(it.failed.len()));
        Self::new(past.iter().map(Past::trouble).collect())
    }

    /// Asks about these troubles, the first ones if they are many; none if there are none.
    #[must_use]
    pub fn new(mut troubles: Vec<Trouble>) -> Option<Self> {
        troubles.truncate(limits::QUESTION_TROUBLES);
        (!troubles.is_empty()).then_some(Self { troubles })
    }

    /// Asks only about what is not known; none if all is.
    #[must_use]
    pub fn without_known(self, is_known: impl Fn(&Trouble) -> bool) -> Option<Self> {
        let unknown = self.troubles.into_iter().filter(|it| !is_known(it));
        Self::new(unknown.collect())
    }

    /// Returns what it is about; never nothing.
    #[must_use]
    pub fn troubles(&self) -> &[Trouble] {
        &self.troubles
    }

    /// Returns what the turn met, in a line: for the agent, for people, and as evidence.
    #[must_use]
    pub fn gist(&self) -> String {
        let named = self.troubles.iter().map(|trouble| {
            let times = match trouble.times {
                1 => "failed".to_owned(),
                times => format!("failed {times} times"),
            };
            format!("{} {times}", trouble.shown)
        });
        named.collect::<Vec<_>>().join("; ")
    }

    /// Returns the question, as the agent reads it.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "{QUESTION_OPEN}\n\
             This turn got past trouble: {}.\n\
             Would a later session in this project meet it again, with nothing in its docs about it? \
             Then write at most two lines of this form:\n  \
             /lesson <command>: <what to do>\n\
             Otherwise write none; that is a good answer.\n\
             {QUESTION_CLOSE}\n",
            self.gist()
        )
    }

    /// Returns the trouble that an answer is about: the one whose command it names, else the first.
    #[must_use]
    pub fn meant_by(&self, signature: &str, text: &str) -> &Trouble {
        self.named_by(signature, text).unwrap_or(&self.troubles[0])
    }

    /// Returns the trouble whose command a lesson names.
    #[must_use]
    pub fn named_by(&self, signature: &str, text: &str) -> Option<&Trouble> {
        let names = |said: &str| {
            let named = |trouble: &&Trouble| has_words(said, &trouble.label);
            self.troubles.iter().find(named)
        };
        names(signature).or_else(|| names(text))
    }
}

/// Returns whether a text names a command; `store-sqlite` does not name `sqlite`.
#[must_use]
pub fn has_words(text: &str, label: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !label.is_empty()
        && text.match_indices(label).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + label.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

/// Returns what happened since a person last spoke.
fn latest_turn(trace: &Trace) -> &[Step] {
    let steps = trace.steps();
    let is_said = |step: &Step| matches!(step.what, What::Said { .. });
    let begins = steps.iter().rposition(is_said).map_or(0, |at| at + 1);
    &steps[begins..]
}

/// Returns whether anything failed: a call, or a step of a call that passed as a whole. Most turns go
/// well, and reading one costs more than looking.
fn has_failures(turn: &[Step]) -> bool {
    turn.iter().any(|step| match &step.what {
        What::Call(call) => call.status.has_failure(),
        What::Said { .. } => false,
    })
}

/// Returns the failure of a call, if it is a trouble of the call that another session could be spared.
fn trouble<'s>(seen: &'s Seen<'_>) -> Option<&'s Failure> {
    let failure = seen.failure.as_ref()?;
    let is_own = match seen.call.line() {
        Some(line) => {
            let is_bare = culprit(seen, failure).is_some_and(|it| it.args().is_empty());
            // Called with nothing, to see how it is called.
            let asks = effect::is_probe(line) || (is_bare && failure.family == Family::Usage);
            !asks && !fix::is_guess(line, failure) && !is_work(failure)
        }
        // A client's own tools for files say themselves what they want.
        None => seen.effect == Effect::Acts && failure.family != Family::FileMissing,
    };
    (is_own && fix::unteachable(failure.family).is_ok()).then_some(failure)
}

/// Returns whether the command that failed in one call ran in another, and worked.
fn did_work(seen: &Seen<'_>, failed: &Seen<'_>, failure: &Failure) -> bool {
    let verb = culprit(failed, failure).and_then(verb);
    let is_same = |it: &Command| verb.is_none() || self::verb(it) == verb;
    seen.worked() && seen.runs(&failure.label, is_same)
}

/// Returns the command that failed, of a line.
fn culprit<'s>(seen: &'s Seen<'_>, failure: &Failure) -> Option<&'s Command> {
    seen.call.line()?.commands.get(failure.culprit?)
}

/// Returns whether a failure is one of those that every project has and no project explains: a slip of
/// shell quoting, or of a tool that everybody knows.
fn is_everyday(failure: &Failure) -> bool {
    const PROGRAMS: &str = "git gh glab rg grep egrep ag find fd ls cat head tail less sed awk gawk jq yq cut sort uniq wc tr \
        xargs diff tar unzip zip base64 xxd date touch cp mv rm mkdir ln chmod curl wget ssh scp rsync kill pkill ps echo \
        printf test which tee source export cd python python3 node";
    let program = failure.label.split(' ').next().unwrap_or_default();
    failure.family == Family::ShellSyntax || is_listed(PROGRAMS, program)
}

/// Returns whether a program is called by a path within the project.
fn is_of_project(command: &Command) -> bool {
    let path = command.words[0].text.as_str();
    path.contains('/') && !path.starts_with(['/', '~', '$'])
}

/// Returns what a program of the project is told to do first, if it is told by a word: nobody lists
/// which programs have such words.
fn verb(command: &Command) -> Option<&str> {
    let first = command.args().first()?.text.as_str();
    let is_word = first.starts_with(|c: char| c.is_ascii_alphabetic())
        && first.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_of_project(command) && is_word).then_some(first)
}

/// Returns whether what failed is what the agent is here to get right: its tests, its build, its own
/// scripts. That such a program is missing or was called wrongly is a trouble like any other.
fn is_work(failure: &Failure) -> bool {
    const PROGRAMS: &str = "pytest py.test tox nox jest vitest mocha ava karma rspec minitest phpunit ctest tsc eslint ruff \
        mypy flake8 pylint pyright prettier black biome golangci-lint gcc g++ cc clang clang++ javac rustc swiftc ghc make \
        ninja mvn gradle gradlew node deno ruby perl php lua Rscript java a.out tsx ts-node gofmt goimports pre-commit";
    const VERBS: &str = "test tests build check clippy run nextest bench fmt vet lint compile typecheck exec start dev";
    const RUNNERS: &str = "cargo go npm pnpm yarn bun dotnet swift zig mix just task mise rake turbo nx bazel uv poetry npx bunx";
    const MERGING: &str = "rebase merge cherry-pick revert";
    let mut words = failure.label.split(' ');
    let program = words.next().unwrap_or_default();
    let is_python = crate::trace::shell::is_python(program);
    let verb = words.next().unwrap_or_default();
    let is_checked = is_listed(PROGRAMS, program)
        || is_python
        || is_listed(RUNNERS, program) && (verb.is_empty() || is_listed(VERBS, verb))
        || program == "git" && is_listed(MERGING, verb);
    is_checked && !is_about_call(failure.family)
}

/// Returns whether such a trouble lies in how a program was called, whichever it is.
fn is_about_call(family: Family) -> bool {
    matches!(
        family,
        Family::CommandMissing
            | Family::ModuleMissing
            | Family::ScriptMissing
            | Family::OptionUnknown
            | Family::NotInProject
    )
}

/// A call, or a step, that failed.
type Failed<'a> = (&'a Seen<'a>, &'a Failure);

/// Gathers the troubles by what failed, in the order in which they came.
fn groups<'s>(tried: &'s [Seen<'s>]) -> Vec<Vec<Failed<'s>>> {
    let mut groups: Vec<Vec<Failed<'_>>> = Vec::new();
    for it in tried {
        let Some(failure) = trouble(it) else {
            continue;
        };
        let same = |group: &&mut Vec<Failed<'_>>| group[0].1.label == failure.label;
        match groups.iter_mut().find(same) {
            Some(group) => group.push((it, failure)),
            None => groups.push(vec![(it, failure)]),
        }
    }
    groups
}

/// The failures of one command until it worked. What was tried after that no longer cost anything.
struct Past<'a> {
    /// Never none.
    failed: Vec<Failed<'a>>,
    /// How many calls it took from the last of them until it worked; none if it did among the tries of
    /// that call.
    took: usize,
}

impl<'a> Past<'a> {
    /// Returns what was got past of a group; nothing if its command never worked.
    fn of(mut failed: Vec<Failed<'a>>, tried: &[Seen<'_>]) -> Option<Self> {
        let mends = |it: &&Seen<'_>, (seen, failure): &Failed<'_>| {
            it.call_index >= seen.call_index && did_work(it, seen, failure)
        };
        let is_end = |it: &&Seen<'_>| failed.iter().any(|failed| mends(it, failed));
        let until = tried.iter().rfind(is_end)?.call_index;
        failed.retain(|(seen, _)| seen.call_index <= until);
        let last = failed.last()?;
        let worked = tried.iter().find(|it| mends(it, last));
        let took = worked.map_or(0, |it| it.call_index - last.0.call_index);
        Some(Self { failed, took })
    }

    /// Returns whether it failed again and again, or, unless it is an everyday slip, was not got past at
    /// once. Of a program of the project once is enough: elsewhere nobody can know its ways.
    fn is_costly(&self) -> bool {
        let is_slip = self.failed.iter().all(|(_, failure)| is_everyday(failure));
        let commands = self
            .failed
            .iter()
            .filter_map(|(seen, failure)| culprit(seen, failure));
        self.failed.len() >= SAME_TIMES
            || (self.took >= CALLS_TO_FIX && !is_slip)
            || (self.took > 0 && commands.into_iter().any(is_of_project))
    }

    fn trouble(&self) -> Trouble {
        let failures = || self.failed.iter().map(|(_, failure)| *failure);
        let mut times: BTreeMap<&FailureKey, usize> = BTreeMap::new();
        for failure in failures() {
            *times.entry(&failure.key).or_default() += 1;
        }
        let usual = failures().reduce(|usual, it| match times[&it.key] > times[&usual.key] {
            true => it,
            false => usual,
        });
        let usual = usual.expect("something failed");
        Trouble {
            key: usual.key.clone(),
            label: usual.label.chars().take(limits::TROUBLE_CHARS).collect(),
            shown: guard::neutralise_within(&usual.pattern(), limits::TROUBLE_CHARS),
            times: u32::try_from(self.failed.len()).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
