//! `hardwon redact`: a filter, text in, text out.

use std::process::ExitCode;

use hardwon_core::redact;

use crate::{args::RedactArgs, dto::Sample, error::Failure, input, output};

pub(super) fn run(args: &RedactArgs) -> Result<ExitCode, Failure> {
    if args.jsonl {
        input::json_lines(Sample::SHAPE, |sample: Sample| {
            output::json(&Sample {
                text: redact::redact(&sample.text).into_owned(),
                ..sample
            })
        })?;
    } else {
        let text = input::text(args.text.as_deref(), "the text")?;
        output::print(&redact::redact(&text))?;
    }
    Ok(ExitCode::SUCCESS)
}
