//! Tests of a policy for each tenant.

use std::sync::Arc;

use hardwon_core::{id::TenantId, lesson::LessonContent};
use hardwon_engine::{
    Engine, FixedClock, Note, Policy, PolicySource, Principal, RecallRequest, Scope,
};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;

/// Shows one lesson to the tenant of this name, and the default number to all others.
struct Frugal(&'static str);

impl PolicySource for Frugal {
    fn policy(&self, tenant: &TenantId) -> Arc<Policy> {
        let policy = Policy::default();
        let max_shown = if tenant.as_str() == self.0 {
            1
        } else {
            policy.max_shown
        };
        Arc::new(Policy {
            max_shown,
            ..policy
        })
    }
}

#[test]
fn each_tenant_has_its_own_policy() {
    let clock = Box::new(FixedClock(Timestamp::UNIX_EPOCH));
    let engine = Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock)
        .with_policies(Box::new(Frugal("harbour")));
    for (tenant, expected) in [("harbour", 1), ("orchard", 2), ("harbour", 1)] {
        let scope = Scope {
            tenant: TenantId::parse(tenant).unwrap(),
            ..Scope::default()
        };
        let desk = engine.acting_as(Principal::person(scope.clone()));
        for text in [
            "Run `make crane` before `make dock`.",
            "Take `make dock --slow` when the crane is down.",
        ] {
            desk.note(Note::new(LessonContent::new("make dock", text)))
                .unwrap();
        }
        let ask = RecallRequest::new(scope, "make dock fails, the crane is down");
        let recalled = desk.recall(&ask).unwrap();
        assert_eq!(recalled.preamble.shown.len(), expected, "{tenant}");
    }
}
