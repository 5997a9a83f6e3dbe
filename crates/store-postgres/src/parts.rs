//! The parts of a tenant that is copied: those that no listing has, and putting each in as it is.

use hardwon_core::{
    credit::BaselineKey,
    id::{RecallId, TenantId},
    lesson::{FailureKey, GaussianMessage},
    queue::ModelCost,
    recall::Recall,
    request::KeptAnswer,
    scope::Scope,
};
use hardwon_store::{
    CandidateLesson, Read as _, Result,
    backend::damaged_error,
    copying::{TenantPart, check_next_entry},
    rows::{self, AdmittedRow, JudgementRow, ReadColumns as _, RecallRow},
};

use crate::{
    session::{Request, TenantKey},
    values::{RowColumns, SqlValue, values},
    view::PostgresView,
    write::PostgresTransaction,
};

const SELECT_BASELINES: &str =
    "SELECT about, precision, shift FROM hardwon.baseline WHERE tenant = $1";
const SELECT_CANDIDATES: &str =
    "SELECT s.agent, s.project, w.failure, w.runs, w.first, w.last, w.lesson
     FROM hardwon.scope s JOIN hardwon.witness w ON w.tenant = s.tenant AND w.scope = s.id
     WHERE s.tenant = $1";
const SELECT_COSTS: &str = "SELECT day, calls, tokens, micros FROM hardwon.spent WHERE tenant = $1";
const SELECT_ANSWERS: &str =
    "SELECT name, request, answer, at FROM hardwon.answer WHERE tenant = $1";

impl PostgresView<'_> {
    /// Returns the parts that no listing has.
    pub(crate) fn list_loose_parts(&self, name: &TenantId) -> Result<Vec<TenantPart>> {
        type ReadPart = fn(&mut RowColumns<'_>, &TenantId) -> Result<TenantPart>;
        const KINDS: [(&str, ReadPart); 4] = [
            (SELECT_BASELINES, read_baseline),
            (SELECT_CANDIDATES, read_candidate),
            (SELECT_COSTS, read_cost),
            (SELECT_ANSWERS, read_answer),
        ];
        let scopes = self.scopes(name)?;
        let mut parts: Vec<_> = scopes.into_iter().map(TenantPart::Scope).collect();
        let key = TenantKey::from_name(name);
        let requests = KINDS.map(|(sql, _)| Request::new(sql, values![key]));
        let found = self.session.query_all(key, requests.into())?;
        for (found, (_, read)) in found.iter().zip(KINDS) {
            for row in found {
                parts.push(read(&mut RowColumns::new(row), name)?);
            }
        }
        Ok(parts)
    }
}

fn read_baseline(row: &mut RowColumns<'_>, _: &TenantId) -> Result<TenantPart> {
    let about = row.next_word(BaselineKey::from_name)?;
    let (precision, shift) = (row.next_integer()?, row.next_integer()?);
    Ok(TenantPart::Baseline(
        about,
        GaussianMessage { precision, shift },
    ))
}

fn read_candidate(row: &mut RowColumns<'_>, tenant: &TenantId) -> Result<TenantPart> {
    let (agent, project) = (row.next_string()?, row.next_string()?);
    let scope = rows::parse_scope(tenant, &agent, &project)?;
    let failure = FailureKey::new(row.next_string()?);
    let runs = rows::parse_runs(&row.next_string()?)?;
    let (first_seen, last_seen) = (row.next_time()?, row.next_time()?);
    let lesson = row.next_optional_string()?;
    let lesson = lesson.map(|json| rows::from_json::<AdmittedRow>(&json)?.into_admitted(tenant));
    let found = CandidateLesson {
        runs,
        first_seen,
        last_seen,
        lesson: lesson.transpose()?,
    };
    Ok(TenantPart::Candidate(scope, failure, Box::new(found)))
}

fn read_cost(row: &mut RowColumns<'_>, _: &TenantId) -> Result<TenantPart> {
    let day = row.next_integer()?;
    let cost = ModelCost {
        calls: row.next_count()?,
        tokens: row.next_count()?,
        micros: row.next_count()?,
    };
    Ok(TenantPart::Cost(day, cost))
}

fn read_answer(row: &mut RowColumns<'_>, _: &TenantId) -> Result<TenantPart> {
    let name = row.next_hash()?;
    let kept = KeptAnswer {
        digest: row.next_hash()?,
        answer: row.next_optional_string()?,
        at: row.next_time()?,
    };
    Ok(TenantPart::Answer(name, kept))
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
