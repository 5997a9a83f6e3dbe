//! `hardwon demo night`: a week of a project, told to somebody who watches.
//!
//! What happens is in [`crate::week`]; here it is only printed.

use std::{env, process::ExitCode};

use crate::{
    error::CliError,
    output,
    week::{OPENING, WEEK, WeekStep, stage::WeekStage},
};

/// How wide it is told at most, in columns.
const WIDTH: usize = 100;

pub(super) fn run() -> Result<ExitCode, CliError> {
    let program = env::current_exe()
        .map_err(|error| CliError::internal(format!("finding this program: {error}")))?;
    let stage = WeekStage::set_up(&program)?;
    print_wrapped(OPENING)?;
    for step in WEEK {
        play_step(&stage, step)?;
    }
    print_wrapped(
        "\nOn your own machine: `hardwon init` sets up your agents, and `hardwon sweep --schedule systemd` the nights.",
    )?;
    Ok(ExitCode::SUCCESS)
}

fn play_step(stage: &WeekStage, step: &WeekStep) -> Result<(), CliError> {
    output::print_line("")?;
    if !step.day.is_empty() {
        output::print_line(&output::bold(&step.day.to_uppercase()))?;
    }
    if !step.told.is_empty() {
        print_wrapped(step.told)?;
    }
    output::print_line(&format!("  $ {}", output::bold(step.line)))?;
    let said = stage.play(step)?;
    for line in step.shown.select(&said) {
        print_wrapped(&format!("    {}", output::replace_controls(&line)))?;
    }
    match step.code {
        0 => Ok(()),
        code => output::print_line(&format!("    (exit code {code})")),
    }
}

fn print_wrapped(text: &str) -> Result<(), CliError> {
    let columns = output::layout_width(WIDTH);
    output::print_line(output::wrap_lines(text, Some(columns)).trim_end())
}
