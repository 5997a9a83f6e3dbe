//! The tests of the crate from outside, in one binary.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

use hardwon_engine::{Desk, Engine, Principal, Scope};

mod hook_wire;
mod kinds;
mod library;
mod recordings;
mod stored;
mod transcripts;

/// Returns the desk of a person without a project.
fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}
