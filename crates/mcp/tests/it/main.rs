//! The tools over HTTP, in one binary: what they do over a pipe is tested with the command that serves them there.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod client;
mod http;
mod server;
