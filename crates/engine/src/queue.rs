//! Asking a model about runs, later: questions wait in a queue in the store until somebody drains it.
//!
//! A question is put there in the transaction that learns from its run, and its answer is stored in
//! the transaction that ends the job; so a crash at any moment loses no question and stores no
//! answer twice. What may happen twice is a call: a worker that dies with an answer in its hands
//! has spent it. The cost of a call is reckoned with before it is made, and put right after it.

mod inquire;

use std::sync::{Mutex, PoisonError};

use hardwon_core::{
    change::Actor,
    distil::{four_blocks, judge},
    guard,
    id::{LessonId, RunId, TenantId},
    lesson::{Draft, Lesson},
    limits,
    queue::{self, Allowance, Job, JobFailure, JobId, JobMethod, JobState, ModelCost},
    scope::Scope,
    text::RawText,
    tokens::QueryTerms,
};
use hardwon_store::{Commit as _, JobListing, Query, RecallListing, StoreError, Write};
use jiff::{SignedDuration, Timestamp};

use crate::{
    Engine, Error, Noted, Result, credit,
    model::{Answer, Model, ModelAsk, ModelError, Prices, Tokens, reckoned},
    note::settle_all,
};

/// How the queue is worked off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    /// Most calls at one time, by all processes together.
    pub workers: u32,
    /// Most jobs that are taken up.
    pub jobs: u32,
    /// How long a job is given to a worker: longer than a call may take.
    pub lease: SignedDuration,
    /// How long an answer may be, in tokens.
    pub answer_tokens: u32,
    /// What may be spent in a day.
    pub allowance: Allowance,
    /// What the model charges.
    pub prices: Prices,
}

/// Why the queue was left before it was empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// As many jobs were taken up as were asked for.
    Enough,
    /// As many calls as may be are being made by others.
    OthersAtWork,
    /// Another call would cost more than may be spent today.
    Allowance,
    /// The model cannot be asked just now.
    Model(ModelError),
}

/// What came of working on the queue.
#[derive(Debug, Default)]
pub struct Drained {
    /// Jobs that are done, with what they taught; nothing if there was nothing to learn.
    pub done: Vec<(JobId, Vec<Noted>)>,
    /// Jobs that wait again or were given up, and why.
    pub failed: Vec<(JobId, String)>,
    /// What models said of lessons that were shown, where they were asked to judge.
    pub opinions: Vec<(RunId, judge::LessonOpinion)>,
    /// What it cost.
    pub spent: ModelCost,
    /// Why it was left; none if nothing is ready any more.
    pub stop: Option<Stop>,
}

/// A job in a worker's hands.
struct Held {
    job: Job,
    prompt: hardwon_core::distil::ModelPrompt,
    /// The lessons that the question names.
    shown: Vec<LessonId>,
    /// What was reckoned with, and for which day.
    reckoned: ModelCost,
    day: i64,
}

/// What a reply comes to.
struct Read {
    verdicts: Vec<guard::GuardVerdict>,
    opinions: Vec<judge::LessonOpinion>,
}

impl Engine {
    pub(crate) fn drain(
        &self,
        tenant: &TenantId,
        model: &dyn Model,
        how: &Drain,
    ) -> Result<Drained> {
        let drained = Mutex::new(Drained::default());
        let left = Mutex::new(how.jobs);
        let work = || -> Result<()> {
            loop {
                let lock = || drained.lock().unwrap_or_else(PoisonError::into_inner);
                if lock().stop.is_some() {
                    return Ok(());
                }
                if !take_one(&left) {
                    lock().stop.get_or_insert(Stop::Enough);
                    return Ok(());
                }
                let held = match self.take(tenant, how)? {
                    Taken::Job(held) => *held,
                    Taken::GivenUp(job, why) => {
                        lock().failed.push((job, why));
                        continue;
                    }
                    Taken::Nothing(stop) => {
                        let mut drained = lock();
                        drained.stop = drained.stop.take().or(stop);
                        return Ok(());
                    }
                };
                let answer = model.complete(&ModelAsk {
                    prompt: held.prompt.clone(),
                    wants_json: held.job.task.method == JobMethod::Judge,
                    answer_tokens: how.answer_tokens,
                });
                self.end(tenant, held, answer, how, &drained)?;
            }
        };
        std::thread::scope(|scope| {
            let count = how.workers.min(how.jobs).max(1);
            let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|it| it.join().expect("a worker does not panic"))
        })?;
        Ok(drained.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the next job up, if there is one, room for it, and something left to spend.
    fn take(&self, tenant: &TenantId, how: &Drain) -> Result<Taken> {
        let now = self.clock.now();
        // Looking costs no write.
        if self.store.snapshot()?.next_job(tenant, now)?.is_none() {
            return Ok(Taken::Nothing(None));
        }
        self.store
            .commit(tenant, |tx| Ok(take_in(tx, tenant, how, now)?))
    }

    /// Ends a job with what came back, together with what it taught.
    fn end(
        &self,
        tenant: &TenantId,
        held: Held,
        answer: std::result::Result<Answer, ModelError>,
        how: &Drain,
        drained: &Mutex<Drained>,
    ) -> Result<()> {
        let cost = how.prices.of(took(&held, &answer));
        let stop = answer.as_ref().err().filter(|it| it.stops()).cloned();
        let read = match &answer {
            Ok(answer) => self.read_reply(&held, &answer.text),
            Err(error) => Err(error.setback()),
        };
        let now = self.clock.now();
        let ended = self.store.commit(tenant, |tx| {
            let spent = tx.reader().spent(tenant, held.day)?;
            tx.set_spent(
                held.day,
                spent.saturating_sub(held.reckoned).saturating_add(cost),
            )?;
            let claim = held.job.claims;
            let Some(job) = tx
                .reader()
                .job(tenant, held.job.id)?
                .filter(|it| it.has_claim(claim))
            else {
                return Ok::<_, Error>(Ended::Late);
            };
            Ok(match &read {
                Ok(read) => {
                    let (by, capacity) = (Actor::model(), self.policy.capacity);
                    credit::hear(tx, &held.job.task.origin, &read.opinions, now)?;
                    let noted = settle_all(tx, &read.verdicts, &by, now, capacity)?;
                    tx.keep_job(&job.complete())?;
                    Ended::Done(noted)
                }
                Err(setback) => {
                    let spread = queue::backoff_jitter(&job);
                    tx.keep_job(&job.fail(setback, now, spread))?;
                    Ended::Failed(setback.why.clone())
                }
            })
        })?;
        let mut drained = drained.lock().unwrap_or_else(PoisonError::into_inner);
        drained.spent = drained.spent.saturating_add(cost);
        if let Some(stop) = stop {
            drained.stop = Some(Stop::Model(stop));
        }
        let run = &held.job.task.origin.run;
        match ended {
            Ended::Late => {}
            Ended::Failed(why) => drained.failed.push((held.job.id, shown(&why))),
            Ended::Done(noted) => {
                drained.done.push((held.job.id, noted));
                let opinions = read.map(|it| it.opinions).unwrap_or_default();
                let of_run = opinions.into_iter().map(|it| (run.clone(), it));
                drained.opinions.extend(of_run);
            }
        }
        Ok(())
    }

    fn read_reply(&self, held: &Held, reply: &RawText) -> std::result::Result<Read, JobFailure> {
        let origin = &held.job.task.origin;
        let off = |why: String| JobFailure {
            why: RawText::new(why),
            max_attempts: Some(limits::QUEUE_OFF_SCHEMA),
            retry_after: None,
        };
        let (drafts, opinions): (Vec<Draft>, _) = match held.job.task.method {
            JobMethod::Lesson => {
                let drafts =
                    four_blocks::parse_reply(reply, origin).map_err(|it| off(it.to_string()))?;
                (drafts, Vec::new())
            }
            JobMethod::Judge => {
                let judged = judge::parse_reply(reply, &held.shown, origin)
                    .map_err(|it| off(it.to_string()))?;
                (judged.drafts, judged.opinions)
            }
        };
        let admit = |draft| guard::admit_draft(draft, &self.policy.guard);
        Ok(Read {
            verdicts: drafts.into_iter().map(admit).collect(),
            opinions,
        })
    }

    pub(crate) fn retry_jobs(&self, tenant: &TenantId, which: &Jobs<'_>) -> Result<u64> {
        let now = self.clock.now();
        self.each_job(tenant, which, |tx, job| match job.requeue(now) {
            Some(job) => tx.keep_job(&job).map(|()| true),
            None => Ok(false),
        })
    }

    pub(crate) fn hasten_jobs(&self, tenant: &TenantId, which: &Jobs<'_>) -> Result<u64> {
        let due = self.clock.now();
        self.each_job(tenant, which, |tx, job| match job.state {
            JobState::Waiting { .. } => {
                let state = JobState::Waiting { due };
                tx.keep_job(&Job { state, ..job }).map(|()| true)
            }
            JobState::Running { .. } | JobState::Done | JobState::Dead | JobState::Seen => {
                Ok(false)
            }
        })
    }

    pub(crate) fn purge_jobs(&self, tenant: &TenantId, which: &Jobs<'_>) -> Result<u64> {
        self.each_job(tenant, which, |tx, job| {
            match which.only.is_some() || job.state == JobState::Dead {
                true => tx.forget_job(job.id),
                false => Ok(false),
            }
        })
    }

    pub(crate) fn jobs(
        &self,
        tenant: &TenantId,
        which: &Jobs<'_>,
        state: Option<&'static str>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        let reader = self.store.snapshot()?;
        let page = &mut |listing: &JobListing| reader.jobs(tenant, listing);
        Ok(which.page_through(state, limit, page)?)
    }

    /// Does something with each of these jobs that is not done.
    fn each_job(
        &self,
        tenant: &TenantId,
        which: &Jobs<'_>,
        work: impl Fn(&mut dyn Write, Job) -> hardwon_store::Result<bool>,
    ) -> Result<u64> {
        self.store.commit(tenant, |tx| {
            let jobs = match which.only {
                Some(id) => tx.reader().job(tenant, id)?.into_iter().collect(),
                None => {
                    let in_state = |state| {
                        let page = &mut |listing: &JobListing| tx.reader().jobs(tenant, listing);
                        which.page_through(Some(state), usize::MAX, page)
                    };
                    [in_state("waiting")?, in_state("dead")?].concat()
                }
            };
            let mut count = 0;
            for job in jobs.into_iter().filter(|it| which.holds(it)) {
                count += u64::from(work(tx, job)?);
            }
            Ok(count)
        })
    }
}

/// Jobs that somebody asks for. The default is all of them.
#[derive(Default)]
pub struct Jobs<'a> {
    /// Just this one.
    pub only: Option<JobId>,
    /// Only those about runs of such scopes.
    pub of: Option<&'a dyn Fn(&Scope) -> bool>,
}

impl Jobs<'_> {
    fn holds(&self, job: &Job) -> bool {
        self.is_of(&job.task.origin.scope) && self.only.is_none_or(|only| only == job.id)
    }

    pub(crate) fn is_of(&self, scope: &Scope) -> bool {
        self.of.is_none_or(|of| of(scope))
    }

    /// Picks from a listing that comes in pages, the newest first.
    fn page_through(
        &self,
        state: Option<&'static str>,
        limit: usize,
        page: &mut dyn FnMut(&JobListing) -> hardwon_store::Result<Vec<Job>>,
    ) -> hardwon_store::Result<Vec<Job>> {
        let mut found = Vec::new();
        let mut listing = JobListing {
            state,
            ..JobListing::default()
        };
        loop {
            let jobs = page(&listing)?;
            listing.before = jobs.last().map(|it| it.id);
            found.extend(jobs.into_iter().filter(|it| self.holds(it)));
            if found.len() >= limit || listing.before.is_none() {
                found.truncate(limit);
                return Ok(found);
            }
        }
    }
}

/// What there is for a worker.
enum Taken {
    Job(Box<Held>),
    /// It was given up, because too many workers were lost with it.
    GivenUp(JobId, String),
    /// Nothing, and why, if something is ready all the same.
    Nothing(Option<Stop>),
}

/// How a job ended.
enum Ended {
    /// Somebody else has it by now.
    Late,
    Failed(RawText),
    Done(Vec<Noted>),
}

fn take_one(left: &Mutex<u32>) -> bool {
    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = left.checked_sub(1);
    *left = taken.unwrap_or(0);
    taken.is_some()
}

fn take_in(
    tx: &mut dyn Write,
    tenant: &TenantId,
    how: &Drain,
    now: Timestamp,
) -> std::result::Result<Taken, StoreError> {
    let Some(job) = tx.reader().next_job(tenant, now)? else {
        return Ok(Taken::Nothing(None));
    };
    if tx.reader().queue(tenant, now)?.held >= u64::from(how.workers) {
        return Ok(Taken::Nothing(Some(Stop::OthersAtWork)));
    }
    let lessons = match job.task.method {
        JobMethod::Lesson => like(tx, &job, now)?,
        JobMethod::Judge => shown_in(tx, tenant, &job.task.origin.run)?,
    };
    let prompt = match job.task.method {
        JobMethod::Lesson => four_blocks::build_prompt(&job.task.excerpt, &lessons),
        JobMethod::Judge => judge::build_prompt(&job.task.excerpt, &lessons),
    };
    let reckoned = how.prices.of(Tokens {
        input: reckoned(&prompt.system) + reckoned(&prompt.user),
        output: u64::from(how.answer_tokens),
    });
    let day = queue::day_number(now);
    let spent = tx.reader().spent(tenant, day)?.saturating_add(reckoned);
    if !how.allowance.can_afford(spent) {
        return Ok(Taken::Nothing(Some(Stop::Allowance)));
    }
    let job = job.claim(now.checked_add(how.lease).unwrap_or(Timestamp::MAX));
    tx.keep_job(&job)?;
    if job.state == JobState::Dead {
        let why = job.why.as_ref().map(ToString::to_string);
        return Ok(Taken::GivenUp(job.id, why.unwrap_or_default()));
    }
    tx.set_spent(day, spent)?;
    Ok(Taken::Job(Box::new(Held {
        job,
        prompt,
        shown: lessons.iter().map(|it| it.id).collect(),
        reckoned,
        day,
    })))
}

/// Returns the lessons that are likest to what a job asks about, so that nothing is said twice.
fn like(tx: &dyn Write, job: &Job, now: Timestamp) -> std::result::Result<Vec<Lesson>, StoreError> {
    let asked = match &job.task.origin.failure {
        Some(trouble) => &trouble.signature,
        None => job.task.excerpt.text(),
    };
    let found = tx.reader().search(&Query {
        scope: job.task.origin.scope.clone(),
        terms: QueryTerms::from_prompt(asked.as_str()),
        limit: limits::EXCERPT_POINTS,
        now,
        near: None,
    })?;
    Ok(found.hits.into_iter().map(|it| it.lesson).collect())
}

/// Returns the lessons that were shown in a run and are still there, the newest showing first.
fn shown_in(
    tx: &dyn Write,
    tenant: &TenantId,
    run: &RunId,
) -> std::result::Result<Vec<Lesson>, StoreError> {
    let recalls = tx.reader().recalls(
        tenant,
        &RecallListing {
            run: Some(run.clone()),
            ..RecallListing::default()
        },
    )?;
    let mut ids: Vec<LessonId> = Vec::new();
    for id in recalls
        .iter()
        .flat_map(|(_, recall)| recall.shown_lessons())
    {
        if !ids.contains(&id) && ids.len() < limits::JUDGED_LESSONS {
            ids.push(id);
        }
    }
    let lessons = ids.into_iter().map(|id| tx.reader().lesson(tenant, id));
    let lessons: std::result::Result<Vec<_>, _> = lessons.collect();
    Ok(lessons?.into_iter().flatten().collect())
}

/// Returns what a call took: what the model says, or what its texts make likely. A call that was
/// turned away took nothing; one that got no answer in time may have taken all.
fn took(held: &Held, answer: &std::result::Result<Answer, ModelError>) -> Tokens {
    let input = reckoned(&held.prompt.system) + reckoned(&held.prompt.user);
    match answer {
        Ok(answer) => answer.tokens.unwrap_or(Tokens {
            input,
            output: reckoned(answer.text.expose()),
        }),
        Err(ModelError::TimedOut | ModelError::Failed(_)) => Tokens { input, output: 0 },
        Err(
            ModelError::Unusable(_)
            | ModelError::Away(_)
            | ModelError::Busy { .. }
            | ModelError::Refused(_),
        ) => Tokens::default(),
    }
}

fn shown(why: &RawText) -> String {
    hardwon_core::redact::clean_to_chars(why, limits::REASON_CHARS).to_string()
}

#[cfg(test)]
mod tests;
