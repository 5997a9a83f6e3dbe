//! The parsed payload of any client: its session and its events.
//!
//! An event that is of no interest is a [`HookPayload`] without events.

use std::path::PathBuf;

use hardwon_core::{RunId, limits};
use hardwon_engine::{SessionEventKind, attend::SessionStartKind};

use super::PayloadCall;
use crate::transcript::{ReportedOutcome, ReportedOutput, live};

/// A parsed payload of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct HookPayload {
    /// The client's name of the session.
    pub session: String,
    /// The session's working folder, if the client gives it.
    pub cwd: Option<PathBuf>,
    /// The path of the session's transcript, if the client gives it.
    pub transcript: Option<PathBuf>,
    /// Whether it happened in a sub-agent.
    pub in_subagent: bool,
    /// The client's name of the session that started the sub-agent.
    pub parent: Option<String>,
    /// Whether a person types into the session, if our own plugin reports it.
    pub is_interactive: Option<bool>,
    /// The session events; several when the client reports a whole batch of calls at once, none when it is of no
    /// interest.
    pub events: Vec<SessionEventKind>,
}

/// Why a payload could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// It is longer than [`limits::HOOK_BYTES`].
    #[error("the payload is longer than {} bytes", limits::HOOK_BYTES)]
    TooLong,
    /// It is not the JSON that this client sends; with a message that quotes nothing of it.
    #[error("the payload cannot be read: {0}")]
    Malformed(String),
    /// It does not name a session.
    #[error("the payload does not name its session")]
    NoSession,
}

impl From<serde_json::Error> for PayloadError {
    /// Keeps the position and kind of the error. The parser's own message may quote the payload.
    fn from(error: serde_json::Error) -> Self {
        let kind = match error.classify() {
            serde_json::error::Category::Eof => "it breaks off",
            serde_json::error::Category::Data => "a field is of another type",
            _ => "it is not JSON",
        };
        Self::Malformed(format!(
            "{kind} at line {} column {}",
            error.line(),
            error.column()
        ))
    }
}

/// Converts a client's name of a session to a valid run name; `None` when nothing is left of it.
///
/// A valid name is kept as it is, because the session's transcript is read under the same name.
pub(super) fn session_name(given: &str) -> Option<String> {
    let name = given.trim();
    if RunId::parse(name).is_ok() {
        return Some(name.to_owned());
    }
    let printable = name.chars().filter(|c| !c.is_control());
    let name: String = printable.take(limits::NAME_CHARS).collect();
    RunId::parse(&name).is_ok().then_some(name)
}

pub(super) fn to_path(given: String) -> Option<PathBuf> {
    let is_path = !given.is_empty() && !given.contains('\0');
    is_path.then(|| PathBuf::from(given))
}

/// Returns the prompt event with the words that a person typed; none if a client wrote it all. A command that the person
/// ran counts as a call, for the agent reads what it printed, and so does what another agent says.
pub(crate) fn prompt_events(prompt: Option<&str>) -> Vec<SessionEventKind> {
    // A line without its output tells nothing: it may have failed.
    if let Some((Some(line), Some(output))) = prompt.and_then(live::find_typed_command) {
        let args = serde_json::json!({ "command": line }).to_string();
        let call = PayloadCall::new(None, "Bash", &args);
        let outcome = ReportedOutcome::Ok(ReportedOutput::Text(output.into()));
        return zero_or_one(call.called_event(outcome));
    }
    if let Some((prompt, (tool, args))) =
        prompt.and_then(|text| Some((text, live::find_agent_message(text)?)))
    {
        let outcome = ReportedOutcome::Ok(ReportedOutput::Text(prompt.into()));
        return zero_or_one(PayloadCall::new(None, tool, &args).called_event(outcome));
    }
    zero_or_one(
        prompt
            .and_then(live::find_typed_text)
            .map(SessionEventKind::Prompted),
    )
}

pub(crate) fn stop_events(
    last_message: Option<&str>,
    is_continuation: bool,
) -> Vec<SessionEventKind> {
    let last_message = last_message
        .filter(|message| !message.trim().is_empty())
        .map(live::bound_text);
    vec![SessionEventKind::Stopped {
        last_message,
        is_continuation,
    }]
}

/// Returns the start event for the word that most clients use for how a session began.
pub(crate) fn start_events(source: Option<&str>) -> Vec<SessionEventKind> {
    vec![SessionEventKind::Started(match source {
        Some("resume" | "fork") => SessionStartKind::Resumed,
        Some("clear") => SessionStartKind::Cleared,
        Some("compact") => SessionStartKind::Compacted,
        _ => SessionStartKind::Fresh,
    })]
}

/// Converts an optional event to a list.
pub(crate) fn zero_or_one(happened: Option<SessionEventKind>) -> Vec<SessionEventKind> {
    happened.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_command_is_a_call_once_its_output_is_known() {
        let line = "<bash-input>make ship</bash-input>";
        let output = "<bash-stdout>no ledger</bash-stdout><bash-stderr></bash-stderr>";
        let both = format!("{line}{output}");
        for (prompt, expected) in [(line, 0), (output, 0), (both.as_str(), 1)] {
            assert_eq!(prompt_events(Some(prompt)).len(), expected, "{prompt}");
        }
    }
}
