//! What went wrong with a call, in words for the agent, and what it can do now.

use std::fmt;

use hardwon_api::v1::verbs::VerbError;
use hardwon_engine::{AccessError, Error};
use hardwon_redact::redact;
use hardwon_store::{StoreError, StoreErrorKind};

/// What a call returns: a value, or why it was not carried out.
pub(crate) type Result<T, E = McpError> = std::result::Result<T, E>;

/// Why a call was not carried out: the message, and a hint on what to do next.
#[derive(Debug)]
pub struct McpError {
    is_fault: bool,
    message: String,
    hint: Option<String>,
}

impl McpError {
    /// Makes an error of a request that cannot be met.
    pub fn refused(message: impl Into<String>) -> Self {
        Self {
            is_fault: false,
            message: message.into(),
            hint: None,
        }
    }

    /// Makes an error of something that is broken.
    pub fn fault(message: impl Into<String>) -> Self {
        Self {
            is_fault: true,
            ..Self::refused(message)
        }
    }

    /// Adds a hint on what to do next.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// Returns whether something is broken where the lessons are; else the agent can do something about it.
    pub(crate) fn is_fault(&self) -> bool {
        self.is_fault
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A message may quote a value, a line of a file or an address.
        write!(f, "{}", redact(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", redact(hint)),
            None => Ok(()),
        }
    }
}

impl From<VerbError> for McpError {
    fn from(error: VerbError) -> Self {
        match error {
            VerbError::Desk(error) => error.into(),
            VerbError::Refused { message, hint, .. } => Self {
                hint: hint.map(str::to_owned),
                ..Self::refused(message)
            },
        }
    }
}

/// Says why a lesson was not touched, and what an agent can do now.
impl From<Error> for McpError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Store(error) => error.into(),
            Error::Denied(AccessError::NotFound(_)) => Self::refused(message)
                .with_hint("`search` and `list` give the numbers of those there are"),
            Error::Denied(AccessError::AwaitsReview(_)) => Self::refused(message).with_hint(
                "a person looks at it with `hardwon lesson show` and decides; go on without it",
            ),
            Error::Curation(_) => Self::refused(message)
                .with_hint("tell the user what is wrong with it, and go on without it"),
            Error::Denied(AccessError::MissingRight(_) | AccessError::OutOfScope)
            | Error::RejectedByGuard(_)
            | Error::Sweep(_)
            | Error::Repeated(_)
            | Error::ReadTranscript { .. }
            | Error::LessonFiles { .. }
            | Error::RunState(_) => Self::refused(message),
        }
    }
}

impl From<StoreError> for McpError {
    fn from(error: StoreError) -> Self {
        let failure = match error.kind() {
            StoreErrorKind::Invalid | StoreErrorKind::Refused => Self::refused(error.to_string()),
            _ => Self::fault(error.to_string()),
        };
        match error.hint() {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }
}
