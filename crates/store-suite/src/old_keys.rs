//! Keys as an earlier version kept them, and what a store that was brought up to date has to make of them.

use hardwon_core::{Actor, limits};
use hardwon_server::KeyStore;
use hardwon_server::{ApiKey, AuditAction, KeyId, KeyOrder, KeyReach};
use jiff::{Timestamp, ToSpan as _};

/// The rows, as SQLite reads them.
pub const OLD_KEY_ROWS: &str = include_str!("old_keys/rows.sql");
/// The owner's key, whose hash is in the rows.
const OWNER: &str = "hwk_r7lcvLE9dCsO8yJ8KAbLAy3nfAlDAPNCuOcQYPDCBg2Ri7dO";

/// Checks that a store has the keys of [`OLD_KEY_ROWS`] and goes on with them and their log.
pub fn check_old_keys(store: &KeyStore) {
    let keys = store.keys(&KeyReach::Server, None, limits::PAGE_ROWS);
    let ids: Vec<String> = keys.unwrap().iter().map(|key| key.id.to_string()).collect();
    let expected = [
        "XOsD2VbG5j",
        "YpMrRbiXqe",
        "cVeDGCfgUc",
        "r7lcvLE9dC",
        "wHFlrOL2ll",
    ];
    assert_eq!(ids, expected);
    let now: Timestamp = "2026-11-26T06:00:00Z".parse().unwrap();
    let find = |id: &str| store.find_key(&KeyId::parse(id).unwrap()).unwrap().unwrap();
    let owner = ApiKey::parse(OWNER).unwrap();
    assert_eq!(find("r7lcvLE9dC").authenticate(&owner, now), Ok(()));
    assert_eq!(find("YpMrRbiXqe").revoked.unwrap().by, Actor::person());
    let rotated = find("cVeDGCfgUc");
    assert!(rotated.older_secret.is_some() && rotated.expires.is_some());

    let verify = || {
        let report = store.verify().unwrap();
        assert_eq!(report.faults, Vec::<String>::new());
        report.entries
    };
    assert_eq!(verify(), 12);
    let order = KeyOrder {
        at: now,
        by: Actor::person(),
        reach: KeyReach::Server,
    };
    let until = now + 1.hour();
    let secret = owner.secret_hash();
    store
        .rotate_key(&order, &rotated.id, &secret, until)
        .unwrap();
    let revoked = store.revoke_key(&order, owner.id()).unwrap();
    assert_eq!(revoked.len(), 2, "the session ends with its key");
    assert_eq!(verify(), 15);
    let log = store.log(&KeyReach::Server, 11, 2).unwrap();
    let actions: Vec<AuditAction> = log.iter().map(|entry| entry.action).collect();
    assert_eq!(actions, [AuditAction::KeyRevoked, AuditAction::KeyRotated]);
}
