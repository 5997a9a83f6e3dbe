//! The same command with other options.

use super::{
    super::{alike, working_commands},
    FixContext, is_interpreter,
};
use crate::{
    CallFailure, Difference, ShellCommand, ShellLine, safety, shell::is_listed,
    trace::family::FailureFamily,
};

/// Options that only change the output, or that force something; neither is advice.
const IDLE_OPTIONS: &str = "-v -vv -vvv --verbose -q -qq --quiet -s --silent --no-color --color -x --debug --progress --trace -h --help";

/// Programs whose options are never advice.
const DESTROYING: &str = "rm dd mkfs kill killall pkill shred shutdown reboot";

/// Returns whether an option only changes what is printed.
pub(in super::super) fn is_idle(option: &str) -> bool {
    is_listed(IDLE_OPTIONS, option)
}

/// Matches the same command and operands with other options.
pub(super) fn match_options(context: &FixContext<'_>, line: &ShellLine) -> Option<Difference> {
    let first_command = context.command;
    let is_allowed = matches!(
        context.failure.family,
        FailureFamily::OptionUnknown
            | FailureFamily::Usage
            | FailureFamily::Rule
            | FailureFamily::Other
            | FailureFamily::RefMissing
            | FailureFamily::NotInProject
    );
    let program = first_command.program();
    if !is_allowed || is_listed(DESTROYING, program) {
        return None;
    }
    let (_, worked) =
        working_commands(line).find(|(_, worked)| worked.label() == first_command.label())?;
    let (mut removed, mut added) = changed_flags(first_command, worked);
    let controls = || context.reading.same_failures(context.failure);
    removed.retain(|flag| controls().all(|control| has_flag(control, flag)));
    added.retain(|flag| !controls().any(|control| has_flag(control, flag)));
    let can_force = is_listed("ln cp mv git", program);
    let forces = |flag: &String| {
        safety::forces_something(flag) || can_force && !flag.starts_with("--") && flag.contains('f')
    };
    let is_shown = |flag: &String| flag.chars().count() <= 40 && !flag.contains([' ', '\n', '`']);
    let talks = |flags: &[String]| flags.iter().all(|flag| is_idle(flag));
    let is_typo = match (removed.as_slice(), added.as_slice()) {
        ([wrong], [right]) => alike::is_typo(wrong, right),
        _ => false,
    };
    let is_blamed = context.failure.family != FailureFamily::OptionUnknown
        || removed
            .iter()
            .any(|flag| blames_option(context.failure, flag));
    // What only talks says nothing, and neither does the same.
    let tells = if added.is_empty() {
        !talks(&removed) && !removed.is_empty()
    } else {
        !talks(&added) && !added.iter().any(forces)
    };
    let is_set = |name: &String| first_command.env.iter().any(|(own, _)| own == name);
    let is_it = tells
        && worked.env.iter().all(|(name, _)| is_set(name))
        && removed.len() + added.len() <= 4
        && !is_interpreter(program)
        && has_same_operands(first_command, worked, context.failure.family)
        && !is_typo
        && is_blamed
        && removed.iter().chain(&added).all(is_shown);
    is_it.then(|| Difference::Options {
        // An option before the subcommand belongs to the program.
        command: if context.failure.label == program {
            program.to_owned()
        } else {
            first_command.label()
        },
        removed,
        added,
    })
}

fn has_flag(command: &ShellCommand, flag: &str) -> bool {
    command.flags().contains(&flag)
}

/// Returns whether the operands are the same; the value of an unknown option may be gone too.
fn has_same_operands(failed: &ShellCommand, worked: &ShellCommand, family: FailureFamily) -> bool {
    let own = failed.operands();
    let other = worked.operands();
    if family == FailureFamily::OptionUnknown {
        let common = other.iter().filter(|word| own.contains(*word)).count();
        return common == other.len().min(own.len()) && own.len().abs_diff(other.len()) <= 1;
    }
    own == other
}

/// Returns the options that only the failed command has, and those that only the other has.
pub(in crate::capture) fn changed_flags(
    failed: &ShellCommand,
    worked: &ShellCommand,
) -> (Vec<String>, Vec<String>) {
    // The mark of the end of options says nothing without what follows it.
    let minus = |one: &[&str], two: &[&str]| -> Vec<String> {
        let only = (one.iter()).filter(|flag| !two.contains(*flag) && **flag != "--");
        only.map(|flag| (*flag).to_owned()).collect()
    };
    let (own, other) = (failed.flags(), worked.flags());
    (minus(&own, &other), minus(&other, &own))
}

/// Returns whether the error names this option.
pub(in crate::capture) fn blames_option(failure: &CallFailure, flag: &str) -> bool {
    let bare = flag.trim_start_matches('-');
    let bare = bare.split('=').next().unwrap_or(bare);
    let is_cluster = flag.starts_with('-') && !flag.starts_with("--");
    failure.subject.as_deref().is_some_and(|subject| {
        let name = subject.trim_start_matches('-');
        bare == name || is_cluster && name.len() == 1 && bare.contains(name)
    })
}
