//! Files of a work tree as texts: read within bounds, and compared as git may keep them.

use std::path::{Path, PathBuf};

use hardwon_core::limits;
use hardwon_engine::regular_file;
use hardwon_repo::Repository;

use crate::{CliError, Result};

/// The file that agents of all kinds read.
pub const SHARED_FILE: &str = "AGENTS.md";

/// The file as it is.
pub struct FoundFile {
    /// Its path from the root: a link is followed.
    pub path: PathBuf,
    /// What is in it; `None` if there is none.
    pub text: Option<String>,
}

impl FoundFile {
    /// Returns what is in it; nothing of one that is not there.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.as_deref().unwrap_or_default().as_bytes()
    }
}

/// Finds the file in the root, and reads it.
pub fn read_shared(repository: &Repository) -> Result<FoundFile> {
    let path = repository.locate_file(SHARED_FILE)?;
    let text = read_text(&repository.root().join(&path))?;
    Ok(FoundFile { path, text })
}

/// Reads a file of the work tree; `None` if there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>> {
    let text = regular_file::read_within(path, limits::PLACED_FILE_BYTES);
    regular_file::if_there(text).map_err(CliError::bad_file("reading", path))
}

/// Words why a file with somebody's work is not touched.
pub(super) fn not_committed(what: &str) -> CliError {
    CliError::bad_input(what).with_hint("commit that first: what is placed is a commit of its own")
}

/// Returns a file as git may keep it, where line breaks are as on no machine in particular.
pub(super) fn unify_breaks(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .into_bytes()
}
