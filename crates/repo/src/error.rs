//! What goes wrong with a repository, in words for a person.

use std::{io, path::PathBuf};

/// Why something about a repository could not be found out.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// The program is not there.
    #[error("cannot start git: {0}")]
    NoGit(io::Error),
    /// The folder is in no work tree.
    #[error("{} is in no git repository with a work tree: {said}", folder.display())]
    NotRepository {
        /// The folder.
        folder: PathBuf,
        /// What git said, on one line.
        said: String,
    },
    /// Git refused or failed.
    #[error("{doing}: git says: {said}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// What git said, on one line.
        said: String,
    },
    /// The repository is in a state in which nothing is committed for somebody.
    #[error("nothing is committed here: {0}")]
    NotReady(String),
    /// A file leads out of the work tree.
    #[error("{} leads out of the repository", path.display())]
    Outside {
        /// Its path.
        path: PathBuf,
    },
    /// Git answered in a form that is not known.
    #[error("{doing}: git answered something unexpected")]
    Unexpected {
        /// What was being done.
        doing: &'static str,
    },
    /// Reading or writing failed.
    #[error("{doing}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// How it failed.
        error: io::Error,
    },
}

impl RepositoryError {
    /// Words why reading or writing failed.
    pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Self::Io { doing, error }
    }

    pub(crate) fn failed(doing: &'static str, said: impl Into<String>) -> Self {
        let said = said.into();
        Self::Failed { doing, said }
    }
}

/// A result of this crate.
pub(crate) type Result<T> = std::result::Result<T, RepositoryError>;
