//! `hardwon lesson check`: what the guard makes of a text, without storing it.

use std::process::ExitCode;

use hardwon_core::{
    guard::{self, InspectionVerdict, Rejection},
    limits,
};
use serde::Serialize;

use crate::{
    args::CheckArgs,
    dto::TextSample,
    error::{CliError, ExitReason},
    input, output,
};

/// A verdict as JSON shows it.
#[derive(Debug, Serialize)]
struct CheckReply {
    id: serde_json::Value,
    verdict: &'static str,
    reasons: Vec<String>,
}

pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, CliError> {
    if args.jsonl {
        input::for_each_json_line(TextSample::SHAPE, |sample| {
            output::print_json(&check_sample(sample))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = input::read_text(args.text.as_deref(), "the text")?;
    let answer = check_sample(TextSample {
        id: serde_json::Value::Null,
        text,
    });
    output::print_line(answer.verdict)?;
    for reason in &answer.reasons {
        output::print_line(&format!("  {reason}"))?;
    }
    Ok(ExitReason::Negative.exit_code_if(answer.verdict != "clean"))
}

/// A text that is too long for a draft is turned away as one would be: unread.
fn check_sample(sample: TextSample) -> CheckReply {
    let chars = sample.text.chars().count();
    if chars > limits::DRAFT_CHARS {
        let too_long = Rejection::TooLong {
            field: "draft",
            chars,
            limit: limits::DRAFT_CHARS,
        };
        return CheckReply {
            id: sample.id,
            verdict: InspectionVerdict::Rejected.name(),
            reasons: vec![too_long.to_string()],
        };
    }
    let reasons = guard::inspect_text(&sample.text);
    CheckReply {
        id: sample.id,
        verdict: InspectionVerdict::from_reasons(&reasons).name(),
        reasons: reasons.iter().map(ToString::to_string).collect(),
    }
}
