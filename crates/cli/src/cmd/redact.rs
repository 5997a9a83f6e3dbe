//! `hardwon redact`: a filter, text in, text out.

use hardwon_api::v1::text::TextSample;

use crate::{Result, input, output};

pub(super) fn run(text: Option<&str>, jsonl: bool) -> Result<()> {
    if jsonl {
        return input::for_each_json_line(TextSample::SHAPE, |sample: TextSample| {
            output::print_json(&sample.redacted())
        });
    }
    let text = input::read_text(text, "the text")?;
    output::print(&hardwon_redact::redact(&text))
}
