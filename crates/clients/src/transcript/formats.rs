//! Transcript formats of no client with hooks: benchmarks, other agents, plain text, and our own plain trace.

pub mod plain;

pub(crate) mod aider;
pub(crate) mod intercode;
pub(crate) mod messages;
pub(crate) mod openhands;
pub(crate) mod react;
pub(crate) mod swe_agent;
