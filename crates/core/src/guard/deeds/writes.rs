//! Finds commands that write what is run or obeyed later without being called (hooks, CI, permissions, instructions of
//! agents, profiles, schedules, keys), and others that the table of programs knows.

use super::{Deed, named_lines::NamedLine, tables::TABLES};
use crate::shell::{ShellCommand, ShellLine, is_listed};

const PERSISTS: Deed = Deed::grave("would have something run later, unasked");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let mention = TABLES.find_mention(named.line);
    let mention = mention.filter(|_| named.is_marked || named.line.contains("--"));
    let cron = is_cron_row(named.line).then_some(PERSISTS);
    mention.or(cron).or_else(|| {
        let mut commands = line.commands.iter();
        commands.find_map(|command| {
            judge_writing(command, named.line).or_else(|| TABLES.find_call(command))
        })
    })
}

fn judge_writing(command: &ShellCommand, line: &str) -> Option<Deed> {
    let deed = find_written_paths(command)
        .iter()
        .find_map(|path| TABLES.find_write(path))?;
    let lower = line.to_ascii_lowercase();
    let fetches = lower.contains("curl") || lower.contains("wget") || lower.contains("/tmp");
    let is_own = is_listed("cp ln install mv", command.program()) && !lower.contains("~/");
    match deed == PERSISTS {
        true if TABLES.has_part("shell_tools", &lower) && !fetches => None,
        // A hook or a job that lies in the project is put in its place.
        false if is_own && !fetches => Some(deed.lightened()),
        _ => Some(deed),
    }
}

/// Returns the paths that a command writes.
fn find_written_paths(command: &ShellCommand) -> Vec<&str> {
    let args = command.args();
    let pairs = args.iter().zip(args.iter().skip(1));
    let downloads = pairs.filter(|(option, _)| TABLES.lists("targets", &option.text));
    let edits = || {
        args.iter()
            .any(|word| word.text.starts_with("-i") || word.text == "-pi")
    };
    let from = match command.program() {
        "cp" | "mv" | "install" | "ln" | "scp" => args.len().saturating_sub(1),
        "tee" | "rm" | "truncate" | "Add-Content" | "Set-Content" => 0,
        "git" if args.first().is_some_and(|word| word.text == "rm") => 1,
        "sed" | "perl" | "yq" if edits() => 0,
        "sponge" => 0,
        _ => args.len(),
    };
    let words = downloads.map(|(_, file)| file).chain(&args[from..]);
    words
        .map(|word| word.text.as_str())
        .chain(command.output.as_deref())
        .collect()
}

/// Returns whether a line is a row of a table of cron.
fn is_cron_row(line: &str) -> bool {
    let line = line
        .trim_start_matches("echo ")
        .trim_start_matches(['"', '\'', '(']);
    let fields: Vec<&str> = line.split_whitespace().take(6).collect();
    let is_time = |field: &&str| {
        field
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '*' | '/' | ',' | '-'))
    };
    let is_named = ["@reboot ", "@daily ", "@hourly "]
        .iter()
        .any(|start| line.starts_with(start));
    is_named || fields.len() == 6 && fields[..5].iter().all(is_time) && fields[..5].contains(&"*")
}
