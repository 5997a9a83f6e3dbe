//! Finds the similar call that worked after one failed, and what differs.
//!
//! Wrong pairs are the main danger: "`A` fails, `B` works" must be literally what the run showed, and `B` must have
//! the goal of `A`. So each kind of failure has its own rule of similarity, a pair is searched for only among the
//! next few calls, and any hint of another cause (an edit between, the same call also working, the fix also failing,
//! a line whose parts may have failed unseen) drops it.

use crate::{
    CallFailure, Difference, FailureKey, Join, ShellCommand, ShellLine,
    capture::{
        Skip,
        parsed_run::{ParsedRun, RunCall},
    },
    limits, safety,
    shell::{self, is_listed},
    trace::{effect, family::FailureFamily},
};

mod alike;
mod change;
mod elsewhere;
mod preparation;
mod rearranged;
mod repeatable;
mod runner;
mod tool;
mod tentative;
mod rules;

pub(super) use change::{CHANGE_KINDS, is_path};
pub(super) use elsewhere::find_program_elsewhere;
pub(super) use repeatable::find_repeatable_fixes;
pub(super) use rules::options::blames_option;
pub(super) use tentative::find_tentative_fix;

/// A failure and the later call that got past it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// The failure that was fixed.
    pub failure: CallFailure,
    /// What the working call did differently.
    pub difference: Difference,
    /// How often it failed before the fix, in this run; at least 1.
    pub failures: u32,
    /// How many calls it took from the first failure to the fix; at least 1.
    pub steps: u32,
    /// Names that the lesson is about: the command, the tool.
    pub names: Vec<String>,
    /// The key of the failed call's own failure; `failure` may be about more calls.
    pub met: FailureKey,
    /// Whether something was edited between, which may have been what helped.
    pub after_edit: bool,
    /// Whether the same program did something else between, which may have been what helped.
    pub after_act: bool,
    /// The indexes of the calls that make up the pair.
    pub(super) calls: Vec<usize>,
}

impl Fix {
    /// Returns whether it is the same fix of the same failure, at another time.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.failure.key == other.failure.key && self.difference == other.difference
    }
}

/// Finds the fix of the failed call at `index`; an error says why there is none.
pub(super) fn find_fix(reading: &ParsedRun<'_>, index: usize) -> Result<Fix, Skip> {
    let first_call = &reading.calls[index];
    let failure = first_call.failure.as_ref().ok_or(Skip::Unclear)?;
    let Some(line) = first_call.call.line() else {
        return tool::find_tool_fix(reading, index);
    };
    check_teachable(failure.family)?;
    let culprit = find_comparable_culprit(line, failure)?;
    let context = rules::FixContext {
        reading,
        index,
        failure,
        line,
        command: &line.commands[culprit],
    };
    let mut reason = Skip::Unsolved;
    for later in index + 1..reading.calls.len().min(index + 1 + limits::FIX_WINDOW) {
        if !reading.has_no_gap(index, later) {
            break;
        }
        let later_call = &reading.calls[later];
        let is_run = later_call.has_worked() || has_script_run(failure, later_call);
        let is_safe = |line: &&ShellLine| !line.commands.iter().any(safety::is_unsafe_command);
        let Some(later_line) = later_call.call.line().filter(|_| is_run).filter(is_safe) else {
            continue;
        };
        match rules::match_any_rule(&context, later, later_line) {
            Ok(Some(difference)) if difference.is_given(reading, index, later) => {}
            Ok(Some(difference))
                if difference.is_uncontradicted(reading, first_call, later_call) =>
            {
                return Ok(build_fix(reading, index, later, failure, difference));
            }
            Ok(Some(_)) => reason = Skip::Flaky,
            Ok(None) => {}
            Err(stop) => return Err(stop),
        }
    }
    Err(reason)
}

/// Returns whether the script was found: one that then fails its tests exists all the same.
fn has_script_run(failure: &CallFailure, later: &RunCall<'_>) -> bool {
    let own = |later: &CallFailure| {
        later.family.is_the_work()
            || matches!(later.family, FailureFamily::Other | FailureFamily::Silent)
    };
    failure.family == FailureFamily::ScriptMissing && later.failure.as_ref().is_some_and(own)
}

/// Builds the fix from a failed and a working call.
pub(super) fn build_fix(
    reading: &ParsedRun<'_>,
    index: usize,
    later: usize,
    failure: &CallFailure,
    difference: Difference,
) -> Fix {
    let own = reading.calls[index].failure.as_ref();
    Fix {
        failure: failure.clone(),
        met: own.unwrap_or(failure).key.clone(),
        difference,
        after_edit: false,
        after_act: false,
        failures: 1,
        steps: u32::try_from(later - index).unwrap_or(u32::MAX),
        names: super::call_names(&reading.calls[index].call, failure),
        calls: vec![index, later],
    }
}

/// Most steps of a run that may have helped.
const CANDIDATES: usize = 16;

/// Adds what may have fixed a failure before what may have fixed those before it: the working call differs least from the
/// last. The same step counts for the first failure that it got past, unless something was edited since.
pub(super) fn add_candidates(candidates: &mut Vec<Fix>, possible: Vec<Fix>) {
    let mut all: Vec<Fix> = Vec::new();
    for fix in possible {
        let is_same = |known: &Fix| known.difference == fix.difference;
        let known = candidates.iter().position(is_same);
        let known = known.map(|at| candidates.remove(at));
        all.push(
            known
                .filter(|known| !known.after_edit || fix.after_edit)
                .unwrap_or(fix),
        );
    }
    all.append(candidates);
    all.truncate(CANDIDATES);
    *candidates = all;
}

/// Adds a fix to those of the run; fixes of the same failure, or with the same difference, are one: that of the last failure,
/// which the working call differs from least.
pub(super) fn merge_fix(fixes: &mut Vec<Fix>, fix: Fix) {
    let same = |known: &&mut Fix| {
        known.failure.key == fix.failure.key || known.difference == fix.difference
    };
    match fixes.iter_mut().find(same) {
        Some(known) => {
            known.failures += 1;
            known.difference = fix.difference;
            known.calls.extend(fix.calls);
        }
        None => fixes.push(fix),
    }
}

/// Returns whether a call failed at a name that says of itself that there is no such thing, so that its failure was asked
/// for: `--bogus`, `does-not-exist`.
pub(super) fn is_deliberate(run_call: &RunCall<'_>) -> bool {
    const MADE_UP: &str = "bogus nonexistent nonexisting nonexistant doesnotexist nosuch invalid fake dummy garbage foobar";
    const PHRASES: [&str; 4] = ["does-not-exist", "non-existent", "no-such", "not-a-real"];
    let says_so = |name: &str| {
        let name = name.to_lowercase().replace('_', "-");
        let mut parts = name.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| is_listed(MADE_UP, part))
            || PHRASES.iter().any(|phrase| name.contains(phrase))
    };
    let is_blamed = |text: &str| {
        run_call
            .error
            .contains(text.split('=').next().unwrap_or(text))
    };
    let commands = run_call
        .call
        .line()
        .into_iter()
        .flat_map(|line| &line.commands);
    let mut words = commands.flat_map(|command| &command.words);
    words.any(|word| word.text.len() <= 40 && says_so(&word.text) && is_blamed(&word.text))
}

/// Returns whether a command's name is that of a check, a build or another usual task of a project.
pub(super) fn is_check(label: &str) -> bool {
    alike::find_purpose(label.rsplit(' ').next().unwrap_or_default()).is_some()
}

/// Refuses the failure families that never teach through a pair.
pub(super) fn check_teachable(family: FailureFamily) -> Result<(), Skip> {
    match family {
        FailureFamily::Interrupted | FailureFamily::Denied => Err(Skip::Stopped),
        FailureFamily::Transient | FailureFamily::Offline => Err(Skip::Transient),
        FailureFamily::TestFailed | FailureFamily::CodeFailed => Err(Skip::TheWork),
        FailureFamily::NoMatch | FailureFamily::Silent => Err(Skip::NoMatch),
        FailureFamily::EditMismatch => Err(Skip::EditSlip),
        _ => Ok(()),
    }
}

/// Returns which command of the line failed, if the line can be compared.
fn find_comparable_culprit(line: &ShellLine, failure: &CallFailure) -> Result<usize, Skip> {
    if effect::is_probe(line) {
        return Err(Skip::Probe);
    }
    let is_clear = !line.branches && !line.commands.is_empty();
    let culprit = failure.culprit.filter(|_| is_clear).ok_or(Skip::Unclear)?;
    if is_path_guess(line, failure) {
        return Err(Skip::Guess);
    }
    Ok(culprit)
}

/// Returns whether a missing path was only looked at.
pub fn is_path_guess(line: &ShellLine, failure: &CallFailure) -> bool {
    let culprit = failure.culprit.and_then(|at| line.commands.get(at));
    let looks = |program| is_listed(FILE_READERS, program) || program == "cd";
    failure.family == FailureFamily::FileMissing
        && culprit.is_some_and(|culprit| looks(culprit.program()))
}

/// Programs that only look at files: a wrong path given to them is a guess.
const FILE_READERS: &str = "ls cat head tail less more grep egrep rg find fd file stat wc diff tree sed awk nl xxd od \
    hexdump strings cp mv rm touch chmod open bat jq yq sort cut tac source . realpath readlink du";

/// Returns whether the success of a line proves that this command of it worked.
pub(super) fn is_success_certain(line: &ShellLine, index: usize) -> bool {
    const FILTERS: &str = "tr sed awk gawk sort cut uniq wc md5sum sha1sum sha256sum base64 xxd od jq rev tac paste \
        fold column nl bc xargs";
    if line.branches {
        return false;
    }
    let is_merged = line.commands[index].merged;
    let mut rest = line.commands[index + 1..].iter();
    rest.all(|command| match command.join {
        Join::And => true,
        Join::Pipe => !is_merged && is_listed(FILTERS, command.program()),
        Join::Or | Join::Then => false,
    })
}

/// Returns whether the success of a line proves that all that it did worked.
pub(super) fn shows_success(line: &ShellLine) -> bool {
    let mut acting = line.acting_commands();
    acting.all(|(at, _)| is_success_certain(line, at))
}

impl Difference {
    /// Returns whether it is a value that a person gave for this task: a password, a code, the name of a device.
    pub(super) fn is_given(&self, reading: &ParsedRun<'_>, index: usize, later: usize) -> bool {
        let has_value = matches!(self, Self::Options { .. } | Self::Env { .. });
        has_value && reading.was_given_value(index, later)
    }

    /// Returns whether nothing in the run contradicts the pair: the same failed call never worked (unless something
    /// was done first), and the fix never failed.
    pub(super) fn is_uncontradicted(
        &self,
        reading: &ParsedRun<'_>,
        failed: &RunCall<'_>,
        worked: &RunCall<'_>,
    ) -> bool {
        let expects_same = matches!(
            self,
            Self::First { .. } | Self::Folder { .. } | Self::Env { .. }
        );
        let (same_worked, _) = reading.outcome_counts(failed);
        let (_, remedy_failed) = reading.outcome_counts(worked);
        if expects_same && failed.args == worked.args {
            return true;
        }
        let mut failure = failed.failure.iter();
        let is_name = failure.any(|failure| failure.family == FailureFamily::ScriptMissing);
        same_worked == 0 && (is_name || remedy_failed == 0)
    }
}

/// Returns the commands of a line that do its work and certainly succeeded.
fn working_commands(line: &ShellLine) -> impl Iterator<Item = (usize, &ShellCommand)> {
    line.acting_commands()
        .filter(|(index, command)| is_success_certain(line, *index) && !asks_for_help(command))
}

/// Returns whether a command only prints its help or version, so did no work.
fn asks_for_help(command: &ShellCommand) -> bool {
    let mut args = command.args().iter();
    args.any(|word| is_listed("--help --version help", &word.text))
}

/// Returns whether two commands consist of the same words.
fn has_same_words(one: &ShellCommand, two: &ShellCommand) -> bool {
    one.texts() == two.texts()
}

/// Returns the program without a version or path.
fn program_family(program: &str) -> &str {
    if shell::is_python(program) {
        "python"
    } else {
        program
    }
}
