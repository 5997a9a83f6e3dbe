//! `hardwon lesson check`: what the guard makes of a text, without storing it.

use std::process::ExitCode;

use hardwon_core::{
    guard::{self, InspectionVerdict, Rejection},
    limits,
};
use serde::Serialize;

use crate::{
    args::CheckArgs,
    dto::Sample,
    error::{Failure, Kind},
    input, output,
};

/// A verdict as JSON shows it.
#[derive(Debug, Serialize)]
struct Answer {
    id: serde_json::Value,
    verdict: &'static str,
    reasons: Vec<String>,
}

pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.jsonl {
        input::json_lines(Sample::SHAPE, |sample| output::json(&judge(sample)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = input::text(args.text.as_deref(), "the text")?;
    let answer = judge(Sample {
        id: serde_json::Value::Null,
        text,
    });
    output::line(answer.verdict)?;
    for reason in &answer.reasons {
        output::line(&format!("  {reason}"))?;
    }
    Ok(Kind::Nothing.exit_code_if(answer.verdict != "clean"))
}

/// A text that is too long for a draft is turned away as one would be: unread.
fn judge(sample: Sample) -> Answer {
    let chars = sample.text.chars().count();
    if chars > limits::DRAFT_CHARS {
        let too_long = Rejection::TooLong {
            field: "draft",
            chars,
            limit: limits::DRAFT_CHARS,
        };
        return Answer {
            id: sample.id,
            verdict: InspectionVerdict::Rejected.name(),
            reasons: vec![too_long.to_string()],
        };
    }
    let reasons = guard::inspect_text(&sample.text);
    Answer {
        id: sample.id,
        verdict: InspectionVerdict::from_reasons(&reasons).name(),
        reasons: reasons.iter().map(ToString::to_string).collect(),
    }
}
