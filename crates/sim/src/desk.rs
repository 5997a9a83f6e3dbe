//! The desks of simulated people and agents.

use hardwon_engine::{Desk, Engine, Principal, Scope};

/// Returns the desk of a person who works in this scope.
pub(crate) fn person_desk<'e>(engine: &'e Engine, scope: &Scope) -> Desk<'e> {
    engine.acting_as(Principal::person(scope.clone()))
}

/// Returns the desk of an agent at work in this scope, which may have read something from outside.
pub(crate) fn agent_desk<'e>(engine: &'e Engine, scope: &Scope, is_tainted: bool) -> Desk<'e> {
    engine.acting_as(Principal::agent(scope.clone(), is_tainted))
}
