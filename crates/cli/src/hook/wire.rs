//! What clients send to the hook command, parsed into one [`Incoming`].
//!
//! [`parse`] is a pure function of the payload. Each dialect is one small module that knows its
//! wire types and nothing else; which event means what stands in the client's
//! [`Row`](super::client::Row). What a payload does not tell but the transcript beside it does,
//! [`complete`] looks up. Unknown keys are passed over and missing ones are nothing, because clients
//! change weekly; an event that is of no interest is an `Incoming` in which nothing happened.
//!
//! A call that was refused never ran and is no event. A call of our own tools is none either: what
//! memory says about itself is not to be learned from.

mod call;
mod claude;
mod cline;
mod copilot;
mod cursor;
mod gemini;
mod goose;
pub mod plugin;
mod tail;

use std::{borrow::Cow, fmt, path::PathBuf};

use hardwon_clients::transcript::live;
use hardwon_core::{id::RunId, limits};
use hardwon_engine::attend::{Happened, Start};
use serde::Deserialize;

use super::{
    Incoming,
    client::{Client, Dialect, Event},
};

pub use tail::complete;

/// Why a payload could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireError {
    /// It is longer than [`limits::HOOK_BYTES`].
    Long,
    /// It is not the JSON that this client sends; the parser's words, which quote nothing of it.
    Malformed(String),
    /// It does not say which session it is about.
    NoSession,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long => write!(f, "the payload is longer than {} bytes", limits::HOOK_BYTES),
            Self::Malformed(why) => write!(f, "the payload cannot be read: {why}"),
            Self::NoSession => f.write_str("the payload does not name its session"),
        }
    }
}

impl std::error::Error for WireError {}

impl From<serde_json::Error> for WireError {
    /// Keeps where and of what kind the trouble was. The parser's own words may quote the payload.
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

/// Reads what a client sent.
///
/// `hint` is the event that the command was registered for; it counts where the payload does not
/// name its event.
///
/// # Errors
/// When the payload is too long, is not what this client sends, or names no session.
pub fn parse(client: Client, hint: Option<&str>, stdin: &[u8]) -> Result<Incoming, WireError> {
    if stdin.len() > limits::HOOK_BYTES {
        return Err(WireError::Long);
    }
    let text = String::from_utf8_lossy(stdin);
    // Windows shells put a mark before what they pipe.
    let json = text.trim_start_matches('\u{feff}');
    let reader = match client.row().dialect {
        Dialect::Claude => claude::read,
        Dialect::Gemini => gemini::read,
        Dialect::Copilot => copilot::read,
        Dialect::Plugin => plugin::read,
        Dialect::Cline => cline::read,
        Dialect::Cursor => cursor::read,
        Dialect::Goose => goose::read,
    };
    reader(client, hint, json)
}

/// The event as the dialects name it.
#[derive(Deserialize, Default)]
struct Named<'a> {
    #[serde(borrow, default)]
    hook_event_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    event: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "hookName")]
    hook_name: Option<Cow<'a, str>>,
}

/// Returns which registered event a payload is about, to answer it in its form.
#[must_use]
pub fn event_of(client: Client, hint: Option<&str>, stdin: &[u8]) -> Option<&'static Event> {
    let json = stdin.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stdin);
    let named: Named<'_> = serde_json::from_slice(json).unwrap_or_default();
    let name = match client.row().dialect {
        Dialect::Claude | Dialect::Gemini | Dialect::Copilot | Dialect::Cursor => {
            named.hook_event_name
        }
        Dialect::Plugin | Dialect::Goose => named.event,
        Dialect::Cline => named.hook_name,
    };
    event(client, hint, name.as_deref())
}

/// Returns the registered event that a payload is about.
fn event(client: Client, hint: Option<&str>, named: Option<&str>) -> Option<&'static Event> {
    client.event(named.or(hint)?)
}

/// Where something happened, as every payload says in one way or another.
#[derive(Default)]
struct Place<'a> {
    session: Option<&'a str>,
    cwd: Option<&'a str>,
    transcript: Option<&'a str>,
    in_subagent: bool,
    is_typed: Option<bool>,
}

impl Place<'_> {
    fn incoming(self, happened: Vec<Happened>) -> Result<Incoming, WireError> {
        Ok(Incoming {
            session: self.session.and_then(name).ok_or(WireError::NoSession)?,
            cwd: path(self.cwd),
            transcript: path(self.transcript),
            in_subagent: self.in_subagent,
            is_typed: self.is_typed,
            happened,
        })
    }
}

/// Returns a client's name for a session as a run may be named; none when nothing is left of it.
///
/// A name that can be one as it is stays as it is, because the session's transcript is read under
/// the same.
fn name(given: &str) -> Option<String> {
    let given = given.trim();
    if RunId::parse(given).is_ok() {
        return Some(given.to_owned());
    }
    let printable = given.chars().filter(|c| !c.is_control());
    let cleaned: String = printable.take(limits::NAME_CHARS).collect();
    RunId::parse(&cleaned).is_ok().then_some(cleaned)
}

fn path(given: Option<&str>) -> Option<PathBuf> {
    given
        .filter(|path| !path.is_empty() && !path.contains('\0'))
        .map(PathBuf::from)
}

/// Returns what a prompt was, if a person wrote any of it.
fn prompted(prompt: Option<&str>) -> Vec<Happened> {
    one(prompt.and_then(live::typed).map(Happened::Prompted))
}

fn stopped(said: Option<&str>, is_asked: bool) -> Vec<Happened> {
    let said = said
        .filter(|said| !said.trim().is_empty())
        .map(live::bounded);
    vec![Happened::Stopped { said, is_asked }]
}

/// Tells how a session began from the word that most clients use for it.
fn started(source: Option<&str>) -> Vec<Happened> {
    vec![Happened::Started(match source {
        Some("resume" | "fork") => Start::Resumed,
        Some("clear" | "compact") => Start::Cleared,
        _ => Start::Fresh,
    })]
}

/// One event, or none.
fn one(happened: Option<Happened>) -> Vec<Happened> {
    happened.into_iter().collect()
}
