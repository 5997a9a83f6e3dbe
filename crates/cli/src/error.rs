//! Errors for people, each with its exit code.

use std::{fmt, path::Path, process::ExitCode};

use hardwon_api::v1::verbs::VerbError;
use hardwon_engine::{AccessError, SweepError};
use hardwon_redact::redact;
#[cfg(feature = "server")]
use hardwon_server::{KeyChangeError, KeyChangeRefusal};
use hardwon_store::{StoreError, StoreErrorKind};

/// What a command returns: a value, or an error for people.
pub type Result<T, E = CliError> = std::result::Result<T, E>;

/// The kind of an error, which is its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitReason {
    /// Nothing was found, or a check failed: 1.
    Negative = 1,
    /// The request is invalid or could not be read: 2.
    BadInput,
    /// The work was done, but a configured service was unavailable: 3.
    Partial,
    /// An internal failure: 4.
    Internal,
}

impl ExitReason {
    /// Returns this exit code if `is_so`, else success; for a command that did its work.
    pub fn exit_code_if(self, is_so: bool) -> ExitCode {
        if is_so {
            self.exit_code()
        } else {
            ExitCode::SUCCESS
        }
    }

    /// Returns the process's exit code.
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// An error: the action, its object, the cause, and a hint.
#[derive(Debug)]
pub struct CliError {
    /// The kind of error.
    pub reason: ExitReason,
    message: String,
    hint: Option<String>,
}

impl CliError {
    fn new(reason: ExitReason, message: impl fmt::Display) -> Self {
        Self {
            reason,
            message: message.to_string(),
            hint: None,
        }
    }

    /// Makes an error for a search or check with a negative result.
    pub fn negative(message: impl fmt::Display) -> Self {
        Self::new(ExitReason::Negative, message)
    }

    /// Makes an error for an invalid request.
    pub fn bad_input(message: impl fmt::Display) -> Self {
        Self::new(ExitReason::BadInput, message)
    }

    /// Makes an error for an internal failure.
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::new(ExitReason::Internal, message)
    }

    /// Words why something could not be done with a file or folder that the user named or may change.
    pub fn bad_file<E: fmt::Display>(doing: &str, path: &Path) -> impl Fn(E) -> Self {
        move |error| bad_input!("{doing} {}: {error}", path.display())
    }

    /// Words why something could not be done with a file or folder of our own.
    pub fn own_file<E: fmt::Display>(doing: &str, path: &Path) -> impl Fn(E) -> Self {
        move |error| internal!("{doing} {}: {error}", path.display())
    }

    /// Returns the message without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the same error with another exit code.
    #[must_use]
    pub fn with_reason(self, reason: ExitReason) -> Self {
        Self { reason, ..self }
    }

    /// Returns the error of a command whose 1 means that it found something: whoever could not look must not look so.
    #[must_use]
    pub fn could_not_look(self) -> Self {
        match self.reason {
            ExitReason::Internal => self.with_reason(ExitReason::BadInput),
            ExitReason::Negative | ExitReason::BadInput | ExitReason::Partial => self,
        }
    }

    /// Adds a hint on what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A message may quote a value, a line of a file or an address.
        write!(f, "{}", redact(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", redact(hint)),
            None => Ok(()),
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::internal(error)
    }
}

impl From<hardwon_engine::Error> for CliError {
    fn from(error: hardwon_engine::Error) -> Self {
        use hardwon_engine::Error;
        let message = error.to_string();
        match error {
            Error::Store(error) => error.into(),
            Error::Denied(denied) => denied.into(),
            Error::Curation(_)
            | Error::Repeated(_)
            | Error::RejectedByGuard(_)
            | Error::ReadTranscript { .. }
            | Error::LessonFiles { .. } => Self::bad_input(message),
            Error::Sweep(SweepError::Moved) => Self::bad_input(message)
                .with_hint("run `hardwon sweep` again, and apply the new plan"),
            Error::Sweep(SweepError::Busy(_) | SweepError::LeaseLost) => {
                negative!("skipped: {message}").with_reason(ExitReason::Partial)
            }
            Error::Sweep(SweepError::Unknown(_) | SweepError::Undone(_)) => Self::negative(message)
                .with_hint("`hardwon sweep --list` shows the sweeps that can be undone"),
            Error::RunState(_) => Self::internal(message),
        }
    }
}

impl From<VerbError> for CliError {
    fn from(error: VerbError) -> Self {
        match error {
            VerbError::Desk(error) => error.into(),
            VerbError::Refused { message, hint, .. } => Self {
                hint: hint.map(str::to_owned),
                ..Self::bad_input(message)
            },
        }
    }
}

impl From<AccessError> for CliError {
    fn from(denied: AccessError) -> Self {
        match denied {
            AccessError::NotFound(_) => {
                Self::negative(denied).with_hint("`hardwon lesson list` shows those there are")
            }
            AccessError::AwaitsReview(_) | AccessError::MissingRight(_) => Self::bad_input(denied)
                .with_hint(
                    "an agent's client started this command: ask the user, who decides in a terminal of their own",
                ),
            AccessError::OutOfScope => Self::bad_input(denied),
        }
    }
}

#[cfg(feature = "server")]
impl From<KeyChangeError> for CliError {
    fn from(error: KeyChangeError) -> Self {
        match error {
            KeyChangeError::Store(error) => error.into(),
            KeyChangeError::Refused(why) => {
                let hint = refused_key_hint(&why);
                let failure = match why {
                    KeyChangeRefusal::UnknownKey(_) => Self::negative(why),
                    _ => Self::bad_input(why),
                };
                hint.into_iter().fold(failure, Self::with_hint)
            }
        }
    }
}

#[cfg(feature = "server")]
fn refused_key_hint(why: &KeyChangeRefusal) -> Option<&'static str> {
    match why {
        KeyChangeRefusal::UnknownKey(_) => Some("`hardwon key list` shows those there are"),
        KeyChangeRefusal::UnknownTenant(_) => Some("add it with `hardwon tenant add NAME`"),
        _ => None,
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let failure = match error.kind() {
            StoreErrorKind::Invalid | StoreErrorKind::Refused => Self::bad_input(error.to_string()),
            _ => Self::internal(error.to_string()),
        };
        error.hint().into_iter().fold(failure, Self::with_hint)
    }
}
