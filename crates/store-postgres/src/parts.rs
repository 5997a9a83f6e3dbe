//! The parts of a tenant that is copied: those that no listing has, and putting each in as it is.

use hardwon_core::{
    id::{RecallId, TenantId},
    lesson::FailureKey,
    recall::Recall,
    scope::Scope,
};
use hardwon_store::{
    CandidateLesson, Read as _, Result,
    backend::damaged_error,
    copying::{TenantPart, check_next_entry},
    rows::{self, AdmittedRow, JudgementRow, LoosePartKind, RecallRow},
};

use crate::{
    session::{Request, TenantKey},
    values::{RowColumns, SqlValue, values},
    view::PostgresView,
    write::PostgresTransaction,
};

impl PostgresView<'_> {
    /// Returns the parts that no listing has.
    pub(crate) fn list_loose_parts(&self, name: &TenantId) -> Result<Vec<TenantPart>> {
        let scopes = self.scopes(name)?;
        let mut parts: Vec<_> = scopes.into_iter().map(TenantPart::Scope).collect();
        let key = TenantKey::from_name(name);
        let kinds = LoosePartKind::ALL;
        let requests = kinds.map(|kind| Request::new(select_parts(kind), values![key]));
        let found = self.session.query_all(key, requests.into())?;
        for (kind, found) in kinds.into_iter().zip(&found) {
            for row in found {
                parts.push(kind.read_part(&mut RowColumns::new(row), name)?);
            }
        }
        Ok(parts)
    }
}

fn select_parts(kind: LoosePartKind) -> String {
    let columns = kind.columns();
    let table = match kind {
        LoosePartKind::Baseline => "baseline",
        LoosePartKind::Candidate => {
            return format!(
                "SELECT s.agent, s.project, w.failure, {columns} FROM hardwon.scope s
                 JOIN hardwon.witness w ON w.tenant = s.tenant AND w.scope = s.id
                 WHERE s.tenant = $1"
            );
        }
        LoosePartKind::Cost => "spent",
        LoosePartKind::Answer => "answer",
    };
    format!("SELECT {columns} FROM hardwon.{table} WHERE tenant = $1")
}

impl PostgresTransaction<'_> {
    /// Puts a part in as it is.
    pub(crate) fn insert_part(&mut self, part: &TenantPart) -> Result<()> {
        match part {
            TenantPart::Entry(entry) => {
                let head = self.view.change_tenant_row(|row| row.head);
                check_next_entry(head, entry)?;
                self.append_entry(entry)?;
                self.view.change_tenant_row(|row| {
                    row.head = entry.head();
                    row.next_lesson = row.next_lesson.max(entry.body.lesson.0 + 1);
                });
                Ok(())
            }
            TenantPart::Lesson(lesson) => {
                if lesson.scope.tenant != *self.tenant {
                    return Err(damaged_error("a lesson is of another tenant than its copy"));
                }
                self.write_lesson(lesson.id, None, Some(lesson))
            }
            TenantPart::Scope(scope) => self.view.ensure_scope(self.tenant, scope).map(drop),
            TenantPart::Recall(id, recall) => self.insert_recall(*id, recall),
            TenantPart::Judgement(id, judged) => {
                let line = rows::to_json(&JudgementRow::from_record(judged))?;
                let run = judged.run.as_ref().map(|it| it.as_str());
                self.insert(
                    "INSERT INTO hardwon.judgement (tenant, id, run, line) VALUES ($1, $2, $3, $4)",
                    values![self.key, id.0, run, line],
                )
            }
            TenantPart::Baseline(about, sum) => self.insert(
                "INSERT INTO hardwon.baseline (tenant, about, precision, shift)
                 VALUES ($1, $2, $3, $4)",
                values![self.key, about.name(), sum.precision, sum.shift],
            ),
            TenantPart::Candidate(scope, failure, found) => {
                self.insert_candidate(scope, failure, found)
            }
            TenantPart::Job(job) => {
                self.view
                    .change_tenant_row(|row| row.next_job = row.next_job.max(job.id.0 + 1));
                self.view.write_job(self.tenant, job)
            }
            TenantPart::Cost(day, cost) => {
                let [calls, tokens, micros] =
                    [cost.calls, cost.tokens, cost.micros].map(rows::to_sql_count);
                self.insert(
                    "INSERT INTO hardwon.spent (tenant, day, calls, tokens, micros)
                     VALUES ($1, $2, $3, $4, $5)",
                    values![self.key, *day, calls, tokens, micros],
                )
            }
            TenantPart::Answer(name, kept) => self.insert(
                "INSERT INTO hardwon.answer (tenant, name, request, answer, at)
                 VALUES ($1, $2, $3, $4, $5)",
                values![
                    self.key,
                    name,
                    &kept.digest,
                    kept.answer.as_deref(),
                    kept.at.as_millisecond()
                ],
            ),
        }
    }

    fn insert(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<()> {
        self.view.session.queue(self.key, sql, values)
    }

    fn insert_recall(&self, id: RecallId, recall: &Recall) -> Result<()> {
        self.view
            .change_tenant_row(|row| row.next_recall = row.next_recall.max(id.0 + 1));
        let line = rows::to_json(&RecallRow::from_recall(recall).without_query_text())?;
        let run = recall.run.as_ref().map(|it| it.as_str());
        let client = recall.client.as_ref().map(|it| it.as_str());
        let agent = recall.scope.agent.as_str();
        self.insert(
            "INSERT INTO hardwon.recall (tenant, id, run, agent, project, client, line)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            values![
                self.key,
                id.0,
                run,
                agent,
                rows::project_column(&recall.scope),
                client,
                line
            ],
        )?;
        let Some(text) = &recall.query_text else {
            return Ok(());
        };
        self.insert(
            "INSERT INTO hardwon.asked (tenant, recall, agent, at, text) VALUES ($1, $2, $3, $4, $5)",
            values![self.key, id.0, agent, recall.at.as_millisecond(), text.as_str()],
        )
    }

    fn insert_candidate(
        &self,
        scope: &Scope,
        failure: &FailureKey,
        found: &CandidateLesson,
    ) -> Result<()> {
        let scope = self.view.ensure_scope(self.tenant, scope)?;
        let lesson = found.lesson.as_ref();
        let lesson = lesson.map(|it| rows::to_json(&AdmittedRow::from_admitted(it)));
        self.insert(
            "INSERT INTO hardwon.witness (tenant, scope, failure, first, last, runs, lesson)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            values![
                self.key,
                scope,
                failure.as_str(),
                found.first_seen.as_millisecond(),
                found.last_seen.as_millisecond(),
                rows::runs_to_json(&found.runs)?,
                lesson.transpose()?,
            ],
        )
    }
}
