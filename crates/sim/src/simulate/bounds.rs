//! How large the simulated world is: small, so that its bounds are met.

use hardwon_core::PreambleBudget;

/// Processes that share the SQLite file.
pub(super) const PROCESSES: usize = 2;
/// Learned lessons that one scope may hold: few, so that some must leave.
pub(super) const CAPACITY: usize = 5;
/// The maximum size of a preamble: small, so that not all fits.
pub(super) const BUDGET: PreambleBudget = PreambleBudget {
    bytes: 700,
    tokens: 150,
};
