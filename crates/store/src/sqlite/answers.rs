//! The rows of requests that may be repeated, and of their answers.

use hardwon_core::{
    id::TenantId,
    journal::Sha256Hash,
    limits,
    request::{KeptAnswer, RequestMark},
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    rows::{parse_time, to_sql_count},
    view::SqliteView,
};
use crate::{Result, records};

impl SqliteView<'_> {
    pub(super) fn select_kept_answer(
        &self,
        tenant: &TenantId,
        name: &Sha256Hash,
    ) -> Result<Option<KeptAnswer>> {
        let Some(tenant) = self.tenant_row(tenant)? else {
            return Ok(None);
        };
        let select = "SELECT request, answer, at FROM answer WHERE tenant = ?1 AND name = ?2";
        let found = self
            .conn()
            .prepare_cached(select)?
            .query_row(params![tenant.id, name.as_bytes()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            });
        let Some((request, answer, at)) = found.optional()? else {
            return Ok(None);
        };
        Ok(Some(KeptAnswer {
            digest: Sha256Hash::from_bytes(request),
            answer,
            at: parse_time(at)?,
        }))
    }
}

/// Saves a request in place of an earlier one of its name, and deletes those that are forgotten by now.
pub(super) fn save_answer(
    conn: &Connection,
    tenant: i64,
    mark: &RequestMark,
    answer: Option<&str>,
    at: Timestamp,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO answer (tenant, name, request, answer, at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        tenant,
        mark.name.as_bytes(),
        mark.digest.as_bytes(),
        answer,
        at.as_millisecond(),
    ])?;
    let forgotten = records::forgotten_answer_cutoff(at).as_millisecond();
    conn.prepare_cached("DELETE FROM answer WHERE tenant = ?1 AND at <= ?2")?
        .execute([tenant, forgotten])?;
    match mark.makes_room() {
        true => forget_oldest(conn, tenant),
        false => Ok(()),
    }
}

/// Deletes the oldest requests beyond what is kept.
fn forget_oldest(conn: &Connection, tenant: i64) -> Result<()> {
    let most = to_sql_count(limits::KEPT_ANSWER_BYTES);
    let each = to_sql_count(limits::KEPT_REQUEST_BYTES);
    conn.prepare_cached(
        "DELETE FROM answer WHERE tenant = ?1 AND at <= (
             SELECT max(at) FROM (
                 SELECT at, sum(?3 + coalesce(length(CAST(answer AS BLOB)), 0)) OVER (ORDER BY at DESC) AS bytes
                 FROM answer WHERE tenant = ?1)
             WHERE bytes > ?2)",
    )?
    .execute(params![tenant, most, each])?;
    Ok(())
}

/// Erases a tenant's answers, which may hold the words of an erased lesson. That the requests were made remains.
pub(super) fn erase_answers(conn: &Connection, tenant: i64) -> Result<()> {
    conn.prepare_cached("UPDATE answer SET answer = NULL WHERE tenant = ?1")?
        .execute([tenant])?;
    Ok(())
}
