//! `hardwon completions SHELL`.

use clap::CommandFactory as _;

use crate::{
    args::{Cli, CompletionsArgs},
    error::CliError,
    output,
};

pub(super) fn run(args: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hardwon", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
