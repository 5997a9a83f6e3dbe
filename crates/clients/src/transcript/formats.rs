//! Transcript formats of no client with hooks: other agents, chat messages, and our own plain trace.

pub mod plain;
pub(crate) mod specstory;

pub(crate) mod aider;
pub(crate) mod messages;
pub(crate) mod openhands;
