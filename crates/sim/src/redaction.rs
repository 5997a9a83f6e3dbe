//! Runs redaction over a file of samples, and counts what is left of their secrets, or leaves that to an outside scorer.

use std::{
    fmt,
    fs::File,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// What to redact, and where to write the result.
#[derive(Debug, clap::Args)]
pub(crate) struct RedactionArgs {
    /// JSON lines `{"id", "text"}` and perhaps `secrets`, gzip-compressed when the name ends in `.gz`.
    samples: PathBuf,
    /// Where to write JSON lines `{"id", "text"}` with the redacted texts.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print the samples of which a secret is left, and those without one that were changed.
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Deserialize, Serialize)]
struct RedactionSample {
    id: String,
    text: String,
    #[serde(default, skip_serializing)]
    secrets: Vec<String>,
}

/// How many samples there are with secrets and without, and how many of each went wrong.
#[derive(Debug, Default)]
struct RedactionCount {
    secret: u32,
    left: u32,
    benign: u32,
    changed: u32,
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run(args: &RedactionArgs) -> anyhow::Result<()> {
    let samples = crate::samples::read_rows::<RedactionSample>(&args.samples)?;
    let mut count = RedactionCount::default();
    let mut redacted = Vec::new();
    for sample in samples {
        let text = hardwon_redact::redact(&sample.text).into_owned();
        if count.add(&sample, &text) && args.list {
            println!("{}\t{text}\n", sample.id);
        }
        redacted.push(RedactionSample { text, ..sample });
    }
    println!("{count}");
    match &args.out {
        Some(out) => {
            write_samples(out, &redacted).with_context(|| format!("writing {}", out.display()))
        }
        None => Ok(()),
    }
}

fn write_samples(path: &Path, samples: &[RedactionSample]) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for sample in samples {
        serde_json::to_writer(&mut out, sample)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

impl RedactionCount {
    /// Counts a sample, and returns whether it went wrong.
    fn add(&mut self, sample: &RedactionSample, redacted: &str) -> bool {
        let is_benign = sample.secrets.is_empty();
        let is_wrong = if is_benign {
            redacted != sample.text
        } else {
            sample
                .secrets
                .iter()
                .any(|secret| redacted.contains(secret))
        };
        let (all, wrong) = if is_benign {
            (&mut self.benign, &mut self.changed)
        } else {
            (&mut self.secret, &mut self.left)
        };
        *all += 1;
        *wrong += u32::from(is_wrong);
        is_wrong
    }
}

impl fmt::Display for RedactionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            secret,
            left,
            benign,
            changed,
        } = self;
        let caught = secret - left;
        write!(
            f,
            "secrets caught {caught} of {secret}, changed without one {changed} of {benign}"
        )
    }
}
