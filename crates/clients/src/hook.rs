//! What the hooks of clients have in common: what they tell, and what is said back.
//!
//! What a client sent is parsed by its own wire types into one [`Incoming`]; what is to be said goes
//! back as one [`Reply`], in exactly the envelope that this client accepts for this event. Nothing
//! here decides what is said, and nothing runs a hook.

pub mod envelope;
pub mod plugin;

pub(crate) mod call;
pub(crate) mod incoming;
pub(crate) mod payload;
pub(crate) mod table;

mod detect;
mod typed;

pub use incoming::{Incoming, WireError};
pub use payload::{complete, event_of, parse};
pub use table::{Answer, Event, Means, Row, Shows, Timeout};
pub use typed::{Env, SessionSigns};

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
