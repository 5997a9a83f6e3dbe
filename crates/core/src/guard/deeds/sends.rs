//! Finds lines that send private files, secrets or variables to another machine.

use super::{Deed, installs, named_lines::NamedLine, tables::TABLES};
use crate::{
    Join, ShellCommand, ShellLine,
    outside::{code, host},
    shell::{base_name, is_listed},
};

const SENDS: Deed = Deed::grave("would send files or variables to another machine");

pub(super) fn judge_line(line: &ShellLine, _: &NamedLine<'_>) -> Option<Deed> {
    let commands = &line.commands;
    let sends = |(at, sender): (usize, &ShellCommand)| {
        let is_start = |command: &ShellCommand| command.join != Join::Pipe;
        let first = commands[..=at].iter().rposition(is_start).unwrap_or(0);
        let feeders = &commands[first..at];
        let substitutions = commands.iter().filter(|command| command.is_substitution);
        let is_private = feeders.iter().chain(substitutions).any(reads_private)
            || sends_private_words(sender)
            || uploads_packed(sender, feeders);
        is_sender(sender) && is_private || names_unusual_remote(sender, "set-url push")
    };
    commands.iter().enumerate().any(sends).then_some(SENDS)
}

/// Returns the deed of a line that sends a file into which an earlier part of it put private data.
pub(super) fn sends_left_file(line: &ShellLine) -> Option<Deed> {
    let mut senders = line.commands.iter().enumerate();
    let sends = |(at, sender): (usize, &ShellCommand)| {
        let earlier = line.commands[..at]
            .iter()
            .filter(|command| reads_private(command));
        let words = earlier.flat_map(|command| {
            let names = command.arg_texts();
            names.chain(command.output.as_deref())
        });
        let mut files = words.map(base_name).filter(|name| name.contains('.'));
        let sent_text = sender.typed_text();
        // What is read on the input comes from the command that was named before.
        let reads_input = sender.has_arg(|word| word == "@-" || word.ends_with("=@-"));
        let is_fed = || reads_input && line.commands[..at].iter().any(reads_private);
        is_sender(sender) && (files.any(|file| sent_text.contains(file)) || is_fed())
    };
    senders.any(sends).then_some(SENDS)
}

/// Returns whether a call of git with one of these verbs names a place where its owners do not keep code.
pub(super) fn names_unusual_remote(command: &ShellCommand, verbs: &str) -> bool {
    let is_unusual = |address: &str| {
        let place = host::parse_host(address).filter(|place| !host::is_local_host(place));
        place.is_some_and(|place| !TABLES.lists("forges", place))
            && !installs::is_known_installer(address)
    };
    command.program() == "git"
        && command.has_arg(|text| is_listed(verbs, text))
        && command.has_arg(is_unusual)
}

/// Returns whether a command can carry what it is given to another machine.
fn is_sender(command: &ShellCommand) -> bool {
    let program = command.program();
    let words = || command.arg_texts();
    let is_remote_path = |word: &str| {
        let host = word.split_once(':').map_or("", |(host, _)| host);
        host.len() > 1 && !host.contains('/') || word.contains("://")
    };
    TABLES.lists("carriers", program) && !command.args().is_empty()
        || TABLES.lists("copiers", program) && words().any(is_remote_path)
        || is_listed("gh glab", program)
            && words()
                .take(2)
                .any(|word| is_listed("gist issue pr mr release snippet", word))
        || code::is_fetcher(program) && words().any(host::names_other_machine)
}

/// Returns whether a command prints variables, secrets or the content of private files.
fn reads_private(command: &ShellCommand) -> bool {
    let last = command.words.last();
    let prints_all = last.is_some_and(|word| is_listed("env printenv set history", &word.text));
    prints_all || is_private(&command.typed_text())
}

/// Returns whether a text names a private file, or a variable that is called like a secret.
fn is_private(text: &str) -> bool {
    let lower = text
        .to_ascii_lowercase()
        .replace(".env.example", "")
        .replace(".env.sample", "");
    let mut variables = lower
        .match_indices('$')
        .map(|(at, _)| lower[at + 1..].trim_start_matches('{'));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    TABLES.has_part("private", &lower)
        || variables.any(|name| {
            let end = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
            TABLES.has_part("variables", &name[..end])
        })
}

/// Returns whether what a command sends is private: the value of an option for data, a file that it copies, a variable
/// in an address. A header is not: that is how one logs in.
fn sends_private_words(command: &ShellCommand) -> bool {
    let args = command.args();
    let fetches = code::is_fetcher(command.program());
    let mut words = args.iter().enumerate();
    words.any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |at| args[at].text.as_str());
        let is_data = TABLES.lists("data", before)
            || word.text.starts_with("--data")
            || word.text.contains('?');
        let is_login = word.text.starts_with('-') || is_listed("-i -F -o -e --rsh", before);
        // A title or a message may speak of secrets.
        let is_sent = match command.program() {
            "gh" | "glab" => is_data || is_listed("gist release snippet", &args[0].text),
            _ if fetches => is_data,
            _ => !is_login,
        };
        is_private(&word.text) && is_sent
    })
}

/// Returns whether a command uploads what others pack to a place that is neither one's own nor a known one.
fn uploads_packed(command: &ShellCommand, feeders: &[ShellCommand]) -> bool {
    const PACKERS: &str = "tar zip 7z git";
    const DUMPERS: &str = "pg_dump pg_dumpall mysqldump mongodump";
    let is_strange =
        |text: &str| host::names_other_machine(text) && !installs::is_known_installer(text);
    let is_fed_by = |programs| (feeders.iter()).any(|feeder| is_listed(programs, feeder.program()));
    // Programs are deployed by `ssh`, databases are not.
    command.has_arg(is_strange)
        && (is_fed_by(DUMPERS) || is_fed_by(PACKERS) && code::is_fetcher(command.program()))
}
