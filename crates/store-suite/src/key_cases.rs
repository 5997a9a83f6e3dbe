//! Contract cases for stores of keys.

use hardwon_core::{Actor, AgentId, KeyName, ProjectId, limits};
use hardwon_server::{
    ApiKey, ApiKeyRecord, AuditAction, KeyChangeRefusal, KeyGrant, KeyId, KeyKind, KeyLimits,
    KeyLogEntry, KeyOrder, KeyReach, Role, api_key::KEY_ENTROPY_BYTES,
};
use hardwon_server::{KeyChangeError, KeyStore};
use jiff::{Timestamp, ToSpan as _};

use super::samples::tenant_id;

/// A case: what it claims, and the function that checks it, of a store that is empty.
pub type KeyCase = (&'static str, fn(&KeyStore));

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
        "an identity of an earlier version ends as other keys do",
        identities,
    ),
    ("a tenant goes with its keys", tenant_removal),
    ("keys end when their time is over", expiry),
    (
        "keys that ended are forgotten, and not what was done to them",
        pruning,
    ),
    ("the last use only grows", uses),
    (
        "every change is in the log, which comes to what there is",
        audit_log,
    ),
    ("orders from many threads leave one log", threads),
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

fn order() -> KeyOrder {
    KeyOrder {
        at: noon(),
        by: Actor::person(),
        reach: KeyReach::Server,
    }
}

/// What an owner of a tenant orders.
fn order_of(tenant: &str) -> KeyOrder {
    KeyOrder {
        reach: KeyReach::Tenant(tenant_id(tenant)),
        ..order()
    }
}

fn add_tenant(store: &KeyStore, name: &str) {
    store.add_tenant(&order(), &tenant_id(name)).unwrap();
}

fn add_key(store: &KeyStore, record: &ApiKeyRecord) {
    let saved = store.add_key(&order(), record).unwrap();
    assert_eq!(whole(&saved), whole(&find(store, &record.id)));
}

fn revoke(store: &KeyStore, id: &KeyId) -> usize {
    store.revoke_key(&order(), id).unwrap().len()
}

/// Checks what the log comes to, and returns how many entries it has.
fn verify(store: &KeyStore) -> u64 {
    let report = store.verify().unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    report.entries
}

fn check_refused<T: std::fmt::Debug>(done: Result<T, KeyChangeError>, expected: KeyChangeRefusal) {
    match done {
        Err(KeyChangeError::Refused(why)) => assert_eq!(why, expected),
        other => panic!("{expected:?}: {other:?}"),
    }
}

/// Adds a tenant `t` that has one key.
fn with_key(store: &KeyStore) -> ApiKey {
    add_tenant(store, "t");
    let key = make_key(KeyKind::Tenant, 1);
    add_key(store, &make_record(&key, "t"));
    key
}

fn find(store: &KeyStore, id: &KeyId) -> ApiKeyRecord {
    store.find_key(id).unwrap().unwrap()
}

fn log(store: &KeyStore, reach: &KeyReach) -> Vec<KeyLogEntry> {
    store.log(reach, 0, limits::PAGE_ROWS).unwrap()
}

/// Everything of a record, its hashes as well, which do not compare.
fn whole(record: &ApiKeyRecord) -> String {
    let older = record
        .older_secret
        .as_ref()
        .map(|older_secret| *older_secret.hash.expose());
    format!("{record:?} {:?} {older:?}", record.secret.expose())
}

fn ids(store: &KeyStore, reach: KeyReach) -> Vec<KeyId> {
    let keys = store.keys(&reach, None, limits::PAGE_ROWS).unwrap();
    keys.into_iter().map(|key| key.id).collect()
}

fn nothing_at_first(store: &KeyStore) {
    assert!(
        store
            .find_key(make_key(KeyKind::Tenant, 1).id())
            .unwrap()
            .is_none()
    );
    assert!(ids(store, KeyReach::Server).is_empty());
    assert!(store.tenants(None, 10).unwrap().is_empty());
    assert!(store.find_tenant(&tenant_id("t")).unwrap().is_none());
    assert!(!store.has_valid_key(noon()).unwrap());
    assert_eq!(verify(store), 0);
}

fn records_round_trip(store: &KeyStore) {
    let key = with_key(store);
    assert_eq!(
        whole(&find(store, key.id())),
        whole(&make_record(&key, "t"))
    );
    let operator = make_key(KeyKind::Operator, 2);
    let mut record = make_record(&operator, "");
    record.expires = Some(noon() + 90.minutes() + 250.microseconds());
    add_key(store, &record);
    record.expires = Some(noon() + 90.minutes());
    assert_eq!(whole(&find(store, operator.id())), whole(&record));
    let session = make_key(KeyKind::Session, 3);
    let record = find(store, key.id()).open_session(&session, noon(), noon() + 8.hours());
    add_key(store, &record);
    assert_eq!(whole(&find(store, session.id())), whole(&record));
    assert!(store.has_valid_key(noon()).unwrap());
}

fn listings_are_apart(store: &KeyStore) {
    let names = ["b", "a", "B", "é"];
    for name in names {
        add_tenant(store, name);
    }
    let tenants = |after: Option<&str>, limit| -> Vec<String> {
        let after = after.map(tenant_id);
        let page = store.tenants(after.as_ref(), limit).unwrap();
        page.into_iter().map(|page| page.id.to_string()).collect()
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
        add_key(store, &make_record(&key, names[number % 2]));
        all.push(key.id().clone());
    }
    let operator = make_key(KeyKind::Operator, 9);
    add_key(store, &make_record(&operator, ""));
    all.push(operator.id().clone());
    all.sort();
    assert_eq!(ids(store, KeyReach::Server), all);
    assert_eq!(ids(store, KeyReach::Tenant(tenant_id("a"))).len(), 3);
    assert!(ids(store, KeyReach::Tenant(tenant_id("B"))).is_empty());
    let page = store.keys(&KeyReach::Server, Some(&all[2]), 2).unwrap();
    let page: Vec<KeyId> = page.into_iter().map(|key| key.id).collect();
    assert_eq!(page, all[3..5]);
    let of_a = log(store, &KeyReach::Tenant(tenant_id("a")));
    let is_a = |entry: &KeyLogEntry| entry.tenant == Some(tenant_id("a"));
    assert!(of_a.len() == 4 && of_a.iter().all(is_a), "{of_a:?}");
}

fn refusals_change_nothing(store: &KeyStore) {
    let key = with_key(store);
    let before = (whole(&find(store, key.id())), verify(store));
    let unknown = make_key(KeyKind::Tenant, 7);
    let is_unknown = |key: &ApiKey| KeyChangeRefusal::UnknownKey(key.id().clone());
    check_refused(store.revoke_key(&order_of("u"), key.id()), is_unknown(&key));
    check_refused(
        store.revoke_key(&order(), unknown.id()),
        is_unknown(&unknown),
    );
    let exists = KeyChangeRefusal::TenantExists(tenant_id("t"));
    check_refused(store.add_tenant(&order(), &tenant_id("t")), exists);
    let exists = KeyChangeRefusal::KeyExists(key.id().clone());
    check_refused(store.add_key(&order(), &make_record(&key, "t")), exists);
    let is_no_tenant = KeyChangeRefusal::UnknownTenant(tenant_id("u"));
    check_refused(
        store.add_key(&order(), &make_record(&unknown, "u")),
        is_no_tenant,
    );
    let removed = store.remove_tenant(&order(), &tenant_id("u"));
    assert_eq!(removed.unwrap(), None);
    let foreign = store.add_key(&order_of("u"), &make_record(&unknown, "t"));
    check_refused(foreign, KeyChangeRefusal::OutOfReach);
    check_refused(
        store.add_tenant(&order_of("t"), &tenant_id("v")),
        KeyChangeRefusal::OutOfReach,
    );
    check_refused(
        store.remove_tenant(&order_of("t"), &tenant_id("t")),
        KeyChangeRefusal::OutOfReach,
    );
    check_refused(
        store.end_expired(&order_of("t")),
        KeyChangeRefusal::OutOfReach,
    );
    check_refused(
        store.prune_keys(&order_of("t"), noon()),
        KeyChangeRefusal::OutOfReach,
    );
    let after = (whole(&find(store, key.id())), verify(store));
    assert_eq!(after, before);
}

fn rotation(store: &KeyStore) {
    let key = with_key(store);
    let next = |number| {
        let entropy = [number; KEY_ENTROPY_BYTES];
        ApiKey::with_new_secret(KeyKind::Tenant, key.id().clone(), entropy)
    };
    let rotate = |to: &ApiKey| {
        let until = noon() + 1.hour();
        let rotated = store.rotate_key(&order(), key.id(), &to.secret_hash(), until);
        assert_eq!(whole(&rotated.unwrap()), whole(&find(store, key.id())));
    };
    let accepts = |key: &ApiKey, at| find(store, key.id()).authenticate(key, at).is_ok();
    let (second, third) = (next(2), next(3));
    rotate(&second);
    let later = noon() + 1.hour();
    assert!(accepts(&key, noon()) && accepts(&second, noon()) && accepts(&second, later));
    assert!(!accepts(&key, later) && !accepts(&third, noon()));
    rotate(&third);
    assert!(!accepts(&key, noon()) && accepts(&second, noon()) && accepts(&third, later));
}

fn revocation(store: &KeyStore) {
    let key = with_key(store);
    let session = make_key(KeyKind::Session, 2);
    let opener = find(store, key.id());
    add_key(
        store,
        &opener.open_session(&session, noon(), noon() + 8.hours()),
    );
    assert!(
        find(store, session.id())
            .authenticate(&session, noon())
            .is_ok()
    );
    assert_eq!(revoke(store, key.id()), 2);
    let record = find(store, key.id());
    assert!(record.authenticate(&key, noon()).is_err(), "{record:?}");
    assert_eq!(record.revoked.unwrap().by, Actor::person());
    // Of a session the log tells enough.
    assert!(store.find_key(session.id()).unwrap().is_none());
    assert!(!store.has_valid_key(noon()).unwrap());
    let late = opener.open_session(&make_key(KeyKind::Session, 3), noon(), noon() + 8.hours());
    let ended = KeyChangeRefusal::EndedKey(key.id().clone());
    check_refused(store.add_key(&order(), &late), ended);
    assert_eq!(revoke(store, key.id()), 0);
    verify(store);
}

fn sessions(store: &KeyStore) {
    let key = with_key(store);
    let opener = find(store, key.id());
    let open = |number: usize| {
        let session = make_key(KeyKind::Session, number);
        let at = noon() + i64::try_from(number).unwrap().milliseconds();
        add_key(
            store,
            &opener.open_session(&session, at, noon() + 8.hours()),
        );
        session.id().clone()
    };
    let most = limits::KEY_SESSIONS;
    let all: Vec<KeyId> = (10..10 + most + 2).map(open).collect();
    let is_there = |id: &KeyId| store.find_key(id).unwrap().is_some();
    let there: Vec<bool> = all.iter().map(is_there).collect();
    assert_eq!(there, [vec![false; 2], vec![true; most]].concat());
    let entries = log(store, &KeyReach::Server);
    let ended = entries
        .iter()
        .filter(|entry| entry.action == AuditAction::KeyRevoked);
    let ended: Vec<_> = ended.filter_map(|entry| entry.key.as_ref()).collect();
    assert_eq!(ended, [&all[0], &all[1]]);
    verify(store);
}

fn tenant_removal(store: &KeyStore) {
    let key = with_key(store);
    add_tenant(store, "u");
    let other = make_key(KeyKind::Tenant, 2);
    add_key(store, &make_record(&other, "u"));
    let removed = store.remove_tenant(&order(), &tenant_id("t"));
    assert_eq!(removed.unwrap(), Some(1));
    assert!(store.find_tenant(&tenant_id("t")).unwrap().is_none());
    assert!(find(store, key.id()).revoked.is_some());
    assert!(find(store, other.id()).revoked.is_none());
    // A new tenant of this name does not bring the keys back.
    add_tenant(store, "t");
    assert!(find(store, key.id()).authenticate(&key, noon()).is_err());
}

fn identities(store: &KeyStore) {
    add_tenant(store, "t");
    let identity = make_key(KeyKind::Identity, 1);
    let record = ApiKeyRecord {
        expires: Some(noon()),
        ..make_record(&identity, "t")
    };
    add_key(store, &record);
    let secret = make_key(KeyKind::Identity, 2).secret_hash();
    let rotated = store.rotate_key(&order(), identity.id(), &secret, noon());
    let refused = KeyChangeRefusal::IdentityKey(identity.id().clone());
    check_refused(rotated, refused);
    assert_eq!(store.end_expired(&order()).unwrap(), 1);
    assert!(find(store, identity.id()).revoked.is_some());
    verify(store);
}

/// Adds a key that ends then; returns its id.
fn add_key_until(store: &KeyStore, number: usize, end: Timestamp) -> KeyId {
    let short = make_key(KeyKind::Tenant, number);
    let record = ApiKeyRecord {
        expires: Some(end),
        ..make_record(&short, "t")
    };
    add_key(store, &record);
    short.id().clone()
}

fn expiry(store: &KeyStore) {
    let key = with_key(store);
    let until = |number, end| add_key_until(store, number, end);
    let (over, open) = (until(2, noon()), until(3, noon() + 1.second()));
    let session = make_key(KeyKind::Session, 4);
    let record = find(store, key.id()).open_session(&session, noon(), noon());
    add_key(store, &record);
    assert_eq!(store.end_expired(&order()).unwrap(), 2);
    assert!(find(store, &over).revoked.is_some());
    assert!(find(store, &open).revoked.is_none());
    assert!(store.find_key(session.id()).unwrap().is_none());
    assert_eq!(verify(store), 7);
    assert_eq!(store.end_expired(&order()).unwrap(), 0);
}

fn pruning(store: &KeyStore) {
    let key = with_key(store);
    let until = |number, end| add_key_until(store, number, end);
    let (over, open) = (until(2, noon() - 2.hours()), until(3, noon() + 1.hour()));
    let revoked = until(4, noon() + 1.hour());
    revoke(store, &revoked);
    let prune = |ended_before| store.prune_keys(&order(), ended_before).unwrap();
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
        ..order()
    };
    assert_eq!(store.prune_keys(&later, noon() + 2.hours()).unwrap(), 1);
    assert_eq!(
        [&revoked, &open, key.id()].map(is_there),
        [false, true, true]
    );
    let entries = log(store, &KeyReach::Server);
    let about = |id: &KeyId| -> Vec<&str> {
        let about = entries
            .iter()
            .filter(|entry| entry.key.as_ref() == Some(id));
        about.map(|entry| entry.action.name()).collect()
    };
    assert_eq!(about(&over), ["key-added", "key-forgotten"]);
    assert_eq!(
        about(&revoked),
        ["key-added", "key-revoked", "key-forgotten"]
    );
    verify(store);
}

fn uses(store: &KeyStore) {
    let key = with_key(store);
    let gone = make_key(KeyKind::Tenant, 5);
    let minute = |number: i64| noon() + number.minutes();
    for (noted, expected) in [(2, 2), (1, 2), (3, 3)] {
        let noted = minute(noted) + 300.microseconds();
        let both = [(key.id().clone(), noted), (gone.id().clone(), noted)];
        store.note_uses(&both).unwrap();
        assert_eq!(find(store, key.id()).last_used, Some(minute(expected)));
    }
    store.note_uses(&[]).unwrap();
    // Neither a change to the key nor its log forgets or records it.
    revoke(store, key.id());
    assert_eq!(find(store, key.id()).last_used, Some(minute(3)));
    assert_eq!(verify(store), 3);
}

fn audit_log(store: &KeyStore) {
    let key = with_key(store);
    let secret = make_key(KeyKind::Tenant, 4).secret_hash();
    let until = noon() + 1.hour();
    store
        .rotate_key(&order(), key.id(), &secret, until)
        .unwrap();
    revoke(store, key.id());
    store.remove_tenant(&order(), &tenant_id("t")).unwrap();
    let entries = log(store, &KeyReach::Server);
    let actions: Vec<AuditAction> = entries.iter().map(|entry| entry.action).collect();
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
    let rotated = &entries[2];
    assert_eq!(rotated.key.as_ref(), Some(key.id()));
    assert_eq!(rotated.before, entries[1].after);
    assert!(
        rotated
            .after
            .as_ref()
            .unwrap()
            .as_str()
            .contains("older_secret_until")
    );
    assert_eq!(verify(store), 5);
    assert_eq!(store.log(&KeyReach::Server, 2, 2).unwrap(), entries[2..4]);
}

fn threads(store: &KeyStore) {
    add_tenant(store, "t");
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
    assert_eq!(verify(store), 21);
}
