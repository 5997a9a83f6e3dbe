//! Payloads and replies of hooks, in the form that all clients share.
//!
//! A payload is parsed by the table of the client's names into one [`HookPayload`]; the reply is one
//! [`HookReply`](hardwon_engine::attend::HookReply), wrapped in exactly the envelope that this client accepts for this
//! event. Nothing here decides the reply, and nothing runs a hook.

pub mod envelope;
pub mod plugin;

pub(crate) mod call;
pub(crate) mod fields;
pub(crate) mod incoming;
pub(crate) mod payload;
pub(crate) mod table;

mod detect;
mod interactive;

pub(crate) use call::PayloadCall;
pub(crate) use fields::Fields;
pub use incoming::{HookPayload, PayloadError};
pub use interactive::{EnvLookup, SessionSigns};
pub use payload::{complete_payload, find_event, parse_payload, shorten_payload};
pub(crate) use table::PayloadForm;
pub use table::{AnswerForm, HookEvent, HookEventKind, HookRow, ReplyJson, Timeout};
