//! The state of sessions that several servers share.
//!
//! A report of a run locks the run's record for its duration. That is a holder and a time in the row, not an open
//! transaction: a report changes lessons meanwhile, on other connections, and a pooler need not keep one for it. The
//! time is the database's, so the machines' clocks do not matter. A record's head is locked before its pieces, so no
//! two transactions wait for each other.

use std::{sync::Arc, time::Duration};

use hardwon_core::{AgentId, TenantId, limits};
use hardwon_store::{
    Result, SessionAddition, SessionLock, SessionPlace, SessionRecord, SessionStore,
    backend::damaged_error,
    rows::{ReadColumns as _, to_sql_bound, to_sql_count},
    sessions::SessionPart,
};
use jiff::Timestamp;
use tokio_postgres::Row;

use crate::{
    database::Database,
    session::{CommitError, Request, Session, TenantKey, TransactionMode},
    values::{RowColumns, SqlValue, values},
};

/// A store of the state of sessions in one database.
#[derive(Debug)]
pub struct PostgresSessionStore {
    database: Arc<Database>,
}

/// The place of a record, in a statement whose first four values are those of [`place_values`].
const AT_PLACE: &str = "tenant = $1 AND agent = $2 AND part = $3 AND name = $4";

fn place_values(place: &SessionPlace, more: Vec<SqlValue>) -> Vec<SqlValue> {
    let mut values = values![
        TenantKey::from_name(&place.tenant),
        place.agent.as_str(),
        place.part.name(),
        place.name.as_str(),
    ];
    values.extend(more);
    values
}

fn request(sql: impl Into<String>, place: &SessionPlace, more: Vec<SqlValue>) -> Request {
    Request::new(sql.into(), place_values(place, more))
}

impl PostgresSessionStore {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Runs statements of one tenant in a transaction, and returns what each selects.
    fn run(
        &self,
        tenant: &TenantId,
        mode: TransactionMode,
        requests: Vec<Request>,
    ) -> Result<Vec<Vec<Row>>> {
        let at_place = |error| self.database.add_context(error, "keeping a session");
        let session = self
            .database
            .open_session(mode)
            .map_err(|error| at_place(error.0))?;
        let key = TenantKey::from_name(tenant);
        let rows = session.query_all(key, requests).map_err(at_place)?;
        if mode != TransactionMode::Snapshot {
            commit(session).map_err(at_place)?;
        }
        Ok(rows)
    }

    /// Changes records. A crash of the database server may lose the last moments: a run goes on without them.
    fn change(&self, place: &SessionPlace, requests: Vec<Request>) -> Result<Vec<Vec<Row>>> {
        self.run(&place.tenant, TransactionMode::LazyWrite, requests)
    }

    fn read(&self, tenant: &TenantId, requests: Vec<Request>) -> Result<Vec<Vec<Row>>> {
        self.run(tenant, TransactionMode::Snapshot, requests)
    }
}

fn commit(session: Session<'_>) -> Result<()> {
    session.commit().map_err(|error| match error {
        CommitError::RolledBack(error, _) | CommitError::Unknown(error) => error,
    })
}

/// Returns the request that adds bytes to a record if they still fit, and notes its time in any case.
fn append_request(place: &SessionPlace, addition: SessionAddition<'_>) -> Request {
    let length = to_sql_bound(addition.bytes.len());
    request(
        "WITH head AS (
             INSERT INTO hardwon.session AS s (tenant, agent, part, name, bytes, changes, at)
             VALUES ($1, $2, $3, $4, $5, 1, $6) ON CONFLICT (tenant, agent, part, name) DO UPDATE
             SET bytes = s.bytes + CASE WHEN s.bytes <= $7 THEN $5 ELSE 0 END,
                 changes = s.changes + 1, at = excluded.at
             RETURNING changes, bytes)
         INSERT INTO hardwon.session_piece (tenant, agent, part, name, number, data)
         SELECT $1, $2, $3, $4, head.changes, $8 FROM head WHERE $5 > 0 AND head.bytes - $5 <= $7",
        place,
        values![
            length,
            addition.at.as_millisecond(),
            to_sql_count(addition.most),
            addition.bytes.to_vec(),
        ],
    )
}

fn release_request(place: &SessionPlace, SessionLock(holder): SessionLock) -> Request {
    let sql = format!(
        "UPDATE hardwon.session SET holder = NULL, held_until = NULL
         WHERE {AT_PLACE} AND holder = $5"
    );
    request(sql, place, values![holder])
}

/// Returns requests about a record's head and its pieces; `more` are the values after those of its place.
fn requests_about(
    place: &SessionPlace,
    more: &[SqlValue],
    sql: impl Fn(&str) -> String,
) -> [Request; 2] {
    ["session", "session_piece"].map(|table| request(sql(table), place, more.to_vec()))
}

/// Returns how long a lock lasts, in milliseconds.
fn to_milliseconds(lasts: Duration) -> u32 {
    u32::try_from(lasts.as_millis()).unwrap_or(u32::MAX)
}

impl SessionStore for PostgresSessionStore {
    fn lock(&self, place: &SessionPlace, lasts: Duration) -> Result<Option<SessionLock>> {
        let holder = fastrand::i64(..);
        let take = request(
            "INSERT INTO hardwon.session AS s
                 (tenant, agent, part, name, bytes, changes, at, holder, held_until)
             VALUES ($1, $2, $3, $4, 0, 0, $5, $6, now() + $7::float8 * interval '1 millisecond')
             ON CONFLICT (tenant, agent, part, name) DO UPDATE
             SET holder = excluded.holder, held_until = excluded.held_until
             WHERE s.held_until IS NULL OR s.held_until < now() RETURNING holder",
            place,
            values![
                Timestamp::now().as_millisecond(),
                holder,
                to_milliseconds(lasts),
            ],
        );
        let rows = self.change(place, vec![take])?;
        Ok((!rows[0].is_empty()).then_some(SessionLock(holder)))
    }

    fn renew(
        &self,
        place: &SessionPlace,
        SessionLock(holder): SessionLock,
        lasts: Duration,
    ) -> Result<bool> {
        let sql = format!(
            "UPDATE hardwon.session
             SET held_until = now() + $6::float8 * interval '1 millisecond'
             WHERE {AT_PLACE} AND holder = $5 RETURNING holder"
        );
        let values = values![holder, to_milliseconds(lasts)];
        let rows = self.change(place, vec![request(sql, place, values)])?;
        Ok(!rows[0].is_empty())
    }

    fn release(&self, place: &SessionPlace, lock: SessionLock) -> Result<()> {
        self.change(place, vec![release_request(place, lock)])?;
        Ok(())
    }

    fn read_record(&self, place: &SessionPlace, reach: usize) -> Result<SessionRecord> {
        let head = format!("SELECT bytes, changes FROM hardwon.session WHERE {AT_PLACE}");
        let end = format!(
            "SELECT w.data FROM (
                 SELECT number, data,
                     sum(length(data)) OVER (ORDER BY number DESC) - length(data) AS after
                 FROM hardwon.session_piece WHERE {AT_PLACE}) w
             WHERE w.after < $5 ORDER BY w.number"
        );
        let requests = vec![
            request(head, place, Vec::new()),
            request(end, place, values![to_sql_bound(reach)]),
        ];
        let rows = self.read(&place.tenant, requests)?;
        let Some(head) = rows[0].first() else {
            return Ok(SessionRecord::default());
        };
        let mut head = RowColumns::new(head);
        let (length, changes) = (head.next_count()?, head.next_count()?);
        let pieces = rows[1]
            .iter()
            .map(|row| Ok(RowColumns::new(row).next_bytes()?.to_vec()));
        let mut end: Vec<u8> = pieces.collect::<Result<Vec<_>>>()?.concat();
        end.drain(..end.len().saturating_sub(reach));
        Ok(SessionRecord {
            end,
            length,
            changes,
        })
    }

    fn append(
        &self,
        place: &SessionPlace,
        addition: SessionAddition<'_>,
        lock: Option<SessionLock>,
    ) -> Result<()> {
        let mut requests = vec![append_request(place, addition)];
        requests.extend(lock.map(|lock| release_request(place, lock)));
        self.change(place, requests)?;
        Ok(())
    }

    fn replace(&self, place: &SessionPlace, bytes: &[u8], at: Timestamp) -> Result<()> {
        let whole = SessionAddition {
            bytes,
            most: u64::MAX,
            at,
        };
        let requests = vec![
            // It is there and locked from here on, so of two that replace it at once one is left.
            request(
                "INSERT INTO hardwon.session (tenant, agent, part, name, bytes, changes, at)
                 VALUES ($1, $2, $3, $4, 0, 0, $5)
                 ON CONFLICT (tenant, agent, part, name) DO UPDATE SET bytes = 0",
                place,
                values![at.as_millisecond()],
            ),
            request(
                format!("DELETE FROM hardwon.session_piece WHERE {AT_PLACE}"),
                place,
                Vec::new(),
            ),
            append_request(place, whole),
        ];
        self.change(place, requests)?;
        Ok(())
    }

    fn move_record(&self, place: &SessionPlace, to: SessionPart) -> Result<()> {
        // What is in the way goes first, if there is anything to put in its place.
        let to = values![to.name()];
        let clear = requests_about(place, &to, |table| {
            format!(
                "DELETE FROM hardwon.{table} WHERE tenant = $1 AND agent = $2 AND part = $5
                 AND name = $4 AND EXISTS (SELECT 1 FROM hardwon.session WHERE {AT_PLACE})"
            )
        });
        let take = requests_about(place, &to, |table| {
            format!("UPDATE hardwon.{table} SET part = $5 WHERE {AT_PLACE}")
        });
        self.change(place, clear.into_iter().chain(take).collect())?;
        Ok(())
    }

    fn delete_record(&self, place: &SessionPlace) -> Result<()> {
        let requests = requests_about(place, &[], |table| {
            format!("DELETE FROM hardwon.{table} WHERE {AT_PLACE}")
        });
        self.change(place, requests.into())?;
        Ok(())
    }

    fn list_records(
        &self,
        tenant: &TenantId,
        agent: &AgentId,
        part: SessionPart,
        prefix: &str,
    ) -> Result<Vec<(String, Timestamp)>> {
        let sql = "SELECT name, at FROM hardwon.session
             WHERE tenant = $1 AND agent = $2 AND part = $3 AND name >= $4 AND name < $5
             AND bytes > 0 ORDER BY at, name LIMIT $6";
        let values = values![
            TenantKey::from_name(tenant),
            agent.as_str(),
            part.name(),
            prefix,
            // No name has a character beyond this one.
            format!("{prefix}~"),
            to_sql_bound(limits::SESSION_FILES),
        ];
        let rows = self.read(tenant, vec![Request::new(sql, values)])?;
        let read = |row: &Row| {
            let mut row = RowColumns::new(row);
            Ok((row.next_string()?, row.next_time()?))
        };
        rows[0].iter().map(read).collect()
    }

    fn list_agents(&self, tenant: &TenantId) -> Result<Vec<AgentId>> {
        let sql = "SELECT DISTINCT agent FROM hardwon.session WHERE tenant = $1 ORDER BY agent";
        let values = values![TenantKey::from_name(tenant)];
        let rows = self.read(tenant, vec![Request::new(sql, values)])?;
        let read = |row: &Row| {
            let name = AgentId::parse(&RowColumns::new(row).next_string()?);
            name.map_err(|_| damaged_error("a session has an agent whose name cannot be"))
        };
        rows[0].iter().map(read).collect()
    }

    fn delete_old(&self, tenant: &TenantId, before: Timestamp) -> Result<()> {
        let values = || values![TenantKey::from_name(tenant), before.as_millisecond()];
        let requests = vec![
            Request::new(
                "SELECT name FROM hardwon.session WHERE tenant = $1 AND at < $2 FOR UPDATE",
                values(),
            ),
            Request::new(
                "DELETE FROM hardwon.session_piece p USING hardwon.session s
                 WHERE p.tenant = $1 AND s.tenant = $1 AND s.agent = p.agent AND s.part = p.part
                 AND s.name = p.name AND s.at < $2",
                values(),
            ),
            Request::new(
                "DELETE FROM hardwon.session WHERE tenant = $1 AND at < $2",
                values(),
            ),
        ];
        self.run(tenant, TransactionMode::LazyWrite, requests)?;
        Ok(())
    }
}
