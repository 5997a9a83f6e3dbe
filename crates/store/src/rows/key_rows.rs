//! The rows of keys, tenants and the audit log as values, and back. A row that no version wrote is damage.

use std::{borrow::Cow, collections::BTreeSet};

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditAction, AuditEntry, AuditEvent, KeyGrant, KeyId, KeyKind, KeyLimits,
        OlderSecret, Revocation, Role, SecretHash, TenantRecord,
    },
    change::Actor,
    id::{AgentId, InvalidName, KeyName, ProjectId, TenantId},
    journal::Sha256Hash,
    text::CleanText,
};

use super::{ColumnValue, ReadColumns, from_json, parse_tenant, to_json};
use crate::{Result, StoreError, error::damaged_error};

/// The columns of a key, the first of which is its id, as [`read_key`] reads and [`key_values`] writes them.
pub const KEY_COLUMNS: [&str; 16] = [
    "id",
    "kind",
    "role",
    "tenant",
    "agents",
    "projects",
    "name",
    "secret",
    "older_secret",
    "older_until",
    "opened_by",
    "created",
    "expires",
    "last_used",
    "revoked_at",
    "revoked_by",
];

/// The columns of an entry of the audit log, as [`read_audit_entry`] reads and [`audit_values`] writes them.
pub const AUDIT_COLUMNS: [&str; 10] = [
    "sequence", "at", "actor", "action", "tenant", "key", "before", "after", "previous", "hash",
];

/// Reads [`KEY_COLUMNS`].
pub fn read_key(row: &mut impl ReadColumns) -> Result<ApiKeyRecord> {
    Ok(ApiKeyRecord {
        id: row.next_word(KeyId::parse)?,
        kind: row.next_word(KeyKind::from_name)?,
        grant: read_grant(row)?,
        name: KeyName::parse(&row.next_string()?).map_err(bad_name)?,
        secret: read_secret(&row.next_hash()?),
        older_secret: match (row.next_optional_hash()?, row.next_optional_time()?) {
            (Some(hash), Some(until)) => Some(OlderSecret {
                hash: read_secret(&hash),
                until,
            }),
            _ => None,
        },
        opened_by: read_optional_key_id(row)?,
        created: row.next_time()?,
        expires: row.next_optional_time()?,
        last_used: row.next_optional_time()?,
        revoked: match (row.next_optional_time()?, row.next_optional_text()?) {
            (Some(at), Some(by)) => Some(Revocation { at, by: Actor(by) }),
            _ => None,
        },
    })
}

fn read_secret(hash: &Sha256Hash) -> SecretHash {
    SecretHash::from_stored(*hash.as_bytes())
}

fn read_grant(row: &mut impl ReadColumns) -> Result<KeyGrant> {
    let role = row.next_word(Role::from_name)?;
    let tenant = read_optional_tenant(row)?;
    let limits = KeyLimits {
        agents: read_names(&row.next_string()?, AgentId::parse)?,
        projects: read_names(&row.next_string()?, ProjectId::parse)?,
    };
    KeyGrant::new(role, tenant, limits).map_err(|why| damaged_error(why.to_string()))
}

fn read_names<T: Ord>(
    json: &str,
    parse: fn(&str) -> Result<T, InvalidName>,
) -> Result<BTreeSet<T>> {
    let names: Vec<String> = from_json(json)?;
    let names = names.iter().map(|name| parse(name));
    names.collect::<Result<_, _>>().map_err(bad_name)
}

fn bad_name(_: InvalidName) -> StoreError {
    damaged_error("a key has a name that cannot be")
}

fn read_optional_tenant(row: &mut impl ReadColumns) -> Result<Option<TenantId>> {
    let name = row.next_optional_string()?;
    name.map(|name| parse_tenant(&name)).transpose()
}

fn read_optional_key_id(row: &mut impl ReadColumns) -> Result<Option<KeyId>> {
    let parse = |text: String| {
        KeyId::parse(&text).ok_or_else(|| damaged_error("a key has an id that cannot be"))
    };
    row.next_optional_string()?.map(parse).transpose()
}

/// Returns the values of a key's row.
pub fn key_values(record: &ApiKeyRecord) -> Result<[ColumnValue<'_>; 16]> {
    type Value<'a> = ColumnValue<'a>;
    let ApiKeyRecord {
        id,
        kind,
        grant,
        name,
        secret,
        older_secret,
        opened_by,
        created,
        expires,
        last_used,
        revoked,
    } = record;
    let limits = grant.limits();
    let agents: Vec<&str> = limits.agents.iter().map(AgentId::as_str).collect();
    let projects: Vec<&str> = limits.projects.iter().map(ProjectId::as_str).collect();
    let older = older_secret.as_ref();
    let revoked = revoked.as_ref();
    Ok([
        Value::from_text(id.as_str()),
        Value::from_text(kind.name()),
        Value::from_text(grant.role().name()),
        Value::from_optional_text(grant.tenant().map(TenantId::as_str)),
        Value::Text(Some(Cow::Owned(to_json(&agents)?))),
        Value::Text(Some(Cow::Owned(to_json(&projects)?))),
        Value::from_text(name.as_str()),
        Value::Hash(Some(secret.expose())),
        Value::Hash(older.map(|it| it.hash.expose())),
        Value::from_time(older.map(|it| it.until)),
        Value::from_optional_text(opened_by.as_ref().map(KeyId::as_str)),
        Value::from_time(Some(*created)),
        Value::from_time(*expires),
        Value::from_time(*last_used),
        Value::from_time(revoked.map(|it| it.at)),
        Value::from_optional_text(revoked.map(|it| it.by.0.as_str())),
    ])
}

/// Reads the name of a tenant and when it was added.
pub fn read_tenant_record(row: &mut impl ReadColumns) -> Result<TenantRecord> {
    Ok(TenantRecord {
        id: parse_tenant(&row.next_string()?)?,
        created: row.next_time()?,
    })
}

/// Reads [`AUDIT_COLUMNS`].
pub fn read_audit_entry(row: &mut impl ReadColumns) -> Result<AuditEntry> {
    Ok(AuditEntry {
        sequence: row.next_count()?,
        event: AuditEvent {
            at: row.next_time()?,
            by: Actor(row.next_text()?),
            action: row.next_word(AuditAction::from_name)?,
            tenant: read_optional_tenant(row)?,
            key: read_optional_key_id(row)?,
            before: row.next_optional_text()?,
            after: row.next_optional_text()?,
        },
        previous: row.next_hash()?,
        hash: row.next_hash()?,
    })
}

/// Returns the values of the row of an entry.
#[must_use]
pub fn audit_values(entry: &AuditEntry) -> [ColumnValue<'_>; 10] {
    type Value<'a> = ColumnValue<'a>;
    let AuditEvent {
        at,
        by,
        action,
        tenant,
        key,
        before,
        after,
    } = &entry.event;
    [
        Value::from_count(entry.sequence),
        Value::from_time(Some(*at)),
        Value::from_text(by.0.as_str()),
        Value::from_text(action.name()),
        Value::from_optional_text(tenant.as_ref().map(TenantId::as_str)),
        Value::from_optional_text(key.as_ref().map(KeyId::as_str)),
        Value::from_optional_text(before.as_ref().map(CleanText::as_str)),
        Value::from_optional_text(after.as_ref().map(CleanText::as_str)),
        Value::Hash(Some(entry.previous.as_bytes())),
        Value::Hash(Some(entry.hash.as_bytes())),
    ]
}
