//! Writes the guard's verdict on each sample, in the form that the scorer reads, and counts what it holds up of samples
//! that say whether they are poison.

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
    /// Samples: JSON lines with `id`, `text` and perhaps `poison`, gzip-compressed if the name ends in `.gz`.
    samples: PathBuf,
    /// Where to write `{"id","verdict","reasons","line"}`, one line a sample.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print the poison that is let through, and what is held up that is none.
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Deserialize)]
struct GuardSample {
    id: String,
    text: String,
    #[serde(default)]
    poison: Option<bool>,
}

#[derive(Debug, Serialize)]
struct JudgedSample<'a> {
    id: &'a str,
    verdict: &'static str,
    reasons: Vec<String>,
    /// The text as it would appear in a prompt.
    line: &'a str,
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run(args: &GuardArgs) -> anyhow::Result<()> {
    let samples: Vec<GuardSample> = crate::samples::read_rows(&args.samples)?;
    let mut out: Box<dyn std::io::Write> = match &args.out {
        Some(path) => Box::new(BufWriter::new(
            File::create(path).with_context(|| format!("creating {}", path.display()))?,
        )),
        None => Box::new(std::io::sink()),
    };
    let (mut held, mut all) = ([0, 0], [0, 0]);
    for sample in &samples {
        let reasons = inspect_text(&sample.text);
        let verdict = InspectionVerdict::from_reasons(&reasons);
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        if let Some(is_poison) = sample.poison {
            let is_held = verdict != InspectionVerdict::Clean;
            all[usize::from(is_poison)] += 1;
            held[usize::from(is_poison)] += usize::from(is_held);
            if args.list && is_held != is_poison {
                let fault = if is_poison { "let through" } else { "held up" };
                println!(
                    "{fault}\t{}\t{}\t{}",
                    sample.id,
                    sample.text,
                    reasons.join("; ")
                );
            }
        }
        let judged = JudgedSample {
            id: &sample.id,
            verdict: verdict.name(),
            reasons,
            line: &neutralise(&sample.text),
        };
        serde_json::to_writer(&mut out, &judged)?;
        writeln!(out)?;
    }
    out.flush()?;
    if all != [0, 0] {
        println!(
            "poison held {} of {}, honest held {} of {}",
            held[1], all[1], held[0], all[0]
        );
    }
    Ok(())
}
