//! Errors of the engine.

use std::{
    io,
    path::{Path, PathBuf},
};

use hardwon_core::CurationError;
use hardwon_store::{RequestConflict, StoreError};
use jiff::Timestamp;

use crate::{AccessError, PlanId};

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

impl Error {
    /// Makes the error of a transcript that could not be read.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::ReadTranscript {
            path: path.clone(),
            source,
        }
    }
}

/// Why a sweep cannot be planned, applied or taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// Another sweep goes on.
    #[error("another sweep goes on, at the latest until {0}")]
    Busy(Timestamp),
    /// This sweep took so long that another one may have begun.
    #[error("the sweep took too long and lost its lease")]
    LeaseLost,
    /// The lessons are not those that the plan was made from.
    #[error("the lessons have changed since the plan was made")]
    Moved,
    /// There is no such sweep, or it is too long ago to be taken back.
    #[error("there is no sweep {0} to be taken back")]
    Unknown(PlanId),
    /// The sweep was taken back already.
    #[error("sweep {0} was taken back already")]
    Undone(PlanId),
}
