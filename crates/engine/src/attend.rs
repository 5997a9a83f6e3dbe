//! What happens in a client's session, one event at a time.
//!
//! A client tells about its session through hooks: each event may come in a process of its own.
//! These are the events in our words, whichever client sent them; which client spells them how is
//! the door's business.

use hardwon_core::{
    event::ToolCall,
    id::{ClientName, RunId},
    scope::Scope,
    text::RawText,
};

/// Something that happened in a client's session.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Which session.
    pub run: RunId,
    /// Which client.
    pub client: ClientName,
    /// Whose lessons are meant.
    pub scope: Scope,
    /// Whether it happened in a sub-agent, whose prompt is its parent's.
    pub in_subagent: bool,
    /// What.
    pub what: Happened,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// The session began, or went on from where it was.
    Started(Start),
    /// The agent is about to be given a prompt.
    Prompted(RawText),
    /// A tool is about to be used.
    Calling {
        /// The client's name for the call, where it has one.
        call: Option<String>,
        /// The tool, as the agent calls it.
        tool: RawText,
        /// Its arguments: a command line for a shell, compact JSON for the rest.
        args: RawText,
    },
    /// A tool was used.
    Called {
        /// The client's name for the call, where it has one.
        call: Option<String>,
        /// What was called, and how it ended. The turn is not known and is 0.
        what: ToolCall<RawText>,
    },
    /// The agent came to the end of its turn.
    Stopped {
        /// Its last message, where the client tells.
        said: Option<RawText>,
        /// Whether it only goes on because a hook asked it to.
        is_asked: bool,
    },
    /// What was said so far is about to be summed up and forgotten.
    Compacting,
    /// The session is over.
    Ended,
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It is new.
    Fresh,
    /// It was taken up again.
    Resumed,
    /// It goes on after its context was cleared or summed up.
    Cleared,
}
