//! Keys, roles and orders, against rules that are written a second time.

use jiff::{Timestamp, ToSpan as _};
use proptest::{collection::btree_set, prelude::*};

use hardwon_core::{Actor, AgentId, CleanText, KeyName, ProjectId, Scope, TenantId, TrustClass};
use hardwon_engine::{Principal, Visibility, access::Rights};
use hardwon_redact::redact;

use super::*;

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
fn nothing_prints_a_secret() {
    let made = key(3);
    let kept = record(&made, Role::Agent);
    let secret = &made.reveal()[14..46];
    let hash = hardwon_core::digest::to_hex(made.secret_hash().expose());
    for printed in [
        format!("{made:?} {kept:?}"),
        kept.describe().to_string(),
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
        ("revoked", &revoked, &made, Err(KeyRefusal::Unknown)),
        ("revoked, wrong", &revoked, &older, Err(KeyRefusal::Unknown)),
        (
            "expired",
            &with(&|it| it.expires = Some(now())),
            &made,
            Err(KeyRefusal::Unknown),
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

fn order(reach: KeyReach) -> KeyOrder {
    KeyOrder {
        at: now(),
        by: Actor::person(),
        reach,
    }
}

fn tell<T>(decision: Result<T, KeyChangeRefusal>) -> String {
    decision.map_or_else(|why| why.to_string(), |_| "may be".to_owned())
}

#[test]
fn a_new_key_has_to_fit_what_is_there() {
    let made = key(1);
    let kept = record(&made, Role::Owner);
    let session = ApiKey::from_entropy(KeyKind::Session, entropy(2));
    let open = kept.open_session(&session, now(), now() + 8.hours());
    let dead = kept.revoke(&order(KeyReach::Server));
    let operator = record(&key(8), Role::Operator);
    let own = KeyReach::Tenant(tenant("t"));
    let foreign = KeyReach::Tenant(tenant("u"));
    let place = NewKeyFacts {
        has_tenant: true,
        ..NewKeyFacts::default()
    };
    let full = NewKeyFacts {
        key_count: hardwon_core::limits::TENANT_KEYS as u64,
        ..place
    };
    let with_opener = |opener| NewKeyFacts {
        opener: Some(opener),
        ..full
    };
    let twice = NewKeyFacts {
        has_same_id: true,
        ..place
    };
    let cases = [
        ("a key", &own, &kept, place),
        (
            "of no tenant",
            &KeyReach::Server,
            &kept,
            NewKeyFacts::default(),
        ),
        ("of another's", &foreign, &kept, place),
        ("of a full one", &own, &kept, full),
        ("twice", &own, &kept, twice),
        (
            "an operator's",
            &KeyReach::Server,
            &operator,
            NewKeyFacts::default(),
        ),
        ("an operator's by an owner", &own, &operator, place),
        ("a session of a full one", &own, &open, with_opener(&kept)),
        (
            "a session of a revoked key",
            &own,
            &open,
            with_opener(&dead),
        ),
        ("a session of no key", &own, &open, place),
    ];
    let shown = cases.map(|(says, reach, record, facts)| {
        let decision = check_new_key(&order(reach.clone()), record, facts);
        format!("{says}: {}", tell(decision))
    });
    insta::assert_snapshot!(shown.join("\n"), @"
    a key: may be
    of no tenant: there is no tenant t
    of another's: only an operator of the server may do this
    of a full one: tenant t has 10000 keys already: revoke some first
    twice: there is a key oYsMfnhp7u already
    an operator's: may be
    an operator's by an owner: only an operator of the server may do this
    a session of a full one: may be
    a session of a revoked key: key oYsMfnhp7u has ended: add another
    a session of no key: key oYsMfnhp7u has ended: add another
    ");
}

#[test]
fn what_is_out_of_reach_is_not_there() {
    let kept = record(&key(1), Role::Owner);
    let find = |reach| tell(order(reach).require_key(&kept.id, Some(kept.clone())));
    let shown = [
        find(KeyReach::Server),
        find(KeyReach::Tenant(tenant("t"))),
        find(KeyReach::Tenant(tenant("u"))),
        tell(order(KeyReach::Server).require_key(&kept.id, None)),
        tell(order(KeyReach::Server).check_reaches_server()),
        tell(order(KeyReach::Tenant(tenant("t"))).check_reaches_server()),
    ];
    insta::assert_snapshot!(shown.join("\n"), @"
    may be
    may be
    there is no key oYsMfnhp7u
    there is no key oYsMfnhp7u
    may be
    only an operator of the server may do this
    ");
}

#[test]
fn a_rotation_keeps_the_older_secret_as_long_as_it_says() {
    let made = key(1);
    let newer = ApiKey::with_new_secret(KeyKind::Tenant, made.id().clone(), entropy(4));
    let kept = record(&made, Role::Agent);
    for (minutes, is_accepted) in [(0, false), (-5, false), (5, true)] {
        let until = now() + minutes.minutes();
        let after = kept.rotate(newer.secret_hash(), until, now()).unwrap();
        assert_eq!(after.authenticate(&newer, now()), Ok(()));
        let is_older_accepted = after.authenticate(&made, now()).is_ok();
        assert_eq!(is_older_accepted, is_accepted, "{minutes}");
    }
    let session = ApiKey::from_entropy(KeyKind::Session, entropy(2));
    let open = kept.open_session(&session, now(), now() + 8.hours());
    let dead = kept.revoke(&order(KeyReach::Server));
    let old = ApiKeyRecord {
        expires: Some(now()),
        ..kept
    };
    let shown = [open, dead, old].map(|kept| tell(kept.rotate(newer.secret_hash(), now(), now())));
    insta::assert_snapshot!(shown.join("\n"), @"
    pCJZgTCsqD is a session in a browser, and its secret cannot be changed
    key oYsMfnhp7u has ended: add another
    key oYsMfnhp7u has ended: add another
    ");
}

#[test]
fn the_sessions_that_were_opened_first_make_room() {
    let kept = record(&key(1), Role::Owner);
    let open = |number: usize| {
        let session =
            ApiKey::from_entropy(KeyKind::Session, entropy(u8::try_from(number).unwrap()));
        let opened = now() - i64::try_from(number).unwrap().minutes();
        kept.open_session(&session, opened, now() + 8.hours())
    };
    let choose = |count: usize| {
        let surplus = choose_surplus_sessions((1..=count).map(open).collect());
        surplus
            .into_iter()
            .map(|session| session.id)
            .collect::<Vec<_>>()
    };
    let most = hardwon_core::limits::KEY_SESSIONS;
    assert_eq!(choose(most - 1), []);
    assert_eq!(choose(most), [open(most).id]);
    assert_eq!(choose(most + 1), [open(most + 1).id, open(most).id]);
}

/// A log of a tenant, and of a key that is added, rotated and revoked; and what there is at the end of it.
fn sample_log() -> (Vec<KeyLogEntry>, ApiKeyRecord) {
    let added = record(&key(1), Role::Agent);
    let rotated = added.rotate(key(2).secret_hash(), now() + 1.hour(), now());
    let rotated = rotated.unwrap();
    let revoked = rotated.revoke(&order(KeyReach::Server));
    let steps = [
        (AuditAction::TenantAdded, None, None),
        (AuditAction::KeyAdded, None, Some(&added)),
        (AuditAction::KeyRotated, Some(&added), Some(&rotated)),
        (AuditAction::KeyRevoked, Some(&rotated), Some(&revoked)),
    ];
    let entries = (1..)
        .zip(steps)
        .map(|(sequence, (action, before, after))| KeyLogEntry {
            sequence,
            at: now(),
            by: Actor::person(),
            action,
            tenant: Some(tenant("t")),
            key: after.map(|record| record.id.clone()),
            before: before.map(ApiKeyRecord::describe),
            after: after.map(ApiKeyRecord::describe),
        });
    (entries.collect(), revoked)
}

/// Replays a log against the tenant and the keys that there are.
fn replay(entries: &[KeyLogEntry], keys: &[&ApiKeyRecord]) -> Vec<String> {
    let mut replay = KeyReplay::default();
    entries.iter().for_each(|entry| replay.read_entry(entry));
    keys.iter().for_each(|record| replay.check_key(record));
    replay.check_tenant(&TenantRecord {
        id: tenant("t"),
        created: now(),
    });
    replay.end().faults
}

#[test]
fn a_log_comes_to_what_there_is() {
    let (log, last) = sample_log();
    assert_eq!(replay(&log, &[&last]), [""; 0]);
    let alter = |change: &dyn Fn(&mut Vec<KeyLogEntry>)| {
        let mut entries = log.clone();
        change(&mut entries);
        replay(&entries, &[&last]).join("; ")
    };
    let shown = [
        replay(&log, &[]).join("; "),
        replay(&log[..3], &[&last]).join("; "),
        alter(&|entries| drop(entries.remove(2))),
        alter(&|entries| entries[2].after = entries[1].after.clone()),
        alter(&|entries| entries[3].after = None),
        alter(&|entries| entries[3].tenant = None),
        alter(&|entries| entries[3].action = AuditAction::KeyForgotten),
    ];
    insta::assert_snapshot!(shown.join("\n").replace(last.id.as_str(), "ID"), @"
    key ID (ci) should be there by the log, and is not
    key ID (ci) is not as the log has it: revoked
    the log has entry 4 where entry 3 should be; entry 4 does not go on from what the log said before of key ID (ci)
    entry 4 does not go on from what the log said before of key ID (ci)
    key ID (ci) is not as the log has it: kind, name, older_secret_until, revoked, role, tenant
    entry 4 does not go on from what the log said before of key ID (ci); key ID (ci) is not as the log has it: tenant
    key ID (ci) is there, and by the log it should not be
    ");
}

/// Every member of a description is looked at, and the log of an earlier version, which told less, still counts.
#[test]
fn no_part_of_a_key_changes_unseen() {
    let (log, last) = sample_log();
    let text = last.describe().to_string();
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut not_missed = Vec::new();
    for name in members.keys() {
        let check = |member: Option<&str>| {
            let mut changed = members.clone();
            match member {
                Some(text) => changed.insert(name.clone(), text.into()),
                None => changed.remove(name),
            };
            let mut entries = log.clone();
            let changed = serde_json::Value::Object(changed).to_string();
            entries[3].after = Some(CleanText::from_stored(changed));
            replay(&entries, &[&last])
        };
        let faults = check(Some("another"));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].ends_with(&format!("the log has it: {name}")),
            "{faults:?}"
        );
        if check(None).is_empty() {
            not_missed.push(name.as_str());
        }
    }
    let later = ["created", "older_secret_mark", "revoked_by", "secret_mark"];
    assert_eq!(not_missed, later);
}

#[test]
fn a_session_that_ended_leaves_nothing_behind() {
    let (mut log, last) = sample_log();
    let opener = record(&key(5), Role::Owner);
    let session = ApiKey::from_entropy(KeyKind::Session, entropy(6));
    let open = opener.open_session(&session, now(), now() + 8.hours());
    let closed = open.revoke(&order(KeyReach::Server));
    for (action, before, after) in [
        (AuditAction::KeyAdded, None, &open),
        (AuditAction::KeyExpired, Some(&open), &closed),
    ] {
        log.push(KeyLogEntry {
            sequence: log.len() as u64 + 1,
            key: Some(after.id.clone()),
            action,
            before: before.map(ApiKeyRecord::describe),
            after: Some(after.describe()),
            ..log[0].clone()
        });
    }
    assert_eq!(replay(&log[..5], &[&last, &open]), [""; 0]);
    assert_eq!(replay(&log, &[&last]), [""; 0]);
    assert_eq!(replay(&log, &[&last, &open]).len(), 1);
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
    fn no_principal_sees_beyond_the_limits(grant in grants(), asked in asks(), is_tainted: bool) {
        let mut kept = record(&key(1), Role::Agent);
        kept.grant = grant.clone();
        let limits = grant.limits();
        match kept.principal(&asked, is_tainted) {
            Ok(principal) => {
                check_principal(&grant, &asked, &principal);
                let reach = principal.visibility;
                prop_assert!(limits.agents.is_empty() || [Visibility::Project, Visibility::Agent].contains(&reach));
                prop_assert!(limits.projects.is_empty() || reach <= Visibility::EveryAgent);
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
