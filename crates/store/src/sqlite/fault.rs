//! From what SQLite and the operating system say to what a person can act on.

use std::io;

use rusqlite::ErrorCode;

use super::index::IndexError;
use crate::{ErrorKind, StoreError};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let (kind, what) = told(&error);
        Self::new(kind, "", what).because(error)
    }
}

fn told(error: &rusqlite::Error) -> (ErrorKind, String) {
    let rusqlite::Error::SqliteFailure(failure, message) = error else {
        // The rows are of another form than the one they were written in.
        return (ErrorKind::Damaged, format!("the file is damaged: {error}"));
    };
    let detail = message.as_deref().unwrap_or("no more is known");
    let (kind, what) = match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            (ErrorKind::Busy, "others kept writing for too long")
        }
        ErrorCode::DatabaseCorrupt => (ErrorKind::Damaged, "the file is damaged"),
        ErrorCode::NotADatabase => (ErrorKind::Damaged, "the file is not a store"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
            (ErrorKind::ReadOnly, "the file or its folder is read-only")
        }
        ErrorCode::DiskFull => (ErrorKind::Full, "the disk is full"),
        // SQLite's own words name the path again.
        ErrorCode::CannotOpen => return (ErrorKind::Io, "the file cannot be opened".to_owned()),
        ErrorCode::TooBig => (ErrorKind::Invalid, "a value is too large to be kept"),
        _ => (ErrorKind::Io, "the file cannot be used"),
    };
    (kind, format!("{what}: {detail}"))
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Sql(error) => error.into(),
            IndexError::Damaged(_) => Self::new(ErrorKind::Damaged, "", error.to_string()),
            IndexError::Beyond { .. } => Self::new(ErrorKind::Invalid, "", error.to_string()),
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ErrorKind::ReadOnly
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
            _ => ErrorKind::Io,
        };
        Self::new(kind, "", error.to_string()).because(error)
    }
}

/// A row that holds what nothing we know of wrote there.
pub(super) fn damaged(what: impl Into<String>) -> StoreError {
    StoreError::new(ErrorKind::Damaged, "", what)
}
