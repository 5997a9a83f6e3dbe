//! The server over real sockets, with real SQLite files.

mod client;
mod lessons;
mod openapi;
mod recall;
mod stopping;
