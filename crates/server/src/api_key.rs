//! API keys: what a key may do, and what is recorded about it.
//!
//! The [record](ApiKeyRecord) of a [`KeyId`] decides whether a key is [genuine](ApiKeyRecord::authenticate) and makes the
//! [principal](ApiKeyRecord::principal) who acts. Keys and tenants change on a [`KeyOrder`], and each change leaves a
//! [`KeyLogEntry`]. A secret is never kept: records hold a hash of it.
//!
//! Randomness and time are arguments. Nothing here knows HTTP, and what a principal may do is in
//! [`access`](hardwon_engine::access).

mod record;
mod principal;
mod order;
mod log;
#[cfg(test)]
mod tests;

pub use hardwon_api::api_key::{ApiKey, InvalidKey, KEY_ENTROPY_BYTES, KeyId, KeyKind, SecretHash};
pub use log::{AuditAction, KeyLogEntry, KeyLogReport, KeyReplay};
pub use order::{
    KeyChangeRefusal, KeyOrder, KeyReach, NewKeyFacts, TenantRecord, check_new_key,
    choose_surplus_sessions,
};
pub use principal::AskedScope;
pub use record::{
    ApiKeyRecord, Capability, InvalidGrant, KeyGrant, KeyLimits, KeyRefusal, OlderSecret,
    Revocation, Role,
};
