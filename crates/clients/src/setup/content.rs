//! The content that belongs in a file, and the resulting change.
//!
//! Before the first change to a file, its bytes are kept beside it. If nobody else changed the file since, removal
//! restores those bytes; from a changed file, only our own entries are removed.

use super::{Result, SetupProblem, json, toml};

/// The content that belongs in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContent {
    /// Hooks and a server, in JSON that others write too.
    Json(json::SettingsPart),
    /// A server, in Codex's settings.
    Toml {
        /// The server's command, word for word; empty for no server.
        command: Vec<String>,
    },
    /// The whole file; its text names hardwon in [`MARK`].
    Whole {
        /// The text.
        text: String,
        /// Whether the file is executable.
        is_program: bool,
    },
}

/// The text by which every file of our own is recognised.
pub const MARK: &str = "Written by `hardwon init`";

/// The change to make to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStep {
    /// None: it is as it should be.
    Nothing,
    /// Write a new text.
    Write {
        /// The new text.
        text: String,
        /// Whether to keep the present text beside it.
        is_kept: bool,
    },
    /// Remove the file.
    Remove,
}

impl FileContent {
    /// Decides how to add the content to a file. `now` is the file's text, if it exists; `before` is the text kept
    /// beside it.
    pub fn install(&self, now: Option<&str>, before: Option<&str>) -> Result<FileStep> {
        let Some(now) = now else {
            let text = self.apply_to("")?;
            let is_kept = false;
            return Ok(match text.as_str() {
                "" => FileStep::Nothing,
                _ => FileStep::Write { text, is_kept },
            });
        };
        if self.apply_to(now)? == now {
            return Ok(FileStep::Nothing);
        }
        let is_new = self.strip_from(now, now)? == now;
        let base = match before {
            Some(before) if !is_new && self.is_untouched(now, before)? => before,
            _ => now,
        };
        let text = self.apply_to(base)?;
        if before.is_none() && self.is_empty_text(&text) {
            return Ok(FileStep::Remove);
        }
        Ok(FileStep::Write {
            text,
            is_kept: is_new,
        })
    }

    /// Decides how to remove our entries from a file.
    pub fn remove(&self, now: Option<&str>, before: Option<&str>) -> Result<FileStep> {
        // A file that does not name hardwon is left alone, even if it is broken.
        let Some(now) = now.filter(|now| now.contains("hardwon")) else {
            return Ok(FileStep::Nothing);
        };
        let left = self.strip_from(now, before.unwrap_or_default())?;
        if left == now {
            return Ok(FileStep::Nothing);
        }
        let text = match before {
            None if self.is_empty_text(&left) => return Ok(FileStep::Remove),
            Some(before) if self.is_untouched(now, before)? => before.to_owned(),
            _ => left,
        };
        let is_kept = false;
        Ok(FileStep::Write { text, is_kept })
    }

    /// Returns whether only our own entries changed since `before`.
    ///
    /// An older version may have added other entries; the text without them must be the same.
    fn is_untouched(&self, now: &str, before: &str) -> Result<bool> {
        let Ok(with_us) = self.apply_to(before) else {
            return Ok(false);
        };
        Ok(self.strip_from(now, before)? == self.strip_from(&with_us, before)?)
    }

    /// Returns the text with the content added.
    pub fn apply_to(&self, text: &str) -> Result<String> {
        match self {
            Self::Json(part) => json::insert_part(text, part),
            Self::Toml { command } => {
                if command.is_empty() {
                    return toml::remove_server(text);
                }
                let words: Vec<&str> = command.iter().map(String::as_str).collect();
                toml::insert_server(text, &words)
            }
            Self::Whole { text: whole, .. } if text.is_empty() || text.contains(MARK) => {
                Ok(whole.clone())
            }
            Self::Whole { .. } => Err(SetupProblem::new(
                "a file of another origin has its name",
                "rename that file, then run `hardwon init` again",
            )),
        }
    }

    /// Returns the text without our entries. `before` is the text before they were added.
    pub fn strip_from(&self, text: &str, before: &str) -> Result<String> {
        match self {
            Self::Json(part) => json::remove_part(text, before, part),
            Self::Toml { .. } => toml::remove_server(text),
            Self::Whole { .. } if text.contains(MARK) => Ok(String::new()),
            Self::Whole { .. } => Ok(text.to_owned()),
        }
    }

    fn is_empty_text(&self, text: &str) -> bool {
        match self {
            Self::Json(_) => json::is_bare(text),
            Self::Toml { .. } => toml::is_bare(text),
            Self::Whole { .. } => text.is_empty(),
        }
    }
}
