//! What is known of the coding agents that hardwon works with, a folder for each.
//!
//! [`transcript`] reads the sessions that they write, [`hook`] what they tell while they work, and
//! [`setup`] edits their settings. Nothing here decides what a lesson is, talks to a terminal or reads
//! the environment.

mod client;
mod registry;

mod claude_code;
mod cline;
mod copilot_cli;
mod cursor;
mod gemini_cli;
mod goose;
mod opencode;
mod pi;
mod qwen_code;

pub mod codex;

pub mod archive;
pub mod bundle;
pub mod hook;
pub mod setup;
pub mod transcript;

pub use client::Client;
