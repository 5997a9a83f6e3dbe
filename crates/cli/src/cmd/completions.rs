//! `hardwon completions SHELL`.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::{
    args::{Cli, CompletionsArgs},
    error::CliError,
    output,
};

pub(super) fn run(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hardwon", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
