//! `hardwon redact`: a filter, text in, text out.

use hardwon_api::v1::text::TextSample;

use crate::{args::RedactArgs, error::CliError, input, output};

pub(super) fn run(args: &RedactArgs) -> Result<(), CliError> {
    if args.jsonl {
        input::for_each_json_line(TextSample::SHAPE, |sample: TextSample| {
            output::print_json(&sample.redacted())
        })?;
    } else {
        let text = input::read_text(args.text.as_deref(), "the text")?;
        output::print(&hardwon_redact::redact(&text))?;
    }
    Ok(())
}
