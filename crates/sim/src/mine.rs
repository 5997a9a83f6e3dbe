//! Shows what capture and the rules find in real transcripts: every episode, every draft, and why the rest taught
//! nothing.
//!
//! A debugging tool for people who tune the gate and read the lessons. It stores nothing. A candidate becomes a lesson
//! here as it does in the store: when another run shows the same key.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use hardwon_clients::{
    archive::{ArchiveEntry, list_entries},
    transcript::{ResumePoint, read_transcript},
};
use hardwon_core::{
    CaptureMode, CapturePolicy, Draft, Episode, EpisodeWeight, FailureKey, RunId, Scope, Skip,
    Trace, capture::capture_episodes, distil::draft_episode, event::scrub_event,
};

use crate::corpus;

/// Prints the episodes and drafts that transcripts give.
#[derive(Debug, clap::Args)]
pub(crate) struct MineArgs {
    /// Files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Prints only drafts that would be lessons, one a line.
    #[arg(long)]
    brief: bool,
    /// Also records the plain outcome of every run.
    #[arg(long)]
    every_run: bool,
}

#[derive(Default)]
struct MinedEpisodes {
    files: usize,
    runs: usize,
    found: Vec<(PathBuf, Episode, Option<Draft>)>,
    skipped: BTreeMap<Skip, u32>,
}

pub(crate) fn run(args: &MineArgs) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let policy = CapturePolicy {
        mode: if args.every_run {
            CaptureMode::EveryRun
        } else {
            CaptureMode::Struggle
        },
        ..CapturePolicy::default()
    };
    let mut mined = MinedEpisodes::default();
    for source in list_entries(args.paths.iter().cloned()) {
        match source {
            ArchiveEntry::File(path) => mine_file(&path, &policy, &mut mined)
                .with_context(|| format!("reading {}", path.display()))?,
            ArchiveEntry::Unreadable(path, error) => {
                writeln!(out, "!! {}: {error}", path.display())?;
            }
        }
    }
    print_mined(&mined, args.brief, &mut out)
}

/// Reads one transcript into traces, and captures their episodes.
fn mine_file(path: &Path, policy: &CapturePolicy, mined: &mut MinedEpisodes) -> anyhow::Result<()> {
    let Some(opened) = corpus::open_file(path)? else {
        return Ok(());
    };
    let start = ResumePoint::start(corpus::name_run(path));
    let mut traces: BTreeMap<RunId, Trace> = BTreeMap::new();
    for item in read_transcript(opened.source, opened.format, start) {
        let item = item?;
        let run = &item.run.id;
        let trace = traces.entry(run.clone());
        let trace = trace.or_insert_with(|| Trace::new(run.clone(), Scope::default()));
        trace.push(scrub_event(item.event));
    }
    mined.files += 1;
    for trace in traces.values() {
        mined.runs += 1;
        let gated = capture_episodes(trace, policy);
        for (reason, count) in gated.skipped {
            *mined.skipped.entry(reason).or_default() += count;
        }
        for episode in gated.episodes {
            let draft = draft_episode(&episode);
            if draft.is_none() {
                *mined.skipped.entry(Skip::NoAdvice).or_default() += 1;
            }
            mined.found.push((path.to_owned(), episode, draft));
        }
    }
    Ok(())
}

fn print_mined(mined: &MinedEpisodes, brief: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let mut witnesses: BTreeMap<&FailureKey, BTreeSet<(&Path, &RunId)>> = BTreeMap::new();
    for (path, episode, _) in &mined.found {
        witnesses
            .entry(&episode.key)
            .or_default()
            .insert((path, &episode.run));
    }
    let mut lessons = 0;
    for (path, episode, draft) in &mined.found {
        let recurs = witnesses[&episode.key].len() >= episode.runs_needed();
        let weight = match episode.weight {
            EpisodeWeight::Tentative if recurs => "lesson (agreed on)",
            EpisodeWeight::Tentative => "candidate",
            EpisodeWeight::Lesson => "lesson",
            EpisodeWeight::CandidateLesson if recurs => "lesson (seen again)",
            EpisodeWeight::CandidateLesson => "witness",
        };
        let counts = !matches!(weight, "witness" | "candidate");
        lessons += usize::from(counts && draft.is_some());
        if brief && !counts {
            continue;
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        match draft {
            Some(draft) => print_draft(&file, weight, episode, draft, brief, out)?,
            None if brief => {}
            None => writeln!(out, "{file}: {weight} without advice: {:?}\n", episode.kind)?,
        }
    }
    writeln!(
        out,
        "{} files, {} runs, {} episodes, {lessons} lessons",
        mined.files,
        mined.runs,
        mined.found.len()
    )?;
    for (reason, count) in &mined.skipped {
        writeln!(out, "{count:6}  {}", reason.text())?;
    }
    Ok(())
}

fn print_draft(
    file: &str,
    weight: &str,
    episode: &Episode,
    draft: &Draft,
    brief: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let content = &draft.content;
    if brief {
        return writeln!(out, "{file}\t{}", content.text.expose());
    }
    let all = |texts: &[hardwon_core::text::RawText]| {
        texts
            .iter()
            .map(|text| text.expose().to_owned())
            .collect::<Vec<_>>()
            .join(", ")
    };
    writeln!(out, "{file}: {weight}, key {}", episode.key.as_str())?;
    writeln!(
        out,
        "  [{}] {}",
        content.signature.expose(),
        content.title.expose()
    )?;
    writeln!(out, "  {}", content.text.expose())?;
    for (name, text) in [
        ("situation", &content.situation),
        ("mistake", &content.mistake),
    ] {
        if let Some(text) = text {
            writeln!(out, "  {name}: {}", text.expose())?;
        }
    }
    writeln!(
        out,
        "  tags {}; tools {}; cause {}; outcome {}; confidence {}; tainted {}\n",
        all(&content.tags),
        all(&content.tools),
        draft.cause.name(),
        draft.outcome.name(),
        draft.confidence,
        draft.trust.tainted,
    )
}
