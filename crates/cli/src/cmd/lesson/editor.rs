//! A lesson's words in the person's editor.
//!
//! What somebody typed is theirs: the file they typed it into stays, and is named, until their words
//! are stored or they left it as it was.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{self, Command},
};

use hardwon_core::Lesson;
use hardwon_engine::{LessonEdit, private_file};
use jiff::Timestamp;

use crate::{CliError, Result};

const PAGE_HEADER: &str = "# The first line below is the signature; what follows the blank line is the lesson.\n\
                    # These two lines are left out. An empty lesson changes nothing.\n";

/// A page of a lesson's words that is being edited.
pub(super) struct EditorPage {
    path: PathBuf,
    original: String,
}

impl EditorPage {
    /// Writes a lesson's words where nobody else can read them.
    pub(super) fn from_lesson(lesson: &Lesson) -> Result<Self> {
        let content = &lesson.content;
        let before = format!("{}\n\n{}\n", content.signature, content.text);
        // An earlier page of the same process number may be there still.
        let now = Timestamp::now().as_nanosecond();
        let name = format!("hardwon-lesson-{}-{}-{now}", lesson.id.0, process::id());
        let path = create_file(&env::temp_dir(), &name, &format!("{PAGE_HEADER}{before}"))?;
        Ok(Self {
            path,
            original: before,
        })
    }

    /// Opens the editor on the page and returns what it holds when the editor is done.
    pub(super) fn run_editor(&self) -> Result<LessonEdit> {
        let editor = editor_command()?;
        // Through the shell, because EDITOR may hold arguments, as in `code --wait`.
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("{editor} \"$1\""))
            .arg("sh")
            .arg(&self.path)
            .status()
            .map_err(|error| internal!("starting the editor {editor:?}: {error}"))?;
        if !status.success() {
            let message =
                format!("the editor {editor:?} exited with an error; nothing was changed");
            return Err(CliError::negative(message));
        }
        let after = String::from_utf8(fs::read(&self.path)?);
        let after = after.map_err(|_| CliError::bad_input("what the editor wrote is not UTF-8"))?;
        parse_page(&after, &self.original)
    }

    /// Takes the page away once its words are stored; if they could not be, it stays, unless
    /// nothing was typed.
    pub(super) fn close<T>(self, outcome: Result<T>) -> Result<T> {
        let is_original = |text: String| text == format!("{PAGE_HEADER}{}", self.original);
        let is_spent = outcome.is_ok() || fs::read_to_string(&self.path).is_ok_and(is_original);
        if is_spent {
            drop(fs::remove_file(&self.path));
            return outcome;
        }
        let place = self.path.display();
        outcome.map_err(|failure| failure.with_hint(format!("what you wrote is kept in {place}")))
    }
}

fn editor_command() -> Result<String> {
    let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).ok_or_else(|| {
        CliError::bad_input("neither VISUAL nor EDITOR is set")
            .with_hint("give the new words with --signature and --text")
    })
}

/// Writes a file that was not there, so that nobody else's is followed or written over.
fn create_file(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.txt"));
    let mut options = fs::OpenOptions::new();
    let file = private_file::open(options.write(true).create_new(true), &path);
    let write_result = file.and_then(|mut file| file.write_all(text.as_bytes()));
    write_result.map_err(CliError::own_file("writing", &path))?;
    Ok(path)
}

/// Reads the page back. Only our own two lines are left out: a lesson may hold lines with `#`.
fn parse_page(after: &str, before: &str) -> Result<LessonEdit> {
    let is_head = |line: &&str| PAGE_HEADER.lines().any(|head| head == *line);
    let lines: Vec<&str> = after.lines().skip_while(is_head).collect();
    let lines = lines.join("\n");
    let (signature, text) = lines.split_once('\n').unwrap_or((&lines, ""));
    if text.trim().is_empty() || lines.trim_end() == before.trim_end() {
        return Err(CliError::negative("nothing was changed"));
    }
    Ok(LessonEdit {
        signature: Some(signature.trim().into()),
        text: Some(text.trim().into()),
        ..LessonEdit::default()
    })
}
