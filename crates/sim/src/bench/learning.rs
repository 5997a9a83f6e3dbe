//! Learning from transcripts, next to parsing the same bytes as JSON values.

use std::{
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
/// The samples that come with the project.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/transcripts");

/// Reads all transcripts into an empty store, several times.
pub(crate) fn measure(paths: &[PathBuf], dir: &Path, table: &mut Table) -> anyhow::Result<()> {
    let paths = match paths {
        [] => vec![SAMPLES.into()],
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
