//! The server over real sockets, with real SQLite files.

mod client;
mod lessons;
mod observe;
mod openapi;
mod outcomes;
mod recall;
mod runs;
mod stopping;
