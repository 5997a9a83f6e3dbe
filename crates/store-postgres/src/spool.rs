//! The spool: recalls on their way to the tables, in memory first and then in a table of lines.
//!
//! A recall is noted in microseconds: as a line in a bounded queue of this process. The next transaction of its tenant
//! counts the lines. A full queue is sent to the table `spool` as it is, in one statement and without a lock, and so is
//! what is left when the store is closed; whoever writes next for the tenant, in any process, counts those lines too.
//!
//! What can get lost: what is in memory when the process is killed. What never happens: a recall counted twice.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use hardwon_core::{Recall, TenantId, limits};
use hardwon_store::{
    FlushCounts, RecallRow, Result, SpoolLevel,
    backend::query_text_cutoff,
    rows::{self, ReadColumns as _},
};
use jiff::Timestamp;
use tokio_postgres::Row;

use crate::{
    rows::PostgresTransaction,
    session::{Request, TenantKey},
    values::{RowColumns, SqlValue, values},
};

/// The recalls that this process has noted and no transaction has counted yet.
#[derive(Debug, Default)]
pub(crate) struct RecallQueue(Mutex<QueuedLines>);

#[derive(Debug, Default)]
struct QueuedLines {
    by_tenant: BTreeMap<TenantId, Vec<String>>,
    bytes: u64,
}

fn count_bytes(lines: &[String]) -> u64 {
    lines.iter().map(|line| line.len() as u64).sum()
}

impl RecallQueue {
    fn lock(&self) -> MutexGuard<'_, QueuedLines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a recall.
    pub(crate) fn push(&self, recall: &Recall) -> Result<SpoolLevel> {
        let line = rows::render_recall_line(recall)?;
        let mut queue = self.lock();
        queue.bytes += line.len() as u64;
        let lines = queue.by_tenant.entry(recall.scope.tenant.clone());
        lines.or_default().push(line);
        Ok(match queue.bytes {
            ..limits::SPOOL_DUE_BYTES => SpoolLevel::HasRoom,
            limits::SPOOL_DUE_BYTES.. => SpoolLevel::FlushDue,
        })
    }

    /// Returns whether the queue should be sent to the server.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().bytes >= limits::SPOOL_QUEUE_BYTES
    }

    /// Returns whether there is no room for more.
    pub(crate) fn is_overfull(&self) -> bool {
        self.lock().bytes >= 2 * limits::SPOOL_QUEUE_BYTES
    }

    /// Returns the tenants that have lines.
    pub(crate) fn tenants(&self) -> Vec<TenantId> {
        self.lock().by_tenant.keys().cloned().collect()
    }

    /// Takes the lines of a tenant.
    pub(crate) fn take(&self, tenant: &TenantId) -> Vec<String> {
        let mut queue = self.lock();
        let lines = queue.by_tenant.remove(tenant).unwrap_or_default();
        queue.bytes -= count_bytes(&lines);
        lines
    }

    /// Gives lines back that were not counted, before those that came since.
    pub(crate) fn put_back(&self, tenant: &TenantId, mut lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let mut queue = self.lock();
        queue.bytes += count_bytes(&lines);
        let newer = queue.by_tenant.entry(tenant.clone()).or_default();
        lines.append(newer);
        *newer = lines;
    }
}

/// Returns the request that sends lines to the table. It selects nothing if too many of the tenant's wait there.
pub(crate) fn send_lines(key: TenantKey, batch: i64, lines: &[String]) -> Request {
    let most = rows::to_sql_bound(4 * limits::RECALLS);
    Request::new(
        "INSERT INTO hardwon.spool (tenant, batch, place, line)
         SELECT $1, $2, w.place, w.line FROM unnest($3::text[]) WITH ORDINALITY AS w (line, place)
         WHERE (SELECT count(*) FROM hardwon.spool WHERE tenant = $1) < $4 RETURNING place",
        vec![
            key.into(),
            batch.into(),
            SqlValue::from_texts(lines.iter().map(String::as_str)),
            most.into(),
        ],
    )
}

/// Returns the request that takes a tenant's lines from the table.
pub(crate) fn take_lines(key: TenantKey) -> Request {
    Request::new(
        "DELETE FROM hardwon.spool WHERE tenant = $1
         RETURNING (extract(epoch FROM noted) * 1000000)::bigint, batch, place, line",
        values![key],
    )
}

/// Reads the lines of [`take_lines`], in the order in which they were noted.
pub(crate) fn read_lines(found: &[Row]) -> Result<Vec<String>> {
    let mut lines = Vec::with_capacity(found.len());
    for row in found {
        let mut row = RowColumns::new(row);
        let place = (
            row.next_integer()?,
            row.next_integer()?,
            row.next_integer()?,
        );
        lines.push((place, row.next_string()?));
    }
    lines.sort_unstable();
    Ok(lines.into_iter().map(|line| line.1).collect())
}

/// The rows that recalls become, column by column.
#[derive(Default)]
struct RecallColumns<'r> {
    ids: Vec<i64>,
    runs: Vec<Option<&'r str>>,
    agents: Vec<&'r str>,
    projects: Vec<&'r str>,
    clients: Vec<Option<&'r str>>,
    lines: Vec<String>,
}

/// Has a statement about a transaction's tenant sent.
pub(crate) fn queue(
    transaction: &PostgresTransaction<'_>,
    sql: impl Into<Cow<'static, str>>,
    values: Vec<SqlValue>,
) -> Result<()> {
    let session = &transaction.view.database.session;
    session.queue(TenantKey(transaction.key), sql, values)
}

/// Counts spooled recalls and saves them.
pub(crate) fn count_recalls(
    transaction: &PostgresTransaction<'_>,
    lines: &[String],
) -> Result<FlushCounts> {
    let results = lines
        .iter()
        .map(|line| rows::parse_recall_line(line.as_bytes()));
    let recalls: Vec<Recall> = results.flatten().collect();
    let counts = FlushCounts {
        recalls: recalls.len() as u64,
        unreadable: (lines.len() - recalls.len()) as u64,
    };
    if recalls.is_empty() {
        return Ok(counts);
    }
    let places: BTreeSet<_> = recalls.iter().map(|recall| &recall.scope).collect();
    for place in places {
        transaction.ensure_scope(place)?;
    }
    count_shown(transaction, &recalls)?;
    let first = transaction.view.change_tenant(|row| {
        row.next_recall += rows::to_sql_bound(recalls.len());
        row.next_recall - rows::to_sql_bound(recalls.len())
    });
    save_recalls(transaction, first, &recalls)?;
    save_query_texts(transaction, first, &recalls)?;
    let last = first + rows::to_sql_bound(recalls.len()) - 1;
    let past = last - rows::to_sql_bound(limits::RECALLS);
    for sql in [
        "DELETE FROM hardwon.recall WHERE tenant = $1 AND id <= $2",
        "DELETE FROM hardwon.asked WHERE tenant = $1 AND recall <= $2",
    ] {
        queue(transaction, sql, values![transaction.key, past])?;
    }
    Ok(counts)
}

/// Counts how often each lesson was shown, and when last.
fn count_shown(transaction: &PostgresTransaction<'_>, recalls: &[Recall]) -> Result<()> {
    let mut showings: BTreeMap<i64, (i64, Timestamp)> = BTreeMap::new();
    for recall in recalls {
        for id in recall.counted_lessons() {
            let (count, last) = showings.entry(id.0).or_insert((0, recall.at));
            *count += 1;
            *last = (*last).max(recall.at);
        }
    }
    if showings.is_empty() {
        return Ok(());
    }
    let (counts, times): (Vec<i64>, Vec<i64>) = showings
        .values()
        .map(|value| (value.0, value.1.as_millisecond()))
        .unzip();
    let ids: Vec<i64> = showings.into_keys().collect();
    queue(
        transaction,
        "UPDATE hardwon.lesson l SET shown = l.shown + w.count,
             last_seen = greatest(coalesce(l.last_seen, w.last), w.last)
         FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS w (number, count, last)
         WHERE l.tenant = $1 AND l.number = w.number",
        values![transaction.key, ids, counts, times],
    )
}

fn save_recalls(
    transaction: &PostgresTransaction<'_>,
    first: i64,
    recalls: &[Recall],
) -> Result<()> {
    let mut columns = RecallColumns::default();
    for (id, recall) in (first..).zip(recalls) {
        let row = RecallRow::from_recall(recall).without_query_text();
        columns.ids.push(id);
        columns
            .runs
            .push(recall.run.as_ref().map(|run| run.as_str()));
        columns.agents.push(recall.scope.agent.as_str());
        columns.projects.push(rows::project_column(&recall.scope));
        columns
            .clients
            .push(recall.client.as_ref().map(|client| client.as_str()));
        let run = recall.run.as_ref().map(ToString::to_string);
        let beside = [id.to_string(), run.unwrap_or_default()];
        columns.lines.push(rows::to_sealed_json(&row, &beside)?);
    }
    queue(
        transaction,
        "INSERT INTO hardwon.recall (tenant, id, run, agent, project, client, line)
         SELECT $1, w.id, w.run, w.agent, w.project, w.client, w.line
         FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             AS w (id, run, agent, project, client, line)",
        vec![
            transaction.key.into(),
            columns.ids.into(),
            SqlValue::from_optional_texts(columns.runs),
            SqlValue::from_texts(columns.agents),
            SqlValue::from_texts(columns.projects),
            SqlValue::from_optional_texts(columns.clients),
            SqlValue::from_texts(columns.lines.iter().map(String::as_str)),
        ],
    )
}

/// Saves what recalls were made for, except what is past its days by the time of a later recall, as are earlier ones.
fn save_query_texts(
    transaction: &PostgresTransaction<'_>,
    first: i64,
    recalls: &[Recall],
) -> Result<()> {
    let mut cutoff = Timestamp::MIN;
    let mut texts = Vec::new();
    for (id, recall) in (first..).zip(recalls).collect::<Vec<_>>().into_iter().rev() {
        cutoff = cutoff.max(query_text_cutoff(recall.at));
        texts.extend(
            recall
                .query_text
                .as_ref()
                .filter(|_| recall.at >= cutoff)
                .map(|query_text| (id, recall, query_text)),
        );
    }
    let sql = "DELETE FROM hardwon.asked WHERE tenant = $1 AND at < $2";
    queue(
        transaction,
        sql,
        values![transaction.key, cutoff.as_millisecond()],
    )?;
    if texts.is_empty() {
        return Ok(());
    }
    let (ids, times): (Vec<i64>, Vec<i64>) = texts
        .iter()
        .map(|text| (text.0, text.1.at.as_millisecond()))
        .unzip();
    queue(transaction,
        "INSERT INTO hardwon.asked (tenant, recall, agent, at, text)
         SELECT $1, w.recall, w.agent, w.at, w.text
         FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) AS w (recall, agent, at, text)",
        vec![
            transaction.key.into(),
            ids.into(),
            SqlValue::from_texts(texts.iter().map(|text| text.1.scope.agent.as_str())),
            times.into(),
            SqlValue::from_texts(texts.iter().map(|text| text.2.as_str())),
        ],
    )
}
