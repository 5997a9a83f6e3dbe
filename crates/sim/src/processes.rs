//! Real `hardwon` processes on one database, and what is in it afterwards.
//!
//! Every lesson that is written carries a mark, a made-up word of its own, by which it is recognised whatever its
//! number.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio},
};

use anyhow::{Context as _, ensure};
use hardwon_core::{Lesson, TenantId};
use hardwon_store::{LessonListing, RecallListing, SqliteStore, Store};
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

    pub(crate) fn open_store(&self) -> anyhow::Result<SqliteStore> {
        Ok(SqliteStore::open(&self.database_path())?)
    }

    /// Runs the program, which must succeed.
    pub(crate) fn ask(&self, args: &[&str]) -> anyhow::Result<Output> {
        let output = self.command(args).output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{args:?}: {complaint}");
        Ok(output)
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
            self.ask(&["config", "set", name, value])?;
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
        let store = self.open_store()?;
        store.flush(&TenantId::default())?;
        let mut contents = StoreContents::from_lessons(&list_lessons(&store)?);
        let (store, mut listing) = (store.snapshot()?, RecallListing::default());
        loop {
            let page = store.recalls(&TenantId::default(), &listing)?;
            let Some((last, _)) = page.last() else { break };
            listing.before = Some(*last);
            contents.recalls += u64::try_from(page.len())?;
        }
        Ok(contents)
    }
}

/// Returns all lessons of the default tenant.
pub(crate) fn list_lessons(store: &dyn Store) -> anyhow::Result<Vec<Lesson>> {
    let (store, mut listing) = (store.snapshot()?, LessonListing::default());
    let mut lessons = Vec::new();
    loop {
        let page = store.lessons(&TenantId::default(), &listing)?;
        let Some(last) = page.last() else {
            return Ok(lessons);
        };
        listing.before = Some(last.id);
        lessons.extend(page);
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
    pub(crate) fn from_lessons(lessons: &[Lesson]) -> Self {
        let mut contents = Self::default();
        for lesson in lessons {
            contents.lessons += 1;
            if let Some(mark) = find_marks(lesson.content.text.as_str()).next() {
                *contents.lessons_by_mark.entry(mark.to_owned()).or_default() += 1;
            }
        }
        contents
    }

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
fn lesson_line(mark: &str) -> String {
    let text = format!("Start {mark} before the build, since it listens on another port.");
    serde_json::json!({"ref": mark, "signature": format!("port of {mark}"), "text": text, "tags": []})
        .to_string()
}

/// A process of `lesson add --jsonl`.
pub(crate) struct LessonStream {
    input: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl LessonStream {
    pub(crate) fn start(home: &ProgramHome) -> anyhow::Result<(Self, Child)> {
        let mut command = home.command(&["lesson", "add", "--jsonl"]);
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("a pipe was asked for")?;
        let answers = child.stdout.take().context("a pipe was asked for")?;
        let answers = BufReader::new(answers);
        Ok((Self { input, answers }, child))
    }

    /// Sends a lesson for each mark and reads the answers, as far as they come; returns the marks whose lessons are
    /// durable now, and what else was answered.
    pub(crate) fn add(&mut self, marks: &[String]) -> anyhow::Result<(Vec<String>, Vec<String>)> {
        let lines: String = marks.iter().map(|mark| lesson_line(mark) + "\n").collect();
        let (mut acknowledged, mut errors) = (Vec::new(), Vec::new());
        if self.input.write_all(lines.as_bytes()).is_err() {
            return Ok((acknowledged, errors));
        }
        for _ in marks {
            let mut answer = String::new();
            self.answers.read_line(&mut answer)?;
            if !answer.ends_with('\n') {
                break;
            }
            match parse_acknowledged(&answer) {
                Ok(mark) => acknowledged.push(mark),
                Err(error) => errors.push(error.to_string()),
            }
        }
        Ok((acknowledged, errors))
    }
}

/// Parses an answer of `lesson add --jsonl`: the mark of the lesson that is durable now.
fn parse_acknowledged(answer: &str) -> anyhow::Result<String> {
    let answer: serde_json::Value = serde_json::from_str(answer)?;
    ensure!(answer["id"].is_i64(), "a lesson was turned away: {answer}");
    let mark = answer["ref"].as_str().context("an answer without a ref")?;
    Ok(mark.to_owned())
}
