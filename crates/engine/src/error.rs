//! What can go wrong in the engine.

use std::{io, path::PathBuf};

use hardwon_core::{access::AccessError, change::CurationError};
use hardwon_store::StoreError;

/// What the engine returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A trouble of the engine. Nothing to learn and nothing to show are results, not errors.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Whoever asks may not.
    #[error(transparent)]
    Denied(#[from] AccessError),
    /// A lesson cannot be changed as asked.
    #[error(transparent)]
    Curation(#[from] CurationError),
    /// The guard lets no lesson say what it was to say, for this reason.
    #[error("{0}")]
    RejectedByGuard(String),
    /// A transcript could not be read.
    #[error("reading {}: {source}", path.display())]
    ReadTranscript {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder of lessons could not be used.
    #[error("{doing} {}: {source}", path.display())]
    LessonFiles {
        /// What was being done.
        doing: &'static str,
        /// To which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
