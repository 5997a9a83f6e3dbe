//! Keys, tenants and their log.

use hardwon_core::{Actor, KeyName, TenantId};
use hardwon_server::{
    ApiKey, ApiKeyRecord, AuditAction, KeyGrant, KeyKind, KeyLimits, KeyLogEntry, OlderSecret,
    Revocation, Role, TenantRecord, api_key::KEY_ENTROPY_BYTES,
};
use hardwon_server::{ApiKeyDto, NewKeyDto};

use crate::samples::{clean, scope, show, time};

fn key() -> ApiKey {
    ApiKey::from_entropy(KeyKind::Tenant, [7; KEY_ENTROPY_BYTES])
}

/// A record with as little in it as there must be.
fn bare() -> ApiKeyRecord {
    let key = ApiKey::from_entropy(KeyKind::Operator, [8; KEY_ENTROPY_BYTES]);
    let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
    let name = KeyName::parse("root").unwrap();
    ApiKeyRecord::new(&key, grant, name, time("2026-11-20T08:30:00Z"), None)
}

/// A record with everything in it.
fn full() -> ApiKeyRecord {
    let place = scope();
    let limits = KeyLimits {
        agents: [place.agent].into(),
        projects: place.project.into_iter().collect(),
    };
    ApiKeyRecord {
        older_secret: Some(OlderSecret {
            hash: key().secret_hash(),
            until: time("2026-11-21T08:30:00Z"),
        }),
        opened_by: Some(bare().id),
        expires: Some(time("2026-12-20T08:30:00Z")),
        last_used: Some(time("2026-11-20T09:00:00Z")),
        revoked: Some(Revocation {
            at: time("2026-11-20T10:00:00Z"),
            by: Actor::person(),
        }),
        ..ApiKeyRecord::new(
            &key(),
            KeyGrant::new(Role::Agent, Some(place.tenant), limits).unwrap(),
            KeyName::parse("build machine").unwrap(),
            time("2026-11-20T08:30:00.123Z"),
            None,
        )
    }
}

fn entry(sequence: u64, action: AuditAction) -> KeyLogEntry {
    KeyLogEntry {
        sequence,
        at: time("2026-11-20T08:30:00.123Z"),
        by: Actor::person(),
        action,
        tenant: Some(TenantId::parse("acme").unwrap()),
        key: None,
        before: None,
        after: None,
    }
}

#[test]
fn keys_and_tenants() {
    let tenant = TenantRecord {
        id: TenantId::parse("acme").unwrap(),
        created: time("2026-11-20T08:30:00Z"),
    };
    let golden = [
        show("ApiKeyDto", &ApiKeyDto::from(&full())),
        show("ApiKeyDto, bare", &ApiKeyDto::from(&bare())),
        show("NewKeyDto", &NewKeyDto::new(&key(), &full())),
        show("TenantDto", &tenant),
    ];
    insta::assert_snapshot!("key", golden.concat());
}

#[test]
fn the_log() {
    let added = entry(1, AuditAction::TenantAdded);
    let rotated = KeyLogEntry {
        key: Some(key().id().clone()),
        before: Some(clean("{}")),
        after: Some(clean(r#"{"name":"ci"}"#)),
        ..entry(2, AuditAction::KeyRotated)
    };
    let golden = [
        show("AuditEntryDto", &rotated),
        show("AuditEntryDto, bare", &added),
    ];
    insta::assert_snapshot!("key_log", golden.concat());
}
