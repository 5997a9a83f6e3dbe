//! The doors of hardwon: commands, hooks and the MCP server; each one only translates.
//!
//! A door turns what was typed or sent into calls of the engine, and the engine's results into output. It decides
//! nothing about lessons.

#[macro_use]
mod macros;

pub mod args;
mod background;
mod checkout;
pub mod cmd;
pub mod config;
pub mod error;
#[cfg(unix)]
mod file_size;
pub mod hook;
pub mod input;
#[cfg(feature = "gates")]
pub mod leak;
pub mod lesson_log;
pub mod mcp;
pub mod model;
pub mod embedding;
pub mod npm;
pub mod open;
pub mod output;
pub mod pause;
#[cfg(feature = "gates")]
pub mod place;
pub mod plan_file;
pub mod project;
pub mod remote;
pub mod restart;
#[cfg(feature = "gates")]
pub mod review;
#[cfg(feature = "server")]
pub mod server_store;
pub mod session_place;
pub mod sync;
pub mod text_log;
pub mod time;

pub(crate) use args::GlobalArgs;
pub(crate) use config::{
    SettingValues, Settings,
    embedding::{EmbeddingProvider, EmbeddingSettings},
    model::ModelProvider,
    server::RemotePlace,
};
pub(crate) use error::{CliError, ExitReason, Result};
pub(crate) use hook::{questions::AskedQuestion, undone::HookPlace};
pub(crate) use input::InputLines;
#[cfg(feature = "gates")]
pub use leak::{LeakGate, LeakReport};
pub use mcp::SettingsDoor;
#[cfg(feature = "gates")]
pub(crate) use place::{
    FileEdit, PlacePlan,
    audit_plan::{AuditPlan, AuditRow, AuditStep, AuditedFile, MovedEntry},
};
pub(crate) use remote::spool::Spool;
#[cfg(feature = "gates")]
pub(crate) use review::records::ReviewRecords;
#[cfg(feature = "server")]
pub(crate) use server_store::StorePlace;
pub(crate) use session_place::ProjectResolver;

use std::process::ExitCode;

use clap::FromArgMatches as _;

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    file_size::ignore_size_signal();
    let words = || std::env::args_os().skip(1);
    if let Some(args) = args::HookArgs::parse_plain(words()) {
        return hook::run(&args::GlobalArgs::default(), &args);
    }
    if let Some((global, args)) = args::RecallArgs::parse_plain(words()) {
        return report_result(cmd::recall(global, &args));
    }
    let command_line = args::build_command()
        .try_get_matches()
        .and_then(|found| args::Cli::from_arg_matches(&found));
    match command_line {
        Ok(cli) => report_result(cmd::run(cli)),
        Err(error) => {
            let error =
                args::find_help(&error, words()).unwrap_or_else(|| args::correct_tip(error));
            // Help and version are no errors; a mistyped argument is bad input. For a hook it is no error, because an
            // agent would stop on one.
            if let Some(missing) = args::find_missing_house(&error) {
                return report_result(Err(CliError::bad_input(missing)));
            }
            let is_hook = words().next().is_some_and(|word| word == "hook");
            let code = if error.use_stderr() && !is_hook { 2 } else { 0 };
            drop(error.print());
            ExitCode::from(code)
        }
    }
}

/// Prints the error, if there is one, and returns the exit code.
fn report_result(done: Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|failure| {
        output::print_note(&failure.to_string());
        failure.reason.exit_code()
    })
}
