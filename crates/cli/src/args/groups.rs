//! The lists of commands as a person reads them, in groups: the dozen that most people need, and all of them.
//!
//! What each command does is said by the command itself; only the order is said here.

use std::ffi::OsString;

use clap::{
    Command, CommandFactory as _,
    builder::StyledStr,
    error::{ContextKind, ContextValue},
};

use super::Cli;
use crate::output;

/// Most columns of help: those that the parser lays it out for.
const HELP_COLUMNS: usize = 100;

/// A group of commands, by what a person wants; their names, with a space between them.
type CommandGroup = (&'static str, &'static str);

/// The dozen that `hardwon --help` lists.
const FIRST_GROUPS: [CommandGroup; 3] = [
    ("Begin and end", "init demo doctor uninstall"),
    ("Day by day", "recall lesson review-queue log why pause"),
    ("Now and then", "learn effect"),
];

/// All groups, each with its commands: what `hardwon help all` lists.
#[rustfmt::skip]
const COMMAND_GROUPS: [CommandGroup; 6] = [
    ("Set up", "init demo doctor config uninstall"),
    ("Learn and recall", "learn retro recall lesson review-queue sweep night pause resume meaning"),
    ("See what it did", "open log why effect replay"),
    ("Share and keep", "place leak review export import lint sync backup restore journal"),
    ("For agents and programs", "hook mcp observe writ reflect redact queue completions"),
    ("For a server", "serve key tenant db"),
];

/// A feature that commands are in builds with alone, whether this build has it, and their names.
type CommandHouse = (&'static str, bool, &'static str);

/// The commands that not every build has.
const HOUSES: [CommandHouse; 3] = [
    ("gates", cfg!(feature = "gates"), "place leak review retro"),
    ("server", cfg!(feature = "server"), "serve open key tenant"),
    ("postgres", cfg!(feature = "postgres"), "db"),
];

fn has_name(names: &str, wanted: &str) -> bool {
    names.split(' ').any(|name| name == wanted)
}

/// Words what is missing, if what was typed is a command of a house that this build was made without.
pub fn find_missing_house(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(word) => find_missing(word, &HOUSES),
        _ => None,
    }
}

fn find_missing(word: &str, houses: &[CommandHouse]) -> Option<String> {
    let is_missing = |house: &&CommandHouse| !house.1 && has_name(house.2, word);
    let (feature, ..) = houses.iter().find(is_missing)?;
    Some(say_missing(&format!("command `{word}`"), feature))
}

/// Says that this build was made without a house.
pub fn say_missing(part: &str, feature: &str) -> String {
    format!("this build of hardwon has no {part}: it was made without `{feature}`")
}

/// Returns the program's command, whose help lists the dozen that most people need.
pub fn build_command() -> Command {
    list_commands(&FIRST_GROUPS, "`hardwon help all` lists every command.\n\n")
}

/// Returns the program's command, whose help lists every command.
pub fn build_full_command() -> Command {
    list_commands(&COMMAND_GROUPS, "")
}

/// What people type for a command that has another name.
const OTHER_WORDS: [(&str, &str); 4] = [
    ("pause", "stop off disable mute quiet"),
    ("resume", "start on enable unpause"),
    ("effect", "stats statistics"),
    ("lesson delete", "forget hide ignore delete remove"),
];

/// Names the command that is meant where what was typed is another word for it: by its letters it is like some other.
pub fn correct_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let meant = OTHER_WORDS.iter().find(|(_, words)| has_name(words, word));
    if let Some((name, _)) = meant {
        let tip = ContextValue::Strings(vec![(*name).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, tip);
    }
    error
}

/// Returns the help that was asked for by the word `help`, if it is what the parser did not know: `help`, `help all`,
/// `--project shop help lesson list`.
pub fn find_help(
    error: &clap::Error,
    words: impl Iterator<Item = OsString>,
) -> Option<clap::Error> {
    let unknown = error.get(ContextKind::InvalidSubcommand)?;
    if *unknown != ContextValue::String("help".to_owned()) {
        return None;
    }
    let mut words: Vec<OsString> = words.filter(|word| word != "help").collect();
    let command = if words.pop_if(|word| word == "all").is_some() {
        build_full_command()
    } else {
        build_command()
    };
    words.insert(0, "hardwon".into());
    words.push("-h".into());
    command.try_get_matches_from(words).err()
}

fn list_commands(listed: &[CommandGroup], end: &str) -> Command {
    let command = Cli::command();
    let template = render_help_template(&command, listed, end);
    command.help_template(template)
}

fn render_help_template(command: &Command, listed: &[CommandGroup], end: &str) -> StyledStr {
    let width = output::help_width(HELP_COLUMNS);
    let mut groups = String::new();
    for (title, names) in listed {
        groups += &format!("{title}:\n");
        for name in names.split(' ') {
            // A build without a house has no command for it.
            let Some(known) = command.find_subcommand(name) else {
                continue;
            };
            let about = known.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            groups += &output::wrap_lines(&format!("  {name:<13} {about}\n"), Some(width));
        }
        groups.push('\n');
    }
    format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{end}Options:\n{{options}}{{after-help}}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_missing_house_is_told_from_a_mistyped_one() {
        let houses = [("gates", false, "leak"), ("server", true, "serve")];
        assert_eq!(
            find_missing("leak", &houses).as_deref(),
            Some("this build of hardwon has no command `leak`: it was made without `gates`")
        );
        assert_eq!(find_missing("serve", &houses), None);
        assert_eq!(find_missing("leek", &houses), None);
    }

    #[test]
    fn what_is_needed_first_is_a_dozen_of_all() {
        let names = |groups: &'static [CommandGroup]| {
            let names = groups.iter().flat_map(|group| group.1.split(' '));
            names.collect::<Vec<_>>()
        };
        let (first, all) = (names(&FIRST_GROUPS), names(&COMMAND_GROUPS));
        assert_eq!(first.len(), 12);
        assert!(first.iter().all(|name| all.contains(name)));
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut listed: Vec<&str> = COMMAND_GROUPS
            .iter()
            .flat_map(|(_, names)| names.split(' '))
            .filter(|name| (HOUSES.iter()).all(|(_, is_here, of)| *is_here || !has_name(of, name)))
            .collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
    }
}
