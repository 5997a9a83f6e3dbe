//! The server over real sockets, with real SQLite files, and with a real PostgreSQL where there is one.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a helper of a test fails by panicking, as the test does, and says what it left out"
)]

mod browser;
mod client;
mod connections;
mod deliveries;
mod journal;
mod key_admin_json;
mod key_file;
mod key_json;
mod keys;
mod hostile;
mod lessons;
mod malformed;
mod mcp;
mod observe;
mod openapi;
mod outcomes;
mod page;
mod page_login;
mod page_visitor;
#[expect(dead_code, reason = "the tests of the store use more of it")]
#[path = "../../../store-postgres/tests/it/server.rs"]
mod postgres;
mod recall;
mod runs;
mod rate_limits;
mod recalls;
mod repeats;
mod replica;
mod reviews;
mod roles;
#[expect(
    dead_code,
    reason = "the tests of the JSON of all doors use more of it"
)]
#[path = "../../../api/tests/it/samples.rs"]
mod samples;
mod stopping;
mod sweeps;
mod tamper;
mod webdriver;
