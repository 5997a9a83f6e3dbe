//! Changes keys and tenants: reads what a decision needs, asks `crate::api_key`, saves what comes of it, and notes
//! it in the log, in one transaction.

use hardwon_core::{TenantId, limits};
use hardwon_store::{
    ColumnValue, Result, StoreError, WriteRows,
    backend::truncate_to_millisecond,
    port::{select_rows, values},
    rows::to_sql_page_limit,
};
use jiff::Timestamp;

use super::{
    KeyReader as _,
    rows::{ADD_LOG, SAVE_KEY, find_keys, key_statement, key_values, log_values},
};
use crate::{
    ApiKeyRecord, AuditAction, KeyChangeError, KeyChangeRefusal, KeyId, KeyKind, KeyLogEntry,
    KeyOrder, KeyReach, KeyStore, SecretHash, TenantRecord,
    api_key::{NewKeyFacts, check_new_key, choose_surplus_sessions},
};

type Changed<T> = Result<T, KeyChangeError>;

/// A transaction, and what it has noted in the log.
struct KeyChange<'t> {
    rows: &'t dyn WriteRows,
    order: &'t KeyOrder,
    last_entry: Option<KeyLogEntry>,
}

impl KeyStore {
    /// Adds a tenant.
    pub fn add_tenant(&self, order: &KeyOrder, tenant: &TenantId) -> Changed<TenantRecord> {
        self.change(order, |change| change.add_tenant(tenant))
    }

    /// Removes a tenant and revokes its keys, and returns how many that were; `None` if there is no such tenant. Its lessons
    /// are the business of their own store.
    pub fn remove_tenant(&self, order: &KeyOrder, tenant: &TenantId) -> Changed<Option<usize>> {
        self.change(order, |change| change.remove_tenant(tenant))
    }

    /// Adds a key, or a session that a key opens, and returns what was saved.
    pub fn add_key(&self, order: &KeyOrder, record: &ApiKeyRecord) -> Changed<ApiKeyRecord> {
        self.change(order, |change| change.add_key(record))
    }

    /// Gives a key a new secret, and ends the sessions that it opened. The present secret is accepted until
    /// `older_until` as well.
    pub fn rotate_key(
        &self,
        order: &KeyOrder,
        id: &KeyId,
        secret: &SecretHash,
        older_until: Timestamp,
    ) -> Changed<ApiKeyRecord> {
        let older_until = truncate_to_millisecond(older_until);
        self.change(order, |change| {
            let before = change.require_key(id)?;
            let after = before.rotate(secret.clone(), older_until, change.order.at)?;
            change.save(AuditAction::KeyRotated, Some(&before), &after)?;
            change.revoke_all(&change.sessions_of(id)?)?;
            Ok(after)
        })
    }

    /// Revokes a key, and the sessions that it opened, and returns those that had not been revoked before.
    pub fn revoke_key(&self, order: &KeyOrder, id: &KeyId) -> Changed<Vec<ApiKeyRecord>> {
        self.change(order, |change| {
            let mut keys = vec![change.require_key(id)?];
            keys.extend(change.sessions_of(id)?);
            change.revoke_all(&keys)
        })
    }

    /// Ends the keys whose time is over, and forgets sessions whose time is. Returns how many there were.
    pub fn end_expired(&self, order: &KeyOrder) -> Changed<usize> {
        self.repeat(order, |change| change.end_expired())
    }

    /// Forgets keys that ended before a time, and returns how many. What was done with them and to them stays in the log.
    pub fn prune_keys(&self, order: &KeyOrder, ended_before: Timestamp) -> Changed<usize> {
        self.repeat(order, |change| change.prune_keys(ended_before))
    }

    /// Records when keys were last used. A time before the recorded one changes nothing, nor does a key that is gone.
    pub fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        let sql = "UPDATE hardwon.api_key SET last_used = $2 \
             WHERE id = $1 AND (last_used IS NULL OR last_used < $2)";
        if uses.is_empty() {
            return Ok(());
        }
        self.database.write(&mut |rows, _| {
            for (id, at) in uses {
                rows.execute(key_statement(sql, values![id.as_str(), *at]))?;
            }
            Ok(())
        })
    }

    /// Makes a change in a transaction. Whether one took place whose commit was not answered, the log tells.
    fn change<T>(
        &self,
        order: &KeyOrder,
        work: impl Fn(&mut KeyChange<'_>) -> Changed<T>,
    ) -> Changed<T> {
        let order = KeyOrder {
            at: truncate_to_millisecond(order.at),
            ..order.clone()
        };
        let mut outcome = None;
        let result = self.database.write(&mut |rows, may_be_done| {
            if let Some(Ok((Some(entry), _))) = outcome.as_ref().filter(|_| may_be_done)
                && has_entry(rows, entry)?
            {
                return Ok(());
            }
            let mut change = KeyChange {
                rows,
                order: &order,
                last_entry: None,
            };
            outcome = None;
            match work(&mut change) {
                Ok(value) => outcome = Some(Ok((change.last_entry, value))),
                Err(KeyChangeError::Store(error)) => return Err(error),
                Err(KeyChangeError::Refused(refusal)) => {
                    let error = StoreError::refused(refusal.to_string());
                    outcome = Some(Err(refusal));
                    return Err(error);
                }
            }
            Ok(())
        });
        match (result, outcome) {
            (_, Some(Err(refusal))) => Err(refusal.into()),
            (Ok(()), Some(Ok((_, value)))) => Ok(value),
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => unreachable!("what was committed was done"),
        }
    }

    /// Repeats a change about a page of keys until there are no more, and returns how many there were.
    fn repeat(
        &self,
        order: &KeyOrder,
        work: impl Fn(&mut KeyChange<'_>) -> Changed<usize>,
    ) -> Changed<usize> {
        let mut all = 0;
        loop {
            match self.change(order, &work)? {
                0 => return Ok(all),
                some => all += some,
            }
        }
    }
}

fn has_entry(rows: &dyn WriteRows, entry: &KeyLogEntry) -> Result<bool> {
    let entries = rows.log(&KeyReach::Server, entry.sequence - 1, 1)?;
    Ok(entries.first() == Some(entry))
}

impl KeyChange<'_> {
    fn add_tenant(&mut self, tenant: &TenantId) -> Changed<TenantRecord> {
        self.order.check_reaches_server()?;
        let name = tenant.as_str();
        let is_fit = |c: char| c.is_alphanumeric() || " -_.@".contains(c);
        if !name.starts_with(char::is_alphanumeric) || !name.chars().all(is_fit) {
            return Err(KeyChangeRefusal::UnfitTenantName.into());
        }
        if self.rows.find_tenant(tenant)?.is_some() {
            return Err(KeyChangeRefusal::TenantExists(tenant.clone()).into());
        }
        let record = TenantRecord {
            id: tenant.clone(),
            created: self.order.at,
        };
        self.rows.execute(key_statement(
            "INSERT INTO hardwon.served_tenant (name, created) VALUES ($1, $2)",
            values![tenant.as_str(), record.created],
        ))?;
        self.note(AuditAction::TenantAdded, Some(tenant), None, [None, None])?;
        Ok(record)
    }

    fn remove_tenant(&mut self, tenant: &TenantId) -> Changed<Option<usize>> {
        self.order.check_reaches_server()?;
        if self.rows.find_tenant(tenant)?.is_none() {
            return Ok(None);
        }
        let name = || values![tenant.as_str()];
        let condition = "tenant = $1 AND revoked_at IS NULL ORDER BY id";
        let keys = find_keys(self.rows, condition, name())?;
        let keys_revoked = self.revoke_all(&keys)?;
        let delete = "DELETE FROM hardwon.served_tenant WHERE name = $1";
        self.rows.execute(key_statement(delete, name()))?;
        self.note(AuditAction::TenantRemoved, Some(tenant), None, [None, None])?;
        Ok(Some(keys_revoked.len()))
    }

    fn add_key(&mut self, record: &ApiKeyRecord) -> Changed<ApiKeyRecord> {
        let opener = record.opened_by.as_ref();
        let opener = opener
            .map(|id| self.rows.find_key(id))
            .transpose()?
            .flatten();
        let mut facts = NewKeyFacts {
            has_same_id: self.rows.find_key(&record.id)?.is_some(),
            opener: opener.as_ref(),
            ..NewKeyFacts::default()
        };
        if let Some(tenant) = record.grant.tenant() {
            facts.has_tenant = self.rows.find_tenant(tenant)?.is_some();
            facts.key_count = self.count_keys(tenant)?;
        }
        check_new_key(self.order, record, facts)?;
        if let Some(opener) = &record.opened_by {
            self.revoke_all(&choose_surplus_sessions(self.sessions_of(opener)?))?;
        }
        let after = ApiKeyRecord {
            created: truncate_to_millisecond(record.created),
            expires: record.expires.map(truncate_to_millisecond),
            ..record.clone()
        };
        self.save(AuditAction::KeyAdded, None, &after)?;
        Ok(after)
    }

    fn count_keys(&self, tenant: &TenantId) -> Result<u64> {
        let sql = "SELECT count(*) FROM hardwon.api_key \
             WHERE tenant = $1 AND revoked_at IS NULL AND kind <> 'hws'";
        read_count(self.rows, sql, values![tenant.as_str()])
    }

    fn require_key(&self, id: &KeyId) -> Changed<ApiKeyRecord> {
        Ok(self.order.require_key(id, self.rows.find_key(id)?)?)
    }

    fn sessions_of(&self, opener: &KeyId) -> Result<Vec<ApiKeyRecord>> {
        let condition = "opened_by = $1 AND revoked_at IS NULL ORDER BY id";
        find_keys(self.rows, condition, values![opener.as_str()])
    }

    fn end_expired(&mut self) -> Changed<usize> {
        self.order.check_reaches_server()?;
        let condition =
            "expires <= $1 AND (revoked_at IS NULL OR kind = 'hws') ORDER BY id LIMIT $2";
        let values = values![self.order.at, to_sql_page_limit(limits::PAGE_ROWS)];
        let keys = find_keys(self.rows, condition, values)?;
        for before in &keys {
            if before.revoked.is_none() {
                let after = before.revoke(self.order);
                self.save(AuditAction::KeyExpired, Some(before), &after)?;
            }
            if before.kind == KeyKind::Session {
                self.delete(&before.id)?;
            }
        }
        Ok(keys.len())
    }

    fn prune_keys(&mut self, ended_before: Timestamp) -> Changed<usize> {
        self.order.check_reaches_server()?;
        // What has not ended is never forgotten, whatever time is named.
        let before = truncate_to_millisecond(ended_before).min(self.order.at);
        let condition = "(revoked_at < $1 OR expires < $1) ORDER BY id LIMIT $2";
        let values = values![before, to_sql_page_limit(limits::PAGE_ROWS)];
        let keys = find_keys(self.rows, condition, values)?;
        for key in &keys {
            self.delete(&key.id)?;
            let tenant = key.grant.tenant();
            let records = [Some(key), None];
            self.note(AuditAction::KeyForgotten, tenant, Some(&key.id), records)?;
        }
        Ok(keys.len())
    }

    /// Revokes those that are not revoked yet, and returns them. Of a session the log tells enough: it is forgotten, so that
    /// logging in and out leaves nothing behind.
    fn revoke_all(&mut self, keys: &[ApiKeyRecord]) -> Changed<Vec<ApiKeyRecord>> {
        let mut versions = Vec::new();
        for before in keys.iter().filter(|key| key.revoked.is_none()) {
            let after = before.revoke(self.order);
            self.save(AuditAction::KeyRevoked, Some(before), &after)?;
            if after.kind == KeyKind::Session {
                self.delete(&after.id)?;
            }
            versions.push(after);
        }
        Ok(versions)
    }

    fn save(
        &mut self,
        action: AuditAction,
        before: Option<&ApiKeyRecord>,
        after: &ApiKeyRecord,
    ) -> Result<()> {
        self.rows
            .execute(key_statement(SAVE_KEY, key_values(after)?))?;
        let tenant = after.grant.tenant();
        self.note(action, tenant, Some(&after.id), [before, Some(after)])
    }

    fn delete(&self, id: &KeyId) -> Result<()> {
        let sql = "DELETE FROM hardwon.api_key WHERE id = $1";
        self.rows.execute(key_statement(sql, values![id.as_str()]))
    }

    /// Notes in the log what was done to a tenant, or to a key that was like this before and is like that now.
    fn note(
        &mut self,
        action: AuditAction,
        tenant: Option<&TenantId>,
        key: Option<&KeyId>,
        [before, after]: [Option<&ApiKeyRecord>; 2],
    ) -> Result<()> {
        let last = match &self.last_entry {
            Some(entry) => entry.sequence,
            None => {
                let sql = "SELECT coalesce(max(sequence), 0) FROM hardwon.key_log";
                read_count(self.rows, sql, Vec::new())?
            }
        };
        let entry = KeyLogEntry {
            sequence: last + 1,
            at: self.order.at,
            by: self.order.by.clone(),
            action,
            tenant: tenant.cloned(),
            key: key.cloned(),
            before: before.map(ApiKeyRecord::describe),
            after: after.map(ApiKeyRecord::describe),
        };
        self.rows
            .execute(key_statement(ADD_LOG, log_values(&entry)))?;
        self.last_entry = Some(entry);
        Ok(())
    }
}

/// Reads the number that a statement selects.
fn read_count(rows: &dyn WriteRows, sql: &str, values: Vec<ColumnValue<'_>>) -> Result<u64> {
    let numbers = select_rows(rows, key_statement(sql, values), |row| row.next_count())?;
    Ok(numbers.into_iter().sum())
}
