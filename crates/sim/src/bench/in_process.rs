//! Measures one recall and one durable write inside a running process.
//!
//! A search is the store's part, a recall what an embedder waits for: the search, the ranking, the rendering and its
//! record.

use std::{path::Path, time::Instant};

use hardwon_core::{LessonId, ProjectId, QueryTerms, Scope, limits};
use hardwon_engine::{Engine, LessonContent, Note, Policy, RecallRequest, SystemClock};
use hardwon_store::{LessonQuery, SqliteStore, Store as _, sqlite::index};
use jiff::Timestamp;
use rusqlite::Connection;

use super::{
    INSIDE_LIMIT, WRITE_LIMIT,
    bank::{self, BenchBank},
    table::{BudgetLimit, FigureRow, FigureTable},
    text::RandomTexts,
};
use crate::desk::person_desk;

/// Prompts for each side.
const PROMPTS: usize = 100;
/// Lessons written by each side.
const WRITES: usize = 600;

/// Compares recall with FTS5, both on an open connection.
pub(crate) fn measure_recall(
    bank: &BenchBank,
    with_engine: bool,
    table: &mut FigureTable,
) -> anyhow::Result<()> {
    if !with_engine {
        let index = Connection::open(&bank.ours.path)?;
        return compare_with_fts(bank, "index", table, |prompt| {
            search_index(&index, bank.ours.scope, prompt)
        });
    }
    let store = SqliteStore::open_reader(&bank.ours.path)?;
    let other = Box::new(SqliteStore::open_reader(&bank.ours.path)?);
    let engine = Engine::new(other, Policy::default(), Box::new(SystemClock));
    let scope = Scope {
        project: Some(ProjectId::parse(&format!("s{}", bank.ours.scope))?),
        ..Scope::default()
    };
    compare_with_fts(bank, "search", table, |prompt| {
        search_store(&store, &scope, prompt)
    })?;
    compare_with_fts(bank, "recall", table, |prompt| {
        let recalled =
            person_desk(&engine, &scope).recall(&RecallRequest::new(scope.clone(), prompt))?;
        Ok(recalled.ranking.excluded.len())
    })
}

/// Runs the same prompts on FTS5 and on ours.
fn compare_with_fts(
    bank: &BenchBank,
    what: &str,
    table: &mut FigureTable,
    mut ask: impl FnMut(&str) -> anyhow::Result<usize>,
) -> anyhow::Result<()> {
    let floor = Connection::open(&bank.floor.path)?;
    let limit = match bank.lessons {
        lessons if lessons == INSIDE_LIMIT.0 => BudgetLimit::Ratio(INSIDE_LIMIT.1),
        _ => BudgetLimit::None,
    };
    for (words, with_common) in [("over FTS5", false), ("common words, over FTS5", true)] {
        let mut texts = RandomTexts::new(11);
        let (mut fts, mut ours) = (vec![], vec![]);
        // FTS5 takes seconds over common words in a large bank: fewer prompts are enough.
        let prompts = if with_common { PROMPTS / 10 } else { PROMPTS };
        for _ in 0..prompts {
            let prompt = texts.draw_prompt(with_common);
            fts.push(time_quickest(|| search_fts(&floor, &prompt))?);
            ours.push(time_quickest(|| ask(&prompt))?);
        }
        let name = format!("{what} inside, {words}");
        table.add(FigureRow::new(name, bank.lessons, &fts, &ours, limit));
    }
    Ok(())
}

fn search_store(store: &SqliteStore, scope: &Scope, prompt: &str) -> anyhow::Result<usize> {
    let query = LessonQuery {
        scope: scope.clone(),
        terms: QueryTerms::from_prompt(prompt),
        limit: limits::CANDIDATES,
        now: Timestamp::now(),
        vector: None,
    };
    Ok(store.snapshot()?.search(&query)?.hits.len())
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
    let query = QueryTerms::from_prompt(prompt);
    Ok(
        index::search(conn, &[scope.into()], &query, limits::CANDIDATES)?
            .hits
            .len(),
    )
}

/// Compares one lesson a commit, synced to the disk, with the same row and FTS5.
pub(crate) fn measure_write(dir: &Path, table: &mut FigureTable) -> anyhow::Result<()> {
    let dir = tempfile::tempdir_in(dir)?;
    let floor = bank::create_database(&dir.path().join("floor.db"), bank::FLOOR_SCHEMA)?;
    let store = SqliteStore::open(&dir.path().join("ours.db"))?;
    let ours = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
    let desk = person_desk(&ours, &Scope::default());
    let mut texts = RandomTexts::new(13);
    let (mut fts, mut noted) = (vec![], vec![]);
    for lesson in (1..).map(LessonId).take(WRITES) {
        let text = texts.draw_lesson();
        fts.push(time_once(|| write_row(&floor, lesson, &text))?);
        let note = Note::new(LessonContent::new("", text));
        noted.push(time_once(|| desk.note(note))?);
    }
    let lessons = u32::try_from(WRITES)?;
    let worst = |figures: &[f64]| [figures.iter().copied().fold(0.0, f64::max)];
    let limit = BudgetLimit::Ratio(WRITE_LIMIT);
    let name = |what: &str| format!("durable write, {what}");
    table.add(FigureRow::new(
        name("over a row with FTS5"),
        lessons,
        &fts,
        &noted,
        limit,
    ));
    table.add(FigureRow::new(
        name("worst"),
        lessons,
        &worst(&fts),
        &worst(&noted),
        BudgetLimit::None,
    ));
    Ok(())
}

fn write_row(conn: &Connection, lesson: LessonId, text: &str) -> anyhow::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO lesson (id, text) VALUES (?1, ?2)")?;
    insert.execute((lesson.0, text))?;
    Ok(())
}

/// Returns the least time of three tries: on a busy machine the others may include a wait for a core.
fn time_quickest(mut work: impl FnMut() -> anyhow::Result<usize>) -> anyhow::Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        least = least.min(time_once(&mut work)?);
    }
    Ok(least)
}

/// Returns the time of one call, in milliseconds.
fn time_once<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<f64, E> {
    let start = Instant::now();
    std::hint::black_box(work()?);
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}
