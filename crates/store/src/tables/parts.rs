//! The parts of a tenant that is copied: those that no listing has, and putting each in as it is.

use hardwon_core::{FailureKey, Recall, RecallId, Scope};

use crate::{
    AdmittedRow, CandidateLesson, JudgementId, JudgementRecord, JudgementRow, RecallRow, Result,
    TenantPart,
    copying::check_next_entry,
    error::damaged_error,
    rows::{self, LoosePartKind},
};
use crate::{TenantDatabase, TenantTables, TenantTransaction};

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Returns the parts that no listing has.
    pub(super) fn list_loose_parts(&self) -> Result<Vec<TenantPart>> {
        let scopes = self.select_scopes()?;
        let mut parts: Vec<_> = scopes.into_iter().map(TenantPart::Scope).collect();
        let kinds = LoosePartKind::ALL;
        let statements = kinds.map(|kind| self.statement(select_parts::<D>(kind), []));
        self.view
            .database
            .select_all(statements.into(), &mut |place, row| {
                parts.push(kinds[place].read_part(row, self.name)?);
                Ok(())
            })?;
        Ok(parts)
    }

    /// Writes a recall under a number, with the text that it was made for.
    pub(crate) fn insert_recall(&self, id: RecallId, recall: &Recall) -> Result<()> {
        let line = RecallRow::from_recall(recall).without_query_text();
        let mut columns = self.own(("id", id.0.into()));
        let run = recall.run.as_ref().map(|run| run.as_str());
        columns.push(("run", run.into()));
        let beside = [id.0.to_string(), run.unwrap_or_default().to_owned()];
        columns.push(("line", rows::to_sealed_json(&line, &beside)?.into()));
        columns.extend(D::extra_recall_columns(recall));
        self.insert("recall", columns)?;
        let Some(text) = &recall.query_text else {
            return Ok(());
        };
        let mut columns = self.own(("recall", id.0.into()));
        columns.push(("agent", recall.scope.agent.as_str().into()));
        columns.push(("at", recall.at.into()));
        columns.push(("text", text.as_str().into()));
        self.insert("asked", columns)
    }

    pub(super) fn write_judgement(&self, id: JudgementId, judged: &JudgementRecord) -> Result<()> {
        let run = judged.run.as_ref().map(|run| run.as_str());
        let beside = [id.0.to_string(), run.unwrap_or_default().to_owned()];
        let line = rows::to_sealed_json(&JudgementRow::from_record(judged), &beside)?;
        let columns = vec![("run", run.into()), ("line", line.into())];
        self.save("judgement", self.own(("id", id.0.into())), columns)
    }

    pub(super) fn write_candidate(
        &self,
        scope: &Scope,
        failure: &FailureKey,
        found: &CandidateLesson,
    ) -> Result<()> {
        let runs = rows::to_json(&found.runs)?;
        let scope = self.ensure_scope(scope)?;
        let beside = [
            scope.to_string(),
            failure.as_str().to_owned(),
            found.first_seen.as_millisecond().to_string(),
            found.last_seen.as_millisecond().to_string(),
            runs.clone(),
        ];
        let lesson = found.lesson.as_ref();
        let lesson =
            lesson.map(|lesson| rows::to_sealed_json(&AdmittedRow::from_admitted(lesson), &beside));
        let mut place = D::scope_place(self.key, scope);
        place.push(("failure", failure.as_str().into()));
        let columns = vec![
            ("first", found.first_seen.into()),
            ("last", found.last_seen.into()),
            ("runs", runs.into()),
            ("lesson", lesson.transpose()?.into()),
        ];
        self.save("witness", place, columns)
    }
}

fn select_parts<D: TenantDatabase>(kind: LoosePartKind) -> String {
    let columns = kind.columns();
    let table = match kind {
        LoosePartKind::Baseline => "baseline",
        LoosePartKind::Candidate => {
            let of_scope = D::WORDS.witness_of_scope;
            return format!(
                "SELECT s.agent, s.project, w.failure, {columns} FROM hardwon.scope s
                 JOIN hardwon.witness w ON {of_scope} WHERE s.tenant = $1"
            );
        }
        LoosePartKind::Cost => "spent",
        LoosePartKind::Answer => "answer",
    };
    format!("SELECT {columns} FROM hardwon.{table} WHERE tenant = $1")
}

impl<D: TenantDatabase> TenantTransaction<'_, D> {
    /// Puts a part in as it is.
    pub(super) fn insert_part(&mut self, part: &TenantPart) -> Result<()> {
        let tables = self.tables();
        match part {
            TenantPart::Entry(entry) => {
                let head = self.view.change_tenant(|row| row.head);
                check_next_entry(head, entry)?;
                tables.append_entry(entry)?;
                self.view.change_tenant(|row| {
                    row.head = entry.head();
                    row.next_lesson = row.next_lesson.max(entry.body.lesson.0 + 1);
                });
                Ok(())
            }
            TenantPart::Lesson(lesson) if lesson.scope.tenant != *self.tenant => {
                Err(damaged_error("a lesson is of another tenant than its copy"))
            }
            TenantPart::Lesson(lesson) => self.write_lesson(lesson.id, None, Some(lesson)),
            TenantPart::Scope(scope) => tables.ensure_scope(scope).map(drop),
            TenantPart::Recall(id, recall) => {
                let next = id.0 + 1;
                self.view
                    .change_tenant(|row| row.next_recall = row.next_recall.max(next));
                tables.insert_recall(*id, recall)
            }
            TenantPart::Judgement(id, judged) => tables.write_judgement(*id, judged),
            TenantPart::Baseline(about, sum) => tables.add_to_baseline(about, *sum),
            TenantPart::Candidate(scope, failure, found) => {
                tables.write_candidate(scope, failure, found)
            }
            TenantPart::Job(job) => {
                let next = job.id.0 + 1;
                self.view
                    .change_tenant(|row| row.next_job = row.next_job.max(next));
                tables.write_job(job)
            }
            TenantPart::Cost(day, cost) => tables.write_model_cost(*day, *cost),
            TenantPart::Answer(name, kept) => {
                tables.write_answer(name, &kept.digest, kept.answer.as_deref(), kept.at)
            }
        }
    }
}
