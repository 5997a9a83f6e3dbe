//! Changes of keys and tenants, as the API and the page order them.
//!
//! What an order does is decided by `hardwon_core::api_key`. Whatever was remembered of keys is forgotten with it, so that
//! a revoked key ends at once in this process.

use hardwon_core::api_key::{
    ApiKeyRecord, KEY_ENTROPY_BYTES, KeyChange, KeyDecision, KeyOrder, KeyReach,
};
use hardwon_store::keys::KeyChangeError;
use jiff::Timestamp;

use crate::{
    error::{ApiError, Result},
    state::AppState,
};

/// Has the store of keys carry out a change that the holder of a key orders.
pub(crate) fn order_change(
    state: &AppState,
    by: &ApiKeyRecord,
    reach: KeyReach,
    change: KeyChange,
) -> Result<KeyDecision, KeyChangeError> {
    let order = KeyOrder {
        at: now_in_millis(),
        by: by.actor(),
        reach,
        change,
    };
    let decision = state.keys.apply(&order);
    state.key_cache.clear();
    decision
}

/// Returns the time as records of keys have it.
pub(crate) fn now_in_millis() -> Timestamp {
    let now = Timestamp::now().as_millisecond();
    Timestamp::from_millisecond(now).expect("the time of a clock has milliseconds")
}

/// Returns bytes that nobody can guess.
pub(crate) fn draw_entropy() -> Result<[u8; KEY_ENTROPY_BYTES]> {
    let mut entropy = [0; KEY_ENTROPY_BYTES];
    getrandom::fill(&mut entropy).map_err(|error| ApiError::internal(&error))?;
    Ok(entropy)
}
