//! Learning from transcripts, next to parsing the same bytes as JSON values.
//!
//! Samples are short, and what is done once a file would weigh too much. So those of lines are
//! repeated until they are as long as a real session, as if it had gone on and on.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::ensure;
use hardwon_core::scope::Scope;
use hardwon_engine::{
    Engine, Policy, SystemClock,
    transcript::{Source, sources},
};
use hardwon_store::Sqlite;

use super::{
    LEARNING_LIMIT,
    table::{Limit, Row, Table},
};
use crate::events::parse;

/// How often everything is read.
const ROUNDS: usize = 5;
/// How long a usual session is.
const SESSION_BYTES: usize = 1024 * 1024;
/// The samples that come with the project.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/transcripts");

/// Reads all transcripts into an empty store, several times.
pub(crate) fn measure(paths: &[PathBuf], dir: &Path, table: &mut Table) -> anyhow::Result<()> {
    let longer = tempfile::tempdir_in(dir)?;
    let paths = match paths {
        [] => lengthened(longer.path())?,
        given => given.to_vec(),
    };
    let (mut parsing, mut learning) = (vec![], vec![]);
    let (mut bytes, mut lessons) = (0, 0);
    for _ in 0..ROUNDS {
        let dir = tempfile::tempdir_in(dir)?;
        let round = Round::play(&paths, &dir.path().join("learned.db"))?;
        parsing.push(round.parsing.as_secs_f64() * 1000.0);
        learning.push(round.learning.as_secs_f64() * 1000.0);
        (bytes, lessons) = (round.bytes, round.lessons);
    }
    ensure!(bytes > 0, "there are no transcripts to learn from");
    let name = format!("learning, over JSON parsing, {} KiB", bytes / 1024);
    let limit = Limit::Ratio(LEARNING_LIMIT);
    table.add(Row::new(name, lessons, &parsing, &learning, limit));
    Ok(())
}

/// Copies the samples, those of lines as often as it takes to make a session of a usual length.
fn lengthened(to: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut copies = Vec::new();
    for (number, source) in (0..).zip(sources([SAMPLES.into()])) {
        let Source::File(path) = source else { continue };
        let is_lines = path.extension().is_some_and(|it| it == "jsonl");
        let text = fs::read(&path)?;
        let times = if is_lines {
            SESSION_BYTES / text.len().max(1) + 1
        } else {
            1
        };
        // Each in a folder of its own: what a file is called may tell its format.
        let folder = to.join(format!("{number}"));
        fs::create_dir(&folder)?;
        let copy = folder.join(path.file_name().unwrap_or_default());
        fs::write(&copy, text.repeat(times))?;
        copies.push(copy);
    }
    Ok(copies)
}

#[derive(Default)]
struct Round {
    parsing: Duration,
    learning: Duration,
    bytes: u64,
    lessons: u32,
}

impl Round {
    fn play(paths: &[PathBuf], database: &Path) -> anyhow::Result<Self> {
        let (mut round, scope) = (Self::default(), Scope::default());
        let store = Sqlite::open(database)?;
        let engine = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
        for source in sources(paths.iter().cloned()) {
            let Source::File(path) = source else { continue };
            let mut bytes = 0;
            let start = Instant::now();
            engine.read_file(&path, &scope, &|_| None, &mut |read| bytes += read)?;
            round.learning += start.elapsed();
            // What is no transcript is not read, so it is not parsed either.
            if bytes > 0 {
                round.parsing += parse(&path)?;
                round.bytes += bytes;
            }
        }
        let learned = engine.store().census(&scope)?;
        round.lessons = u32::try_from(learned.active + learned.pending)?;
        Ok(round)
    }
}
