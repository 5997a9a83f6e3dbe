//! The log of changes to keys and tenants, and what it says of them.
//!
//! A server has one log. An entry says who did what to which key, and how the key's record read before and after: never a
//! secret, nor a hash of one, but a mark by which another secret is told apart. [`KeyReplay`] reads the log from the
//! start and compares what it comes to with what there is. It sees a change of either alone; nothing can see one of
//! both.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{ApiKeyRecord, KeyId, KeyKind, TenantRecord};
use hardwon_core::{Actor, CleanText, TenantId, named_enum};

/// Most faults that are told.
const MAX_FAULTS: usize = 100;
/// What a description tells that those of earlier versions do not.
const LATER_MEMBERS: [&str; 4] = ["created", "secret_mark", "older_secret_mark", "revoked_by"];

named_enum! {
    /// What was done.
    AuditAction {
        /// A tenant was added.
        TenantAdded = "tenant-added",
        /// A tenant was removed; its keys were revoked.
        TenantRemoved = "tenant-removed",
        /// A key was added.
        KeyAdded = "key-added",
        /// A key got a new secret.
        KeyRotated = "key-rotated",
        /// A key was revoked.
        KeyRevoked = "key-revoked",
        /// A key reached the end of its time.
        KeyExpired = "key-expired",
        /// The webhook of a tenant was set. Earlier versions had them, and their entries are read.
        WebhookSet = "webhook-set",
        /// The webhook of a tenant was removed, by an earlier version.
        WebhookRemoved = "webhook-removed",
        /// The record of a key that had ended was deleted.
        KeyForgotten = "key-forgotten",
    }
}

/// A change to a key or a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AuditEntryDto)]
pub struct KeyLogEntry {
    /// Its number, from 1, without gaps: in the whole log for an operator, among those of their tenant for an owner.
    pub sequence: u64,
    /// When it was made.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Who made it.
    #[serde(rename = "actor", serialize_with = "write_actor")]
    #[schema(value_type = String)]
    pub by: Actor,
    /// What was done, such as `key-added`.
    #[schema(value_type = String)]
    pub action: AuditAction,
    /// The tenant; absent for an operator's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub tenant: Option<TenantId>,
    /// The key's id; absent if it is about a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub key: Option<KeyId>,
    /// The key's record before, as JSON in a text; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub before: Option<CleanText>,
    /// The key's record after, as JSON in a text; absent if it is about a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub after: Option<CleanText>,
}

fn write_actor<S: Serializer>(actor: &Actor, serializer: S) -> Result<S::Ok, S::Error> {
    actor.0.serialize(serializer)
}

impl ApiKeyRecord {
    /// Writes what whoever reads the log may know of the record, as JSON. It leaves out when the key was last used.
    pub fn describe(&self) -> CleanText {
        let limits = self.grant.limits();
        let agents = limits.agents.iter().map(|agent| agent.as_str());
        let projects = limits.projects.iter().map(|project| project.as_str());
        let older = self.older_secret.as_ref();
        let revocation = self.revoked.as_ref();
        let mut members = Map::new();
        let mut add = |name: &str, value: Value| {
            if !value.is_null() && value.as_array().is_none_or(|names| !names.is_empty()) {
                members.insert(name.to_owned(), value);
            }
        };
        let time = |time: Option<Timestamp>| Value::from(time.map(|time| time.to_string()));
        add("kind", self.kind.name().into());
        add("name", self.name.as_str().into());
        add("role", self.grant.role().name().into());
        add("agents", agents.collect());
        add("projects", projects.collect());
        add("secret_mark", self.secret.mark().into());
        let older_mark = older.map(|older| older.hash.mark());
        add("older_secret_mark", older_mark.into());
        add("older_secret_until", time(older.map(|older| older.until)));
        let opened_by = self.opened_by.as_ref();
        add("opened_by", opened_by.map(KeyId::as_str).into());
        add("created", time(Some(self.created)));
        add("expires", time(self.expires));
        add("revoked", time(revocation.map(|end| end.at)));
        add("revoked_by", revocation.map(|end| end.by.0.as_str()).into());
        CleanText::from_stored(Value::Object(members).to_string())
    }
}

/// What is told of a key or a tenant.
type Members = Map<String, Value>;

/// Reads the description of a key of a tenant; what is none says nothing.
fn read_members(description: &str, tenant: Option<&TenantId>) -> Members {
    let mut members: Members = serde_json::from_str(description).unwrap_or_default();
    members.insert("tenant".to_owned(), tenant.map(TenantId::as_str).into());
    members
}

fn describe_tenant(created: Timestamp) -> Members {
    Members::from_iter([("added".to_owned(), created.to_string().into())])
}

fn is_kind(members: &Members, kind: KeyKind) -> bool {
    members.get("kind").and_then(Value::as_str) == Some(kind.name())
}

/// Names a key or a tenant, with what a person calls the key.
fn name_thing(what: &str, members: &Members) -> String {
    let name = members.get("name").and_then(Value::as_str);
    name.map_or_else(|| what.to_owned(), |name| format!("{what} ({name})"))
}

/// Returns the members in which two descriptions differ. One of an earlier version leaves some out.
fn find_differences(one: &Members, other: &Members) -> Vec<String> {
    let is_known = |name: &&String| {
        let is_in_both = one.contains_key(*name) && other.contains_key(*name);
        is_in_both || !LATER_MEMBERS.contains(&name.as_str())
    };
    let more = other.keys().filter(|name| !one.contains_key(*name));
    let names = one.keys().chain(more).filter(is_known);
    let differing = names.filter(|name| one.get(*name) != other.get(*name));
    differing.cloned().collect()
}

/// What a check of the log found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyLogReport {
    /// The number of the last entry.
    pub entries: u64,
    /// What is wrong, a sentence each; the first hundred.
    pub faults: Vec<String>,
}

/// What the entries that were read so far come to.
///
/// [Read](Self::read_entry) all entries in order, then check all keys and tenants, then [end](Self::end).
#[derive(Debug, Default)]
pub struct KeyReplay {
    report: KeyLogReport,
    /// What there should be, by its kind and id.
    expected: BTreeMap<String, Members>,
}

impl KeyReplay {
    /// Reads the next entry.
    pub fn read_entry(&mut self, entry: &KeyLogEntry) {
        let (next, sequence) = (self.report.entries + 1, entry.sequence);
        if sequence != next {
            let fault = format!("the log has entry {sequence} where entry {next} should be");
            self.report.faults.push(fault);
        }
        self.report.entries = sequence;
        match (&entry.key, &entry.tenant) {
            (Some(id), _) => self.read_key_entry(format!("key {id}"), entry),
            (None, Some(tenant)) => self.read_tenant_entry(format!("tenant {tenant}"), entry),
            (None, None) => {}
        }
    }

    fn read_tenant_entry(&mut self, what: String, entry: &KeyLogEntry) {
        match entry.action {
            AuditAction::TenantAdded => self.expected.insert(what, describe_tenant(entry.at)),
            AuditAction::TenantRemoved => self.expected.remove(&what),
            _ => None,
        };
    }

    fn read_key_entry(&mut self, what: String, entry: &KeyLogEntry) {
        let tenant = entry.tenant.as_ref();
        let read = |text: &Option<CleanText>| {
            let text = text.as_ref();
            text.map_or_else(Members::new, |text| read_members(text.as_str(), tenant))
        };
        let (before, after) = (read(&entry.before), read(&entry.after));
        let earlier = self.expected.remove(&what).unwrap_or_default();
        if !find_differences(&earlier, &before).is_empty() && !is_kind(&after, KeyKind::Identity) {
            let (number, thing) = (entry.sequence, name_thing(&what, &before));
            self.report.faults.push(format!(
                "entry {number} does not go on from what the log said before of {thing}"
            ));
        }
        let is_ended_session = is_kind(&after, KeyKind::Session) && after.contains_key("revoked");
        if entry.action != AuditAction::KeyForgotten && !is_ended_session {
            self.expected.insert(what, after);
        }
    }

    /// Checks a key that there is.
    pub fn check_key(&mut self, record: &ApiKeyRecord) {
        let members = read_members(record.describe().as_str(), record.grant.tenant());
        self.check(&format!("key {}", record.id), &members);
    }

    /// Checks a tenant that there is.
    pub fn check_tenant(&mut self, record: &TenantRecord) {
        let members = describe_tenant(record.created);
        self.check(&format!("tenant {}", record.id), &members);
    }

    fn check(&mut self, what: &str, members: &Members) {
        let name = name_thing(what, members);
        let fault = match self.expected.remove(what) {
            None => format!("{name} is there, and by the log it should not be"),
            Some(logged) => match &find_differences(&logged, members)[..] {
                [] => return,
                names => format!("{name} is not as the log has it: {}", names.join(", ")),
            },
        };
        self.report.faults.push(fault);
    }

    /// Reports what was found. What was not checked by now is missing.
    pub fn end(mut self) -> KeyLogReport {
        // Whom an identity provider vouched for, in earlier versions, went without an entry.
        let missing = self.expected.iter();
        let missing = missing.filter(|(_, members)| !is_kind(members, KeyKind::Identity));
        let names = missing.map(|(what, members)| name_thing(what, members));
        let faults = names.map(|name| format!("{name} should be there by the log, and is not"));
        self.report.faults.extend(faults);
        self.report.faults.truncate(MAX_FAULTS);
        self.report
    }
}
