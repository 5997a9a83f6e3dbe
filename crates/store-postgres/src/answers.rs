//! The rows of requests that may be repeated, and of their answers.

use hardwon_core::{
    id::TenantId,
    journal::Sha256Hash,
    limits,
    request::{KeptAnswer, RequestMark},
};
use hardwon_store::{
    Result,
    backend::{bound_answer, forgotten_answer_cutoff},
    rows::{ReadColumns as _, to_sql_count},
};
use jiff::Timestamp;

use crate::{
    session::TenantKey,
    values::{RowColumns, values},
    view::PostgresView,
};

impl PostgresView<'_> {
    pub(crate) fn select_kept_answer(
        &self,
        tenant: &TenantId,
        name: &Sha256Hash,
    ) -> Result<Option<KeptAnswer>> {
        let key = TenantKey::from_name(tenant);
        let sql = "SELECT request, answer, at FROM hardwon.answer WHERE tenant = $1 AND name = $2";
        let Some(row) = self.session.query_one(key, sql, values![key, name])? else {
            return Ok(None);
        };
        let mut row = RowColumns::new(&row);
        Ok(Some(KeptAnswer {
            digest: row.next_hash()?,
            answer: row.next_optional_string()?,
            at: row.next_time()?,
        }))
    }

    /// Saves a request in place of an earlier one of its name, and deletes those that are forgotten by now.
    pub(crate) fn save_answer(
        &self,
        key: TenantKey,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let answer = bound_answer(answer);
        self.session.queue(
            key,
            "INSERT INTO hardwon.answer (tenant, name, request, answer, at)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, name) DO UPDATE
             SET request = excluded.request, answer = excluded.answer, at = excluded.at",
            values![key, &mark.name, &mark.digest, answer, at.as_millisecond()],
        )?;
        let forgotten = forgotten_answer_cutoff(at).as_millisecond();
        let sql = "DELETE FROM hardwon.answer WHERE tenant = $1 AND at <= $2";
        self.session.queue(key, sql, values![key, forgotten])?;
        match mark.makes_room() {
            true => self.forget_oldest(key),
            false => Ok(()),
        }
    }

    /// Deletes the oldest requests beyond what is kept.
    fn forget_oldest(&self, key: TenantKey) -> Result<()> {
        let sql = "DELETE FROM hardwon.answer WHERE tenant = $1 AND at <= (
                 SELECT max(w.at) FROM (
                     SELECT at, sum($3::bigint + coalesce(octet_length(answer), 0)) OVER (ORDER BY at DESC) AS bytes
                     FROM hardwon.answer WHERE tenant = $1) w
                 WHERE w.bytes > $2)";
        let most = to_sql_count(limits::KEPT_ANSWER_BYTES);
        let each = to_sql_count(limits::KEPT_REQUEST_BYTES);
        self.session.queue(key, sql, values![key, most, each])
    }

    /// Erases a tenant's answers, which may hold the words of an erased lesson. That the requests were made remains.
    pub(crate) fn erase_answers(&self, key: TenantKey) -> Result<()> {
        let sql =
            "UPDATE hardwon.answer SET answer = NULL WHERE tenant = $1 AND answer IS NOT NULL";
        self.session.queue(key, sql, values![key])
    }
}
