//! What a person sees: the binary, run in a folder of its own.
//! They are for the shells of Unix.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod env;

mod backup;
mod canary;
mod certificate;
mod config;
mod crash;
#[cfg(all(feature = "postgres", feature = "server"))]
mod database;
mod demo;
mod doctor;
mod effect;
mod faults;
mod files;
mod help;
mod hook;
mod init;
mod journal;
mod key;
mod leak;
mod learn;
mod lesson;
mod lesson_editor;
mod lesson_run;
mod log;
mod mcp;
mod memories;
mod model;
mod modules;
mod night_job;
mod observe;
mod open;
mod pages;
mod pause;
mod place;
mod place_audit;
#[cfg(all(feature = "postgres", feature = "server"))]
#[expect(dead_code, reason = "the tests of the store use more of it")]
#[path = "../../../store-postgres/tests/it/server.rs"]
mod postgres;
mod recall;
mod redact;
mod remote;
mod replay;
mod retro;
mod review;
mod review_gate;
mod scopes;
mod sweep;
mod semantic;
mod serve;
mod tidy;
mod upgrade;
mod week;
mod writ;
