//! What was done after a failure and worked, where no rule of likeness tells that it was the remedy.
//!
//! One run proves nothing here: the next command on the same thing may have another goal. It is kept as
//! a candidate, and becomes a lesson when enough runs did the same after the same failure
//! ([`learn`](crate::capture::Weight::Candidate)). From the start it refuses what a rule would: what
//! destroys, forces, waits or weakens a check, and values that are only of one task.

use super::{Fix, asks_for_help, is_certain, made, rules, unteachable};
use crate::{
    capture::{
        Difference, Skip,
        reading::{Reading, Seen},
        safety, show, tool,
    },
    limits,
    trace::{
        effect::Effect,
        failure::{self, Failure},
        family::Family,
        shell::{self, Command, Line, is_listed},
        stated::{self, Stated},
    },
};

/// Most options in which a failed command and its remedy may differ.
const OPTIONS: usize = 3;

/// Finds what was done after the failed call at `index`, if it may have been the remedy.
pub(in crate::capture) fn find_candidate(
    reading: &Reading<'_>,
    index: usize,
    reason: Skip,
) -> Option<Fix> {
    let failed = &reading.calls[index];
    let failure = failed.failure.as_ref()?;
    if matches!(reason, Skip::Typo | Skip::Probe | Skip::Stopped) {
        return None;
    }
    if let Some(mended) = mended(reading, index, failure) {
        return Some(mended);
    }
    let is_told = !failure.gist.is_empty() && unteachable(failure.family).is_ok();
    if !is_told {
        return None;
    }
    after(reading, index)
        .filter(|later| reading.calls[*later].worked())
        // What also failed in this run is no remedy, whatever it differs in.
        .filter(|later| reading.tally(&reading.calls[*later]).1 == 0)
        .find_map(|later| {
            let difference = difference(failed, failure, &reading.calls[later])?;
            Some(made(reading, index, later, failure, difference))
        })
}

/// The calls after a failure that may have ended it, as far as all that was done is known.
fn after(reading: &Reading<'_>, index: usize) -> impl Iterator<Item = usize> {
    let end = reading.calls.len().min(index + 1 + limits::FIX_WINDOW);
    (index + 1..end).take_while(move |later| reading.is_whole(index, *later))
}

/// A check that failed passed once its own mending form had run: `lint`, `lint:fix`, and `lint` again.
/// Which error it was is no matter.
fn mended(reading: &Reading<'_>, index: usize, failure: &Failure) -> Option<Fix> {
    let failed = &reading.calls[index].call;
    let culprit = failure.culprit.or_else(|| failed.main())?;
    let check = failed.line()?.commands.get(culprit)?;
    let mut mending: Option<&Command> = None;
    for later in after(reading, index) {
        let seen = &reading.calls[later];
        let line = seen.call.line().filter(|_| seen.worked());
        for command in line.into_iter().flat_map(workers) {
            if is_mending_form(check, command) {
                mending = Some(command);
            } else if let Some(first) = mending.filter(|_| command.label() == check.label()) {
                let difference = Difference::First {
                    command: show::bare(check),
                    first: show::bare(first),
                };
                let any = Failure::of_label(failure);
                return Some(made(reading, index, later, &any, difference));
            }
        }
    }
    None
}

/// Returns whether a command is a check's own mending form: `lint:fix` of `lint`.
fn is_mending_form(check: &Command, command: &Command) -> bool {
    let (check, label) = (check.label(), command.label());
    let rest = label.strip_prefix(&check);
    rest.is_some_and(|rest| matches!(rest, ":fix" | "-fix" | ":write" | "_fix"))
}

fn difference(failed: &Seen<'_>, failure: &Failure, later: &Seen<'_>) -> Option<Difference> {
    let Some(line) = later.call.line() else {
        return of_tools(failed, failure, later);
    };
    match failed.call.line() {
        None => by_name(failed, failure, line).or_else(|| {
            let worked = workers(line).find(|it| tool::shares_value(&failed.call, it))?;
            another_tool(failed, failure, later, worked.label())
        }),
        Some(own) => {
            let command = own
                .commands
                .get(failure.culprit.or_else(|| failed.call.main())?)?;
            workers(line).find_map(|worked| between(command, worked, failure))
        }
    }
}

/// Commands of a line that did its work, as far as can be told.
fn workers(line: &Line) -> impl Iterator<Item = &Command> {
    let is_trap = line.commands.iter().any(safety::is_trap);
    let works = move |(index, command): &(usize, &Command)| {
        !is_trap
            && !failure::is_helper(line, *index)
            && (is_certain(line, *index) || command.join != shell::Join::Or)
            && !line.branches
            && !asks_for_help(command)
            && safety::may_be_advised(command)
    };
    let commands = line.commands.iter().enumerate();
    commands.filter(works).map(|(_, command)| command)
}

/// A tool that is no shell took the call with other arguments, or another did the work of it.
fn of_tools(failed: &Seen<'_>, failure: &Failure, later: &Seen<'_>) -> Option<Difference> {
    if failed.call.tool == later.call.tool {
        return tool::between(failed, later);
    }
    // After a command that failed the other tools are the work.
    let is_same_thing =
        failed.call.line().is_none() && tool::share_value(&failed.call, &later.call);
    let name = later.call.tool.clone();
    is_same_thing.then(|| another_tool(failed, failure, later, name))?
}

/// Another tool was used on the same thing. Only looking at it mends nothing but a look.
fn another_tool(
    failed: &Seen<'_>,
    failure: &Failure,
    later: &Seen<'_>,
    command: String,
) -> Option<Difference> {
    let may_be_replaced = matches!(
        failure.family,
        Family::Usage | Family::Rule | Family::Other | Family::Auth | Family::Permission
    );
    let mends = later.effect != Effect::Reads || failed.effect == Effect::Reads;
    let is_explained = failure.stated.is_some();
    (may_be_replaced && mends && !is_explained).then_some(Difference::Instead { command })
}

/// What has a name that is not there was done with a command of that name: a skill `commit`, and then
/// `git commit`.
fn by_name(failed: &Seen<'_>, failure: &Failure, line: &Line) -> Option<Difference> {
    if failure.stated != Some(Stated::UnknownName) {
        return None;
    }
    let name = stated::unknown_name(failed.error)?.to_lowercase();
    let is_it = |command: &&Command| command.label().split(' ').skip(1).any(|word| word == name);
    let worked = workers(line).find(is_it)?;
    Some(Difference::Instead {
        command: worked.label(),
    })
}

fn between(failed: &Command, worked: &Command, failure: &Failure) -> Option<Difference> {
    let is_same = failed.label() == worked.label() && failed.program() == worked.program();
    match is_same {
        true => options(failed, worked, failure),
        false => instead(failed, worked, failure),
    }
}

fn options(failed: &Command, worked: &Command, failure: &Failure) -> Option<Difference> {
    let (removed, added) = rules::options::changed_flags(failed, worked);
    let differs = !removed.is_empty() || !added.is_empty();
    let is_small = removed.len() <= OPTIONS && added.len() <= OPTIONS;
    let is_shown =
        |flag: &String| flag.chars().count() <= 40 && !flag.contains([' ', '\n', '`', '/']);
    let is_about_options = matches!(
        failure.family,
        Family::OptionUnknown | Family::Usage | Family::Rule | Family::Other
    );
    (differs
        && is_small
        && is_about_options
        && removed.iter().chain(&added).all(is_shown)
        && share_word(failed, worked))
    .then(|| Difference::Options {
        command: failed.label(),
        removed,
        added,
    })
}

/// Another program or subcommand was used on the same thing.
fn instead(failed: &Command, worked: &Command, failure: &Failure) -> Option<Difference> {
    let may_be_replaced = matches!(
        failure.family,
        Family::OptionUnknown
            | Family::CommandMissing
            | Family::ScriptMissing
            | Family::Usage
            | Family::Rule
            | Family::ShellSyntax
    );
    let is_same_program = failed.program() == worked.program();
    let looks = is_listed(
        "ls cat head tail find grep rg pwd wc file stat which",
        worked.program(),
    ) && !is_listed(
        "ls cat head tail find grep rg wc file stat",
        failed.program(),
    );
    let goes_on = rules::is_script_runner(worked.program());
    (may_be_replaced
        && !looks
        && !(is_same_program && worked.label() == worked.program())
        && (!goes_on || is_same_program)
        && share_word(failed, worked))
    .then(|| Difference::Instead {
        command: show::bare(worked),
    })
}

/// Returns whether two commands share a word that tells what they work on.
fn share_word(failed: &Command, worked: &Command) -> bool {
    let words = |command: &Command| -> Vec<String> {
        let args = command.args().iter().map(|word| word.text.as_str());
        let plain = args.filter(|text| !text.starts_with('-'));
        plain
            .map(|text| shell::base_name(text).to_owned())
            .collect()
    };
    let own = words(failed);
    words(worked)
        .iter()
        .any(|word| tool::tells(word) && own.contains(word))
}
