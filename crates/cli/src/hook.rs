//! The door through which coding agents tell what happens, and are told what they should know.
//!
//! One command serves every client and event: `hardwon hook --client NAME`. What a client sent and
//! what it takes as an answer is known by [`hardwon_clients::hook`]. Nothing here decides what is said.
//!
//! What is kept between two hooks lies in the state folder: what is known of each session (see
//! [`FileSessions`](hardwon_engine::sessions::FileSessions)), when a client was last heard
//! (`clients/`), what agents were asked at the end of a turn (`questions.jsonl`), and what went wrong
//! (`hook.log`).

pub mod questions;
pub mod activity;

mod capture;
mod log;
mod context;
mod run;
mod watchdog;

pub(crate) use run::run;
