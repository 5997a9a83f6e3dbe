//! The rows of keys, tenants and the audit log as values, and back. A row that no version wrote is damage.

use std::collections::BTreeSet;

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditAction, AuditEntry, AuditEvent, KeyGrant, KeyId, KeyKind, KeyLimits,
        OlderSecret, Revocation, Role, SecretHash, TenantRecord,
    },
    change::Actor,
    id::{AgentId, InvalidName, KeyName, ProjectId, TenantId},
    text::CleanText,
};
use rusqlite::{Connection, Row, params};

use super::super::rows::{ColumnReader, from_json, parse_tenant, to_json, to_sql_count};
use crate::{Result, error::damaged_error, rows::ReadColumns as _};

/// The columns that [`read_key`] reads.
pub(super) const KEY_COLUMNS: &str = "id, kind, role, tenant, agents, projects, name, secret, \
     older_secret, older_until, opened_by, created, expires, last_used, revoked_at, revoked_by";

/// The columns that [`read_audit_entry`] reads.
pub(super) const AUDIT_COLUMNS: &str =
    "sequence, at, actor, action, tenant, key, before, after, previous, hash";

pub(super) fn read_key(row: &Row<'_>) -> Result<ApiKeyRecord> {
    let mut row = ColumnReader::new(row);
    Ok(ApiKeyRecord {
        id: row.next_word(KeyId::parse)?,
        kind: row.next_word(KeyKind::from_name)?,
        grant: read_grant(&mut row)?,
        name: KeyName::parse(&row.next_value::<String>()?).map_err(bad_name)?,
        secret: SecretHash::from_stored(row.next_value()?),
        older_secret: match (
            row.next_value::<Option<[u8; 32]>>()?,
            row.next_optional_time()?,
        ) {
            (Some(hash), Some(until)) => Some(OlderSecret {
                hash: SecretHash::from_stored(hash),
                until,
            }),
            _ => None,
        },
        opened_by: read_optional_key_id(&mut row)?,
        created: row.next_time()?,
        expires: row.next_optional_time()?,
        last_used: row.next_optional_time()?,
        revoked: match (row.next_optional_time()?, row.next_optional_text()?) {
            (Some(at), Some(by)) => Some(Revocation { at, by: Actor(by) }),
            _ => None,
        },
    })
}

fn read_grant(row: &mut ColumnReader<'_, '_>) -> Result<KeyGrant> {
    let role = row.next_word(Role::from_name)?;
    let tenant = row.next_value::<Option<String>>()?;
    let limits = KeyLimits {
        agents: read_names(&row.next_value::<String>()?, AgentId::parse)?,
        projects: read_names(&row.next_value::<String>()?, ProjectId::parse)?,
    };
    let tenant = tenant.map(|name| parse_tenant(&name)).transpose()?;
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

fn bad_name(_: InvalidName) -> crate::StoreError {
    damaged_error("a key has a name that cannot be")
}

fn read_optional_key_id(row: &mut ColumnReader<'_, '_>) -> Result<Option<KeyId>> {
    let parse = |text: String| {
        KeyId::parse(&text).ok_or_else(|| damaged_error("a key has an id that cannot be"))
    };
    row.next_value::<Option<String>>()?.map(parse).transpose()
}

pub(super) fn write_key(conn: &Connection, record: &ApiKeyRecord) -> Result<()> {
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
    let insert = format!(
        "INSERT OR REPLACE INTO api_key ({KEY_COLUMNS}) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
    );
    conn.prepare_cached(&insert)?.execute(params![
        id.as_str(),
        kind.name(),
        grant.role().name(),
        grant.tenant().map(TenantId::as_str),
        to_json(&agents)?,
        to_json(&projects)?,
        name.as_str(),
        secret.expose(),
        older_secret.as_ref().map(|it| it.hash.expose()),
        older_secret.as_ref().map(|it| it.until.as_millisecond()),
        opened_by.as_ref().map(KeyId::as_str),
        created.as_millisecond(),
        expires.map(|it| it.as_millisecond()),
        last_used.map(|it| it.as_millisecond()),
        revoked.as_ref().map(|it| it.at.as_millisecond()),
        revoked.as_ref().map(|it| it.by.0.as_str()),
    ])?;
    Ok(())
}

pub(super) fn read_tenant(row: &Row<'_>) -> Result<TenantRecord> {
    let mut row = ColumnReader::new(row);
    Ok(TenantRecord {
        id: parse_tenant(&row.next_value::<String>()?)?,
        created: row.next_time()?,
    })
}

pub(super) fn read_audit_entry(row: &Row<'_>) -> Result<AuditEntry> {
    let mut row = ColumnReader::new(row);
    Ok(AuditEntry {
        sequence: row.next_count()?,
        event: AuditEvent {
            at: row.next_time()?,
            by: Actor(row.next_text()?),
            action: row.next_word(AuditAction::from_name)?,
            tenant: row
                .next_value::<Option<String>>()?
                .map(|name| parse_tenant(&name))
                .transpose()?,
            key: read_optional_key_id(&mut row)?,
            before: row.next_optional_text()?,
            after: row.next_optional_text()?,
        },
        previous: row.next_hash()?,
        hash: row.next_hash()?,
    })
}

/// Appends an entry, and makes it the head.
pub(super) fn write_audit_entry(conn: &Connection, entry: &AuditEntry) -> Result<()> {
    let AuditEvent {
        at,
        by,
        action,
        tenant,
        key,
        before,
        after,
    } = &entry.event;
    let sequence = to_sql_count(entry.sequence);
    let insert = format!(
        "INSERT INTO audit ({AUDIT_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
    );
    conn.prepare_cached(&insert)?.execute(params![
        sequence,
        at.as_millisecond(),
        by.0.as_str(),
        action.name(),
        tenant.as_ref().map(TenantId::as_str),
        key.as_ref().map(KeyId::as_str),
        before.as_ref().map(CleanText::as_str),
        after.as_ref().map(CleanText::as_str),
        entry.previous.as_bytes(),
        entry.hash.as_bytes(),
    ])?;
    let head = "INSERT OR REPLACE INTO audit_head (id, sequence, hash) VALUES (1, ?1, ?2)";
    conn.execute(head, params![sequence, entry.hash.as_bytes()])?;
    Ok(())
}
