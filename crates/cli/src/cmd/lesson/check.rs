//! `hardwon lesson check`: what the guard makes of a text, without storing it.

use std::{
    io::{self, BufRead as _},
    process::ExitCode,
};

use hardwon_core::guard::{self, Finding};
use serde::Serialize;

use crate::{args::FilterArgs, dto::Sample, error::Failure, output};

/// A verdict as JSON shows it.
#[derive(Debug, Serialize)]
struct Answer {
    id: serde_json::Value,
    verdict: &'static str,
    reasons: Vec<String>,
}

pub(super) fn run(args: &FilterArgs) -> Result<ExitCode, Failure> {
    if args.jsonl {
        for (index, line) in io::stdin().lock().lines().enumerate() {
            let sample = Sample::parse(&line?, index)?;
            output::json(&judge(sample))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let text = output::text_or_stdin(args.text.as_deref(), "the text")?;
    let answer = judge(Sample {
        id: serde_json::Value::Null,
        text,
    });
    output::line(answer.verdict)?;
    for reason in &answer.reasons {
        output::line(&format!("  {reason}"))?;
    }
    Ok(ExitCode::from(u8::from(answer.verdict != "clean")))
}

fn judge(sample: Sample) -> Answer {
    let reasons = guard::inspect(&sample.text);
    Answer {
        id: sample.id,
        verdict: Finding::of(&reasons).name(),
        reasons: reasons.iter().map(ToString::to_string).collect(),
    }
}
