//! Support for the coding agents that hardwon works with, a folder for each.
//!
//! [`archive`] finds and opens the sessions that clients left, [`transcript`] reads them, [`hook`] parses the payloads
//! of their hooks and renders replies, [`setup`] edits their settings, and [`memories`] reads what they keep for later.
//! The shared code has no list of clients: only the `registry` has. Nothing here decides what a lesson is, talks to a
//! terminal or reads the environment by itself.

mod client;
mod registry;
pub mod memories;
pub mod report;

mod claude_code;
mod cline;
mod codex;
mod copilot_cli;
mod cursor;
mod gemini_cli;
mod goose;
mod opencode;
mod pi;
mod qwen_code;

pub mod archive;
pub mod hook;
pub mod setup;
pub mod transcript;

pub use client::Client;
pub use registry::find_agent_mark;
