//! Errors of the engine.

use std::{io, path::PathBuf};

use crate::access::AccessError;
use crate::sweep::SweepError;
use hardwon_core::change::CurationError;
use hardwon_store::StoreError;
use hardwon_store::request::RequestConflict;

/// The result of an engine call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the engine. Nothing to learn and nothing to show are results, not errors.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The principal may not do this.
    #[error(transparent)]
    Denied(#[from] AccessError),
    /// A sweep cannot be planned, applied or taken back.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A lesson cannot be changed as asked.
    #[error(transparent)]
    Curation(#[from] CurationError),
    /// A request was made before, and has no answer to be given again.
    #[error(transparent)]
    Repeated(#[from] RequestConflict),
    /// The guard rejected the words, for this reason.
    #[error("{0}")]
    RejectedByGuard(String),
    /// A transcript could not be read.
    #[error("reading {}: {source}", path.display())]
    ReadTranscript {
        /// The transcript.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// What is kept of a run that goes on could not be read or written.
    #[error("keeping a run that goes on: {0}")]
    RunState(#[source] io::Error),
    /// A file or folder of lessons could not be used.
    #[error("{doing} {}: {source}", path.display())]
    LessonFiles {
        /// The action that failed.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}
