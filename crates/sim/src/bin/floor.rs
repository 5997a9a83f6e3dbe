//! The least that a process can do with SQLite: what recall's time is compared with.
//!
//! No argument parser and nothing else that takes time to start. Each mode opens the database
//! file as anyone would, asks once and prints what it found.
//!
//! ```text
//! floor row DB                one row by its key
//! floor fts DB PROMPT         the best three by FTS5
//! floor index DB SCOPE PROMPT the best three by the text index alone
//! ```

use std::io::Write as _;

use anyhow::{Context as _, bail};
use hardwon_core::{QueryTerms, limits};
use hardwon_store::sqlite::index;
use rusqlite::{Connection, OpenFlags};

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let found = match args[..] {
        ["row", db] => fetch_row(db)?,
        ["fts", db, prompt] => search_fts(db, prompt)?,
        ["index", db, scope, prompt] => search_index(db, scope, prompt)?,
        _ => bail!("usage: floor row DB | floor fts DB PROMPT | floor index DB SCOPE PROMPT"),
    };
    std::io::stdout().write_all(found.as_bytes())?;
    Ok(())
}

fn open_database(db: &str) -> anyhow::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(db, flags).with_context(|| format!("opening {db}"))
}

fn fetch_row(db: &str) -> anyhow::Result<String> {
    let conn = open_database(db)?;
    Ok(
        conn.query_row("SELECT text FROM lesson WHERE id = 500", [], |row| {
            row.get(0)
        })?,
    )
}

fn search_fts(db: &str, prompt: &str) -> anyhow::Result<String> {
    let conn = open_database(db)?;
    let query = prompt.split_whitespace().collect::<Vec<_>>().join(" OR ");
    let mut select = conn.prepare(
        "SELECT rowid, bm25(lesson_fts) FROM lesson_fts WHERE lesson_fts MATCH ?1
         ORDER BY rank LIMIT 3",
    )?;
    let line = |row: &rusqlite::Row<'_>| {
        Ok(format!(
            "{} {:.3}\n",
            row.get::<_, i64>(0)?,
            row.get::<_, f64>(1)?
        ))
    };
    Ok(select.query_map([query], line)?.collect::<Result<_, _>>()?)
}

fn search_index(db: &str, scope: &str, prompt: &str) -> anyhow::Result<String> {
    let conn = open_database(db)?;
    let query = QueryTerms::from_prompt(prompt);
    let found = index::search(&conn, &[scope.parse()?], &query, limits::CANDIDATES)?;
    let line = |hit: &index::IndexHit| format!("{} {:.3}\n", hit.lesson.0, hit.score);
    Ok(found.hits.iter().take(3).map(line).collect())
}
