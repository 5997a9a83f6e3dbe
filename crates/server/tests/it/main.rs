//! The server over real sockets, with real SQLite files.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a helper of a test fails by panicking, as the test does, and says what it left out"
)]

mod archives;
mod browser;
mod changes;
mod client;
mod deliveries;
mod journal;
mod keys;
mod lessons;
mod observe;
mod openapi;
mod outcomes;
mod page;
mod page_visitor;
mod recall;
mod runs;
mod rate_limits;
mod recalls;
mod reviews;
mod roles;
mod stopping;
mod webdriver;
