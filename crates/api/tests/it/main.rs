//! The contract of the wire: what each type looks like as JSON, and what is taken in.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod delivery;
mod effects;
mod files;
mod journal;
mod learn;
mod lesson;
mod queue;
mod recall;
mod replay;
mod requests;
mod samples;
mod sweep;
mod taught;
mod text;
