//! `hardwon lesson check`: what the guard makes of a text, without storing it.

use std::process::ExitCode;

use hardwon_api::v1::text::{CheckReply, TextSample};

use crate::{ExitReason, Result, input, output};

pub(super) fn run(text: Option<&str>, jsonl: bool) -> Result<ExitCode> {
    if jsonl {
        input::for_each_json_line(TextSample::SHAPE, |sample| {
            output::print_json(&CheckReply::from_sample(sample))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = input::read_text(text, "the text")?;
    let answer = CheckReply::from_sample(TextSample {
        id: serde_json::Value::Null,
        text,
    });
    output::print_line(answer.verdict)?;
    for reason in &answer.reasons {
        print_line!("  {reason}")?;
    }
    Ok(ExitReason::Negative.exit_code_if(answer.verdict != "clean"))
}
