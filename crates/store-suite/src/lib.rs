//! The contract: what every store must do, as functions over any store.
//!
//! [`CASES`] run one by one, each on a store of its own. [`check_agreement`] plays random sequences of steps on two
//! stores and compares everything that can be queried after each. A new backend runs both, as it is and with its
//! transactions [run again](RerunStore). `KEY_CASES` are the contract of stores of keys (with the feature
//! `keys`), [`SESSION_CASES`] that of stores of sessions. Failures panic, as tests do.
//!
//! [`MemoryStore`] and [`MemorySessionStore`] are what others are compared with: plain maps, in which every query scans
//! everything. They serve tests and the simulator, and are in no product.

#![expect(
    clippy::unwrap_used,
    reason = "tests fail by panicking, wherever they are kept"
)]

mod answers;
mod inspect;
mod kept_records;
mod listings;
mod memory;
mod memory_sessions;
mod erasing;
mod cases;
mod filling;
mod jobs;
#[cfg(feature = "keys")]
mod key_cases;
#[cfg(feature = "keys")]
mod old_keys;
mod rerun;
mod scored_search;
mod session_cases;
pub mod samples;
mod steps;
mod transactions;
mod vectors;

use hardwon_store::Store;

pub use cases::CASES;
pub use filling::fill_tenant;
#[cfg(feature = "keys")]
pub use key_cases::{KEY_CASES, KeyCase};
pub use memory::MemoryStore;
pub use memory_sessions::MemorySessionStore;
#[cfg(feature = "keys")]
pub use old_keys::{OLD_KEY_ROWS, check_old_keys};
pub use rerun::RerunStore;
pub use scored_search::{ScoredSearch, search_all};
pub use session_cases::{MakeSessionStore, SESSION_CASES, SessionCase};
pub use steps::{StoreStep, arbitrary_steps, check_agreement};

/// Makes an empty store for one case.
pub type MakeStore<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// A case: what it claims, and the function that checks it.
pub type ContractCase = (&'static str, fn(MakeStore<'_>));
