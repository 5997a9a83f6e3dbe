//! The door through which coding agents tell what happens, and are told what they should know.
//!
//! One command serves every client and event: `hardwon hook --client NAME`. What a client sent is
//! parsed by its own `wire` types into one [`Incoming`]; what is to be said goes back as one
//! [`Reply`], in exactly the envelope that this client accepts for this event. Nothing here decides
//! what is said.
//!
//! What is kept between two hooks lies in the state folder: what is known of each session (see
//! [`FileSessions`](hardwon_engine::sessions::FileSessions)), when a client was last heard
//! (`clients/`), what agents were asked at the end of a turn (`questions.jsonl`), and what went wrong
//! (`hook.log`).

pub mod client;
pub mod envelope;
pub mod questions;
pub mod seen;
pub mod wire;

mod capture;
mod log;
mod place;
mod run;
mod typed;
mod watchdog;

use std::path::PathBuf;

use hardwon_engine::attend::Happened;

pub(crate) use run::run;

/// What a client said through a hook, in our words.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// The client's name for the session.
    pub session: String,
    /// Where the session works, if the client says.
    pub cwd: Option<PathBuf>,
    /// The file that the client writes its transcript to, if it says.
    pub transcript: Option<PathBuf>,
    /// Whether it happened in a sub-agent.
    pub in_subagent: bool,
    /// Whether a person types into the session, as far as a plugin of ours tells.
    pub is_typed: Option<bool>,
    /// What happened; several things when the client tells of a whole batch of calls at once, none
    /// when it is of no interest.
    pub happened: Vec<Happened>,
}

/// What is to be said to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    Silence,
    /// Something that the model should know from here on.
    Context(String),
    /// Something that the model should know before it stops, so that it goes on.
    GoOn(String),
}
