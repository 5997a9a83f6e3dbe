//! What the hooks of clients have in common: what they tell, and what is said back.
//!
//! What a client sent is parsed by its own wire types into one [`HookPayload`]; what is to be said goes
//! back as one [`HookReply`](hardwon_engine::attend::HookReply), in exactly the envelope that this client accepts for this event. Nothing
//! here decides what is said, and nothing runs a hook.

pub mod envelope;
pub mod plugin;

pub(crate) mod call;
pub(crate) mod incoming;
pub(crate) mod payload;
pub(crate) mod table;

mod detect;
mod interactive;

pub use incoming::{HookPayload, PayloadError};
pub use interactive::{EnvLookup, SessionSigns};
pub use payload::{complete_payload, find_event, parse_payload};
pub use table::{AnswerForm, FailureSign, HookEvent, HookEventKind, HookRow, Timeout};
