//! The queue of questions to a model, which waits in the store until it is drained.
//!
//! A question is added in the transaction that learns from its run, and its answer is stored in the transaction that
//! ends the job; so a crash at any moment loses no question and stores no answer twice. What may happen twice is a
//! call: a worker that dies with an answer in its hands has paid for it. The estimated cost of a call is charged before
//! it is made, and corrected after it.

pub(crate) mod inquire;

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use hardwon_core::{
    Actor, Draft, Job, JobFailure, JobId, JobMethod, JobState, Lesson, LessonId, ModelCost,
    QueryTerms, RawText, RunId, Scope, TenantId,
    distil::{four_blocks, judge},
    guard, limits, queue,
};
use hardwon_store::{
    Commit as _, JobListing, LessonQuery, Read, RecallListing, Write, paging::read_jobs,
};
use jiff::{SignedDuration, Timestamp};

use crate::{
    Desk, Error, Model, ModelAnswer, ModelError, ModelRequest, NoteOutcome, Result, access::Rights,
    credit, model::estimate_tokens,
};

/// How to drain the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainOptions {
    /// Most calls at one time, by all processes together.
    pub max_workers: u32,
    /// Most jobs to claim.
    pub max_jobs: u32,
    /// How long a worker may hold a job: longer than a call may take.
    pub lease: SignedDuration,
    /// The longest answer, in tokens.
    pub max_answer_tokens: u32,
    /// The most tokens that may be spent in a day; `None` for any number.
    pub tokens_per_day: Option<u64>,
}

/// Why draining ended before the queue was empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrainStop {
    /// The maximum number of jobs was claimed.
    LimitReached,
    /// Other workers are making as many calls as are allowed.
    OthersAtWork,
    /// Another call would exceed today's budget.
    OverBudget,
    /// The model cannot be asked at present.
    ModelFailed(ModelError),
}

/// The result of draining the queue.
#[derive(Debug, Default)]
pub struct DrainReport {
    /// Finished jobs, with the lessons they taught; an empty list if there was nothing to learn.
    pub done: Vec<(JobId, Vec<NoteOutcome>)>,
    /// Jobs that wait again or were given up, and why.
    pub failed: Vec<(JobId, String)>,
    /// A model's opinions on lessons that were shown, where it was asked to judge.
    pub opinions: Vec<(RunId, judge::LessonOpinion)>,
    /// The cost of all calls.
    pub cost: ModelCost,
    /// Why draining ended; `None` if no job is ready any more.
    pub stop: Option<DrainStop>,
}

/// A job that this worker claimed.
struct ClaimedJob {
    job: Job,
    prompt: hardwon_core::distil::ModelPrompt,
    /// The lessons that the question names.
    shown_lessons: Vec<LessonId>,
    /// The cost charged in advance, and the day it was charged to.
    estimated_cost: ModelCost,
    day: i64,
}

/// A parsed answer.
struct ParsedAnswer {
    verdicts: Vec<guard::GuardVerdict>,
    opinions: Vec<judge::LessonOpinion>,
}

impl Desk<'_> {
    /// Asks a model the questions that are ready, and learns from its answers.
    ///
    /// Makes several calls at once, as many as `how` allows. It is no error that a model is unavailable or answers
    /// nonsense: the questions wait on, or are given up in the end.
    ///
    /// # Errors
    ///
    /// `Store` if the queue cannot be read or written.
    pub fn drain_queue(&self, model: &dyn Model, how: &DrainOptions) -> Result<DrainReport> {
        self.principal.check_right(Rights::Write)?;
        let worker = QueueWorker {
            desk: self,
            model,
            options: how,
        };
        worker.drain()
    }
}

/// Works on a tenant's queue: claims jobs, asks the model, and stores what it taught.
struct QueueWorker<'a> {
    desk: &'a Desk<'a>,
    model: &'a dyn Model,
    options: &'a DrainOptions,
}

impl QueueWorker<'_> {
    fn drain(&self) -> Result<DrainReport> {
        let options = self.options;
        let shared_report = Mutex::new(DrainReport::default());
        let left = AtomicU32::new(options.max_jobs);
        let work = || -> Result<()> {
            loop {
                let lock = || shared_report.lock().unwrap_or_else(PoisonError::into_inner);
                if lock().stop.is_some() {
                    return Ok(());
                }
                let take_one = |left: u32| left.checked_sub(1);
                let slot = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one);
                if slot.is_err() {
                    lock().stop.get_or_insert(DrainStop::LimitReached);
                    return Ok(());
                }
                let job = match self.claim_next_job()? {
                    ClaimResult::Claimed(held) => *held,
                    ClaimResult::GivenUp(job, why) => {
                        lock().failed.push((job, why));
                        continue;
                    }
                    ClaimResult::Nothing(stop) => {
                        let mut report = lock();
                        report.stop = report.stop.take().or(stop);
                        return Ok(());
                    }
                };
                let answer = self.model.complete(&ModelRequest {
                    prompt: job.prompt.clone(),
                    wants_json: job.job.task.method == JobMethod::Judge,
                    max_answer_tokens: options.max_answer_tokens,
                });
                self.finish_job(job, answer, &shared_report)?;
            }
        };
        std::thread::scope(|scope| {
            let count = options.max_workers.min(options.max_jobs).max(1);
            let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
        Ok(shared_report
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner))
    }

    /// Claims the next job, if there is one, a free worker slot, and budget left.
    fn claim_next_job(&self) -> Result<ClaimResult> {
        let (tenant, how) = (self.desk.tenant(), self.options);
        let now = self.desk.now();
        // Checking first spares a write transaction.
        if self.desk.snapshot()?.next_job(tenant, now)?.is_none() {
            return Ok(ClaimResult::Nothing(None));
        }
        let store = &self.desk.engine.store;
        store.commit(tenant, |tx| Ok(claim_in_transaction(tx, tenant, how, now)?))
    }

    /// Ends a job, and stores what its answer taught.
    fn finish_job(
        &self,
        held: ClaimedJob,
        answer: Result<ModelAnswer, ModelError>,
        drained: &Mutex<DrainReport>,
    ) -> Result<()> {
        let (tenant, store) = (self.desk.tenant(), &self.desk.engine.store);
        let cost = ModelCost::of_call(count_tokens_used(&held, &answer));
        let stop = (answer.as_ref().err()).filter(|error| error.stops_queue());
        let read = match &answer {
            Ok(answer) => self.parse_answer(&held, &answer.text),
            Err(error) => Err(error.to_job_failure()),
        };
        let now = self.desk.now();
        let result = store.commit(tenant, |tx| {
            let cost_before = tx.reader().model_cost(tenant, held.day)?;
            let rest = cost_before.saturating_sub(held.estimated_cost);
            tx.set_model_cost(held.day, rest.saturating_add(cost))?;
            let job = tx.reader().job(tenant, held.job.id)?;
            let Some(job) = job.filter(|job| job.has_claim(held.job.claims)) else {
                return Ok::<_, Error>(JobEnd::ClaimLost);
            };
            Ok(match &read {
                Ok(read) => {
                    credit::record_model_opinions(tx, &held.job.task.origin, &read.opinions, now)?;
                    let by = Actor::model();
                    let verdicts = read.verdicts.iter();
                    let outcomes = verdicts
                        .map(|verdict| self.desk.store_learned(tx, verdict, &by, now))
                        .collect::<hardwon_store::Result<_>>()?;
                    tx.update_job(&job.complete())?;
                    JobEnd::Done(outcomes)
                }
                Err(setback) => {
                    let spread = queue::backoff_jitter(&job);
                    tx.update_job(&job.fail(setback, now, spread))?;
                    JobEnd::Failed(setback.why.clone())
                }
            })
        })?;
        let mut report = drained.lock().unwrap_or_else(PoisonError::into_inner);
        report.cost = report.cost.saturating_add(cost);
        if let Some(stop) = stop {
            report.stop = Some(DrainStop::ModelFailed(stop.clone()));
        }
        let run = &held.job.task.origin.run;
        match result {
            JobEnd::ClaimLost => {}
            JobEnd::Failed(why) => {
                let reason = hardwon_redact::clean_to_chars(&why, limits::REASON_CHARS);
                report.failed.push((held.job.id, reason.to_string()));
            }
            JobEnd::Done(noted) => {
                report.done.push((held.job.id, noted));
                let opinions = read.map(|read| read.opinions).unwrap_or_default();
                let of_run = opinions.into_iter().map(|opinion| (run.clone(), opinion));
                report.opinions.extend(of_run);
            }
        }
        Ok(())
    }

    fn parse_answer(&self, held: &ClaimedJob, reply: &RawText) -> Result<ParsedAnswer, JobFailure> {
        let origin = &held.job.task.origin;
        let off = |why: String| JobFailure {
            why: RawText::new(why),
            max_attempts: Some(limits::QUEUE_OFF_SCHEMA),
            retry_after: None,
        };
        let (drafts, opinions): (Vec<Draft>, _) = match held.job.task.method {
            JobMethod::Lesson => {
                let drafts = four_blocks::parse_reply(reply, origin)
                    .map_err(|reply| off(reply.to_string()))?;
                (drafts, Vec::new())
            }
            JobMethod::Judge => {
                let judgement = judge::parse_reply(reply, &held.shown_lessons, origin)
                    .map_err(|reply| off(reply.to_string()))?;
                (judgement.drafts, judgement.opinions)
            }
        };
        let admit = |draft| guard::admit_draft(draft, &self.desk.policy.guard);
        Ok(ParsedAnswer {
            verdicts: drafts.into_iter().map(admit).collect(),
            opinions,
        })
    }
}

/// The queue of questions to a model.
impl Desk<'_> {
    /// Returns the newest of the selected jobs in a state; `None` for any state but `seen`.
    pub fn jobs(
        &self,
        which: &JobSelection<'_>,
        state: Option<&'static str>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.snapshot()?;
        Ok(self.select_visible_jobs(which, |selection| {
            selection.find_jobs(&*reader, self.tenant(), state, limit)
        })?)
    }

    /// Requeues the selected jobs that were put off or given up; returns how many.
    pub fn retry_jobs(&self, which: &JobSelection<'_>) -> Result<u64> {
        let now = self.now();
        self.for_each_job(which, |tx, job| match job.requeue(now) {
            Some(job) => tx.update_job(&job).map(|()| true),
            None => Ok(false),
        })
    }

    /// Makes every waiting job ready now; returns how many.
    pub fn hasten_jobs(&self) -> Result<u64> {
        let due = self.now();
        self.for_each_job(&JobSelection::default(), |tx, job| match job.state {
            JobState::Waiting { .. } => {
                let state = JobState::Waiting { due };
                tx.update_job(&Job { state, ..job }).map(|()| true)
            }
            JobState::Running { .. } | JobState::Done | JobState::Dead | JobState::Seen => {
                Ok(false)
            }
        })
    }

    /// Deletes the selected jobs that were given up, or the one named job in any state; returns how many.
    pub fn purge_jobs(&self, which: &JobSelection<'_>) -> Result<u64> {
        self.for_each_job(which, |tx, job| {
            if which.only_job.is_some() || job.state == JobState::Dead {
                tx.delete_job(job.id)
            } else {
                Ok(false)
            }
        })
    }

    /// Returns what models cost on a day, counted from 1970-01-01.
    pub fn model_cost(&self, day: i64) -> Result<ModelCost> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.snapshot()?;
        Ok(reader.model_cost(self.tenant(), day)?)
    }

    /// Runs `work` on each selected job that is not done and that the principal may see.
    fn for_each_job(
        &self,
        which: &JobSelection<'_>,
        work: impl Fn(&mut dyn Write, Job) -> hardwon_store::Result<bool>,
    ) -> Result<u64> {
        self.principal.check_right(Rights::Curate)?;
        let tenant = self.tenant();
        self.select_visible_jobs(which, |which| {
            self.engine.store.commit(tenant, |tx| {
                let mut count = 0;
                for job in which.open_jobs(tx.reader(), tenant)? {
                    count += u64::from(work(tx, job)?);
                }
                Ok(count)
            })
        })
    }

    fn select_visible_jobs<T>(
        &self,
        which: &JobSelection<'_>,
        work: impl FnOnce(&JobSelection<'_>) -> T,
    ) -> T {
        let is_seen = |scope: &Scope| which.includes_scope(scope) && self.principal.can_see(scope);
        work(&JobSelection {
            only_job: which.only_job,
            scope_filter: Some(&is_seen),
        })
    }
}

/// A selection of jobs. The default is all of them.
#[derive(Default)]
pub struct JobSelection<'a> {
    /// Only this job.
    pub only_job: Option<JobId>,
    /// Only jobs about runs whose scope passes.
    pub scope_filter: Option<&'a dyn Fn(&Scope) -> bool>,
}

impl JobSelection<'_> {
    fn includes(&self, job: &Job) -> bool {
        self.includes_scope(&job.task.origin.scope)
            && self.only_job.is_none_or(|only| only == job.id)
    }

    pub(crate) fn includes_scope(&self, scope: &Scope) -> bool {
        self.scope_filter.is_none_or(|of| of(scope))
    }

    /// Returns the selected jobs that are not done, or the one named job in any state.
    fn open_jobs(&self, reader: &dyn Read, tenant: &TenantId) -> hardwon_store::Result<Vec<Job>> {
        let mut jobs = match self.only_job {
            Some(id) => reader.job(tenant, id)?.into_iter().collect(),
            None => {
                let find = |state| self.find_jobs(reader, tenant, Some(state), usize::MAX);
                [find("waiting")?, find("dead")?].concat()
            }
        };
        jobs.retain(|job| self.includes(job));
        Ok(jobs)
    }

    /// Returns those of the jobs in a state, the newest first, up to a limit.
    fn find_jobs(
        &self,
        reader: &dyn Read,
        tenant: &TenantId,
        state: Option<&'static str>,
        limit: usize,
    ) -> hardwon_store::Result<Vec<Job>> {
        let listing = JobListing {
            state,
            ..JobListing::default()
        };
        let jobs = read_jobs(reader, tenant, listing);
        let is_wanted =
            |job: &hardwon_store::Result<Job>| job.as_ref().map_or(true, |job| self.includes(job));
        jobs.filter(is_wanted).take(limit).collect()
    }
}

/// The result of trying to claim a job.
enum ClaimResult {
    Claimed(Box<ClaimedJob>),
    /// The job was given up, because too many workers were lost with it.
    GivenUp(JobId, String),
    /// No job was claimed, and why, if one is ready all the same.
    Nothing(Option<DrainStop>),
}

/// How a job ended.
enum JobEnd {
    /// Another worker has claimed it meanwhile.
    ClaimLost,
    Failed(RawText),
    Done(Vec<NoteOutcome>),
}

fn claim_in_transaction(
    tx: &mut dyn Write,
    tenant: &TenantId,
    how: &DrainOptions,
    now: Timestamp,
) -> hardwon_store::Result<ClaimResult> {
    let Some(job) = tx.reader().next_job(tenant, now)? else {
        return Ok(ClaimResult::Nothing(None));
    };
    if tx.reader().count_jobs(tenant, now)?.claimed >= u64::from(how.max_workers) {
        return Ok(ClaimResult::Nothing(Some(DrainStop::OthersAtWork)));
    }
    let lessons = match job.task.method {
        JobMethod::Lesson => find_similar_lessons(tx, &job, now)?,
        JobMethod::Judge => find_shown_lessons(tx, tenant, &job.task.origin.run)?,
    };
    let prompt = match job.task.method {
        JobMethod::Lesson => four_blocks::build_prompt(&job.task.excerpt, &lessons),
        JobMethod::Judge => judge::build_prompt(&job.task.excerpt, &lessons),
    };
    let question = estimate_tokens(&prompt.system) + estimate_tokens(&prompt.user);
    let likely_cost = ModelCost::of_call(question + u64::from(how.max_answer_tokens));
    let day = queue::day_number(now);
    let cost = (tx.reader().model_cost(tenant, day)?).saturating_add(likely_cost);
    if !cost.is_within(how.tokens_per_day) {
        return Ok(ClaimResult::Nothing(Some(DrainStop::OverBudget)));
    }
    let job = job.claim(now.checked_add(how.lease).unwrap_or(Timestamp::MAX));
    tx.update_job(&job)?;
    if job.state == JobState::Dead {
        let reason = job.why.as_ref().map(ToString::to_string);
        return Ok(ClaimResult::GivenUp(job.id, reason.unwrap_or_default()));
    }
    tx.set_model_cost(day, cost)?;
    Ok(ClaimResult::Claimed(Box::new(ClaimedJob {
        job,
        prompt,
        shown_lessons: lessons.iter().map(|lesson| lesson.id).collect(),
        estimated_cost: likely_cost,
        day,
    })))
}

/// Finds the lessons most similar to a job's question, so that nothing is learned twice.
fn find_similar_lessons(
    tx: &dyn Write,
    job: &Job,
    now: Timestamp,
) -> hardwon_store::Result<Vec<Lesson>> {
    let text = match &job.task.origin.failure {
        Some(trouble) => &trouble.signature,
        None => job.task.excerpt.text(),
    };
    let result = tx.reader().search(&LessonQuery {
        scope: job.task.origin.scope.clone(),
        terms: QueryTerms::from_prompt(text.as_str()),
        limit: limits::EXCERPT_POINTS,
        now,
        vector: None,
    })?;
    Ok(result.hits.into_iter().map(|hit| hit.lesson).collect())
}

/// Finds the lessons that were shown in a run and still exist, the newest showing first.
fn find_shown_lessons(
    tx: &dyn Write,
    tenant: &TenantId,
    run: &RunId,
) -> hardwon_store::Result<Vec<Lesson>> {
    let recalls = (tx.reader()).recalls(tenant, &RecallListing::of_run(run.clone()))?;
    let mut ids: Vec<LessonId> = Vec::new();
    for id in (recalls.iter()).flat_map(|(_, recall)| recall.shown_lessons()) {
        if !ids.contains(&id) && ids.len() < limits::JUDGED_LESSONS {
            ids.push(id);
        }
    }
    let lessons = ids.into_iter().map(|id| tx.reader().lesson(tenant, id));
    let lessons: hardwon_store::Result<Vec<_>> = lessons.collect();
    Ok(lessons?.into_iter().flatten().collect())
}

/// Returns the tokens of a call: as the model reports them, or estimated from the texts. A call that was turned away
/// took none; one that timed out may have taken all.
fn count_tokens_used(held: &ClaimedJob, answer: &Result<ModelAnswer, ModelError>) -> u64 {
    let question = estimate_tokens(&held.prompt.system) + estimate_tokens(&held.prompt.user);
    match answer {
        Ok(answer) => {
            let estimate = || question + estimate_tokens(answer.text.expose());
            answer.tokens.unwrap_or_else(estimate)
        }
        Err(ModelError::TimedOut | ModelError::Failed(_)) => question,
        Err(
            ModelError::Unusable(_)
            | ModelError::Unreachable(_)
            | ModelError::Busy { .. }
            | ModelError::Refused(_),
        ) => 0,
    }
}

#[cfg(test)]
mod tests;
