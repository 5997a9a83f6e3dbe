//! The reference of the command line: `docs/cli.md` is what the commands themselves say.

use clap::CommandFactory as _;
use hardwon_cli::args::Cli;

use crate::env::{TestEnv, repository};

const HEAD: &str = "# The command line

What `hardwon --help` and the help of every command say. This file is printed from the program and
tested against it; to print it anew: `HARDWON_PRINT_DOCS=1 cargo test -p hardwon help`.
";

/// Writes the help of a command and of those below it, without what every command takes.
fn write(command: &clap::Command, path: &str, page: &mut String) {
    let is_top = !path.contains(' ');
    let told_once = |arg: clap::Arg| {
        let is_common = arg.is_global_set() || arg.get_id() == "help";
        arg.hide(is_common && !is_top)
    };
    let mut shown = command
        .clone()
        .term_width(100)
        .bin_name(path)
        .mut_args(told_once);
    let help = trimmed(&shown.render_long_help().to_string());
    page.push_str(&format!("\n## {path}\n\n```text\n{help}\n```\n"));
    for sub in command.get_subcommands() {
        write(sub, &format!("{path} {}", sub.get_name()), page);
    }
}

fn trimmed(help: &str) -> String {
    help.trim_end()
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_reference_is_what_the_commands_say() {
    let mut page = HEAD.to_owned();
    let mut command = Cli::command();
    command.build();
    write(&command, "hardwon", &mut page);
    let path = repository().join("docs/cli.md");
    if std::env::var_os("HARDWON_PRINT_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/cli.md is out of date: print it anew as it says"
    );
}

/// A list of commands shows one sentence of each, the help of each begins with it.
#[test]
fn a_list_says_what_the_command_itself_says() {
    let listed = Cli::command();
    let mut built = Cli::command();
    built.build();
    for command in listed.get_subcommands() {
        let about = |command: &clap::Command| command.get_about().map(ToString::to_string);
        let itself = built.find_subcommand(command.get_name()).unwrap();
        assert!(about(command).is_some(), "{}", command.get_name());
        assert_eq!(about(command), about(itself), "{}", command.get_name());
        for below in itself.get_subcommands() {
            assert!(about(below).is_some(), "{}", below.get_name());
        }
    }
}

#[test]
fn every_command_has_help_and_an_example_of_none_is_an_error() {
    let env = TestEnv::new();
    for args in [
        &["--help"][..],
        &["lesson", "add", "-h"],
        &["help-me"],
        &[],
        &["lesson"],
    ] {
        let ran = env.run(args);
        let is_help = args.iter().any(|arg| arg.starts_with('-'));
        assert_eq!(
            ran.code,
            if is_help { 0 } else { 2 },
            "{args:?}: {}",
            ran.err
        );
        assert_eq!(ran.out.is_empty(), !is_help, "{args:?}");
    }
}

#[test]
fn every_shell_has_completions() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.ok(&["completions", shell]);
        assert!(script.contains("recall"), "{shell}");
    }
    assert_eq!(env.run(&["completions", "csh"]).code, 2);
}
