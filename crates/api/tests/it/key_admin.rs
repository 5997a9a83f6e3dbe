//! Managing keys and tenants: what is answered, and what is taken in.

use hardwon_api::v1::key_admin::{
    AuditPageReply, AuditVerificationDto, ErasureReceiptDto, KeyPageReply, NewKeyBody,
    NewTenantBody, RevokedKeysReply, RotationBody, TenantPageReply,
};
use hardwon_core::{
    id::TenantId,
    journal::{ChainHead, Sha256Hash},
};
use hardwon_store::ErasedTenant;
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
    let at = time("2026-11-20T08:30:00Z");
    let golden = [
        show(
            "ErasureReceiptDto",
            &ErasureReceiptDto::new(&tenant, &erased, 6, at),
        ),
        show("AuditVerificationDto", &AuditVerificationDto::new(Ok(head))),
        show(
            "AuditVerificationDto, broken",
            &AuditVerificationDto::new(Err("entry 2 was altered".to_owned())),
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
                tenants: Vec::new(),
                next_cursor: None,
            },
        ),
        show(
            "AuditPageReply",
            &AuditPageReply {
                entries: Vec::new(),
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

#[test]
fn bodies() {
    let least: NewKeyBody = serde_json::from_value(json!({"unheard_of": 1})).unwrap();
    assert!(least.role.is_none() && least.agents.is_empty());
    let rotation: RotationBody = serde_json::from_value(json!({})).unwrap();
    assert_eq!(rotation.keep_seconds, None);
    assert!(serde_json::from_value::<NewTenantBody>(json!({})).is_err());
}
