//! Persons and programs that an identity provider vouches for: who they are, and which rule gives them something.
//!
//! A token that a door has checked comes here as its claims. [`ClaimRules`] say what it is worth, which is nothing unless
//! one of them fits, and an [`Identity`] makes the record under which all else knows its bearer: whatever is checked,
//! logged or revoked is that of a key, although nobody holds its secret. Tokens are not checked here.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{
    ApiKey, ApiKeyRecord, ID_DIGITS, KEY_ENTROPY_BYTES, KeyGrant, KeyId, KeyKind, Role, base62,
};
use crate::{digest, id::KeyName};

/// Claims that hold several words with spaces between them.
const WORD_CLAIMS: [&str; 2] = ["scope", "scp"];
/// Bytes of a digest that an identity is called by if it is not told how.
const NAME_BYTES: usize = 6;

/// Why a rule cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRule {
    /// It would fit whoever the provider knows.
    #[error("a rule has to name a claim and what it holds, or it would fit everybody")]
    NoClaim,
    /// It would let a provider make operators.
    #[error("an operator's key is made on the server's machine, and is given to nobody by a rule")]
    Operator,
}

/// What those are given whose tokens hold certain claims.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimRule {
    claims: Map<String, Value>,
    grant: KeyGrant,
}

impl ClaimRule {
    /// Makes a rule. A rule about an address of electronic mail is one about addresses that the provider has verified:
    /// with many providers anybody may claim another's.
    pub fn new(mut claims: Map<String, Value>, grant: KeyGrant) -> Result<Self, InvalidRule> {
        if grant.role() == Role::Operator {
            return Err(InvalidRule::Operator);
        }
        if claims.is_empty() || claims.values().any(fits_anything) {
            return Err(InvalidRule::NoClaim);
        }
        if claims.contains_key("email") {
            claims.insert("email_verified".to_owned(), Value::Bool(true));
        }
        Ok(Self { claims, grant })
    }

    fn fits(&self, sent: &Map<String, Value>) -> bool {
        fits_members(&self.claims, sent)
    }
}

/// Returns whether what is wanted of a claim says nothing.
fn fits_anything(wanted: &Value) -> bool {
    match wanted {
        Value::Null => true,
        Value::Object(members) => members.is_empty() || members.values().any(fits_anything),
        Value::Array(several) => several.is_empty() || several.iter().any(fits_anything),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn fits_members(wanted: &Map<String, Value>, sent: &Map<String, Value>) -> bool {
    let mut members = wanted.iter();
    members.all(|(name, wanted)| {
        sent.get(name)
            .is_some_and(|it| fits_claim(name, wanted, it))
    })
}

/// Returns whether a claim holds what is wanted: of several wanted ones any, in a list of what was sent anywhere.
fn fits_claim(name: &str, wanted: &Value, sent: &Value) -> bool {
    match (wanted, sent) {
        (Value::Object(wanted), Value::Object(sent)) => fits_members(wanted, sent),
        (Value::Array(any), _) => any.iter().any(|it| fits_claim(name, it, sent)),
        (_, Value::Array(several)) => several.contains(wanted),
        (Value::String(word), Value::String(words)) if WORD_CLAIMS.contains(&name) => {
            words.split(' ').any(|it| it == word)
        }
        _ => wanted == sent,
    }
}

/// What is given to whom. The first rule that fits counts; whom none fits gets nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClaimRules(Vec<ClaimRule>);

impl ClaimRules {
    /// Makes a list of rules.
    #[must_use]
    pub fn new(rules: Vec<ClaimRule>) -> Self {
        Self(rules)
    }

    /// Returns what a token's bearer is given.
    #[must_use]
    pub fn find_grant(&self, claims: &Map<String, Value>) -> Option<&KeyGrant> {
        let found = self.0.iter().find(|it| it.fits(claims));
        found.map(|it| &it.grant)
    }
}

/// Somebody whom an identity provider vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    issuer: String,
    subject: String,
    name: KeyName,
}

impl Identity {
    /// Makes an identity. `told` is what it is called in listings and in the log; without that, or if it is no name, that
    /// is a part of a digest, from which nobody reads who it is.
    #[must_use]
    pub fn new(issuer: &str, subject: &str, told: Option<&str>) -> Self {
        let told = told.and_then(|it| KeyName::parse(it).ok());
        Self {
            name: told.unwrap_or_else(|| name_by_digest(issuer, subject)),
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
        }
    }

    /// Returns the id of the record that says what this identity was given. It is another one for another grant, so that
    /// nothing of what was given before is kept when the rules change.
    #[must_use]
    pub fn key_id(&self, grant: &KeyGrant) -> KeyId {
        let limits = grant.limits();
        let mut parts = vec![
            "hardwon identity 1",
            &self.issuer,
            &self.subject,
            grant.role().name(),
            grant.tenant().map_or("", |it| it.as_str()),
        ];
        parts.extend(limits.agents.iter().flat_map(|it| ["agent", it.as_str()]));
        let projects = limits.projects.iter();
        parts.extend(projects.flat_map(|it| ["project", it.as_str()]));
        let hash = digest::hash_parts(parts.into_iter().map(str::as_bytes));
        KeyId(base62::write_digits(&hash, ID_DIGITS))
    }

    /// Makes its record, with a secret that is dropped at once.
    #[must_use]
    pub fn make_record(
        &self,
        grant: &KeyGrant,
        entropy: [u8; KEY_ENTROPY_BYTES],
        created: Timestamp,
        expires: Timestamp,
    ) -> ApiKeyRecord {
        let id = self.key_id(grant);
        let unheld = ApiKey::with_new_secret(KeyKind::Identity, id, entropy);
        let (grant, name) = (grant.clone(), self.name.clone());
        ApiKeyRecord::new(&unheld, grant, name, created, Some(expires))
    }
}

fn name_by_digest(issuer: &str, subject: &str) -> KeyName {
    let parts = ["hardwon subject 1", issuer, subject];
    let hash = digest::hash_parts(parts.map(str::as_bytes));
    let name = format!("identity {}", digest::to_hex(&hash[..NAME_BYTES]));
    KeyName::parse(&name).expect("letters and digits are a name")
}

impl ApiKeyRecord {
    /// Returns whether this record of an identity may take the place of one that there is: of the same identity with the
    /// same grant, that nobody revoked.
    #[must_use]
    pub(super) fn renews(&self, kept: &Self) -> bool {
        let are_identities = [self, kept].map(|it| it.kind) == [KeyKind::Identity; 2];
        are_identities && self.grant == kept.grant && kept.revoked.is_none()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api_key::KeyLimits,
        id::{AgentId, TenantId},
    };

    fn grant(role: Role, tenant: &str, agents: &[&str]) -> KeyGrant {
        let limits = KeyLimits {
            agents: agents
                .iter()
                .map(|it| AgentId::parse(it).unwrap())
                .collect(),
            ..KeyLimits::default()
        };
        KeyGrant::new(role, Some(TenantId::parse(tenant).unwrap()), limits).unwrap()
    }

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn a_rule_fits_what_it_names_and_nothing_else() {
        let check = |wanted: Value, sent: Value, expected: bool| {
            let rule = ClaimRule::new(map(wanted.clone()), grant(Role::Viewer, "t", &[])).unwrap();
            let found = ClaimRules::new(vec![rule])
                .find_grant(&map(sent.clone()))
                .is_some();
            assert_eq!(found, expected, "{wanted} {sent}");
        };
        let team = || json!({"groups": "team"});
        check(team(), json!({"groups": "team"}), true);
        check(team(), json!({"groups": ["other", "team"]}), true);
        check(team(), json!({"groups": ["teams", "Team"]}), false);
        check(team(), json!({"groups": "other team"}), false);
        check(team(), json!({"groups": [["team"]]}), false);
        check(team(), json!({"groups": {"team": true}}), false);
        check(team(), json!({"group": "team"}), false);
        check(team(), json!({}), false);
        let either = || json!({"groups": ["a", "b"]});
        check(either(), json!({"groups": ["b"]}), true);
        check(either(), json!({"groups": "a"}), true);
        check(either(), json!({"groups": ["c"]}), false);
        let both = || json!({"groups": "a", "org": 7});
        check(both(), json!({"groups": ["a"], "org": 7}), true);
        check(both(), json!({"groups": ["a"], "org": "7"}), false);
        check(both(), json!({"groups": ["a"]}), false);
        let inner = || json!({"realm_access": {"roles": "curator"}});
        check(
            inner(),
            json!({"realm_access": {"roles": ["curator", "x"]}}),
            true,
        );
        check(inner(), json!({"realm_access": {"roles": ["x"]}}), false);
        check(inner(), json!({"realm_access": "curator"}), false);
        check(inner(), json!({"realm_access.roles": "curator"}), false);
        check(
            json!({"scope": "lessons"}),
            json!({"scope": "openid lessons"}),
            true,
        );
        check(
            json!({"scope": "lesson"}),
            json!({"scope": "openid lessons"}),
            false,
        );
        let mail = || json!({"email": "ada@example.org"});
        check(
            mail(),
            json!({"email": "ada@example.org", "email_verified": true}),
            true,
        );
        check(
            mail(),
            json!({"email": "ada@example.org", "email_verified": "true"}),
            false,
        );
        check(mail(), json!({"email": "ada@example.org"}), false);
    }

    #[test]
    fn a_rule_that_would_fit_everybody_is_none() {
        let check = |wanted: Value, expected: Option<InvalidRule>| {
            let made = ClaimRule::new(map(wanted.clone()), grant(Role::Owner, "t", &[]));
            assert_eq!(made.err(), expected, "{wanted}");
        };
        check(json!({"iss": "https://id.example"}), None);
        check(json!({"active": false}), None);
        for empty in [
            json!({}),
            json!({"groups": []}),
            json!({"groups": {}}),
            json!({"groups": null}),
            json!({"groups": "a", "realm": {"roles": {}}}),
            json!({"groups": ["a", {}]}),
        ] {
            check(empty, Some(InvalidRule::NoClaim));
        }
        let operator = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
        let made = ClaimRule::new(map(json!({"groups": "a"})), operator);
        assert_eq!(made, Err(InvalidRule::Operator));
    }

    #[test]
    fn the_first_rule_that_fits_counts() {
        let rule = |group: &str, role| {
            let claims = map(json!({"groups": group}));
            ClaimRule::new(claims, grant(role, "t", &[])).unwrap()
        };
        let rules = ClaimRules::new(vec![rule("a", Role::Viewer), rule("b", Role::Owner)]);
        let role = |groups: &[&str]| {
            let claims = map(json!({"groups": groups}));
            rules.find_grant(&claims).map(KeyGrant::role)
        };
        assert_eq!(role(&["b", "a"]), Some(Role::Viewer));
        assert_eq!(role(&["b"]), Some(Role::Owner));
        assert_eq!(role(&[]), None);
        let none = ClaimRules::default();
        assert_eq!(none.find_grant(&map(json!({"groups": "a"}))), None);
    }

    #[test]
    fn an_identity_is_one_for_each_subject_and_grant() {
        let id = |issuer: &str, subject: &str, grant: &KeyGrant| {
            Identity::new(issuer, subject, None).key_id(grant)
        };
        let viewer = grant(Role::Viewer, "t", &[]);
        let known = id("https://id.example", "ada", &viewer);
        assert_eq!(id("https://id.example", "ada", &viewer), known);
        for (issuer, subject, grant) in [
            ("https://id.example", "bob", viewer.clone()),
            ("https://other.example", "ada", viewer.clone()),
            ("https://id.example", "ada", grant(Role::Curator, "t", &[])),
            ("https://id.example", "ada", grant(Role::Viewer, "u", &[])),
            (
                "https://id.example",
                "ada",
                grant(Role::Viewer, "t", &["a"]),
            ),
        ] {
            assert_ne!(id(issuer, subject, &grant), known, "{issuer} {subject}");
        }
    }

    #[test]
    fn an_identity_is_called_as_told_or_by_a_digest() {
        let name = |told| Identity::new("https://id.example", "ada", told).name;
        assert_eq!(name(Some("Ada L.")).as_str(), "Ada L.");
        let digest = name(None);
        assert!(digest.as_str().starts_with("identity "), "{digest}");
        assert!(!digest.as_str().contains("ada"), "{digest}");
        assert_eq!(name(Some("\u{7}")), digest);
        assert_eq!(name(Some("")), digest);
    }
}
