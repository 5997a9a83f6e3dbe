//! Measures learning from transcripts, next to parsing the same bytes as JSON values.
//!
//! Two folders, because they cost different things. In one, sessions are as long as an agent's day: the line-based
//! samples are repeated until they are, so that the cost per file weighs little. In the other there are many short
//! ones, half of which teach something, so that the cost of lessons dominates.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context as _, ensure};
use hardwon_clients::archive::{ArchiveEntry, ClientTranscript, list_entries};
use hardwon_core::Scope;
use hardwon_engine::{Engine, Policy, SystemClock};
use hardwon_store::SqliteStore;

use super::{
    LEARNING_LIMIT,
    process::read_cpu_ms,
    table::{BudgetLimit, FigureRow, FigureTable},
};
use crate::desk::person_desk;
use crate::{
    events::time_json_parsing,
    sessions::{self, SAMPLES_DIR},
};

/// How often everything is read.
const ROUNDS: usize = 5;
/// The size of a long session, in bytes.
const SESSION_BYTES: usize = 1024 * 1024;
/// How many short sessions there are.
const SHORT_SESSIONS: usize = 2_000;

/// Learns from long and from short sessions, or from the given transcripts.
pub(crate) fn measure_learning(
    paths: &[PathBuf],
    dir: &Path,
    table: &mut FigureTable,
) -> anyhow::Result<()> {
    if !paths.is_empty() {
        return measure_folder("learning", paths, dir, table);
    }
    let made = tempfile::tempdir_in(dir)?;
    let (long, short) = (made.path().join("long"), made.path().join("short"));
    measure_folder(
        "learning, long sessions",
        &lengthen_samples(&long)?,
        dir,
        table,
    )?;
    sessions::write_sessions(&short, SHORT_SESSIONS)?;
    measure_folder("learning, short sessions", &[short], dir, table)
}

/// Reads all transcripts into an empty store, several times.
fn measure_folder(
    what: &str,
    paths: &[PathBuf],
    dir: &Path,
    table: &mut FigureTable,
) -> anyhow::Result<()> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let dir = tempfile::tempdir_in(dir)?;
        rounds.push(LearningRound::measure_round(
            paths,
            &dir.path().join("learned.db"),
        )?);
    }
    let last = rounds.last().expect("there is a round");
    ensure!(last.bytes > 0, "there are no transcripts to learn from");
    let limit = BudgetLimit::Ratio(LEARNING_LIMIT);
    for (clock, of) in [
        (
            "time",
            (|took: &TimeTaken| took.wall_ms) as fn(&TimeTaken) -> f64,
        ),
        ("cpu", |took| took.cpu_ms),
    ] {
        let name = format!(
            "{what}, {clock}, over JSON parsing, {} KiB",
            last.bytes / 1024
        );
        let parsing: Vec<f64> = rounds.iter().map(|round| of(&round.parsing)).collect();
        let learning: Vec<f64> = rounds.iter().map(|round| of(&round.learning)).collect();
        table.add(FigureRow::new(
            name,
            last.lessons,
            &parsing,
            &learning,
            limit,
        ));
    }
    Ok(())
}

/// Copies the samples, repeating the line-based ones until they are long sessions.
fn lengthen_samples(to: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut copies = Vec::new();
    for (number, source) in (0..).zip(list_entries([SAMPLES_DIR.into()])) {
        let ArchiveEntry::File(path) = source else {
            continue;
        };
        let is_lines = path
            .extension()
            .is_some_and(|extension| extension == "jsonl");
        let text = fs::read(&path)?;
        let times = if is_lines {
            SESSION_BYTES / text.len().max(1) + 1
        } else {
            1
        };
        // Each in a folder of its own: the file name may show its format.
        let folder = to.join(format!("{number}"));
        fs::create_dir_all(&folder)?;
        let copy = folder.join(path.file_name().unwrap_or_default());
        fs::write(&copy, text.repeat(times))?;
        copies.push(copy);
    }
    Ok(copies)
}

/// A time: as a person waits, and of a processor.
struct TimeTaken {
    wall_ms: f64,
    cpu_ms: f64,
}

impl TimeTaken {
    fn time_work(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Self> {
        let cpu = || read_cpu_ms(std::process::id()).context("asking how long this process ran");
        let (start, before) = (Instant::now(), cpu()?);
        work()?;
        Ok(Self {
            wall_ms: start.elapsed().as_secs_f64() * 1000.0,
            cpu_ms: cpu()? - before,
        })
    }
}

struct LearningRound {
    parsing: TimeTaken,
    learning: TimeTaken,
    bytes: u64,
    lessons: u32,
}

impl LearningRound {
    fn measure_round(paths: &[PathBuf], database: &Path) -> anyhow::Result<Self> {
        let scope = Scope::default();
        let store = SqliteStore::open(database)?;
        let engine = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
        let (mut transcripts, mut bytes) = (Vec::new(), 0);
        let learning = TimeTaken::time_work(|| {
            let mut library = person_desk(&engine, &scope).open_library()?;
            for source in list_entries(paths.iter().cloned()) {
                let ArchiveEntry::File(path) = source else {
                    continue;
                };
                let before = bytes;
                library.read_transcript::<ClientTranscript>(&path, &|_| None, &mut |read| {
                    bytes += read;
                })?;
                // A file that is no transcript is not read, so it is not parsed either.
                if bytes > before {
                    transcripts.push(path);
                }
            }
            library.finish()?;
            Ok(())
        })?;
        let parsing = TimeTaken::time_work(|| {
            for path in &transcripts {
                time_json_parsing(path)?;
            }
            Ok(())
        })?;
        let lessons = person_desk(&engine, &scope).audit_journal()?.lessons;
        Ok(Self {
            parsing,
            learning,
            bytes,
            lessons: u32::try_from(lessons)?,
        })
    }
}
