//! The server over real sockets, with real SQLite files.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod client;
mod lessons;
mod openapi;
mod page;
mod page_visitor;
mod recall;
mod stopping;
