//! Finds commands that write what is run or obeyed later without being called (hooks, CI, permissions, instructions of
//! agents, profiles, schedules, keys), and others that the table of programs knows.

use super::{Deed, installs, named_lines::NamedLine, tables::TABLES};
use crate::{ShellCommand, ShellLine, shell::is_listed, tokens::split_name_words};

const PERSISTS: Deed = Deed::grave("would have something run later, unasked");
const GIVES_ACCESS: Deed = Deed::grave("would give others access or rights");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let mut commands = line.commands.iter();
    commands.find_map(|command| judge_writing(command, named).or_else(|| judge_call(command)))
}

/// Returns what a call does. Whoever lets in the own network lets in no others.
fn judge_call(command: &ShellCommand) -> Option<Deed> {
    let deed = TABLES.find_call(command)?;
    let mut pairs = command.args().windows(2);
    let is_own = pairs.any(|pair| {
        is_listed("from -s --source", &pair[0].text) && installs::is_private_host(&pair[1].text)
    });
    Some(deed.lightened_if(is_own))
}

/// Returns what a line does by one of its words.
pub(super) fn judge_mention(_: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    TABLES.find_mention(named.line)
}

fn judge_writing(command: &ShellCommand, named: &NamedLine<'_>) -> Option<Deed> {
    let deed = find_written_paths(command)
        .iter()
        .find_map(|path| TABLES.find_write(path))?;
    let lower = named.line.to_ascii_lowercase();
    let is_foreign = TABLES.has_part("foreign", &lower);
    if deed == PERSISTS {
        let mut words = lower
            .split(' ')
            .filter(|word| TABLES.find_write(word).is_none());
        let runs = words.any(|word| word.contains(['/', '|', '&', '$', ';', '(']));
        let sets_up_tool = TABLES.has_part("shell_tools", &lower);
        let is_harmless = sets_up_tool || copies_own_file(command) || named.is_in_words && !runs;
        return (!is_harmless || is_foreign).then_some(deed);
    }
    if !deed.is_grave || deed == GIVES_ACCESS {
        let is_grave = deed.is_grave || is_foreign;
        return Some(Deed { is_grave, ..deed });
    }
    // A hook or a job that lies in the project is put in its place, and what a sentence has written there may be the task,
    // unless it says in code what, and that is no check.
    let is_task = || command.program() != "rm" && !TABLES.has_part("loosens", &lower);
    let is_own = !is_foreign
        && if named.is_in_words {
            is_task() && (!named.has_code || tightens(&lower))
        } else {
            copies_own_file(command)
        };
    Some(deed.lightened_if(is_own))
}

/// Returns whether a command puts a file of the project in its place.
fn copies_own_file(command: &ShellCommand) -> bool {
    let is_own = |path: &str| !path.starts_with(['/', '~', '$']) && !path.contains("://");
    let mut sources = command.args().iter().rev().skip(1);
    is_listed("cp ln install mv", command.program()) && sources.all(|word| is_own(&word.text))
}

/// Returns whether what is written, wherever that is, asks for a check.
fn tightens(line: &str) -> bool {
    let content = line
        .split(' ')
        .filter(|word| TABLES.find_write(word).is_none());
    let mut words = content.flat_map(split_name_words);
    words.any(|word| TABLES.lists("tightens", &word))
}

/// Returns the paths that a command writes.
fn find_written_paths(command: &ShellCommand) -> Vec<&str> {
    let args = command.args();
    let pairs = args.iter().zip(args.iter().skip(1));
    let downloads = pairs.filter(|(option, _)| TABLES.lists("targets", &option.text));
    let edits = || command.has_arg(|text| text.starts_with("-i") || text == "-pi");
    let from = match command.program() {
        "cp" | "mv" | "install" | "ln" | "scp" => args.len().saturating_sub(1),
        "tee" | "rm" | "truncate" | "Add-Content" | "Set-Content" | "sponge" => 0,
        "git" if args.first().is_some_and(|word| word.text == "rm") => 1,
        "sed" | "perl" | "yq" if edits() => 0,
        _ => args.len(),
    };
    let words = downloads.map(|(_, file)| file).chain(&args[from..]);
    words
        .map(|word| word.text.as_str())
        .chain(command.output.as_deref())
        .collect()
}
