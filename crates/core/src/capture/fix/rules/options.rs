//! The same command with other options.

use super::{
    super::{alike, working_commands},
    FixContext, is_interpreter,
};
use crate::{
    capture::Difference,
    shell::{ShellCommand, ShellLine, is_listed},
    trace::{failure::CallFailure, family::FailureFamily},
};

/// Options that only change the output, or that force something; neither is advice.
const IDLE_OPTIONS: &str = "-v -vv -vvv --verbose -q -qq --quiet -s --silent --no-color --color -x --debug -d --progress --trace -h --help";
const FORCING_OPTIONS: &str = "-f --force --force-with-lease --no-verify --hard --privileged -rf -fr -k --insecure \
    --no-check-certificate --dangerously-skip-permissions --break-system-packages -D --allow-unrelated-histories --yolo \
    --skip-tests --no-gpg-sign --allow-empty --legacy-peer-deps-force --unsafe-perm --ignore-scripts --overwrite --delete";

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
    ) || context
        .failure
        .gist
        .to_lowercase()
        .contains("is a directory");
    if !is_allowed {
        return None;
    }
    let (_, worked) =
        working_commands(line).find(|(_, worked)| worked.label() == first_command.label())?;
    let (removed, added) = changed_flags(first_command, worked);
    let destroys = is_listed(
        "rm dd mkfs kill killall pkill shred shutdown reboot",
        first_command.program(),
    );
    let has_force = |flag: &String| {
        is_listed("ln cp mv git tar", first_command.program())
            && !flag.starts_with("--")
            && flag.contains('f')
    };
    let forces = destroys
        || added.iter().any(|flag| {
            is_listed(FORCING_OPTIONS, flag)
                || (has_force(flag) && first_command.program() != "tar")
        });
    let talks = |flags: &[String]| !flags.is_empty() && flags.iter().all(|flag| is_idle(flag));
    if (removed.is_empty() && added.is_empty())
        || forces
        || talks(&added)
        || (added.is_empty() && talks(&removed))
        || removed.len() + added.len() > 4
    {
        return None;
    }
    if is_interpreter(first_command.program())
        || !has_same_operands(first_command, worked, context.failure.family)
    {
        return None;
    }
    if let ([wrong], [right]) = (removed.as_slice(), added.as_slice())
        && alike::is_typo(wrong, right)
    {
        return None;
    }
    if context.failure.family == FailureFamily::OptionUnknown
        && !removed
            .iter()
            .any(|flag| blames_option(context.failure, flag))
    {
        return None;
    }
    if !removed
        .iter()
        .chain(&added)
        .all(|flag| flag.chars().count() <= 40 && !flag.contains([' ', '\n', '`']))
    {
        return None;
    }
    Some(Difference::Options {
        // An option before the subcommand belongs to the program.
        command: if context.failure.label == first_command.program() {
            first_command.program().to_owned()
        } else {
            first_command.label()
        },
        removed,
        added,
    })
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
    let minus = |one: &[&str], two: &[&str]| -> Vec<String> {
        let only = one.iter().filter(|flag| !two.contains(*flag));
        only.map(|flag| (*flag).to_owned()).collect()
    };
    let (own, other) = (failed.flags(), worked.flags());
    (minus(&own, &other), minus(&other, &own))
}

/// Returns whether the error names this option.
pub(in crate::capture) fn blames_option(failure: &CallFailure, flag: &str) -> bool {
    let Some(subject) = failure.subject.as_deref() else {
        return false;
    };
    let name = subject.trim_start_matches('-');
    let bare = flag.trim_start_matches('-');
    let bare = bare.split('=').next().unwrap_or(bare);
    let is_in_cluster = !flag.starts_with("--") && name.len() == 1 && bare.contains(name);
    bare == name || (flag.starts_with('-') && is_in_cluster)
}
