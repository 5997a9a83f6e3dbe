//! What is known of the coding agents that hardwon works with.
//!
//! [`transcript`] reads the sessions that they write. Nothing here decides what a lesson is, talks to
//! a terminal or reads the environment.

pub mod transcript;
