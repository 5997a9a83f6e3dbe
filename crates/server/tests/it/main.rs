//! The server over real sockets, with real SQLite files.

mod archives;
mod client;
mod journal;
mod keys;
mod lessons;
mod openapi;
mod rate_limits;
mod recall;
mod recalls;
mod reviews;
mod roles;
mod stopping;
