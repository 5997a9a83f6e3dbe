//! `hardwon redact`: a filter, text in, text out.

use std::{
    io::{self, BufRead as _},
    process::ExitCode,
};

use hardwon_core::redact;

use crate::{args::FilterArgs, dto::Sample, error::Failure, output};

pub(super) fn run(args: &FilterArgs) -> Result<ExitCode, Failure> {
    if !args.jsonl {
        let text = output::text_or_stdin(args.text.as_deref(), "the text")?;
        output::print(&redact::redact(&text))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let sample = Sample::parse(&line?, index)?;
        let text = redact::redact(&sample.text).into_owned();
        output::json(&Sample {
            id: sample.id,
            text,
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
