//! The server over real sockets, with real SQLite files.

mod archives;
mod client;
mod journal;
mod keys;
mod lessons;
mod observe;
mod openapi;
mod outcomes;
mod recall;
mod runs;
mod rate_limits;
mod recalls;
mod reviews;
mod roles;
mod stopping;
