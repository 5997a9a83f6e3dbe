//! Converts errors of SQLite and the operating system to ones that a person can act on.

use std::io;

use rusqlite::ErrorCode;

use crate::{IndexError, StoreError, StoreErrorKind};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let (kind, what) = describe_error(&error);
        Self::new(kind, "", what).with_source(error)
    }
}

fn describe_error(error: &rusqlite::Error) -> (StoreErrorKind, String) {
    let rusqlite::Error::SqliteFailure(failure, message) = error else {
        // The rows have another form than the one they were written in.
        return (
            StoreErrorKind::Damaged,
            format!("the file is damaged: {error}"),
        );
    };
    let detail = message.as_deref().unwrap_or("no more is known");
    let (kind, what) = match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            (StoreErrorKind::Busy, "others kept writing for too long")
        }
        ErrorCode::DatabaseCorrupt => (StoreErrorKind::Damaged, "the file is damaged"),
        ErrorCode::NotADatabase => (StoreErrorKind::Damaged, "the file is not a store"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => (
            StoreErrorKind::ReadOnly,
            "the file or its folder is read-only",
        ),
        ErrorCode::DiskFull => (StoreErrorKind::Full, "the disk is full"),
        // SQLite's own message repeats the path.
        ErrorCode::CannotOpen => {
            return (StoreErrorKind::Io, "the file cannot be opened".to_owned());
        }
        ErrorCode::TooBig => (StoreErrorKind::Invalid, "a value is too large to be kept"),
        _ => (StoreErrorKind::Io, "the file cannot be used"),
    };
    (kind, format!("{what}: {detail}"))
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Damaged(_) => Self::new(StoreErrorKind::Damaged, "", error.to_string()),
            IndexError::OutOfRange { .. } => {
                Self::new(StoreErrorKind::Invalid, "", error.to_string())
            }
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => StoreErrorKind::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreErrorKind::ReadOnly
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreErrorKind::Full,
            _ => StoreErrorKind::Io,
        };
        Self::new(kind, "", error.to_string()).with_source(error)
    }
}
