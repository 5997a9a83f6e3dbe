//! Shows the events that the transcript readers find in real files, and how fast.
//!
//! For people who examine the input of learning: one event a line, and in the end the time next to that of parsing the
//! same bytes as plain JSON values.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use hardwon_clients::{
    archive::{ArchiveEntry, list_entries},
    transcript::{ResumePoint, read_transcript},
};
use hardwon_core::{CallStatus, MessageRole, RawEvent, RawText, RunEvent, Signal};
use hardwon_engine::{TranscriptEvent, transcript::TranscriptEvents as _};

use crate::corpus;

/// Prints the events of transcripts, one a line.
#[derive(Debug, clap::Args)]
pub(crate) struct EventsArgs {
    /// Files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Prints only the summary.
    #[arg(long)]
    quiet: bool,
    /// Leaves out the parsing as JSON values that the time is compared with.
    #[arg(long)]
    only_read: bool,
    /// Longest text shown, in characters.
    #[arg(long, default_value_t = 160)]
    width: usize,
}

#[derive(Default)]
struct EventTotals {
    files: u64,
    skipped: u64,
    events: u64,
    runs: u64,
    broken: u64,
    bytes: u64,
    reading: Duration,
    parsing: Duration,
}

pub(crate) fn run(args: &EventsArgs) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut totals = EventTotals::default();
    for source in list_entries(args.paths.iter().cloned()) {
        match source {
            ArchiveEntry::File(path) => print_file(&path, args, &mut totals, &mut out)
                .with_context(|| format!("reading {}", path.display()))?,
            ArchiveEntry::Unreadable(path, error) => {
                writeln!(out, "!! {}: {error}", path.display())?;
            }
        }
    }
    let EventTotals {
        files,
        skipped,
        events,
        runs,
        broken,
        bytes,
        reading,
        parsing,
    } = totals;
    writeln!(
        out,
        "{files} transcripts, {skipped} other files, {runs} runs, {events} events, {broken} broken\n\
         {bytes} bytes read in {reading:.3?}",
    )?;
    if !args.only_read {
        let ratio = reading.as_secs_f64() / parsing.as_secs_f64().max(1e-9);
        writeln!(
            out,
            "parsed as JSON values in {parsing:.3?}: ratio {ratio:.2}"
        )?;
    }
    Ok(())
}

fn print_file(
    path: &Path,
    args: &EventsArgs,
    totals: &mut EventTotals,
    out: &mut impl std::io::Write,
) -> anyhow::Result<()> {
    let Some(opened) = corpus::open_file(path)? else {
        totals.skipped += 1;
        writeln!(out, "-- {}: not a transcript", path.display())?;
        return Ok(());
    };
    if !args.quiet {
        let format = opened.benchmark.unwrap_or(opened.format.name());
        writeln!(out, "== {} ({format})", path.display())?;
    }
    let begun = Instant::now();
    let start = ResumePoint::start(corpus::name_run(path));
    let mut events = read_transcript(opened.source, opened.format, start);
    for item in &mut events {
        let item = item?;
        if !args.quiet {
            writeln!(out, "{}", render_item(&item, args.width))?;
        }
    }
    let summary = events.summary();
    totals.reading += begun.elapsed();
    if summary.unreadable > 0 && !args.quiet {
        writeln!(out, "   {} broken", summary.unreadable)?;
    }
    if !args.only_read {
        totals.parsing += time_json_parsing(path)?;
    }
    totals.files += 1;
    totals.events += summary.events;
    totals.runs += summary.runs;
    totals.broken += summary.unreadable;
    totals.bytes += summary.bytes;
    Ok(())
}

/// Parses the file as JSON values: line by line if its first line is one, else whole.
pub(crate) fn time_json_parsing(path: &Path) -> anyhow::Result<Duration> {
    let mut source = BufReader::with_capacity(256 * 1024, File::open(path)?);
    let begun = Instant::now();
    let mut line = Vec::new();
    source.read_until(b'\n', &mut line)?;
    if serde_json::from_slice::<serde_json::Value>(&line).is_err() {
        source.read_to_end(&mut line)?;
        std::hint::black_box(serde_json::from_slice::<serde_json::Value>(&line).ok());
        return Ok(begun.elapsed());
    }
    loop {
        line.clear();
        if source.read_until(b'\n', &mut line)? == 0 {
            return Ok(begun.elapsed());
        }
        std::hint::black_box(serde_json::from_slice::<serde_json::Value>(&line).ok());
    }
}

/// Lists the events of a transcript as they are printed.
#[cfg(test)]
pub(crate) fn list_events(path: &Path, width: usize) -> anyhow::Result<Vec<String>> {
    let opened = corpus::open_file(path)?.context("no transcript")?;
    let start = ResumePoint::start(corpus::name_run(path));
    let events = read_transcript(opened.source, opened.format, start);
    events.map(|item| Ok(render_item(&item?, width))).collect()
}

fn render_item(item: &TranscriptEvent, width: usize) -> String {
    format!("{} {}", item.run.id, render_event(&item.event, width))
}

fn render_event(event: &RawEvent, width: usize) -> String {
    let text = |text: &RawText| shorten_line(text.expose(), width);
    match event {
        RunEvent::Run {
            agent,
            project,
            task,
            ..
        } => format!(
            "run agent={} project={} task={}",
            agent.as_ref().map_or("-", |name| name.as_str()),
            project.as_ref().map_or("-", |name| name.as_str()),
            task.as_ref().map_or_else(|| "-".to_owned(), text),
        ),
        RunEvent::Tool(call) => format!(
            "tool {} {}{} {} => {}",
            call.turn,
            text(&call.tool),
            if call.outside.is_some() {
                " (external)"
            } else {
                ""
            },
            text(&call.args),
            match &call.status {
                CallStatus::Ok => "ok".to_owned(),
                CallStatus::Doubtful(step) => {
                    format!("DOUBTFUL {}", shorten_line(step.error.expose(), width))
                }
                CallStatus::PartlyFailed(_) => {
                    let heads = call
                        .status
                        .errors()
                        .map(|head| shorten_line(head.expose(), width));
                    format!("PARTLY {}", heads.collect::<Vec<_>>().join(" | "))
                }
                CallStatus::Error(head) =>
                    format!("ERROR {}", shorten_line(head.expose(), 2 * width)),
            }
        ),
        RunEvent::Message { role, text: said } => {
            let role = match role {
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
            };
            format!("{role}: {}", text(said))
        }
        RunEvent::Signal(signal) => match signal {
            Signal::Discrepancy { detail } => format!("discrepancy: {}", text(detail)),
            Signal::LowQuality { score, detail } => {
                format!("low quality {score:?}: {}", text(detail))
            }
            Signal::RootCause { cause, fix } => format!(
                "root cause: {}; fix: {}",
                text(cause),
                fix.as_ref().map_or_else(|| "-".to_owned(), text)
            ),
            Signal::Heal {
                attempts,
                escalated,
                detail,
            } => format!(
                "heal attempts={attempts} escalated={escalated}: {}",
                text(detail)
            ),
            Signal::Review { fixed, flagged } => {
                format!("review fixed={} flagged={}", fixed.len(), flagged.len())
            }
        },
        RunEvent::End { status, score } => format!("end {status:?} {score:?}"),
    }
}

/// Renders a text on one line.
fn shorten_line(text: &str, width: usize) -> String {
    let line = text.replace('\n', "⏎");
    match line.char_indices().nth(width) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
