//! Inside a running process: one recall, and one durable write.

use std::{path::Path, time::Instant};

use hardwon_core::{
    id::LessonId,
    limits,
    tokens::{DocTerms, QueryTerms},
};
use hardwon_store::sqlite::index;
use rusqlite::Connection;

use super::{
    INSIDE_LIMIT, WRITE_LIMIT,
    bank::{self, Bank},
    table::{Limit, Row, Table},
    text::Texts,
};

/// Prompts asked of each.
const PROMPTS: usize = 100;
/// Lessons written by each.
const WRITES: usize = 600;

/// Compares the text index with FTS5, both on an open connection.
pub(crate) fn recall(bank: &Bank, table: &mut Table) -> anyhow::Result<()> {
    let floor = Connection::open(&bank.floor.path)?;
    let ours = Connection::open(&bank.ours.path)?;
    let limit = match bank.lessons {
        lessons if lessons == INSIDE_LIMIT.0 => Limit::Ratio(INSIDE_LIMIT.1),
        _ => Limit::None,
    };
    for (what, with_common) in [
        ("recall inside, over FTS5", false),
        ("same, common words", true),
    ] {
        let mut texts = Texts::new(11);
        let (mut fts, mut index) = (vec![], vec![]);
        // FTS5 takes seconds over common words in a large bank: fewer prompts tell enough.
        let prompts = if with_common { PROMPTS / 10 } else { PROMPTS };
        for _ in 0..prompts {
            let prompt = texts.prompt(with_common);
            fts.push(quickest(|| search_fts(&floor, &prompt))?);
            index.push(quickest(|| search_index(&ours, bank.ours.scope, &prompt))?);
        }
        table.add(Row::new(what.to_owned(), bank.lessons, &fts, &index, limit));
    }
    Ok(())
}

fn search_fts(conn: &Connection, prompt: &str) -> anyhow::Result<usize> {
    let query = prompt.replace(' ', " OR ");
    let mut select = conn.prepare_cached(
        "SELECT rowid FROM lesson_fts WHERE lesson_fts MATCH ?1 ORDER BY rank LIMIT 3",
    )?;
    Ok(select
        .query_map([query], |row| row.get::<_, i64>(0))?
        .count())
}

fn search_index(conn: &Connection, scope: u32, prompt: &str) -> anyhow::Result<usize> {
    let query = QueryTerms::of(prompt);
    Ok(
        index::search(conn, &[scope.into()], &query, limits::CANDIDATES)?
            .hits
            .len(),
    )
}

/// Compares one lesson a commit, synced to the disk, with the same row and FTS5.
pub(crate) fn write(dir: &Path, table: &mut Table) -> anyhow::Result<()> {
    let dir = tempfile::tempdir_in(dir)?;
    let floor = bank::create(&dir.path().join("floor.db"), bank::FLOOR_SCHEMA)?;
    let ours = bank::create(&dir.path().join("ours.db"), index::SCHEMA)?;
    ours.execute_batch("CREATE TABLE lesson (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
    let mut texts = Texts::new(13);
    let (mut fts, mut index) = (vec![], vec![]);
    for lesson in (1..).map(LessonId).take(WRITES) {
        let text = texts.lesson();
        fts.push(timed(|| write_row(&floor, lesson, &text))?);
        index.push(timed(|| write_indexed(&ours, lesson, &text))?);
    }
    let lessons = u32::try_from(WRITES)?;
    let worst = |figures: &[f64]| [figures.iter().copied().fold(0.0, f64::max)];
    let limit = Limit::Ratio(WRITE_LIMIT);
    let name = |what: &str| format!("durable write, {what}");
    table.add(Row::new(
        name("over a row with FTS5"),
        lessons,
        &fts,
        &index,
        limit,
    ));
    table.add(Row::new(
        name("worst"),
        lessons,
        &worst(&fts),
        &worst(&index),
        Limit::None,
    ));
    Ok(())
}

fn write_row(conn: &Connection, lesson: LessonId, text: &str) -> anyhow::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO lesson (id, text) VALUES (?1, ?2)")?;
    insert.execute((lesson.0, text))?;
    Ok(())
}

fn write_indexed(conn: &Connection, lesson: LessonId, text: &str) -> anyhow::Result<()> {
    let transaction = conn.unchecked_transaction()?;
    write_row(&transaction, lesson, text)?;
    index::add(
        &transaction,
        1,
        lesson,
        &DocTerms::stored(format!("\n{text}")),
    )?;
    index::settle(&transaction, 1, index::FRESH_WORDS)?;
    Ok(transaction.commit()?)
}

/// Returns the least time of three tries: on a busy machine another may hold a wait for a core.
fn quickest(mut work: impl FnMut() -> anyhow::Result<usize>) -> anyhow::Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        least = least.min(timed(&mut work)?);
    }
    Ok(least)
}

/// Returns how long it takes, in milliseconds.
fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<f64> {
    let start = Instant::now();
    std::hint::black_box(work()?);
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}
