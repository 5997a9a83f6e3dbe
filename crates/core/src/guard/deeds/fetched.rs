//! Finds lines that run what they fetch, or what was hidden from whoever reads them.

use super::{Deed, installs, named_lines::NamedLine, sends, tables::TABLES};
use crate::{
    Join, ShellCommand, ShellLine,
    outside::{code, host},
    shell::{base_name, is_listed},
};

const RUNS_FETCHED: Deed = Deed::grave("would run a program that it fetches");
const RUNS_HIDDEN: Deed = Deed::grave("would run a program that is hidden in it");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let commands = &line.commands;
    let is_fed = commands.iter().any(runs_what_it_gets);
    if code_runs_fetched(named.line)
        || commands.iter().any(runs_remote_package)
        || is_fed && commands.iter().any(fetches_from_unknown)
    {
        return Some(RUNS_FETCHED);
    }
    (is_fed && commands.iter().any(decodes)).then_some(RUNS_HIDDEN)
}

/// Returns the deed of a line that runs a file which an earlier part of it fetched.
pub(super) fn runs_left_file(line: &ShellLine) -> Option<Deed> {
    let mut commands = line.commands.iter().enumerate();
    let is_run = |(at, command): (usize, &ShellCommand)| {
        fetches_from_unknown(command) && runs_file_of(command, &line.commands[at + 1..])
    };
    commands.any(is_run).then_some(RUNS_FETCHED)
}

/// Returns whether a command runs the output of another: `… | sh`, `eval "$(…)"`.
fn runs_what_it_gets(command: &ShellCommand) -> bool {
    let is_interpreter = TABLES.lists("interpreters", command.program());
    let fills = command
        .words
        .iter()
        .any(|word| word.raw.contains("$(") || word.raw.contains('`'));
    let is_filled = command.words[0].raw.starts_with("$(");
    let is_fed = command.join == Join::Pipe
        || fills
        || is_listed("iex invoke-expression", command.program());
    is_filled || is_interpreter && is_fed
}

/// Returns whether a command turns unreadable text into readable one.
fn decodes(command: &ShellCommand) -> bool {
    let options = match command.program() {
        "base64" => "-d -D --decode -di",
        "xxd" => "-r -rp",
        "openssl" => "-d -a",
        _ => return false,
    };
    command.has_arg(|text| is_listed(options, text))
}

/// Returns whether a command fetches from a place that is not known for installing programs.
fn fetches_from_unknown(command: &ShellCommand) -> bool {
    if is_listed("nc ncat netcat ssh", command.program())
        || sends::names_unusual_remote(command, "clone")
    {
        return true;
    }
    let is_unknown =
        |word: &str| host::names_other_machine(word) && !installs::is_known_installer(word);
    // Whatever stands in a variable, or in the place of an address.
    let is_left_open = |word: &str| {
        let name = word.trim_start_matches(['$', '<', '{']);
        name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase())
    };
    code::is_fetcher(command.program())
        && command.has_arg(|word| is_unknown(word) || is_left_open(word))
}

/// Returns whether later commands run, or get ready to run, the file that a fetch left.
fn runs_file_of(fetch: &ShellCommand, later: &[ShellCommand]) -> bool {
    let args = fetch.args();
    let pairs = args.iter().zip(args.iter().skip(1));
    let targets = pairs.filter(|(option, _)| TABLES.lists("targets", &option.text));
    let addresses = args.iter().filter(|word| word.text.contains('/'));
    let files = targets
        .map(|(_, file)| file)
        .chain(addresses)
        .map(|word| word.text.as_str());
    let files: Vec<&str> = files
        .chain(fetch.output.as_deref())
        .map(base_name)
        .collect();
    later.iter().any(|command| {
        let prepares = is_listed(
            "chmod install dpkg rpm msiexec pip pip3 npm gem insmod",
            command.program(),
        );
        let runs = prepares || TABLES.lists("interpreters", command.program());
        let words = &command.words[..if runs { command.words.len() } else { 1 }];
        let is_unpacked = |file: &&str| {
            let folder = file.split('.').next().filter(|folder| !folder.is_empty());
            let path = &command.words[0].text;
            folder.is_some_and(|folder| format!("/{path}").contains(&format!("/{folder}/")))
        };
        let mut names = words.iter().map(|word| base_name(&word.text));
        names.any(|name| files.contains(&name)) || files.iter().any(is_unpacked)
    })
}

/// Returns whether a program that runs packages is told an address: `npx https://…`, `npx github:a/b`.
fn runs_remote_package(command: &ShellCommand) -> bool {
    let runs = is_listed("npx bunx deno uvx pipx ansible-pull", command.program());
    runs && command.has_arg(installs::is_unknown_source)
}

/// Returns whether a line of code, or one on the command line, fetches something and runs it.
fn code_runs_fetched(line: &str) -> bool {
    code::code_fetches(line) && TABLES.has_part("running", line)
}
