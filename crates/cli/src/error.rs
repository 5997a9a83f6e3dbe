//! What a person reads when something did not work, and the exit code that goes with it.

use std::{fmt, process::ExitCode};

use hardwon_store::{ErrorKind, StoreError};

/// What kind of trouble it is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nothing was found, or a check said no: 1.
    Nothing,
    /// What was asked cannot be done as asked: 2.
    Input,
    /// Something that should work did not: 3.
    Fault,
}

impl Kind {
    /// Returns the process's exit code.
    #[must_use]
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Nothing => 1,
            Self::Input => 2,
            Self::Fault => 3,
        })
    }
}

/// A trouble: what was being done, to what, and what to do next.
#[derive(Debug)]
pub struct Failure {
    /// What kind of trouble it is.
    pub kind: Kind,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// Nothing was found.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Nothing,
            message: message.into(),
            hint: None,
        }
    }

    /// What was asked cannot be done as asked.
    pub fn input(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Input,
            message: message.into(),
            hint: None,
        }
    }

    /// Something that should work did not.
    pub fn fault(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Fault,
            message: message.into(),
            hint: None,
        }
    }

    /// Returns what was being done, to what, and what went wrong, without what to do next.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::fault(error.to_string())
    }
}

impl From<hardwon_engine::Error> for Failure {
    fn from(error: hardwon_engine::Error) -> Self {
        match error {
            hardwon_engine::Error::Store(error) => error.into(),
            read @ hardwon_engine::Error::Read { .. } => Self::input(read.to_string()),
            files @ hardwon_engine::Error::Files { .. } => Self::input(files.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = match error.kind() {
            ErrorKind::Invalid | ErrorKind::Refused => Self::input(error.to_string()),
            _ => Self::fault(error.to_string()),
        };
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
