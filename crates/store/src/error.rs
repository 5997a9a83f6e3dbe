//! Store errors: what failed, on which file, and what a person can do next.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The result of a store operation.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// The kind of a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoreErrorKind {
    /// There is no store at that path.
    NotFound,
    /// The file is not a store, or is corrupt.
    Damaged,
    /// Other processes held the write lock for too long.
    Busy,
    /// The server of the database does not answer, or is starting or ending.
    Unreachable,
    /// The store cannot be written.
    ReadOnly,
    /// The disk is full.
    Full,
    /// A newer version of the program wrote it.
    TooNew,
    /// An older version of the program wrote it, and it has not been migrated yet.
    TooOld,
    /// A change does not fit the lessons that are there.
    Conflict,
    /// A value is larger than its limit, or cannot be stored for another reason.
    Invalid,
    /// The caller's own decision aborted the transaction.
    Refused,
    /// The operating system reported an error.
    Io,
}

impl StoreErrorKind {
    /// Returns a general hint on how to fix this kind of error, if there is one.
    fn hint(self) -> Option<&'static str> {
        match self {
            Self::NotFound => Some("create it with `hardwon learn` or `hardwon lesson add`"),
            Self::Damaged => Some(
                "restore a backup with `hardwon restore FILE`, or move the file away to start afresh",
            ),
            Self::Busy => Some("try again, or see which process holds the file"),
            Self::Unreachable => Some("see whether the database server runs, and try again"),
            Self::ReadOnly => Some("check the permissions of the file and its folder"),
            Self::Full => Some("free some space and try again; nothing was lost"),
            Self::TooNew => Some(
                "upgrade this hardwon in the way in which it was installed, or run `hardwon restore FILE` with a backup made before",
            ),
            Self::TooOld => Some("upgrade it with `hardwon learn` or `hardwon lesson add`"),
            Self::Conflict | Self::Invalid | Self::Refused | Self::Io => None,
        }
    }
}

/// A failed store operation: the action, the file and the cause.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    action: &'static str,
    path: Option<PathBuf>,
    message: String,
    hint: Option<&'static str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// Makes an error: what failed, and why. The action may be empty and [set later](Self::with_action).
    pub fn new(kind: StoreErrorKind, action: &'static str, what: impl Into<String>) -> Self {
        Self {
            kind,
            action,
            path: None,
            message: what.into(),
            hint: kind.hint(),
            source: None,
        }
    }

    /// Makes the error with which a transaction's own work aborts it.
    pub fn refused(why: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Refused, "changing lessons", why)
    }

    /// Sets the action that failed, unless one is set already.
    #[must_use]
    pub fn with_action(mut self, doing: &'static str) -> Self {
        if self.action.is_empty() {
            self.action = doing;
        }
        self
    }

    /// Sets a hint for this case in place of the kind's general one.
    #[must_use]
    pub fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Sets the file concerned, or the database, unless one is set already.
    #[must_use]
    pub fn with_path(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Sets the error that caused this one.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns the cause alone, without the action and the file.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the file concerned, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns what a person can do about it, if there is anything to suggest.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.message)?;
        match &self.path {
            Some(path) => write!(f, " ({})", path.display()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(&**source)
    }
}

/// Makes the error for a row whose content no known version wrote.
pub fn damaged_error(what: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, "", what)
}
