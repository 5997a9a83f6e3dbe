//! Runs redaction over a file of samples, for an outside scorer to judge.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// What to redact, and where to write the result.
#[derive(Debug, clap::Args)]
pub(crate) struct RedactionArgs {
    /// JSON lines `{"id", "text"}`, gzip-compressed when the name ends in `.gz`.
    samples: PathBuf,
    /// Where to write JSON lines `{"id", "text"}` with the redacted texts.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Debug, Deserialize, Serialize)]
struct RedactionSample {
    id: String,
    text: String,
}

pub(crate) fn run(args: &RedactionArgs) -> anyhow::Result<()> {
    let writing = || format!("writing {}", args.out.display());
    let mut out = BufWriter::new(File::create(&args.out).with_context(writing)?);
    for sample in crate::samples::read_rows::<RedactionSample>(&args.samples)? {
        let text = hardwon_redact::redact(&sample.text).into_owned();
        let redacted = RedactionSample { text, ..sample };
        serde_json::to_writer(&mut out, &redacted).with_context(writing)?;
        out.write_all(b"\n").with_context(writing)?;
    }
    out.flush().with_context(writing)
}
