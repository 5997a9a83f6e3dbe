//! The engine's tests from outside, in one binary.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

use hardwon_engine::{Desk, Engine, Principal, Scope};

mod audit;
mod credit;
mod desk;
mod files;
mod once;
mod replica;
mod report;
mod retro;
mod semantic;
mod sweep;
mod sweep_groups;
mod sweep_property;
mod writ;

/// Returns the desk of a person without a project.
fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}
