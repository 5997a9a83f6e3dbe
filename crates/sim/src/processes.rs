//! Real `hardwon` processes on one database, and what is in it afterwards.
//!
//! Every lesson that is written carries a mark, a made-up word of its own, by which it is recognised whatever its
//! number.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, ensure};
use hardwon_core::id::TenantId;
use hardwon_store::{LessonListing, RecallListing, SqliteStore, Store as _};
use tempfile::TempDir;

/// A folder with a database in it, and the program that uses it.
pub(crate) struct ProgramHome {
    dir: TempDir,
    program: PathBuf,
}

impl ProgramHome {
    pub(crate) fn new(program: &Path) -> anyhow::Result<Self> {
        let program = std::path::absolute(program)?;
        ensure!(program.exists(), "there is no {}", program.display());
        Ok(Self {
            dir: tempfile::tempdir()?,
            program,
        })
    }

    pub(crate) fn path_to(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn database_path(&self) -> PathBuf {
        self.path_to("hardwon.db")
    }

    /// Returns the program with these arguments, and an empty environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .env_clear()
            .current_dir(self.dir.path())
            .env("HOME", self.dir.path())
            .env("HARDWON_DB", self.database_path())
            .env("HARDWON_PROJECT", "works")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Saves settings.
    pub(crate) fn set_all(&self, settings: &[(&str, &str)]) -> anyhow::Result<()> {
        for (name, value) in settings {
            let set = self.command(&["config", "set", name, value]).output()?;
            ensure!(
                set.status.success(),
                "{}",
                String::from_utf8_lossy(&set.stderr)
            );
        }
        Ok(())
    }

    /// Returns what the program reports about the journal; `None` if it verifies.
    pub(crate) fn verify_journal(&self) -> anyhow::Result<Option<String>> {
        let output = self.command(&["journal", "verify"]).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Ok((!output.status.success() || !output.stderr.is_empty())
            .then(|| format!("{} {}", text(&output.stdout), text(&output.stderr))))
    }

    /// Counts the contents of the store, after flushing spooled recalls.
    pub(crate) fn read_contents(&self) -> anyhow::Result<StoreContents> {
        let store = SqliteStore::open(&self.database_path())?;
        let (tenant, mut contents) = (TenantId::default(), StoreContents::default());
        store.flush(&tenant)?;
        let store = store.snapshot()?;
        let mut listing = LessonListing::default();
        loop {
            let page = store.lessons(&tenant, &listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            for lesson in &page {
                contents.lessons += 1;
                if let Some(mark) = find_marks(lesson.content.text.as_str()).next() {
                    *contents.lessons_by_mark.entry(mark.to_owned()).or_default() += 1;
                }
            }
        }
        let mut listing = RecallListing::default();
        loop {
            let page = store.recalls(&tenant, &listing)?;
            let Some((last, _)) = page.last() else { break };
            listing.before = Some(*last);
            contents.recalls += u64::try_from(page.len())?;
        }
        Ok(contents)
    }
}

/// The contents of a store.
#[derive(Debug, Default)]
pub(crate) struct StoreContents {
    pub(crate) lessons: u64,
    /// How many lessons carry each mark.
    pub(crate) lessons_by_mark: HashMap<String, u64>,
    /// Recalls on record.
    pub(crate) recalls: u64,
}

impl StoreContents {
    /// Returns how many of these marks are missing, and how many are there more than once.
    pub(crate) fn count_lost_and_twice<'a>(
        &self,
        marks: impl IntoIterator<Item = &'a String>,
    ) -> (u64, u64) {
        let (mut lost, mut twice) = (0, 0);
        for mark in marks {
            match self.lessons_by_mark.get(mark) {
                None => lost += 1,
                Some(1) => {}
                Some(_) => twice += 1,
            }
        }
        (lost, twice)
    }
}

/// Returns the mark of this number: letters only, so that no rule takes it for a number or a code.
pub(crate) fn make_mark(mut number: u64) -> String {
    let mut mark = "qz".to_owned();
    for _ in 0..8 {
        mark.push(char::from(
            b'a' + u8::try_from(number % 20).expect("less than twenty"),
        ));
        number /= 20;
    }
    mark
}

/// Returns the marks in a text, in order.
pub(crate) fn find_marks(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.filter(|word| word.len() == 10 && word.starts_with("qz"))
}

/// Returns a lesson in the form of `lesson add --jsonl` that carries this mark.
pub(crate) fn lesson_line(mark: &str) -> String {
    let text = format!("Start {mark} before the build, since it listens on another port.");
    serde_json::json!({"ref": mark, "signature": format!("port of {mark}"), "text": text, "tags": []})
        .to_string()
}

/// Parses an answer of `lesson add --jsonl`: the mark of the lesson that is durable now.
pub(crate) fn parse_acknowledged(answer: &str) -> anyhow::Result<String> {
    let answer: serde_json::Value = serde_json::from_str(answer)?;
    ensure!(answer["id"].is_i64(), "a lesson was turned away: {answer}");
    let mark = answer["ref"].as_str().context("an answer without a ref")?;
    Ok(mark.to_owned())
}
