//! The databases for the benchmarks: made once, kept for later runs.

use std::{
    io::{Seek as _, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
    time::Instant,
};

use anyhow::{Context as _, ensure};
use hardwon_core::{DocTerms, LessonId};
use hardwon_store::sqlite::index;
use rusqlite::Connection;

use super::{
    process::{BenchDatabase, BenchProgram},
    text::RandomTexts,
};

/// The same lessons in both forms.
#[derive(Debug)]
pub(crate) struct BenchBank {
    pub(crate) lessons: u32,
    elsewhere: u32,
    pub(crate) floor: BenchDatabase,
    pub(crate) ours: BenchDatabase,
}

impl BenchBank {
    /// Describes the lessons in other scopes, if there are any.
    pub(crate) fn describe_others(&self) -> String {
        match self.elsewhere {
            0 => String::new(),
            others => format!(", {others} in other scopes"),
        }
    }
}

/// The folder of the banks, and the program that fills them.
pub(crate) struct BenchBanks {
    dir: PathBuf,
    loader: Option<BenchProgram>,
}

/// The scope that is searched.
const SCOPE: u32 = 1;
/// How many other scopes share the remaining lessons.
const OTHERS: u32 = 100;
/// Lessons in one transaction.
const BATCH: usize = 20_000;
/// The newest lessons, which are not merged yet: about as many as there may be.
const FRESH: usize = 240;

impl BenchBanks {
    /// Makes the folder. `hardwon` is the program that fills our database; without it, only the text index is filled.
    pub(crate) fn new(dir: &Path, hardwon: Option<&Path>) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let add = "--db {db} --project s{scope} lesson add --jsonl";
        Ok(Self {
            dir: std::path::absolute(dir)?,
            loader: hardwon.map(|path| BenchProgram::new(path, add)),
        })
    }

    /// Opens or makes the bank with so many lessons in the scope and in others.
    pub(crate) fn open_or_create(&self, lessons: u32, elsewhere: u32) -> anyhow::Result<BenchBank> {
        let database = |name| BenchDatabase {
            path: self.dir.join(format!("{name}-{lessons}-{elsewhere}.db")),
            scope: SCOPE,
        };
        let loaded = if self.loader.is_some() {
            "loaded"
        } else {
            "ours"
        };
        let bank = BenchBank {
            lessons,
            elsewhere,
            floor: database("floor"),
            ours: database(loaded),
        };
        create_once(&bank.floor.path, |path| fill_floor(path, lessons))?;
        create_once(&bank.ours.path, |path| {
            self.fill_scope(path, SCOPE, lessons)?;
            (0..OTHERS)
                .try_for_each(|other| self.fill_scope(path, SCOPE + 1 + other, elsewhere / OTHERS))
        })?;
        Ok(bank)
    }

    fn fill_scope(&self, path: &Path, scope: u32, lessons: u32) -> anyhow::Result<()> {
        let texts = (0..lessons).map({
            let mut texts = RandomTexts::new(scope.into());
            move |_| texts.draw_lesson()
        });
        match &self.loader {
            Some(program) if lessons > 0 => load_lessons(program, path, scope, texts),
            _ => fill_index(path, scope, texts),
        }
    }
}

/// Makes a file unless it exists; one that was left unfinished is made anew.
fn create_once(path: &Path, make: impl FnOnce(&Path) -> anyhow::Result<()>) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let unfinished = path.with_extension("unfinished");
    if unfinished.exists() {
        std::fs::remove_file(&unfinished)?;
    }
    make(&unfinished).with_context(|| format!("making {}", path.display()))?;
    Ok(std::fs::rename(&unfinished, path)?)
}

pub(crate) fn create_database(path: &Path, schema: &str) -> anyhow::Result<Connection> {
    let conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
    let tables = "SELECT count(*) FROM sqlite_schema";
    if conn.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0 {
        conn.execute_batch(schema)?;
    }
    Ok(conn)
}

/// A row for each lesson, and FTS5 over it.
pub(crate) const FLOOR_SCHEMA: &str = "
    CREATE TABLE lesson (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE VIRTUAL TABLE lesson_fts
        USING fts5(text, content = 'lesson', content_rowid = 'id', tokenize = 'porter');
    CREATE TRIGGER lesson_added AFTER INSERT ON lesson BEGIN
        INSERT INTO lesson_fts (rowid, text) VALUES (new.id, new.text);
    END;";

fn fill_floor(path: &Path, lessons: u32) -> anyhow::Result<()> {
    let mut conn = create_database(path, FLOOR_SCHEMA)?;
    let mut texts = RandomTexts::new(SCOPE.into());
    let transaction = conn.transaction()?;
    for id in 1..=lessons {
        let mut insert = transaction.prepare_cached("INSERT INTO lesson VALUES (?1, ?2)")?;
        insert.execute((id, texts.draw_lesson()))?;
    }
    transaction.execute(
        "INSERT INTO lesson_fts (lesson_fts) VALUES ('optimize')",
        [],
    )?;
    Ok(transaction.commit()?)
}

fn fill_index(
    path: &Path,
    scope: u32,
    mut texts: impl ExactSizeIterator<Item = String>,
) -> anyhow::Result<()> {
    let mut conn = create_database(path, index::SCHEMA)?;
    while texts.len() > FRESH {
        let batch = BATCH.min(texts.len() - FRESH);
        add_to_index(&mut conn, scope, texts.by_ref().take(batch), 0)?;
    }
    add_to_index(&mut conn, scope, texts, index::FRESH_WORDS)
}

fn add_to_index(
    conn: &mut Connection,
    scope: u32,
    texts: impl Iterator<Item = String>,
    fresh_words: u32,
) -> anyhow::Result<()> {
    let highest = "SELECT coalesce(max(key & 0xffffffff), 0) FROM index_doc";
    let highest: i64 = conn.query_row(highest, [], |row| row.get(0))?;
    let transaction = conn.transaction()?;
    for (lesson, text) in (highest + 1..).map(LessonId).zip(texts) {
        let terms = DocTerms::from_packed(format!("\n{text}"));
        index::add_lesson(&transaction, scope.into(), lesson, &terms)?;
    }
    index::merge_postings(&transaction, scope.into(), fresh_words)?;
    Ok(transaction.commit()?)
}

/// Lets the program read a file: through a pipe it would get little at a time, and commit often.
fn load_lessons(
    program: &BenchProgram,
    path: &Path,
    scope: u32,
    texts: impl Iterator<Item = String>,
) -> anyhow::Result<()> {
    let mut lines = tempfile::tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    let mut output = std::io::BufWriter::new(&lines);
    for (number, text) in texts.enumerate() {
        let reference = format!("{scope}-{number}");
        let line = serde_json::json!({"ref": reference, "signature": "", "text": text, "tags": []});
        writeln!(output, "{line}")?;
    }
    output.flush()?;
    drop(output);
    lines.rewind()?;
    let database = BenchDatabase {
        path: path.to_owned(),
        scope,
    };
    let mut command = program.command(&database, "");
    let start = Instant::now();
    let status = command.stdin(lines).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{command:?} failed");
    let seconds = start.elapsed().as_secs();
    if seconds > 0 {
        writeln!(
            std::io::stderr(),
            "{} took {seconds} s to load",
            path.display()
        )?;
    }
    Ok(())
}
