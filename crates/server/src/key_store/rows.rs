//! The rows of keys, tenants and the log as values, and back, and the statements that select them. A row that no version
//! wrote is damage.

use std::borrow::Cow;

use hardwon_core::{Actor, CleanText, KeyName, TenantId};
use hardwon_store::{
    ColumnValue, ReadColumns, ReadRows, Result, Sha256Hash, Statement,
    backend::damaged_error,
    port::select_rows,
    rows::{from_json, parse_tenant, parse_word, to_json, to_sql_page_limit},
};

use crate::{
    ApiKeyRecord, AuditAction, KeyGrant, KeyId, KeyKind, KeyLimits, KeyLogEntry, KeyReach,
    OlderSecret, Revocation, Role, SecretHash, TenantRecord,
};

type Value<'a> = ColumnValue<'a>;

const SELECT_KEYS: &str = "SELECT id, kind, role, tenant, agents, projects, name, secret, \
     older_secret, older_until, opened_by, created, expires, last_used, revoked_at, revoked_by \
     FROM hardwon.api_key WHERE";
/// Saves a key in place of the one of its id, of which kind, role, tenant and limits stay. When it was used is noted apart.
pub(super) const SAVE_KEY: &str = "INSERT INTO hardwon.api_key (id, kind, role, tenant, agents, \
     projects, name, secret, older_secret, older_until, opened_by, created, expires, revoked_at, \
     revoked_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, secret = excluded.secret, \
     older_secret = excluded.older_secret, older_until = excluded.older_until, \
     created = excluded.created, expires = excluded.expires, revoked_at = excluded.revoked_at, \
     revoked_by = excluded.revoked_by";
pub(super) const SELECT_TENANTS: &str = "SELECT name, created FROM hardwon.served_tenant WHERE";
pub(super) const LOG_COLUMNS: &str = "at, actor, action, tenant, key, before, after";
pub(super) const ADD_LOG: &str = "INSERT INTO hardwon.key_log \
     (sequence, at, actor, action, tenant, key, before, after) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// Makes a statement about keys, which are nobody's.
pub(super) fn key_statement<'v>(
    sql: impl Into<Cow<'v, str>>,
    values: impl Into<Vec<Value<'v>>>,
) -> Statement<'v> {
    Statement {
        tenant: 0,
        sql: sql.into(),
        values: values.into(),
    }
}

/// Returns the keys that a condition is true of.
pub(super) fn find_keys(
    rows: &(impl ReadRows + ?Sized),
    wanted: &str,
    values: Vec<Value<'_>>,
) -> Result<Vec<ApiKeyRecord>> {
    let statement = key_statement(format!("{SELECT_KEYS} {wanted}"), values);
    select_rows(rows, statement, read_key)
}

/// Returns the condition that shuts out what is out of reach, and the values of a page: where it begins, how many rows
/// it has, and whose they are.
pub(super) fn limit_reach<'v>(
    reach: &'v KeyReach,
    after: Value<'v>,
    limit: usize,
) -> (&'static str, Vec<Value<'v>>) {
    match reach {
        KeyReach::Server => ("", vec![after, bound_page(limit)]),
        KeyReach::Tenant(own) => {
            let values = vec![after, bound_page(limit), Value::from(own.as_str())];
            ("tenant = $3 AND ", values)
        }
    }
}

pub(super) fn bound_page(rows: usize) -> Value<'static> {
    Value::from(to_sql_page_limit(rows))
}

fn read_key(row: &mut dyn ReadColumns) -> Result<ApiKeyRecord> {
    let read_secret = |hash: Sha256Hash| SecretHash::from_stored(*hash.as_bytes());
    Ok(ApiKeyRecord {
        id: parse_word(&row.next_string()?, KeyId::parse)?,
        kind: parse_word(&row.next_string()?, KeyKind::from_name)?,
        grant: read_grant(row)?,
        name: parse_word(&row.next_string()?, |name| KeyName::parse(name).ok())?,
        secret: read_secret(row.next_hash()?),
        older_secret: match (row.next_optional_hash()?, row.next_optional_time()?) {
            (Some(hash), Some(until)) => Some(OlderSecret {
                hash: read_secret(hash),
                until,
            }),
            _ => None,
        },
        opened_by: read_key_id(row)?,
        created: row.next_time()?,
        expires: row.next_optional_time()?,
        last_used: row.next_optional_time()?,
        revoked: match (row.next_optional_time()?, row.next_optional_text()?) {
            (Some(at), Some(by)) => Some(Revocation { at, by: Actor(by) }),
            _ => None,
        },
    })
}

fn read_grant(row: &mut dyn ReadColumns) -> Result<KeyGrant> {
    let role = parse_word(&row.next_string()?, Role::from_name)?;
    let tenant = row.next_optional_string()?;
    let tenant = tenant.map(|name| parse_tenant(&name)).transpose()?;
    let limits = KeyLimits {
        agents: from_json(&row.next_string()?)?,
        projects: from_json(&row.next_string()?)?,
    };
    KeyGrant::new(role, tenant, limits).map_err(|why| damaged_error(why.to_string()))
}

fn read_key_id(row: &mut dyn ReadColumns) -> Result<Option<KeyId>> {
    let id = row.next_optional_string()?;
    id.map(|id| parse_word(&id, KeyId::parse)).transpose()
}

/// Returns the values of [`SAVE_KEY`].
pub(super) fn key_values(record: &ApiKeyRecord) -> Result<[Value<'_>; 15]> {
    let limits = record.grant.limits();
    let older = record.older_secret.as_ref();
    let revocation = record.revoked.as_ref();
    Ok([
        Value::from(record.id.as_str()),
        Value::from(record.kind.name()),
        Value::from(record.grant.role().name()),
        Value::from(record.grant.tenant().map(TenantId::as_str)),
        Value::from(to_json(&limits.agents)?),
        Value::from(to_json(&limits.projects)?),
        Value::from(record.name.as_str()),
        Value::from(&record.secret.expose()[..]),
        Value::Bytes(older.map(|older| Cow::Borrowed(&older.hash.expose()[..]))),
        Value::from(older.map(|older| older.until)),
        Value::from(record.opened_by.as_ref().map(KeyId::as_str)),
        Value::from(record.created),
        Value::from(record.expires),
        Value::from(revocation.map(|end| end.at)),
        Value::from(revocation.map(|end| end.by.0.as_str())),
    ])
}

pub(super) fn read_tenant(row: &mut dyn ReadColumns) -> Result<TenantRecord> {
    Ok(TenantRecord {
        id: parse_tenant(&row.next_string()?)?,
        created: row.next_time()?,
    })
}

pub(super) fn read_log_entry(row: &mut dyn ReadColumns) -> Result<KeyLogEntry> {
    Ok(KeyLogEntry {
        sequence: row.next_count()?,
        at: row.next_time()?,
        by: Actor(row.next_text()?),
        action: parse_word(&row.next_string()?, AuditAction::from_name)?,
        tenant: {
            let name = row.next_optional_string()?;
            name.map(|name| parse_tenant(&name)).transpose()?
        },
        key: read_key_id(row)?,
        before: row.next_optional_text()?,
        after: row.next_optional_text()?,
    })
}

/// Returns the values of [`ADD_LOG`].
pub(super) fn log_values(entry: &KeyLogEntry) -> [Value<'_>; 8] {
    [
        Value::from(entry.sequence),
        Value::from(entry.at),
        Value::from(entry.by.0.as_str()),
        Value::from(entry.action.name()),
        Value::from(entry.tenant.as_ref().map(TenantId::as_str)),
        Value::from(entry.key.as_ref().map(KeyId::as_str)),
        Value::from(entry.before.as_ref().map(CleanText::as_str)),
        Value::from(entry.after.as_ref().map(CleanText::as_str)),
    ]
}
