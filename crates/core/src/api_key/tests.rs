//! Keys, roles and orders, against rules that are written a second time.

use jiff::{Timestamp, ToSpan as _};
use proptest::{collection::btree_set, prelude::*};

use super::*;
use crate::{
    access::{Principal, Rights, Visibility},
    change::Actor,
    id::{AgentId, KeyName, ProjectId, TenantId},
    journal::{ChainBreak, ChainHead},
    lesson::TrustClass,
    redact::redact,
    scope::Scope,
    text::CleanText,
};

/// A key whose text is known, to see that the form never changes.
const KNOWN: &str = "hwk_Z2fqqN5Izo3u0T8EkGfIVFoq84KgEUuVlrrIqp8QWG2dx3fk";

fn entropy(seed: u8) -> [u8; KEY_ENTROPY_BYTES] {
    std::array::from_fn(|at| {
        let at = u8::try_from(at).unwrap();
        seed.wrapping_mul(31).wrapping_add(at.wrapping_mul(97))
    })
}

fn key(seed: u8) -> ApiKey {
    ApiKey::from_entropy(KeyKind::Tenant, entropy(seed))
}

fn now() -> Timestamp {
    "2026-03-02T09:00:00Z".parse().unwrap()
}

fn tenant(name: &str) -> TenantId {
    TenantId::parse(name).unwrap()
}

fn record(key: &ApiKey, role: Role) -> ApiKeyRecord {
    let own = (role != Role::Operator).then(|| tenant("t"));
    let grant = KeyGrant::new(role, own, KeyLimits::default()).unwrap();
    ApiKeyRecord::new(key, grant, KeyName::parse("ci").unwrap(), now(), None)
}

#[test]
fn a_key_reads_as_it_was_written() {
    let made = ApiKey::from_entropy(KeyKind::Tenant, entropy(7));
    assert_eq!(made.reveal(), KNOWN);
    let read = ApiKey::parse(KNOWN).unwrap();
    assert_eq!(read.kind(), KeyKind::Tenant);
    assert_eq!(read.id().as_str(), &KNOWN[4..14]);
    assert!(read.secret_hash().matches(&made.secret_hash()));
    for (text, expected) in [
        (String::new(), InvalidKey::Form),
        ("hwk_".to_owned(), InvalidKey::Form),
        (KNOWN[..51].to_owned(), InvalidKey::Form),
        (format!("{KNOWN}0"), InvalidKey::Form),
        (format!(" {KNOWN}"), InvalidKey::Form),
        (KNOWN.replace("hwk", "ghp"), InvalidKey::Form),
        (
            ApiKey::from_entropy(KeyKind::Identity, entropy(7)).reveal(),
            InvalidKey::Form,
        ),
        (KNOWN.replace('_', "-"), InvalidKey::Form),
        (KNOWN.replace("hwk", "hwa"), InvalidKey::Checksum),
        (KNOWN.to_lowercase(), InvalidKey::Checksum),
    ] {
        assert_eq!(ApiKey::parse(&text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn nothing_prints_a_secret() {
    let made = key(3);
    let kept = record(&made, Role::Agent);
    let secret = &made.reveal()[14..46];
    let hash = crate::digest::to_hex(made.secret_hash().expose());
    let order = add(kept.clone());
    let state = KeyState {
        has_tenant: true,
        ..KeyState::default()
    };
    let decision = decide_key_order(&order, &state).unwrap();
    for printed in [
        format!("{made:?} {kept:?} {order:?}"),
        format!("{decision:?}"),
        redact(&format!("Authorization: {}", made.reveal())).into_owned(),
        redact(&format!("curl {} x", made.reveal())).into_owned(),
    ] {
        assert!(
            !printed.contains(secret) && !printed.contains(&hash),
            "{printed}"
        );
        assert!(!printed.contains(&format!("{:?}", made.secret_hash().expose())));
    }
}

#[test]
fn a_key_is_refused_for_one_reason() {
    let (made, other) = (key(1), key(2));
    let older = ApiKey::with_new_secret(KeyKind::Tenant, made.id().clone(), entropy(9));
    let plain = record(&made, Role::Agent);
    let with = |change: &dyn Fn(&mut ApiKeyRecord)| {
        let mut record = plain.clone();
        change(&mut record);
        record
    };
    let rotated = |until: Timestamp| {
        with(&|it| {
            it.older_secret = Some(OlderSecret {
                hash: older.secret_hash(),
                until,
            });
        })
    };
    let revoked = with(&|it| {
        it.revoked = Some(Revocation {
            at: now(),
            by: Actor::person(),
        });
    });
    let session = ApiKey::with_new_secret(KeyKind::Session, made.id().clone(), entropy(1));
    for (says, record, sent, expected) in [
        ("the same", &plain, &made, Ok(())),
        ("another key", &plain, &other, Err(KeyRefusal::Unknown)),
        ("another secret", &plain, &older, Err(KeyRefusal::Unknown)),
        ("another kind", &plain, &session, Err(KeyRefusal::Unknown)),
        ("older", &rotated(now() + 1.second()), &older, Ok(())),
        ("too old", &rotated(now()), &older, Err(KeyRefusal::Unknown)),
        ("new of two", &rotated(now()), &made, Ok(())),
        ("revoked", &revoked, &made, Err(KeyRefusal::Revoked)),
        ("revoked, wrong", &revoked, &older, Err(KeyRefusal::Unknown)),
        (
            "expired",
            &with(&|it| it.expires = Some(now())),
            &made,
            Err(KeyRefusal::Expired),
        ),
        (
            "not yet",
            &with(&|it| it.expires = Some(now() + 1.second())),
            &made,
            Ok(()),
        ),
    ] {
        assert_eq!(record.authenticate(sent, now()), expected, "{says}");
    }
}

#[test]
fn each_role_is_what_its_name_says() {
    let mut shown = String::new();
    for role in Role::ALL {
        let names: Vec<&str> = role.capabilities().iter().map(|it| it.name()).collect();
        let principal = record(&key(1), role).principal(&AskedScope::default(), false);
        let acts = match principal {
            Ok(it) => format!(
                "{} as {}, sees {:?}, {:?}",
                it.rights.name(),
                it.actor.0,
                it.visibility,
                it.trust.class
            ),
            Err(why) => why.to_string(),
        };
        shown += &format!("{}: {}\n  {acts}\n", role.name(), names.join(" "));
    }
    insta::assert_snapshot!(shown, @"
    agent: recall learn read
      write as agent default, sees Project, Agent
    viewer: read
      read as key oYsMfnhp7u, sees Tenant, Imported
    curator: recall learn read curate
      curate as key oYsMfnhp7u, sees Tenant, Person
    owner: recall learn read curate delete keys
      erase as key oYsMfnhp7u, sees Tenant, Person
    operator: keys server
      a key of role `operator` may not be used for `read`
    ");
}

#[test]
fn parts_of_a_grant_go_together() {
    let limited = KeyLimits {
        agents: [AgentId::parse("a").unwrap()].into(),
        projects: [].into(),
    };
    let many = KeyLimits {
        agents: [].into(),
        projects: (0..65)
            .map(|it| ProjectId::parse(&format!("p{it}")).unwrap())
            .collect(),
    };
    for (role, own, limits, expected) in [
        (Role::Agent, Some("t"), &limited, Ok(())),
        (Role::Agent, None, &limited, Err(InvalidGrant::NoTenant)),
        (
            Role::Agent,
            Some("t"),
            &many,
            Err(InvalidGrant::TooManyNames),
        ),
        (Role::Owner, Some("t"), &limited, Err(InvalidGrant::Limited)),
        (
            Role::Operator,
            Some("t"),
            &limited,
            Err(InvalidGrant::OperatorOfTenant),
        ),
        (Role::Operator, None, &limited, Err(InvalidGrant::Limited)),
    ] {
        let made = KeyGrant::new(role, own.map(tenant), limits.clone()).map(drop);
        assert_eq!(made, expected, "{role:?} {own:?}");
    }
}

fn add(record: ApiKeyRecord) -> KeyOrder {
    order(KeyReach::Server, KeyChange::AddKey(Box::new(record)))
}

fn order(reach: KeyReach, change: KeyChange) -> KeyOrder {
    KeyOrder {
        at: now(),
        by: Actor::person(),
        reach,
        change,
    }
}

/// Decides about an order, and tells the events and the edits in short.
fn told(order: &KeyOrder, state: &KeyState) -> String {
    match decide_key_order(order, state) {
        Ok(decision) => {
            let events = decision.events.iter().map(|it| it.action.name());
            let edits = decision.edits.iter().map(|it| match it {
                KeyEdit::SaveKey(_) => "save",
                KeyEdit::DeleteKey(_) => "delete",
                KeyEdit::AddTenant(_) => "add tenant",
                KeyEdit::RemoveTenant(_) => "remove tenant",
            });
            let done: Vec<&str> = events.chain(edits).collect();
            match done.is_empty() {
                true => "nothing".to_owned(),
                false => done.join(", "),
            }
        }
        Err(why) => why.to_string(),
    }
}

#[test]
fn an_order_is_decided_on_what_is_there() {
    let made = key(1);
    let kept = record(&made, Role::Owner);
    let session = ApiKey::from_entropy(KeyKind::Session, entropy(2));
    let open = kept.open_session(&session, now(), now() + 8.hours());
    let dead = ApiKeyRecord {
        revoked: Some(Revocation {
            at: now(),
            by: Actor::person(),
        }),
        ..kept.clone()
    };
    let state = |keys: &[&ApiKeyRecord]| KeyState {
        has_tenant: true,
        key_count: keys.len(),
        keys: keys.iter().map(|it| (*it).clone()).collect(),
    };
    let none = KeyState::default();
    let full = KeyState {
        key_count: crate::limits::TENANT_KEYS,
        ..state(&[])
    };
    let full_of_keys = KeyState {
        key_count: crate::limits::TENANT_KEYS,
        ..state(&[&kept])
    };
    let sessions = (0..crate::limits::KEY_SESSIONS).map(|number| {
        let number = u8::try_from(100 + number).unwrap();
        let session = ApiKey::from_entropy(KeyKind::Session, entropy(number));
        kept.open_session(&session, now(), now() + 8.hours())
    });
    let many_sessions = KeyState {
        keys: [kept.clone()].into_iter().chain(sessions).collect(),
        ..state(&[])
    };
    let (server, own, foreign) = (
        KeyReach::Server,
        KeyReach::Tenant(tenant("t")),
        KeyReach::Tenant(tenant("u")),
    );
    let id = made.id().clone();
    let rotate = KeyChange::RotateKey {
        key: id.clone(),
        secret: key(5).secret_hash(),
        older_until: now() + 1.hour(),
    };
    let rotate_session = KeyChange::RotateKey {
        key: session.id().clone(),
        secret: key(5).secret_hash(),
        older_until: now(),
    };
    let new = KeyChange::AddKey(Box::new(kept.clone()));
    let operator = KeyChange::AddKey(Box::new(record(&key(8), Role::Operator)));
    let login = KeyChange::AddKey(Box::new(open.clone()));
    let revoke = KeyChange::RevokeKey(id);
    let add_t = KeyChange::AddTenant(tenant("t"));
    let remove_t = KeyChange::RemoveTenant(tenant("t"));
    let cases = [
        ("add tenant", &server, &add_t, &none),
        ("add tenant twice", &server, &add_t, &state(&[])),
        ("add tenant, owner", &own, &add_t, &none),
        (
            "remove tenant",
            &server,
            &remove_t,
            &state(&[&kept, &open, &dead]),
        ),
        ("remove no tenant", &server, &remove_t, &none),
        ("add", &own, &new, &state(&[])),
        ("add to no tenant", &server, &new, &none),
        ("add to another's", &foreign, &new, &state(&[])),
        ("add to a full one", &own, &new, &full),
        ("add twice", &own, &new, &state(&[&kept])),
        ("add operator", &server, &operator, &none),
        ("add operator, owner", &own, &operator, &none),
        ("log in", &own, &login, &state(&[&kept])),
        ("log in with a revoked key", &own, &login, &state(&[&dead])),
        ("log in with no key", &own, &login, &state(&[])),
        ("rotate", &own, &rotate, &state(&[&kept, &open])),
        ("rotate another's", &foreign, &rotate, &state(&[&kept])),
        ("rotate revoked", &own, &rotate, &state(&[&dead])),
        ("rotate session", &own, &rotate_session, &state(&[&open])),
        ("revoke", &own, &revoke, &state(&[&kept, &open])),
        ("revoke twice", &own, &revoke, &state(&[&dead])),
        ("revoke another's", &foreign, &revoke, &state(&[&kept])),
        ("revoke nothing", &own, &revoke, &state(&[])),
        (
            "end",
            &server,
            &KeyChange::EndExpired,
            &state(&[&kept, &open]),
        ),
        ("end, owner", &own, &KeyChange::EndExpired, &state(&[&kept])),
        ("log in to a full one", &own, &login, &full_of_keys),
        ("log in once more", &own, &login, &many_sessions),
    ];
    let shown: Vec<String> = cases
        .iter()
        .map(|(says, reach, change, state)| {
            format!(
                "{says}: {}",
                told(&order((*reach).clone(), (*change).clone()), state)
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    add tenant: tenant-added, add tenant
    add tenant twice: there is a tenant t already
    add tenant, owner: only an operator of the server may do this
    remove tenant: key-revoked, key-revoked, tenant-removed, save, save, delete, remove tenant
    remove no tenant: there is no tenant t
    add: key-added, save
    add to no tenant: there is no tenant t
    add to another's: only an operator of the server may do this
    add to a full one: tenant t has 10000 keys already: revoke some first
    add twice: there is a key oYsMfnhp7u already
    add operator: key-added, save
    add operator, owner: only an operator of the server may do this
    log in: key-added, save
    log in with a revoked key: key oYsMfnhp7u has ended: add another
    log in with no key: key oYsMfnhp7u has ended: add another
    rotate: key-rotated, key-revoked, save, save, delete
    rotate another's: there is no key oYsMfnhp7u
    rotate revoked: key oYsMfnhp7u has ended: add another
    rotate session: pCJZgTCsqD is a session in a browser, and its secret cannot be changed
    revoke: key-revoked, key-revoked, save, save, delete
    revoke twice: nothing
    revoke another's: there is no key oYsMfnhp7u
    revoke nothing: there is no key oYsMfnhp7u
    end: key-expired, key-expired, save, save, delete
    end, owner: only an operator of the server may do this
    log in to a full one: key-added, save
    log in once more: key-revoked, key-added, save, delete, save
    ");
}

#[test]
fn a_rotation_keeps_the_older_secret_as_long_as_it_says() {
    let (made, state) = (key(1), |record: &ApiKeyRecord| KeyState {
        has_tenant: true,
        key_count: 1,
        keys: vec![record.clone()],
    });
    let newer = ApiKey::with_new_secret(KeyKind::Tenant, made.id().clone(), entropy(4));
    for (minutes, is_accepted) in [(0, false), (-5, false), (5, true)] {
        let change = KeyChange::RotateKey {
            key: made.id().clone(),
            secret: newer.secret_hash(),
            older_until: now() + minutes.minutes(),
        };
        let kept = state(&record(&made, Role::Agent));
        let decision = decide_key_order(&order(KeyReach::Server, change), &kept).unwrap();
        let [KeyEdit::SaveKey(after)] = &decision.edits[..] else {
            panic!("{decision:?}")
        };
        assert_eq!(after.authenticate(&newer, now()), Ok(()));
        assert_eq!(
            after.authenticate(&made, now()).is_ok(),
            is_accepted,
            "{minutes}"
        );
    }
}

fn event(action: AuditAction) -> AuditEvent {
    AuditEvent {
        at: now(),
        by: Actor::person(),
        action,
        tenant: Some(tenant("t")),
        key: Some(key(1).id().clone()),
        before: None,
        after: Some(CleanText::from_stored("{}".to_owned())),
    }
}

/// Verifies entries, and returns the first break.
fn verify(entries: &[AuditEntry]) -> Result<ChainHead, ChainBreak> {
    entries.iter().try_fold(audit_genesis(), verify_next_audit)
}

#[test]
fn no_entry_of_the_log_is_altered_unseen() {
    let mut head = audit_genesis();
    let mut whole = Vec::new();
    for action in AuditAction::ALL {
        let entry = event(action).chain_after(head);
        head = entry.head();
        whole.push(entry);
    }
    assert_eq!(verify(&whole), Ok(head));
    // These bytes never change meaning. New actions come after those that there were.
    insta::assert_snapshot!(whole[5].hash, @"b971ed5d324040ded3c8070d539ecd3d164b26d3dfb03950774f461f0a1c852d");
    let with = |change: &dyn Fn(&mut Vec<AuditEntry>)| {
        let mut entries = whole.clone();
        change(&mut entries);
        verify(&entries)
    };
    let altered = Err(ChainBreak::Altered { sequence: 2 });
    assert_eq!(with(&|it| it[1].event.by = Actor::rules()), altered);
    assert_eq!(with(&|it| it[1].event.at += 1.second()), altered);
    assert_eq!(
        with(&|it| it[1].event.action = AuditAction::KeyAdded),
        altered
    );
    assert_eq!(with(&|it| it[1].event.tenant = None), altered);
    assert_eq!(with(&|it| it[1].event.key = None), altered);
    assert_eq!(
        with(&|it| it[1].event.before = it[1].event.after.take()),
        altered
    );
    let missing = ChainBreak::OutOfSequence {
        expected: 2,
        found: 3,
    };
    assert_eq!(with(&|it| drop(it.remove(1))), Err(missing));
    let other = event(AuditAction::KeyAdded).chain_after(ChainHead {
        sequence: 1,
        ..audit_genesis()
    });
    let broken = Err(ChainBreak::BrokenLink { sequence: 2 });
    assert_eq!(with(&|it| it[1] = other.clone()), broken);
}

fn digits(count: usize) -> impl Strategy<Value = String> {
    proptest::string::string_regex(&format!("[0-9A-Za-z]{{{count}}}")).unwrap()
}

fn grants() -> impl Strategy<Value = KeyGrant> {
    let agents = btree_set(0..4_u8, 0..3);
    let projects = btree_set(0..4_u8, 0..3);
    (0..Role::ALL.len(), agents, projects).prop_filter_map("parts", |(role, agents, projects)| {
        let limits = KeyLimits {
            agents: agents.into_iter().map(agent).collect(),
            projects: projects.into_iter().map(project).collect(),
        };
        let role = Role::ALL[role];
        let own = (role != Role::Operator).then(|| tenant("t"));
        KeyGrant::new(role, own, limits).ok()
    })
}

fn agent(number: u8) -> AgentId {
    AgentId::parse(["default", "a", "b", "c"][usize::from(number)]).unwrap()
}

fn project(number: u8) -> ProjectId {
    ProjectId::parse(&format!("p{number}")).unwrap()
}

fn asks() -> impl Strategy<Value = AskedScope> {
    let (agents, projects) = (proptest::option::of(0..4_u8), proptest::option::of(0..4_u8));
    (agents, projects).prop_map(|(one, two)| AskedScope {
        agent: one.map(agent),
        project: two.map(project),
    })
}

/// Every scope that a lesson may have, also those of another tenant.
fn all_scopes() -> Vec<Scope> {
    let mut scopes = Vec::new();
    for name in ["t", "u"] {
        for one in 0..4 {
            for two in 0..5 {
                scopes.push(Scope {
                    tenant: tenant(name),
                    agent: agent(one),
                    project: (two < 4).then(|| project(two)),
                });
            }
        }
    }
    scopes
}

/// The limits again, in their simplest form.
fn is_within(grant: &KeyGrant, scope: &Scope) -> bool {
    let limits = grant.limits();
    let is_agent = limits.agents.is_empty() || limits.agents.contains(&scope.agent);
    let is_project = match &scope.project {
        Some(name) => limits.projects.is_empty() || limits.projects.contains(name),
        None => true,
    };
    grant.tenant() == Some(&scope.tenant) && is_agent && is_project
}

fn check_principal(grant: &KeyGrant, asked: &AskedScope, principal: &Principal) {
    for scope in all_scopes() {
        assert!(
            !principal.can_see(&scope) || is_within(grant, &scope),
            "{scope:?}"
        );
    }
    // What it writes is where it asked to, and within the limits of projects as well.
    let own = &principal.scope;
    assert!(is_within(grant, own), "{own:?}");
    assert!(own.project.is_some() || grant.limits().projects.is_empty());
    assert!(asked.agent.as_ref().is_none_or(|it| *it == own.agent));
    assert!(asked.project.is_none() || asked.project == own.project);
    let may = |needed| grant.role().capabilities().contains(&needed);
    assert_eq!(principal.rights >= Rights::Write, may(Capability::Learn));
    assert_eq!(principal.rights >= Rights::Curate, may(Capability::Curate));
    assert_eq!(principal.rights >= Rights::Erase, may(Capability::Erase));
    let is_person = principal.trust.class == TrustClass::Person;
    assert_eq!(is_person, principal.rights >= Rights::Curate);
}

proptest! {
    #[test]
    fn a_key_is_read_back(bytes in proptest::array::uniform32(any::<u8>()), kind in 0..3_usize) {
        let mut entropy = [0; KEY_ENTROPY_BYTES];
        entropy[8..40].copy_from_slice(&bytes);
        let made = ApiKey::from_entropy(KeyKind::ALL[kind], entropy);
        let text = made.reveal();
        let read = ApiKey::parse(&text).unwrap();
        prop_assert_eq!(read.reveal(), text.clone());
        prop_assert!(read.secret_hash().matches(&made.secret_hash()));
        prop_assert_eq!(KeyId::parse(made.id().as_str()), Some(made.id().clone()));
        prop_assert_eq!(text.len(), 52);
    }

    /// The checksum is computed a second time, bit by bit.
    #[test]
    fn a_random_text_is_no_key_unless_its_checksum_fits(
        kind in 0..3_usize, body in digits(42), checksum in digits(6)
    ) {
        let checked = format!("{}_{body}", KeyKind::ALL[kind].name());
        let mut sum = u32::MAX;
        for byte in checked.bytes() {
            sum ^= u32::from(byte);
            for _ in 0..8 {
                sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
            }
        }
        let fitting = base62::write_digits(&(!sum).to_be_bytes(), 6);
        let whole = format!("{checked}{fitting}");
        prop_assert!(ApiKey::parse(&whole).is_ok());
        let is_key = ApiKey::parse(&format!("{checked}{checksum}")).is_ok();
        prop_assert_eq!(is_key, checksum == fitting);
    }

    #[test]
    fn a_key_with_one_other_character_is_none(seed: u8, at in 0..52_usize, other: char) {
        let text = key(seed).reveal();
        let mut chars: Vec<char> = text.chars().collect();
        prop_assume!(chars[at] != other);
        chars[at] = other;
        let changed: String = chars.into_iter().collect();
        prop_assert!(ApiKey::parse(&changed).is_err(), "{changed}");
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,80}") {
        prop_assert!(ApiKey::parse(&text).is_err());
    }

    #[test]
    fn no_principal_sees_beyond_the_limits(grant in grants(), asked in asks(), is_tainted: bool) {
        let mut kept = record(&key(1), Role::Agent);
        kept.grant = grant.clone();
        let limits = grant.limits();
        match kept.principal(&asked, is_tainted) {
            Ok(principal) => {
                check_principal(&grant, &asked, &principal);
                let reach = principal.visibility;
                prop_assert!(limits.agents.is_empty() || reach <= Visibility::Agent);
                prop_assert!(limits.projects.is_empty() || reach <= Visibility::Project);
            }
            Err(KeyRefusal::MissingCapability { role, .. }) => {
                prop_assert_eq!(role, Role::Operator);
            }
            Err(KeyRefusal::BeyondLimits { what: "agent" }) => {
                prop_assert!(!limits.agents.contains(&asked.agent.unwrap()));
            }
            Err(KeyRefusal::BeyondLimits { .. }) => {
                prop_assert!(!limits.projects.contains(&asked.project.unwrap()));
            }
            Err(KeyRefusal::Unnamed { what: "agent" }) => {
                prop_assert!(asked.agent.is_none() && limits.agents.len() > 1);
            }
            Err(KeyRefusal::Unnamed { .. }) => {
                prop_assert!(asked.project.is_none() && limits.projects.len() > 1);
            }
            Err(why) => prop_assert!(false, "{why:?}"),
        }
    }
}
