//! The rows of requests that may be repeated, and of their answers.

use hardwon_core::limits;
use jiff::Timestamp;

use crate::{KeptAnswer, RequestMark, Result, Sha256Hash, port::values, records, rows};
use crate::{TenantDatabase, TenantTables};

impl<D: TenantDatabase> TenantTables<'_, D> {
    pub(super) fn select_kept_answer(&self, name: &Sha256Hash) -> Result<Option<KeptAnswer>> {
        let sql = "SELECT request, answer, at FROM hardwon.answer WHERE tenant = $1 AND name = $2";
        self.select_first(sql, values![name], rows::read_kept_answer)
    }

    /// Writes a request in place of an earlier one of its name.
    pub(super) fn write_answer(
        &self,
        name: &Sha256Hash,
        request: &Sha256Hash,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let columns = vec![
            ("request", request.into()),
            ("answer", answer.into()),
            ("at", at.into()),
        ];
        self.save("answer", self.own(("name", name.into())), columns)
    }

    /// Deletes requests that are forgotten at a time, and now and then the oldest beyond what is kept.
    pub(super) fn forget_answers(&self, mark: &RequestMark, at: Timestamp) -> Result<()> {
        let cutoff = records::forgotten_answer_cutoff(at);
        let sql = "DELETE FROM hardwon.answer WHERE tenant = $1 AND at <= $2";
        self.execute(sql, values![cutoff])?;
        if !mark.makes_room() {
            return Ok(());
        }
        let sql = "DELETE FROM hardwon.answer WHERE tenant = $1 AND at <= (
                 SELECT max(w.at) FROM (
                     SELECT at, sum($3 + coalesce(octet_length(answer), 0)) OVER (ORDER BY at DESC) AS bytes
                     FROM hardwon.answer WHERE tenant = $1) w
                 WHERE w.bytes > $2)";
        let bounds = values![limits::KEPT_ANSWER_BYTES, limits::KEPT_REQUEST_BYTES];
        self.execute(sql, bounds)
    }

    /// Erases a tenant's answers, which may hold the words of an erased lesson. That the requests were made remains.
    pub(super) fn erase_answers(&self) -> Result<()> {
        let sql =
            "UPDATE hardwon.answer SET answer = NULL WHERE tenant = $1 AND answer IS NOT NULL";
        self.execute(sql, Vec::new())
    }
}
