//! Why a model cannot be used. None of the messages holds a text that was to be understood.

use std::{
    io,
    path::{Path, PathBuf},
};

/// What reading or making a model returns: a value, or why it failed.
pub(crate) type Result<T, E = MeaningError> = std::result::Result<T, E>;

/// Why a model file cannot be made, read or used.
#[derive(Debug, thiserror::Error)]
pub enum MeaningError {
    /// A file cannot be read or written.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// What was being done, such as `reading`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is damaged, of another version, or no model at all.
    #[error("{} is no model that this version can use: {why}", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There was no time left for it.
    #[error("the time limit was reached before the meaning of the text was known")]
    TooSlow,
}

impl MeaningError {
    /// Says of an error what was being done, and to which file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn not_a_model(path: &Path, why: impl Into<String>) -> Self {
        Self::NotAModel {
            path: path.to_owned(),
            why: why.into(),
        }
    }
}
