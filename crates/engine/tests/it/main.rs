//! The engine's tests from outside, in one binary.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod credit;
mod files;
mod library;
mod recordings;
mod semantic;
mod stored;
mod transcripts;
mod writ;
