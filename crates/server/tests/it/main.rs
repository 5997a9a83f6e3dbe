//! The server over real sockets, with real SQLite files.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a helper of a test fails by panicking, as the test does, and says what it left out"
)]

mod browser;
mod client;
mod lessons;
mod openapi;
mod page;
mod page_visitor;
mod recall;
mod stopping;
mod webdriver;
