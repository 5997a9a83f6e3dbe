//! One file per command.

use std::process::ExitCode;

use crate::{
    args::{Cli, Command, Global},
    error::Failure,
};

mod ask;
mod backfill;
mod backup;
mod change;
mod completions;
mod config;
mod demo;
mod doctor;
mod effect;
mod export;
mod import;
mod init;
mod journal;
mod learn;
mod lesson;
mod lint;
mod log;
mod mcp;
mod observe;
mod pause;
mod plugin;
mod queue;
mod recall;
mod redact;
mod replay;
mod review;
mod stats;
mod story;
pub(crate) mod sync;
mod uninstall;
mod why;
mod writ;

pub(crate) use recall::run as recall;

/// Refuses to be told whose lessons are meant, where a command is about all that a database holds.
fn refuse_narrowing(global: &Global, why: &str) -> Result<(), Failure> {
    let named = [
        (global.agent.is_some(), "--agent"),
        (global.project.is_some(), "--project"),
        (global.everywhere, "--everywhere"),
    ];
    match named.iter().find(|(is_named, _)| *is_named) {
        Some((_, option)) => Err(Failure::input(format!(
            "{option} has no meaning here: {why}"
        ))),
        None => Ok(()),
    }
}

/// Runs a command.
pub fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let global = &cli.global;
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Learn(args) => learn::run(global, &args),
        Command::Observe(_) => observe::run(global),
        Command::Recall(args) => recall::run(global, &args),
        Command::Lesson(command) => lesson::run(global, command),
        Command::Writ(args) => writ::run(global, &args),
        Command::Reflect(args) => writ::reflect(global, &args),
        Command::Mcp(_) => mcp::run(global),
        Command::Redact(args) => redact::run(&args),
        Command::Log(args) => log::run(global, &args),
        Command::Why(args) => why::run(global, &args),
        Command::Pause(args) => pause::pause(global, &args),
        Command::Resume(_) => pause::resume(global),
        Command::Effect(args) => effect::run(global, &args),
        Command::Replay(args) => replay::run(global, &args),
        Command::Stats(args) => stats::run(global, &args),
        Command::ReviewQueue(args) => review::run(global, args),
        Command::Export(args) => export::run(global, &args),
        Command::Import(args) => import::run(global, &args),
        Command::Lint(args) => lint::run(&args),
        Command::Sync(args) => sync::run(global, &args),
        Command::Journal(command) => journal::run(global, &command),
        Command::Queue(command) => queue::run(global, &command),
        Command::Doctor(args) => doctor::run(global, &args),
        Command::Config(args) => config::run(global, &args),
        Command::Backup(args) => backup::backup(global, &args),
        Command::Restore(args) => backup::restore(global, &args),
        Command::Hook(args) => Ok(crate::hook::run(global, &args)),
        Command::Completions(args) => completions::run(&args),
        Command::Init(args) => init::run(global, &args),
        Command::Plugin(args) => plugin::run(&args),
        Command::Uninstall(args) => uninstall::run(global, &args),
    }
}
