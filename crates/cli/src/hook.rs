//! The hook command: the door through which coding agents report events and get replies.
//!
//! One command serves every client and event: `hardwon hook --client NAME`. [`hardwon_clients::hook`] knows what each
//! client sends and which reply it takes. Nothing here decides the reply.
//!
//! The state folder keeps what is needed between two hooks: the state of each session (see
//! [`FileSessions`](hardwon_engine::sessions::FileSessions)), the last event of each client (`clients/`), the questions
//! to agents at the end of a turn (`questions.jsonl`), the writs that were not carried out (`writs.jsonl`), and errors
//! (`hook.log`).

pub mod questions;
pub mod undone;
pub mod activity;

mod aftermath;
mod arrival;
mod capture;
mod line_log;
mod log;
mod context;
mod run;
mod watchdog;

pub(crate) use log::count_late_prompts;
pub(crate) use run::run;
