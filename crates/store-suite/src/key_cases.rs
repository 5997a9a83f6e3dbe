//! Contract cases for stores of keys.

use hardwon_core::{
    api_key::{
        ApiKey, ApiKeyRecord, AuditAction, AuditEntry, KEY_ENTROPY_BYTES, KeyChange,
        KeyChangeRefusal, KeyGrant, KeyId, KeyKind, KeyLimits, KeyOrder, KeyReach, Role,
    },
    change::Actor,
    id::{AgentId, KeyName, ProjectId},
    limits,
};
use hardwon_store::keys::{AuditListing, KeyChangeError, KeyListing, KeyStore, verify_audit};
use jiff::{Timestamp, ToSpan as _};

use super::samples::tenant_id;

/// Makes an empty store of keys for one case.
pub type MakeKeyStore<'a> = &'a dyn Fn() -> Box<dyn KeyStore>;

/// A case: what it claims, and the function that checks it.
pub type KeyCase = (&'static str, fn(MakeKeyStore<'_>));

/// Every case, in the order of reading.
pub const KEY_CASES: &[KeyCase] = &[
    ("an empty store has nothing", nothing_at_first),
    ("a record is found as it was saved", records_round_trip),
    ("a tenant's keys are listed apart", listings_are_apart),
    (
        "an order that is refused changes nothing",
        refusals_change_nothing,
    ),
    ("a rotation keeps one older secret", rotation),
    ("revoking a key ends its sessions", revocation),
    ("a key has so many sessions, the last ones", sessions),
    (
        "an identity is renewed until somebody revokes it",
        identities,
    ),
    ("a tenant goes with its keys", tenant_removal),
    ("keys end when their time is over", expiry),
    (
        "keys that ended are forgotten, and not what was done to them",
        pruning,
    ),
    ("the last use only grows", uses),
    ("servers share what they keep secret", secrets),
    ("every change is in the log, which verifies", audit_log),
    ("orders from many threads leave one chain", threads),
];

fn noon() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

fn make_key(kind: KeyKind, number: usize) -> ApiKey {
    let mut entropy = [0x5a; KEY_ENTROPY_BYTES];
    for place in [8, 40] {
        entropy[place..place + 8].copy_from_slice(&(number as u64 + 1).to_be_bytes());
    }
    ApiKey::from_entropy(kind, entropy)
}

fn make_record(key: &ApiKey, tenant: &str) -> ApiKeyRecord {
    let limits = KeyLimits {
        agents: [AgentId::parse("a").unwrap()].into(),
        projects: [
            ProjectId::parse("p").unwrap(),
            ProjectId::parse("é").unwrap(),
        ]
        .into(),
    };
    let grant = match key.kind() {
        KeyKind::Operator => KeyGrant::new(Role::Operator, None, KeyLimits::default()),
        _ => KeyGrant::new(Role::Agent, Some(tenant_id(tenant)), limits),
    };
    let name = KeyName::parse("build machine").unwrap();
    ApiKeyRecord::new(key, grant.unwrap(), name, noon(), None)
}

fn order(change: KeyChange) -> KeyOrder {
    KeyOrder {
        at: noon(),
        by: Actor::person(),
        reach: KeyReach::Server,
        change,
    }
}

fn apply(store: &dyn KeyStore, change: KeyChange) {
    store.apply(&order(change)).unwrap();
}

fn add_tenant(store: &dyn KeyStore, name: &str) {
    apply(store, KeyChange::AddTenant(tenant_id(name)));
}

fn add_key(store: &dyn KeyStore, record: &ApiKeyRecord) {
    apply(store, KeyChange::AddKey(Box::new(record.clone())));
}

/// Makes a store with a tenant `t` that has one key.
fn with_key(make: MakeKeyStore<'_>) -> (Box<dyn KeyStore>, ApiKey) {
    let store = make();
    add_tenant(&*store, "t");
    let key = make_key(KeyKind::Tenant, 1);
    add_key(&*store, &make_record(&key, "t"));
    (store, key)
}

fn find(store: &dyn KeyStore, id: &KeyId) -> ApiKeyRecord {
    store.find_key(id).unwrap().unwrap()
}

fn log(store: &dyn KeyStore, reach: KeyReach) -> Vec<AuditEntry> {
    let listing = AuditListing {
        reach,
        after: 0,
        limit: limits::PAGE_ROWS,
    };
    store.audit(&listing).unwrap()
}

/// Everything of a record, its hashes as well, which do not compare.
fn whole(record: &ApiKeyRecord) -> String {
    let older = record.older_secret.as_ref().map(|it| *it.hash.expose());
    format!("{record:?} {:?} {older:?}", record.secret.expose())
}

fn ids(store: &dyn KeyStore, reach: KeyReach) -> Vec<KeyId> {
    let keys = store.keys(&KeyListing::first(reach)).unwrap();
    keys.into_iter().map(|it| it.id).collect()
}

fn nothing_at_first(make: MakeKeyStore<'_>) {
    let store = make();
    assert!(
        store
            .find_key(make_key(KeyKind::Tenant, 1).id())
            .unwrap()
            .is_none()
    );
    assert!(ids(&*store, KeyReach::Server).is_empty());
    assert!(store.tenants(None, 10).unwrap().is_empty());
    assert!(store.find_tenant(&tenant_id("t")).unwrap().is_none());
    assert!(!store.has_valid_key(noon()).unwrap());
    assert_eq!(verify_audit(&*store).unwrap().unwrap().sequence, 0);
}

fn records_round_trip(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    assert_eq!(
        whole(&find(&*store, key.id())),
        whole(&make_record(&key, "t"))
    );
    let operator = make_key(KeyKind::Operator, 2);
    let mut record = make_record(&operator, "");
    record.expires = Some(noon() + 90.minutes() + 250.microseconds());
    add_key(&*store, &record);
    record.expires = Some(noon() + 90.minutes());
    assert_eq!(whole(&find(&*store, operator.id())), whole(&record));
    let session = make_key(KeyKind::Session, 3);
    let record = find(&*store, key.id()).open_session(&session, noon(), noon() + 8.hours());
    add_key(&*store, &record);
    assert_eq!(whole(&find(&*store, session.id())), whole(&record));
    assert!(store.has_valid_key(noon()).unwrap());
}

fn listings_are_apart(make: MakeKeyStore<'_>) {
    let store = make();
    let names = ["b", "a", "B", "é"];
    for name in names {
        add_tenant(&*store, name);
    }
    let tenants = |after: Option<&str>, limit| -> Vec<String> {
        let after = after.map(tenant_id);
        let page = store.tenants(after.as_ref(), limit).unwrap();
        page.into_iter().map(|it| it.id.to_string()).collect()
    };
    assert_eq!(tenants(None, 10), ["B", "a", "b", "é"]);
    assert_eq!(tenants(Some("B"), 2), ["a", "b"]);
    assert_eq!(
        store.find_tenant(&tenant_id("a")).unwrap().unwrap().created,
        noon()
    );

    let mut all = Vec::new();
    for number in 0..6 {
        let key = make_key(KeyKind::Tenant, number);
        add_key(&*store, &make_record(&key, names[number % 2]));
        all.push(key.id().clone());
    }
    let operator = make_key(KeyKind::Operator, 9);
    add_key(&*store, &make_record(&operator, ""));
    all.push(operator.id().clone());
    all.sort();
    assert_eq!(ids(&*store, KeyReach::Server), all);
    assert_eq!(ids(&*store, KeyReach::Tenant(tenant_id("a"))).len(), 3);
    assert!(ids(&*store, KeyReach::Tenant(tenant_id("B"))).is_empty());
    let page = KeyListing {
        after: Some(all[2].clone()),
        limit: 2,
        ..KeyListing::first(KeyReach::Server)
    };
    let page: Vec<KeyId> = store
        .keys(&page)
        .unwrap()
        .into_iter()
        .map(|it| it.id)
        .collect();
    assert_eq!(page, all[3..5]);
    let of_a = log(&*store, KeyReach::Tenant(tenant_id("a")));
    let is_a = |it: &AuditEntry| it.event.tenant == Some(tenant_id("a"));
    assert!(of_a.len() == 4 && of_a.iter().all(is_a), "{of_a:?}");
}

fn refusals_change_nothing(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let before = (whole(&find(&*store, key.id())), store.audit_head().unwrap());
    let foreign = KeyOrder {
        reach: KeyReach::Tenant(tenant_id("u")),
        ..order(KeyChange::RevokeKey(key.id().clone()))
    };
    let unknown = make_key(KeyKind::Tenant, 7);
    let cases = [
        (foreign, KeyChangeRefusal::UnknownKey(key.id().clone())),
        (
            order(KeyChange::AddTenant(tenant_id("t"))),
            KeyChangeRefusal::TenantExists(tenant_id("t")),
        ),
        (
            order(KeyChange::AddKey(Box::new(make_record(&key, "t")))),
            KeyChangeRefusal::KeyExists(key.id().clone()),
        ),
        (
            order(KeyChange::AddKey(Box::new(make_record(&unknown, "u")))),
            KeyChangeRefusal::UnknownTenant(tenant_id("u")),
        ),
        (
            order(KeyChange::RevokeKey(unknown.id().clone())),
            KeyChangeRefusal::UnknownKey(unknown.id().clone()),
        ),
    ];
    for (order, expected) in cases {
        match store.apply(&order) {
            Err(KeyChangeError::Refused(why)) => assert_eq!(why, expected),
            other => panic!("{order:?}: {other:?}"),
        }
    }
    let after = (whole(&find(&*store, key.id())), store.audit_head().unwrap());
    assert_eq!(after, before);
}

fn rotation(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let next = |number| {
        let entropy = [number; KEY_ENTROPY_BYTES];
        ApiKey::with_new_secret(KeyKind::Tenant, key.id().clone(), entropy)
    };
    let rotate = |to: &ApiKey| {
        apply(
            &*store,
            KeyChange::RotateKey {
                key: key.id().clone(),
                secret: to.secret_hash(),
                older_until: noon() + 1.hour(),
            },
        );
    };
    let accepts = |key: &ApiKey, at| find(&*store, key.id()).authenticate(key, at).is_ok();
    let (second, third) = (next(2), next(3));
    rotate(&second);
    let later = noon() + 1.hour();
    assert!(accepts(&key, noon()) && accepts(&second, noon()) && accepts(&second, later));
    assert!(!accepts(&key, later) && !accepts(&third, noon()));
    rotate(&third);
    assert!(!accepts(&key, noon()) && accepts(&second, noon()) && accepts(&third, later));
}

fn revocation(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let session = make_key(KeyKind::Session, 2);
    let opener = find(&*store, key.id());
    add_key(
        &*store,
        &opener.open_session(&session, noon(), noon() + 8.hours()),
    );
    assert!(
        find(&*store, session.id())
            .authenticate(&session, noon())
            .is_ok()
    );
    apply(&*store, KeyChange::RevokeKey(key.id().clone()));
    let record = find(&*store, key.id());
    assert!(record.authenticate(&key, noon()).is_err(), "{record:?}");
    assert_eq!(record.revoked.unwrap().by, Actor::person());
    // Of a session the log tells enough.
    assert!(store.find_key(session.id()).unwrap().is_none());
    assert!(!store.has_valid_key(noon()).unwrap());
    let late = opener.open_session(&make_key(KeyKind::Session, 3), noon(), noon() + 8.hours());
    let refused = store.apply(&order(KeyChange::AddKey(Box::new(late))));
    assert!(
        matches!(refused, Err(KeyChangeError::Refused(_))),
        "{refused:?}"
    );
    let again = store
        .apply(&order(KeyChange::RevokeKey(key.id().clone())))
        .unwrap();
    assert!(again.events.is_empty());
}

fn sessions(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let opener = find(&*store, key.id());
    let open = |number: usize| {
        let session = make_key(KeyKind::Session, number);
        let at = noon() + i64::try_from(number).unwrap().milliseconds();
        add_key(
            &*store,
            &opener.open_session(&session, at, noon() + 8.hours()),
        );
        session.id().clone()
    };
    let most = limits::KEY_SESSIONS;
    let all: Vec<KeyId> = (10..10 + most + 2).map(open).collect();
    let is_there = |id: &KeyId| store.find_key(id).unwrap().is_some();
    let there: Vec<bool> = all.iter().map(is_there).collect();
    assert_eq!(there, [vec![false; 2], vec![true; most]].concat());
    let ended = log(&*store, KeyReach::Server);
    let ended = ended
        .iter()
        .filter(|it| it.event.action == AuditAction::KeyRevoked);
    let ended: Vec<_> = ended.map(|it| it.event.key.as_ref().unwrap()).collect();
    assert_eq!(ended, [&all[0], &all[1]]);
}

fn tenant_removal(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    add_tenant(&*store, "u");
    let other = make_key(KeyKind::Tenant, 2);
    add_key(&*store, &make_record(&other, "u"));
    apply(&*store, KeyChange::RemoveTenant(tenant_id("t")));
    assert!(store.find_tenant(&tenant_id("t")).unwrap().is_none());
    assert!(find(&*store, key.id()).revoked.is_some());
    assert!(find(&*store, other.id()).revoked.is_none());
    // A new tenant of this name does not bring the keys back.
    add_tenant(&*store, "t");
    assert!(find(&*store, key.id()).authenticate(&key, noon()).is_err());
}

fn identities(make: MakeKeyStore<'_>) {
    let store = make();
    add_tenant(&*store, "t");
    let add = |number, end: Timestamp| {
        let record = ApiKeyRecord {
            expires: Some(end),
            ..make_record(&make_key(KeyKind::Identity, number), "t")
        };
        store.apply(&order(KeyChange::AddKey(Box::new(record))))
    };
    let id = make_key(KeyKind::Identity, 1).id().clone();
    add(1, noon() + 1.hour()).unwrap();
    store.note_uses(&[(id.clone(), noon())]).unwrap();
    let renewed = add(1, noon() + 2.hours()).unwrap();
    assert!(renewed.events[0].before.is_some(), "{renewed:?}");
    let kept = find(&*store, &id);
    assert_eq!(
        (kept.expires, kept.last_used),
        (Some(noon() + 2.hours()), Some(noon()))
    );
    let rotate = KeyChange::RotateKey {
        key: id.clone(),
        secret: make_key(KeyKind::Identity, 2).secret_hash(),
        older_until: noon(),
    };
    let rotated = store.apply(&order(rotate));
    let refused = KeyChangeRefusal::IdentityKey(id.clone());
    assert!(matches!(rotated, Err(KeyChangeError::Refused(why)) if why == refused));

    apply(&*store, KeyChange::RevokeKey(id.clone()));
    let again = add(1, noon() + 3.hours());
    let refused = KeyChangeRefusal::EndedKey(id.clone());
    assert!(matches!(again, Err(KeyChangeError::Refused(why)) if why == refused));
    // What is over is forgotten, and what was revoked is not.
    add(2, noon()).unwrap();
    add(3, noon() + 1.hour()).unwrap();
    apply(&*store, KeyChange::EndExpired);
    let is_there = |number| {
        let id = make_key(KeyKind::Identity, number).id().clone();
        store.find_key(&id).unwrap().is_some()
    };
    assert_eq!([1, 2, 3].map(is_there), [true, false, true]);
    apply(&*store, KeyChange::RemoveTenant(tenant_id("t")));
    assert_eq!([1, 2, 3].map(is_there), [true, false, false]);
    assert!(verify_audit(&*store).unwrap().is_ok());
}

/// Adds a key that ends then; returns its id.
fn add_key_until(store: &dyn KeyStore, number: usize, end: Timestamp) -> KeyId {
    let short = make_key(KeyKind::Tenant, number);
    let record = ApiKeyRecord {
        expires: Some(end),
        ..make_record(&short, "t")
    };
    add_key(store, &record);
    short.id().clone()
}

fn expiry(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let until = |number, end| add_key_until(&*store, number, end);
    let (over, open) = (until(2, noon()), until(3, noon() + 1.second()));
    let session = make_key(KeyKind::Session, 4);
    let record = find(&*store, key.id()).open_session(&session, noon(), noon());
    add_key(&*store, &record);
    let ended = store.apply(&order(KeyChange::EndExpired)).unwrap();
    assert_eq!(ended.events.len(), 2, "{ended:?}");
    assert!(find(&*store, &over).revoked.is_some());
    assert!(find(&*store, &open).revoked.is_none());
    assert!(store.find_key(session.id()).unwrap().is_none());
    let again = store.apply(&order(KeyChange::EndExpired)).unwrap();
    assert!(again.events.is_empty() && again.edits.is_empty());
}

fn pruning(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let until = |number, end| add_key_until(&*store, number, end);
    let (over, open) = (until(2, noon() - 2.hours()), until(3, noon() + 1.hour()));
    let revoked = until(4, noon() + 1.hour());
    apply(&*store, KeyChange::RevokeKey(revoked.clone()));
    let prune = |ended_before| {
        let pruned = store.apply(&order(KeyChange::PruneKeys { ended_before }));
        pruned.unwrap().edits.len()
    };
    let is_there = |id: &KeyId| store.find_key(id).unwrap().is_some();
    assert_eq!(prune(noon() - 3.hours()), 0);
    assert_eq!(prune(noon() - 1.hour()), 1);
    assert_eq!(
        [&over, &revoked, &open, key.id()].map(is_there),
        [false, true, true, true]
    );
    // What has not ended is never forgotten, whatever time is named.
    let later = KeyOrder {
        at: noon() + 1.minute(),
        ..order(KeyChange::PruneKeys {
            ended_before: noon() + 2.hours(),
        })
    };
    assert_eq!(store.apply(&later).unwrap().edits.len(), 1);
    assert_eq!(
        [&revoked, &open, key.id()].map(is_there),
        [false, true, true]
    );
    let entries = log(&*store, KeyReach::Server);
    let about = |id: &KeyId| -> Vec<&str> {
        let about = entries
            .iter()
            .filter(|it| it.event.key.as_ref() == Some(id));
        about.map(|it| it.event.action.name()).collect()
    };
    assert_eq!(about(&over), ["key-added", "key-forgotten"]);
    assert_eq!(
        about(&revoked),
        ["key-added", "key-revoked", "key-forgotten"]
    );
    assert!(verify_audit(&*store).unwrap().is_ok());
    let own = KeyOrder {
        reach: KeyReach::Tenant(tenant_id("t")),
        ..later
    };
    assert!(store.apply(&own).is_err(), "an owner prunes nothing");
}

fn uses(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    let gone = make_key(KeyKind::Tenant, 5);
    let head = store.audit_head().unwrap();
    let minute = |number: i64| noon() + number.minutes();
    for (noted, expected) in [(2, 2), (1, 2), (3, 3)] {
        let noted = minute(noted) + 300.microseconds();
        let both = [(key.id().clone(), noted), (gone.id().clone(), noted)];
        store.note_uses(&both).unwrap();
        assert_eq!(find(&*store, key.id()).last_used, Some(minute(expected)));
    }
    store.note_uses(&[]).unwrap();
    // Neither a change to the key nor its log forgets or records it.
    apply(&*store, KeyChange::RevokeKey(key.id().clone()));
    assert_eq!(find(&*store, key.id()).last_used, Some(minute(3)));
    assert_eq!(store.audit_head().unwrap().sequence, head.sequence + 1);
}

fn secrets(make: MakeKeyStore<'_>) {
    let store = make();
    let head = store.audit_head().unwrap();
    assert_eq!(store.share_secret("one", [1; 32]).unwrap(), [1; 32]);
    assert_eq!(store.share_secret("one", [2; 32]).unwrap(), [1; 32]);
    assert_eq!(store.share_secret("two", [3; 32]).unwrap(), [3; 32]);
    assert_eq!(store.audit_head().unwrap(), head);
}

fn audit_log(make: MakeKeyStore<'_>) {
    let (store, key) = with_key(make);
    apply(
        &*store,
        KeyChange::RotateKey {
            key: key.id().clone(),
            secret: make_key(KeyKind::Tenant, 4).secret_hash(),
            older_until: noon() + 1.hour(),
        },
    );
    apply(&*store, KeyChange::RevokeKey(key.id().clone()));
    apply(&*store, KeyChange::RemoveTenant(tenant_id("t")));
    let entries = log(&*store, KeyReach::Server);
    let actions: Vec<AuditAction> = entries.iter().map(|it| it.event.action).collect();
    assert_eq!(
        actions,
        [
            AuditAction::TenantAdded,
            AuditAction::KeyAdded,
            AuditAction::KeyRotated,
            AuditAction::KeyRevoked,
            AuditAction::TenantRemoved,
        ]
    );
    let rotated = &entries[2].event;
    assert_eq!(rotated.key.as_ref(), Some(key.id()));
    assert_eq!(rotated.before, entries[1].event.after);
    assert!(
        rotated
            .after
            .as_ref()
            .unwrap()
            .as_str()
            .contains("older_secret_until")
    );
    let head = store.audit_head().unwrap();
    assert_eq!(verify_audit(&*store).unwrap(), Ok(head));
    assert_eq!(head, entries[4].head());
    let page = AuditListing {
        reach: KeyReach::Server,
        after: 2,
        limit: 2,
    };
    assert_eq!(store.audit(&page).unwrap(), entries[2..4]);
}

fn threads(make: MakeKeyStore<'_>) {
    let store = make();
    add_tenant(&*store, "t");
    let store = &*store;
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                for number in 0..5 {
                    let key = make_key(KeyKind::Tenant, worker * 100 + number);
                    add_key(store, &make_record(&key, "t"));
                    store.note_uses(&[(key.id().clone(), noon())]).unwrap();
                }
            });
        }
    });
    assert_eq!(ids(store, KeyReach::Tenant(tenant_id("t"))).len(), 20);
    let head = verify_audit(store).unwrap().unwrap();
    assert_eq!(head.sequence, 21);
}
