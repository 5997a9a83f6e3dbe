//! Managing keys and tenants: what is answered.

use hardwon_core::{Actor, KeyName, TenantId};
use hardwon_server::{
    ApiKey, ApiKeyDto, ApiKeyRecord, AuditAction, AuditPageReply, AuditVerificationDto,
    ErasureReceiptDto, KeyGrant, KeyKind, KeyLimits, KeyLogEntry, KeyLogReport, KeyPageReply,
    NewKeyBody, NewKeyDto, NewTenantBody, RevokedKeysReply, Role, RotationBody, TenantPageReply,
    TenantRecord, api_key::KEY_ENTROPY_BYTES,
};
use hardwon_store::{ChainHead, ErasedTenant, Sha256Hash};
use serde_json::json;

use crate::samples::{show, time};

#[test]
fn answers() {
    let head = ChainHead {
        sequence: 2,
        hash: Sha256Hash::from_bytes([3; 32]),
    };
    let erased = ErasedTenant {
        journal_head: head,
        lessons: 1,
        recalls: 4,
        judgements: 3,
        jobs: 5,
    };
    let tenant = TenantId::parse("acme").unwrap();
    let at = time("2026-11-20T08:30:00Z").to_string();
    let golden = [
        show(
            "ErasureReceiptDto",
            &ErasureReceiptDto::new(&tenant, &erased, Some(6), at),
        ),
        show(
            "AuditVerificationDto",
            &AuditVerificationDto::from(report(&[])),
        ),
        show(
            "AuditVerificationDto, different",
            &AuditVerificationDto::from(report(&["key one differs", "key two is not there"])),
        ),
        show(
            "KeyPageReply",
            &KeyPageReply {
                keys: Vec::new(),
                next_cursor: Some("0123456789"),
            },
        ),
        show(
            "TenantPageReply",
            &TenantPageReply {
                tenants: &[],
                next_cursor: None,
            },
        ),
        show(
            "AuditPageReply",
            &AuditPageReply {
                entries: &[],
                next_after: Some(7),
            },
        ),
        show(
            "RevokedKeysReply",
            &RevokedKeysReply {
                revoked: vec!["0123456789"],
            },
        ),
    ];
    insta::assert_snapshot!("key_admin", golden.concat());
}

fn report(faults: &[&str]) -> KeyLogReport {
    KeyLogReport {
        entries: 2,
        faults: faults.iter().map(|fault| (*fault).to_owned()).collect(),
    }
}

/// The record of an operator's key, and its key.
fn operator() -> (ApiKey, ApiKeyRecord) {
    let key = ApiKey::from_entropy(KeyKind::Operator, [8; KEY_ENTROPY_BYTES]);
    let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
    let name = KeyName::parse("root").unwrap();
    let record = ApiKeyRecord::new(&key, grant, name, time("2026-11-20T08:30:00Z"), None);
    (key, record)
}

#[test]
fn what_is_kept() {
    let (key, record) = operator();
    let tenant = TenantRecord {
        id: TenantId::parse("acme").unwrap(),
        created: record.created,
    };
    let entry = KeyLogEntry {
        sequence: 1,
        at: record.created,
        by: Actor::person(),
        action: AuditAction::TenantAdded,
        tenant: Some(tenant.id.clone()),
        key: None,
        before: None,
        after: None,
    };
    let golden = [
        show("ApiKeyDto", &ApiKeyDto::from(&record)),
        show("NewKeyDto", &NewKeyDto::new(&key, &record)),
        show("TenantDto", &tenant),
        show("AuditEntryDto", &entry),
    ];
    insta::assert_snapshot!("key_records", golden.concat());
}

#[test]
fn what_comes_in_may_have_more_in_it() {
    fn reads<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> bool {
        serde_json::from_value::<T>(value).is_ok()
    }
    // What a key is asked to be is all known, or it may become more than was meant.
    assert!(reads::<NewKeyBody>(json!({})) && !reads::<NewKeyBody>(json!({"more": 1})));
    assert!(reads::<RotationBody>(json!({})) && reads::<RotationBody>(json!({"more": 1})));
    assert!(reads::<NewTenantBody>(json!({"tenant": "", "more": 1})));
    assert!(!reads::<NewTenantBody>(json!({})));
}
