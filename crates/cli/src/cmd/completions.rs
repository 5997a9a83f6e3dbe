//! `hardwon completions SHELL`.

use clap::CommandFactory as _;

use crate::{Result, args::Cli, output};

pub(super) fn run(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hardwon", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
