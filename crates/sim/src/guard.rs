//! Writes the guard's verdict on each sample, in the form that the scorer reads.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;
use hardwon_core::{
    InspectionVerdict,
    guard::{inspect_text, neutralise},
};
use serde::{Deserialize, Serialize};

/// Judges every sample, and shows it as a preamble would.
#[derive(Debug, clap::Args)]
pub(crate) struct GuardArgs {
    /// Samples: JSON lines with `id` and `text`, gzip-compressed if the name ends in `.gz`.
    samples: PathBuf,
    /// Where to write `{"id","verdict","reasons","line"}`, one line a sample.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Debug, Deserialize)]
struct GuardSample {
    id: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct JudgedSample<'a> {
    id: &'a str,
    verdict: &'static str,
    reasons: Vec<String>,
    /// The text as it would appear in a prompt.
    line: &'a str,
}

pub(crate) fn run(args: &GuardArgs) -> anyhow::Result<()> {
    let samples: Vec<GuardSample> = crate::samples::read_rows(&args.samples)?;
    let file =
        File::create(&args.out).with_context(|| format!("creating {}", args.out.display()))?;
    let mut out = BufWriter::new(file);
    for sample in &samples {
        let reasons = inspect_text(&sample.text);
        let judged = JudgedSample {
            id: &sample.id,
            verdict: InspectionVerdict::from_reasons(&reasons).name(),
            reasons: reasons.iter().map(ToString::to_string).collect(),
            line: &neutralise(&sample.text),
        };
        serde_json::to_writer(&mut out, &judged)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}
