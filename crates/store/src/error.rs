//! What can go wrong with a store, said so that a person knows what to do next.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// What a store returns.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What kind of trouble it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoreErrorKind {
    /// There is no store at that place.
    NotFound,
    /// The file is not a store, or no longer whole.
    Damaged,
    /// Others kept writing for too long.
    Busy,
    /// It may not be written.
    ReadOnly,
    /// There is no room left.
    Full,
    /// A newer version of the program wrote it.
    TooNew,
    /// An older version of the program wrote it, and it was not brought up to date yet.
    TooOld,
    /// A change does not fit what is there.
    Conflict,
    /// Something is larger than its limit or otherwise not to be kept.
    Invalid,
    /// Whoever decided called it off.
    Refused,
    /// The operating system said no.
    Io,
}

impl StoreErrorKind {
    /// Returns what a person can do about it, if there is anything to say in general.
    fn hint(self) -> Option<&'static str> {
        match self {
            Self::NotFound => Some("create it with `hardwon learn` or `hardwon lesson add`"),
            Self::Damaged => Some(
                "restore a backup with `hardwon restore FILE`, or move the file away to start afresh",
            ),
            Self::Busy => Some("try again, or see which process holds the file"),
            Self::ReadOnly => Some("check the permissions of the file and its folder"),
            Self::Full => Some("free some space and try again; nothing was lost"),
            Self::TooNew => Some(
                "update hardwon, or run `hardwon restore FILE` with a backup made before the upgrade",
            ),
            Self::TooOld => Some("upgrade it with `hardwon learn` or `hardwon lesson add`"),
            Self::Conflict | Self::Invalid | Self::Refused | Self::Io => None,
        }
    }
}

/// A trouble with a store: what was being done, to which file, and what went wrong.
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
    pub(crate) fn new(kind: StoreErrorKind, action: &'static str, what: impl Into<String>) -> Self {
        Self {
            kind,
            action,
            path: None,
            message: what.into(),
            hint: kind.hint(),
            source: None,
        }
    }

    /// Calls a transaction off, from inside of it.
    pub fn refused(why: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Refused, "changing lessons", why)
    }

    /// Says what was being done, unless it is known already.
    pub(crate) fn with_action(mut self, doing: &'static str) -> Self {
        if self.action.is_empty() {
            self.action = doing;
        }
        self
    }

    /// Says what a person can do in this very case.
    pub(crate) fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    pub(crate) fn with_path(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns what kind of trouble it is.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns what went wrong, without what was being done and where.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the file it is about, if it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns what a person can do about it.
    #[must_use]
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
