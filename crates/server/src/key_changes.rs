//! Changes of keys and tenants, as the API and the page order them.
//!
//! What may be changed is decided by `hardwon_core::api_key`. Whatever was remembered of keys is forgotten with a change, so
//! that a revoked key ends at once in this process.

use hardwon_core::{
    api_key::{ApiKeyRecord, KEY_ENTROPY_BYTES, KeyOrder, KeyReach},
    change::Actor,
};
use hardwon_store::keys::{KeyChangeError, KeyStore};
use jiff::Timestamp;

use crate::{
    error::{ApiError, Result},
    state::AppState,
};

/// Changes keys or tenants.
pub(crate) fn change_keys<T>(
    state: &AppState,
    change: impl FnOnce(&KeyStore) -> Result<T, KeyChangeError>,
) -> Result<T, KeyChangeError> {
    let outcome = change(&state.keys);
    state.key_cache.clear();
    outcome
}

/// Makes the order of the holder of a key, as of now.
pub(crate) fn order_of(by: &ApiKeyRecord, reach: KeyReach) -> KeyOrder {
    KeyOrder {
        at: now_in_millis(),
        by: by.actor(),
        reach,
    }
}

/// Makes an order of the server itself, as of now.
pub(crate) fn order_of_server(reach: KeyReach) -> KeyOrder {
    KeyOrder {
        at: now_in_millis(),
        by: Actor::server(),
        reach,
    }
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
