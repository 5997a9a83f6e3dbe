//! The transcript readers' rules for hooks, one call or prompt at a time.
//!
//! A hook's payload holds the same data as a line of a transcript, so the same rules decide what a person typed and how
//! much of it is read, as [`call_report`](super::call_report) decides how a call ended; a session must not look one way
//! while it runs and another when its transcript is learned from. Nothing here keeps state.

use std::borrow::Cow;

use hardwon_core::{CallStatus, RawText, limits};

use super::{ReportedOutcome, ReportedOutput, speech, steps, text, tool};

/// Returns the words that a person typed in a prompt, without what clients put around them; `None` when a client wrote
/// it all.
pub(crate) fn find_typed_text(prompt: &str) -> Option<RawText> {
    match speech::classify_turn(prompt) {
        speech::UserTurn::Typed(words) => Some(bound_text(&words)),
        speech::UserTurn::Nothing | speech::UserTurn::Interrupted => None,
    }
}

pub(crate) use super::speech::{find_agent_message, find_typed_command, is_clients_source};

/// Cuts a text to the length that intake reads.
pub(crate) fn bound_text(said: &str) -> RawText {
    text::shorten(text::trim_lines(said), limits::INTAKE_BYTES).into()
}

/// Cuts a name to the length of names.
pub(crate) fn bound_name(name: &str) -> &str {
    text::prefix_within(name, limits::NAME_CHARS)
}

impl ReportedOutput<'_> {
    /// Returns the status of a call of this tool with these arguments that printed this and worked, as far as the client
    /// knows. Steps of a successful command line may have failed all the same.
    pub(crate) fn passed_status(self, tool: &str, args: &str) -> CallStatus<RawText> {
        match tool::find_command_line(tool, args) {
            Some(line) => steps::passed_line_status(&line, || self.into_text()),
            None => CallStatus::Ok,
        }
    }
}

impl<'t> ReportedOutcome<'t> {
    /// Returns the output, if it is known.
    pub(crate) fn printed(&self) -> Option<Cow<'t, str>> {
        match self {
            Self::Ok(ReportedOutput::Nothing) | Self::Rejected(_) => None,
            Self::Ok(printed) | Self::Failed(_, printed) => Some(printed.clone().into_text()),
            Self::NotRun(head) => Some(head.clone().into()),
        }
    }

    /// Returns the status of a call of this tool with these arguments; `None` if a person refused it.
    pub(crate) fn status(self, tool: &str, args: &str) -> Option<CallStatus<RawText>> {
        match self {
            Self::Ok(printed) => Some(printed.passed_status(tool, args)),
            Self::Failed(head, _) | Self::NotRun(head) => Some(CallStatus::Error(head.into())),
            Self::Rejected(_) => None,
        }
    }
}
