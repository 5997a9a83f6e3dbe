//! How one call ended, as a hook reports it while the run goes on.

use hardwon_core::{event::CallStatus, text::RawText};

use super::{call_report::ReportedOutcome, steps, tool};

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// It worked, as far as the client knows, with this output.
    Ok(String),
    /// It worked, as far as the client knows; the output is not reported.
    Unseen,
    /// It failed, with the head of its error.
    Failed {
        /// The head of the error.
        head: RawText,
        /// The output.
        printed: RawText,
    },
    /// A person, or their settings, did not let it run; the tool is not to blame.
    Refused,
}

impl CallEnd {
    /// Returns the output, if it is known.
    pub(crate) fn printed(&self) -> Option<&str> {
        match self {
            Self::Ok(printed) => Some(printed),
            Self::Failed { printed, .. } => Some(printed.expose()),
            Self::Unseen | Self::Refused => None,
        }
    }

    /// Returns the status of a call of this tool with these arguments; `None` if it never ran. Steps of a successful
    /// command line may have failed all the same.
    pub(crate) fn status(self, tool: &str, args: &str) -> Option<CallStatus<RawText>> {
        match self {
            Self::Ok(printed) => Some(match tool::find_command_line(tool, args) {
                Some(line) => steps::passed_line_status(&line, || printed.into()),
                None => CallStatus::Ok,
            }),
            Self::Unseen => Some(CallStatus::Ok),
            Self::Failed { head, .. } => Some(CallStatus::Error(head)),
            Self::Refused => None,
        }
    }
}

impl From<ReportedOutcome<'_>> for CallEnd {
    fn from(outcome: ReportedOutcome<'_>) -> Self {
        match outcome {
            ReportedOutcome::Ok(printed) => Self::Ok(printed.into_text().into_owned()),
            ReportedOutcome::Failed(head, printed) => Self::Failed {
                head: head.into(),
                printed: printed.into_text().as_ref().into(),
            },
            ReportedOutcome::NotRun(head) => Self::Failed {
                printed: head.as_str().into(),
                head: head.into(),
            },
            ReportedOutcome::Rejected(_) => Self::Refused,
        }
    }
}
