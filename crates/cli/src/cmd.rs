//! One file per command.

use std::process::ExitCode;

use crate::{
    ExitReason, GlobalArgs, Result,
    args::{Cli, CliCommand, LessonCommand, QueueCommand, RecallArgs, ReviewCommand},
    output,
    sync::sync_after_command,
};

mod ask;
mod backfill;
mod backup;
mod change;
mod completions;
mod config;
#[cfg(feature = "postgres")]
mod db;
mod demo;
mod doctor;
mod effect;
mod export;
mod import;
mod init;
#[cfg(feature = "gates")]
mod git_hook;
mod journal;
#[cfg(feature = "server")]
mod key;
#[cfg(feature = "gates")]
mod leak;
mod learn;
mod lesson;
mod lint;
mod log;
mod mcp;
mod meaning;
mod named;
mod night;
mod observe;
mod pause;
#[cfg(feature = "gates")]
mod place;
mod queue;
mod recall;
mod redact;
mod replay;
#[cfg(feature = "server")]
mod open;
#[cfg(feature = "gates")]
mod retro;
#[cfg(feature = "gates")]
mod review;
#[cfg(feature = "server")]
mod serve;
mod server_setup;
mod recall_story;
mod sweep;
pub(crate) mod sync;
#[cfg(feature = "server")]
mod tenant;
mod uninstall;
mod why;
mod writ;

#[cfg(feature = "server")]
use crate::server_store::name_key;
use named::NewPlace;

/// The gate before a push, in a build that has none.
#[cfg(not(feature = "gates"))]
mod git_hook {
    use crate::{CliError, Result, args::say_missing};

    pub(super) fn install(_: bool) -> Result<()> {
        Err(CliError::bad_input(say_missing(
            "gate before a push",
            "gates",
        )))
    }

    pub(super) use self::install as remove;
}

/// Leaves a key as it is, in a build that has none.
#[cfg(not(feature = "server"))]
fn name_key(_: &crate::Settings, words: &str) -> String {
    words.to_owned()
}

/// Rejects options that name a scope, where a command is about the whole database.
fn refuse_scope_options(global: &GlobalArgs, why: &str) -> Result<()> {
    let options = [
        (global.agent.is_some(), "--agent"),
        (global.project.is_some(), "--project"),
        (global.everywhere, "--everywhere"),
    ];
    match options.iter().find(|(is_named, _)| *is_named) {
        Some((_, option)) => Err(bad_input!("{option} has no meaning here: {why}")),
        None => Ok(()),
    }
}

/// Returns the exit code of a command that either succeeds or fails.
fn succeed(result: Result<()>) -> Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}

/// Says that an unattended command did nothing, and why.
fn skip(why: &str) -> Result<ExitCode> {
    print_line!("skipped: {}", output::to_one_line(why))?;
    Ok(ExitReason::Partial.exit_code())
}

/// Runs a command, and has the files of this project follow what it changed.
pub fn run(mut cli: Cli) -> Result<ExitCode> {
    let is_change = may_change_lessons(&cli.command);
    named::check_named_places(&mut cli.global, new_place_of(&cli.command))?;
    let global = cli.global.clone();
    let code = run_command(cli)?;
    if is_change {
        meaning::fill_after_command(&global)?;
        sync_after_command(&global)?;
    }
    Ok(code)
}

/// Recalls, as [`run`] does.
pub(crate) fn recall(mut global: GlobalArgs, args: &RecallArgs) -> Result<ExitCode> {
    named::check_named_places(&mut global, NewPlace::Noted)?;
    succeed(recall::run(&global, args))
}

/// Returns what a named place of which nothing is known is to a command.
fn new_place_of(command: &CliCommand) -> NewPlace {
    match command {
        CliCommand::Lesson(LessonCommand::Check { .. }) => NewPlace::Fine,
        CliCommand::Recall(_) | CliCommand::Resume => NewPlace::Noted,
        CliCommand::Learn(args) if !args.dry_run => NewPlace::Written,
        CliCommand::Lesson(LessonCommand::Add(_) | LessonCommand::Move { .. })
        | CliCommand::Import(_)
        | CliCommand::Reflect { .. } => NewPlace::Written,
        CliCommand::Pause { .. } => NewPlace::MistypedProject,
        CliCommand::Lesson(_)
        | CliCommand::Log(_)
        | CliCommand::Why(_)
        | CliCommand::Effect(_)
        | CliCommand::ReviewQueue(_)
        | CliCommand::Replay(_)
        | CliCommand::Sweep(_)
        | CliCommand::Export(_)
        | CliCommand::Learn(_)
        | CliCommand::Sync(_)
        | CliCommand::Doctor { .. }
        | CliCommand::Journal(_) => NewPlace::Mistyped,
        #[cfg(feature = "gates")]
        CliCommand::Place(_) => NewPlace::Mistyped,
        #[cfg(feature = "server")]
        CliCommand::Open { .. } => NewPlace::Mistyped,
        _ => NewPlace::Fine,
    }
}

/// Returns whether a command may change lessons.
fn may_change_lessons(command: &CliCommand) -> bool {
    match command {
        CliCommand::Learn(args) => !args.dry_run,
        CliCommand::Lesson(command) => !matches!(
            command,
            LessonCommand::List(_)
                | LessonCommand::Search { .. }
                | LessonCommand::Show(_)
                | LessonCommand::History(_)
                | LessonCommand::When { .. }
                | LessonCommand::Check { .. }
        ),
        CliCommand::ReviewQueue(args) => {
            !matches!(args.command, None | Some(ReviewCommand::Show(_)))
        }
        CliCommand::Sweep(args) => args.apply.is_some() || args.undo.is_some() || args.unattended,
        CliCommand::Queue(args) => matches!(args.command, QueueCommand::Drain { .. }),
        #[cfg(feature = "gates")]
        CliCommand::Retro(args) => !args.dry_run,
        CliCommand::Writ(args) => !args.dry_run,
        CliCommand::Import(args) => !args.dry_run,
        CliCommand::Reflect { .. } => true,
        _ => false,
    }
}

fn run_command(cli: Cli) -> Result<ExitCode> {
    let global = &cli.global;
    match cli.command {
        CliCommand::Demo => succeed(demo::run()),
        CliCommand::Learn(args) => learn::run(global, &args),
        #[cfg(feature = "gates")]
        CliCommand::Retro(args) => retro::run(global, &args),
        CliCommand::Observe => observe::run(global),
        CliCommand::Recall(args) => succeed(recall::run(global, &args)),
        CliCommand::Lesson(command) => lesson::run(global, command),
        CliCommand::Writ(args) => writ::run(global, &args),
        CliCommand::Reflect { text } => writ::reflect(global, &text.join(" ")),
        CliCommand::Mcp => succeed(mcp::run(global)),
        #[cfg(feature = "server")]
        CliCommand::Serve(args) => succeed(serve::run(global, &args)),
        #[cfg(feature = "server")]
        CliCommand::Open { print, idle } => succeed(open::run(global, print, idle)),
        CliCommand::Redact { text, jsonl } => succeed(redact::run(text.as_deref(), jsonl)),
        CliCommand::Log(args) => succeed(log::run(global, &args)),
        CliCommand::Why(args) => why::run(global, &args),
        CliCommand::Pause { length } => succeed(pause::pause(global, length)),
        CliCommand::Resume => succeed(pause::resume(global)),
        CliCommand::Effect(args) => effect::run(global, &args),
        CliCommand::Replay(args) => replay::run(global, &args),
        CliCommand::Meaning(args) => succeed(meaning::run(global, &args)),
        CliCommand::ReviewQueue(args) => succeed(lesson::review::run(global, args)),
        CliCommand::Export(args) => succeed(export::run(global, &args)),
        CliCommand::Import(args) => import::run(global, &args),
        CliCommand::Lint { paths, json } => lint::run(&paths, json),
        CliCommand::Sweep(args) => sweep::run(global, &args),
        CliCommand::Night { schedule, install } => night::run(global, schedule, install),
        CliCommand::Sync(args) => sync::run(global, &args),
        #[cfg(feature = "gates")]
        CliCommand::Place(args) => place::run(global, &args),
        #[cfg(feature = "gates")]
        CliCommand::Leak(args) => leak::run(global, &args),
        #[cfg(feature = "gates")]
        CliCommand::Review(args) => review::run(global, &args),
        CliCommand::Journal(command) => journal::run(global, &command),
        CliCommand::Queue(args) => queue::run(global, &args.command, args.json),
        #[cfg(feature = "server")]
        CliCommand::Key(args) => key::run(global, args),
        #[cfg(feature = "server")]
        CliCommand::Tenant(args) => succeed(tenant::run(global, &args)),
        #[cfg(feature = "postgres")]
        CliCommand::Db(args) => succeed(db::run(global, &args)),
        CliCommand::Doctor { json, probe } => doctor::run(global, json, probe),
        CliCommand::Config(args) => succeed(config::run(global, &args)),
        CliCommand::Backup { file } => succeed(backup::backup(global, &file)),
        CliCommand::Restore { file } => succeed(backup::restore(global, &file)),
        CliCommand::Hook(args) => Ok(crate::hook::run(global, &args)),
        CliCommand::Completions { shell } => succeed(completions::run(shell)),
        CliCommand::Init(args) => init::run(global, &args),
        CliCommand::Uninstall(args) => uninstall::run(global, &args),
    }
}
