//! The form of a client's payloads: under which names it sends what, and how it tells the end of a call.

use hardwon_engine::attend::SessionEventKind;

use super::{
    fields::{Fields, Names},
    table::{HookEvent, HookEventKind},
};
use crate::transcript::live::{self, CallEnd};

/// The form of payloads, as data. A name that a client does not send is left empty.
#[derive(Debug)]
pub(crate) struct PayloadForm {
    /// The version that a payload must name as `v`.
    pub(crate) version: Option<u32>,
    pub(crate) event: Names,
    pub(crate) session: Names,
    /// The id of the sub-agent in which it happened.
    pub(crate) agent: Names,
    /// Whether that id is the name of a session by itself.
    pub(crate) is_agent_session: bool,
    /// The session that started this one, where a sub-agent's session has a name of its own.
    pub(crate) parent: Names,
    pub(crate) cwd: Names,
    /// A list of working folders.
    pub(crate) folders: Names,
    pub(crate) transcript: Names,
    /// How the session began, or who wrote the prompt.
    pub(crate) source: Names,
    pub(crate) prompt: Names,
    /// Returns a prompt without what the client put around a person's words.
    pub(crate) typed_part: fn(&str) -> &str,
    /// Whether a person types into the session.
    pub(crate) typed: Names,
    pub(crate) call: Names,
    pub(crate) tool: Names,
    pub(crate) args: Names,
    /// The agent's last message.
    pub(crate) message: Names,
    /// Whether the agent continued because we asked, or how often.
    pub(crate) continued: Names,
    /// Returns whether the tool, of this name, belongs to another machine or program.
    pub(crate) is_remote: fn(&str, &Fields<'_>) -> bool,
    /// Reads how a call ended; `None` if a person stopped it.
    pub(crate) call_end: fn(HookEventKind, &Fields<'_>) -> Option<CallEnd>,
    /// Reads the events of a kind that this client tells in a way of its own; `None` for others.
    pub(crate) own_events: fn(&HookEvent, &Fields<'_>) -> Option<Vec<SessionEventKind>>,
}

/// Returns the failure that a payload states as its `error`.
pub(crate) fn stated_error(fields: &Fields<'_>) -> CallEnd {
    let error = live::error_message(fields.json(&["error"]));
    live::judge_text(None, Some(true), &error)
}
