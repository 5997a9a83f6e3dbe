//! Lessons for an agent that asks: the tools, resources and prompts of the Model Context Protocol.
//!
//! [`LessonServer`] answers whatever transport carries it. The protocol is the official SDK's business:
//! framing, versions, the handshake and the requests that carry everything with them. What is here
//! translates: a tool's arguments into the engine's words, the engine's answer into what an agent
//! reads. Every call stands on its own, so trouble with one spoils neither the next nor the server.
//!
//! Who calls, in which scope, and which store answers is not known here: a door says it, by [`McpDoor`] once
//! and by [`CallContext`] for each call. One over a pipe takes them from a person's settings, one over HTTP
//! (`http`, behind a feature of that name) from a request that it has let in. Nothing here reads settings,
//! checks a key or writes to a terminal.
//!
//! What an agent says is the agent's word, whoever put it into its mouth. What it is told is
//! neutralised as in a preamble, and of lessons that wait for a person it is told only that they do.

mod context;
#[cfg(feature = "http")]
pub mod http;
mod lesson_view;
mod mcp_error;
mod prompts;
mod resources;
mod server;
mod tools;

pub use context::{CallContext, CallingAgent, McpDoor, McpRequest};
pub use mcp_error::McpError;
pub(crate) use mcp_error::Result;
pub use server::LessonServer;
