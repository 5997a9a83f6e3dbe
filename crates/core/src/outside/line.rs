//! Decides whether a command line reads content that was written elsewhere.

use super::{
    code, fetch,
    host::{is_local_host, parse_authority_host, parse_host},
    places, programs,
};
use crate::{
    ShellCommand,
    shell::{self, is_listed},
};

/// Returns whether a command line reads content from outside.
pub(super) fn reads_outside(line: &str) -> bool {
    let read = shell::parse_line(line);
    let mut folder = "";
    code::opens_socket(line)
        || read.commands.iter().any(|command| {
            if command.program() == "cd" {
                folder = command.args().first().map_or("", |word| &word.text);
            }
            command_reads_outside(command, line, read.heredoc)
                || places::reads_dependency(command, folder)
        })
}

/// Returns whether a command of a line reads content from outside.
pub(super) fn is_outside(command: &ShellCommand, line: &str, has_heredoc: bool) -> bool {
    command_reads_outside(command, line, has_heredoc) || places::reads_dependency(command, "")
}

/// Returns whether code fetches, by itself or by a program.
pub(super) fn code_reads_outside(code: &str) -> bool {
    code::code_fetches(code) || runs_fetch(code)
}

/// Returns whether code starts a command line that fetches, as one text or a list of its words.
fn runs_fetch(code: &str) -> bool {
    const STARTS: [&str; 5] = ["subprocess", "system(", "popen", "exec", "spawn"];
    if !STARTS.iter().any(|start| code.contains(start)) {
        return false;
    }
    code.split(['\n', ';']).any(|statement| {
        let texts = statement.split(['"', '\'', '`']).skip(1).step_by(2);
        let line = texts.collect::<Vec<_>>().join(" ");
        line.split_whitespace().any(programs::is_fetching_program) && reads_outside(&line)
    })
}

fn command_reads_outside(command: &ShellCommand, line: &str, has_heredoc: bool) -> bool {
    let program = command.program().to_ascii_lowercase();
    // A file in the work tree may have the name of such a program.
    if command.words[0].text.starts_with("./") {
        return code_or_address(command, line, has_heredoc);
    }
    if programs::is_version_or_help(command) || programs::runs_local_cluster(&program) {
        return false;
    }
    let does = if is_listed(programs::FETCHERS, &program) {
        fetch::command_fetches(command)
    } else if is_listed(programs::REMOTE_CLIENTS, &program) {
        reaches_remote_host(command)
    } else if is_listed(programs::REMOTE_COPIERS, &program) {
        copies_remote_files(command)
    } else if is_listed(programs::DATABASE_CLIENTS, &program) {
        queries_remote_database(command)
    } else if is_listed(MULTIPLEXERS, &program) {
        types_fetch(command)
    } else {
        programs::program_reads_outside(command)
            || programs::runs_fetched_package(command)
            || code_or_address(command, line, has_heredoc)
    };
    does || command.wrapped_command().is_some_and(|inner| {
        !programs::takes_plain_text(&program) && command_reads_outside(&inner, line, has_heredoc)
    })
}

/// Programs that type a line into a terminal, which prints later what comes of it.
pub(super) const MULTIPLEXERS: &str = "tmux screen";

/// Returns whether a line that a command types reads content from outside.
fn types_fetch(command: &ShellCommand) -> bool {
    let mut lines = command.arg_texts().filter(|text| text.contains(' '));
    lines.any(reads_outside)
}

/// Returns whether the code that a command is given reads content from outside, or it has an address to read.
fn code_or_address(command: &ShellCommand, line: &str, has_heredoc: bool) -> bool {
    match code::extract_inline_code(command, line, has_heredoc) {
        Some(code) => code_reads_outside(&code) || code::prints_documentation(&code),
        None => has_remote_address(command),
    }
}

/// Returns whether a command has the address of another machine that it may read.
fn has_remote_address(command: &ShellCommand) -> bool {
    let is_set = command
        .args()
        .first()
        .is_some_and(|word| word.text == "config");
    if is_set
        || programs::takes_plain_text(command.program())
        || programs::names_local_target(command)
    {
        return false;
    }
    let values = command.env.iter().map(|(_, value)| value.as_str());
    let words = command.args().iter().map(|word| word.text.as_str());
    // An argument with spaces is a text that contains an address.
    let mut words = values
        .chain(words)
        .filter(|word| !word.contains(char::is_whitespace));
    words.any(|word| parse_host(word).is_some_and(|host| !is_local_host(host)))
}

/// Returns whether the host that a program connects to is another machine.
fn reaches_remote_host(command: &ShellCommand) -> bool {
    const VALUE_OPTIONS: &str = "-i -p -o -l -F -J -L -R -D -b -c -E -e -I -m -Q -S -W -w -T";
    let args = command.args();
    if args.iter().any(|word| is_listed("-l -lk -U", &word.text)) && command.program() != "ssh" {
        return false;
    }
    let is_value = |at: usize| at > 0 && is_listed(VALUE_OPTIONS, &args[at - 1].text);
    let mut operands = args.iter().enumerate();
    let host = operands.find(|(at, word)| !word.text.starts_with('-') && !is_value(*at));
    host.is_some_and(|(_, word)| {
        !is_local_host(parse_host(&word.text).unwrap_or(parse_authority_host(&word.text)))
    })
}

/// Returns whether a copy comes from or goes to another machine.
fn copies_remote_files(command: &ShellCommand) -> bool {
    let mut operands = command
        .args()
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    operands.any(|word| {
        let text = word.text.as_str();
        let before = text.split('/').next().unwrap_or_default();
        let host = before.split_once(':').map(|(host, _)| host);
        let host = host.map(|host| host.rsplit('@').next().unwrap_or(host));
        host.is_some_and(|host| host.len() > 1 && !is_local_host(host))
    })
}

/// Returns whether a database client connects to another machine.
fn queries_remote_database(command: &ShellCommand) -> bool {
    let hosts = programs::option_values(
        command,
        "-h --host -H -S --server --hostname -H --uri --url -u",
    );
    let host_operands = hosts
        .filter(|host| !host.starts_with('-'))
        .map(|host| parse_host(host).unwrap_or(host));
    let env = command
        .env
        .iter()
        .filter(|(name, _)| is_listed("PGHOST MYSQL_HOST REDIS_HOST MONGO_HOST", name));
    let env = env.map(|(_, value)| value.as_str());
    let words = command.args().iter().map(|word| word.text.as_str());
    let texts_with_host = words.flat_map(|word| {
        let keys = word
            .split([' ', ';', '?', '&'])
            .filter_map(|pair| pair.strip_prefix("host="));
        keys.chain(parse_host(word))
    });
    let glued_hosts = command
        .args()
        .iter()
        .filter_map(|word| word.text.strip_prefix("-h"));
    let glued_hosts = glued_hosts.filter(|glued_host| glued_host.contains('.'));
    let mut hosts = host_operands
        .chain(env)
        .chain(texts_with_host)
        .chain(glued_hosts);
    hosts.any(|host| {
        !is_local_host(host.split(':').next().unwrap_or(host)) && !host.starts_with('/')
    })
}
