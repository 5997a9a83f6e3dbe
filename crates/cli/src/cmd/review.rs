//! `hardwon review`: the last look at a branch before it is delivered, by an engine that has not seen it before.

mod by_engine;
mod edits;
mod gate;
mod show;

use std::process::ExitCode;

use hardwon_gates::review::Finding;

use crate::{
    ExitReason, GlobalArgs, Result,
    args::{FinalReviewCommand, ReviewArgs},
};

pub(super) fn run(global: &GlobalArgs, args: &ReviewArgs) -> Result<ExitCode> {
    let result = match &args.command {
        None => by_engine::run_engine(global, args),
        Some(FinalReviewCommand::Body(args)) => gate::print_body(args),
        Some(FinalReviewCommand::Gate(args)) => gate::check_gate(args),
    };
    // Whoever could not look must not be taken for one who blocked something.
    result.map_err(|error| error.with_reason(ExitReason::BadInput))
}

/// Renders what the message of a commit says of its fixes.
fn render_fixes(fixes: &[Finding]) -> String {
    fixes
        .iter()
        .map(|fix| format!("- {}\n", fix.what))
        .collect()
}
