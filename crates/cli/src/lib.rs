//! The doors of hardwon: commands today; each one only translates.
//!
//! A door turns what was typed or sent into the engine's words and the engine's answer into what
//! is read outside. It decides nothing about lessons.

pub mod args;
pub mod cmd;
pub mod config;
pub mod diff;
pub mod dto;
pub mod error;
pub mod hook;
pub mod input;
pub mod mcp;
pub mod model;
pub mod embedding;
pub mod open;
pub mod output;
pub mod pause;
pub mod project;
pub mod when;
pub mod setup;

use std::process::ExitCode;

use clap::Parser as _;

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(args) = args::HookArgs::typed(std::env::args_os().skip(1)) {
        return hook::run(&args::Global::default(), &args);
    }
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; what was mistyped is bad input. To an agent, which
            // would stop because of it, a hook has none.
            let is_hook = std::env::args_os()
                .nth(1)
                .is_some_and(|word| word == "hook");
            let code = if error.use_stderr() && !is_hook { 2 } else { 0 };
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    match cmd::run(cli) {
        Ok(code) => code,
        Err(failure) => {
            output::note(&failure.to_string());
            failure.kind.exit_code()
        }
    }
}
