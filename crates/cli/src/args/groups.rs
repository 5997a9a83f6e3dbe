//! The list of commands as a person reads it: in groups, what is needed first at the top.
//!
//! What each command does is said by the command itself; only the order is said here.

use std::fmt::Write as _;

use clap::{
    Command, CommandFactory as _,
    builder::StyledStr,
    error::{ContextKind, ContextValue},
};

use super::Cli;

/// The groups, each with its commands.
const COMMAND_GROUPS: [(&str, &[&str]); 6] = [
    (
        "Set up",
        &["init", "demo", "doctor", "config", "upgrade", "uninstall"],
    ),
    (
        "Learn and recall",
        &[
            "learn",
            "retro",
            "recall",
            "lesson",
            "review-queue",
            "sweep",
            "night",
            "pause",
            "resume",
        ],
    ),
    (
        "See what it did",
        &["open", "log", "why", "effect", "stats", "replay"],
    ),
    (
        "Share and keep",
        &[
            "place", "leak", "review", "export", "import", "lint", "sync", "backup", "restore",
            "journal",
        ],
    ),
    (
        "For agents and programs",
        &[
            "hook",
            "mcp",
            "observe",
            "writ",
            "reflect",
            "redact",
            "queue",
            "plugin",
            "completions",
        ],
    ),
    ("For a server", &["serve", "key", "tenant", "db"]),
];

/// The commands that are in builds with a feature alone: the feature, whether this build has it, and what it is.
const HOUSES: [(&str, bool, &[&str]); 3] = [
    (
        "gates",
        cfg!(feature = "gates"),
        &["place", "leak", "review", "retro"],
    ),
    (
        "server",
        cfg!(feature = "server"),
        &["serve", "open", "key", "tenant"],
    ),
    ("postgres", cfg!(feature = "postgres"), &["db"]),
];

/// Words what is missing, if what was typed is a command of a house that this build was made without.
pub fn find_missing_house(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_missing =
        |(_, is_here, names): &&(_, bool, &[&str])| !is_here && names.contains(&word.as_str());
    let (feature, ..) = HOUSES.iter().find(is_missing)?;
    Some(say_missing(&format!("command `{word}`"), feature))
}

/// Says that this build was made without a house.
pub fn say_missing(part: &str, feature: &str) -> String {
    format!("this build of hardwon has no {part}: it was made without `{feature}`")
}

/// Returns the program's command, whose help lists its commands in groups.
pub fn build_command() -> Command {
    let command = Cli::command();
    let template = render_help_template(&command);
    command.help_template(template)
}

fn render_help_template(command: &Command) -> StyledStr {
    let mut groups = String::new();
    for (title, names) in COMMAND_GROUPS {
        let _is_written = writeln!(groups, "{title}:");
        for name in names {
            // A build without a house has no command for it.
            let Some(known) = command.find_subcommand(name) else {
                continue;
            };
            let about = known.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _is_written = writeln!(groups, "  {name:<13} {about}");
        }
        groups.push('\n');
    }
    format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut listed: Vec<&str> = COMMAND_GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| (HOUSES.iter()).all(|(_, is_here, of)| *is_here || !of.contains(name)))
            .collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
    }
}
