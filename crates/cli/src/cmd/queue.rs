//! `hardwon queue`: the questions that wait for a model, seen and worked off.

use std::process::ExitCode;

use hardwon_core::queue::{Job, JobId, JobState, ModelCost, day_number};
use hardwon_engine::{Desk, Drained, Filled, Jobs, Noted, Scope, Stop};
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    args::{Global, QueueCommand, QueueDrainArgs, QueueListArgs, QueuePickArgs},
    config::Settings,
    embedding,
    error::{Failure, Kind},
    model, open, output, when,
};

/// Lessons that one call embeds at most.
const EMBEDDED: usize = 100_000;

pub(super) fn run(global: &Global, command: &QueueCommand) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    match command {
        QueueCommand::List(args) => list(&settings, args),
        QueueCommand::Retry(args) => pick(&settings, args, "will be retried", |desk, which| {
            desk.retry_jobs(which)
        }),
        QueueCommand::Purge(args) => pick(&settings, args, "deleted", |desk, which| {
            desk.purge_jobs(which)
        }),
        QueueCommand::Drain(args) => {
            super::refuse_narrowing(global, "the queue is worked off as a whole, in turn")?;
            drain(&settings, args)
        }
    }
}

/// A job as JSON shows it. What was shown of the run is not among it.
#[derive(Debug, Serialize)]
struct JobDto<'a> {
    job: i64,
    state: &'static str,
    run: &'a str,
    cause: &'static str,
    method: &'static str,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> JobDto<'a> {
    fn of(job: &'a Job) -> Self {
        Self {
            job: job.id.0,
            state: job.state.name(),
            run: job.task.origin.run.as_str(),
            cause: job.task.origin.cause.name(),
            method: job.task.method.name(),
            attempts: job.attempts,
            due: match job.state {
                JobState::Waiting { due } => Some(due.to_string()),
                JobState::Running { .. } | JobState::Done | JobState::Dead | JobState::Seen => None,
            },
            why: job.why.as_ref().map(|why| why.as_str()),
        }
    }

    fn line(&self, job: &Job) -> String {
        let why = self.why.map(|why| format!(" ({why})")).unwrap_or_default();
        let due = match job.state {
            JobState::Waiting { due } => Some(format!(" due {}", when::local(due))),
            _ => None,
        };
        output::visible(&format!(
            "{:<5} {:<8}{} {}: {}{why}",
            self.job,
            self.state,
            due.unwrap_or_default(),
            self.cause,
            self.run,
        ))
    }
}

/// What is in the queue, as JSON shows it.
#[derive(Debug, Serialize)]
struct QueueDto {
    waiting: usize,
    running: usize,
    done: usize,
    dead: usize,
    seen: usize,
    calls_today: u64,
    tokens_today: u64,
    money_today: f64,
}

fn list(settings: &Settings, args: &QueueListArgs) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let now = Timestamp::now();
    let state = named_state(args.state.as_deref());
    let is_asked_for = |scope: &Scope| settings.asks_for(scope);
    let which = Jobs {
        only: None,
        of: Some(&is_asked_for),
    };
    let jobs = desk.jobs(&which, state, args.limit)?;
    let spent = desk.spent(day_number(now))?;
    let count = |state| Ok::<_, Failure>(desk.jobs(&which, Some(state), usize::MAX)?.len());
    let summary = QueueDto {
        waiting: count("waiting")?,
        running: count("running")?,
        done: count("done")?,
        dead: count("dead")?,
        seen: count("seen")?,
        calls_today: spent.calls,
        tokens_today: spent.tokens,
        money_today: money(spent.micros),
    };
    for job in &jobs {
        let row = JobDto::of(job);
        match args.json {
            true => output::json(&row)?,
            false => output::line(&row.line(job))?,
        }
    }
    if args.json {
        output::json(&summary)?;
    } else {
        output::line(&format!(
            "{} waiting, {} running, {} done, {} dead; today {}, {}{}",
            summary.waiting,
            summary.running,
            summary.done,
            summary.dead,
            output::count(spent.calls, "call"),
            output::count(spent.tokens, "token"),
            cost(spent.micros),
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the state of this name.
fn named_state(name: Option<&str>) -> Option<&'static str> {
    JobState::NAMES.into_iter().find(|it| Some(*it) == name)
}

fn pick(
    settings: &Settings,
    args: &QueuePickArgs,
    what: &str,
    work: impl Fn(&Desk<'_>, &Jobs<'_>) -> hardwon_engine::Result<u64>,
) -> Result<ExitCode, Failure> {
    let engine = open::writer(settings)?;
    let is_asked_for = |scope: &Scope| settings.asks_for(scope);
    let count = work(
        &engine.acting_as(settings.person()),
        &Jobs {
            only: args.job.map(JobId),
            of: Some(&is_asked_for),
        },
    )?;
    if count == 0 && !args.all {
        return Err(Failure::nothing("no job matches").hint("`hardwon queue list` shows the jobs"));
    }
    match args.json {
        true => output::json(&serde_json::json!({ "jobs": count }))?,
        false => output::line(&format!("{} {what}", output::count(count, "job")))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn drain(settings: &Settings, args: &QueueDrainArgs) -> Result<ExitCode, Failure> {
    let model = model::from_settings(&settings.model);
    let model = model.map_err(|it| Failure::input(it.to_string()))?;
    if model.is_none() && !settings.embedding.is_on() {
        return Err(Failure::input("no model is configured")
            .hint("set one, as in `hardwon config set model openai`; see docs/model.md"));
    }
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let drained = match model {
        Some(model) => {
            if args.now {
                desk.hasten_jobs()?;
            }
            let jobs = u32::try_from(args.limit).unwrap_or(u32::MAX);
            Some(desk.drain(&*model, &model::drain_limits(&settings.model, jobs))?)
        }
        None => None,
    };
    let filled = match settings.embedding.is_on() {
        true => Some(desk.embed_lessons(&embedding::fill_limits(settings, EMBEDDED))?),
        false => None,
    };
    match args.json {
        true => output::json(&DrainedDto::of(drained.as_ref(), filled.as_ref()))?,
        false => {
            let drained = drained.as_ref().map(told).unwrap_or_default();
            let filled = filled.as_ref().map(embedded).unwrap_or_default();
            output::print(&format!("{drained}{filled}"))?;
        }
    }
    let stop = drained.as_ref().and_then(|it| it.stop.as_ref());
    let is_asked_too_little = stop.is_some_and(|stop| *stop != Stop::Enough);
    let is_left = is_asked_too_little || filled.as_ref().is_some_and(|it| it.stop.is_some());
    Ok(Kind::Partly.exit_code_if(is_left))
}

/// Says how many lessons have a vector now.
fn embedded(filled: &Filled) -> String {
    let lessons = output::count(filled.embedded as u64, "lesson");
    let mut text = format!("{lessons} embedded");
    if filled.unknown > 0 {
        text.push_str(&format!(
            ", {} of which the embedding knows no word",
            filled.unknown
        ));
    }
    if filled.spent != ModelCost::default() {
        let calls = output::count(filled.spent.calls, "call");
        text.push_str(&format!(
            "; {calls}, {}",
            output::count(filled.spent.tokens, "token")
        ));
    }
    if let Some(why) = &filled.stop {
        text.push_str(&output::one_line(&format!(
            "; the others are left for later: {why}"
        )));
    }
    text.push('\n');
    text
}

/// What came of it, as JSON shows it.
#[derive(Debug, Serialize)]
struct DrainedDto {
    done: usize,
    failed: usize,
    learned: usize,
    seen_again: usize,
    for_review: usize,
    refused: usize,
    calls: u64,
    tokens: u64,
    money: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<FilledDto>,
}

/// Lessons embedded along the way, as JSON shows it.
#[derive(Debug, Serialize)]
struct FilledDto {
    embedded: usize,
    unknown: usize,
    calls: u64,
    tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

impl From<&Filled> for FilledDto {
    fn from(filled: &Filled) -> Self {
        Self {
            embedded: filled.embedded,
            unknown: filled.unknown,
            calls: filled.spent.calls,
            tokens: filled.spent.tokens,
            stopped: filled.stop.as_ref().map(ToString::to_string),
        }
    }
}

impl DrainedDto {
    fn of(drained: Option<&Drained>, filled: Option<&Filled>) -> Self {
        let nothing = Drained::default();
        let drained = drained.unwrap_or(&nothing);
        let noted = || drained.done.iter().flat_map(|(_, noted)| noted);
        let count = |is: fn(&Noted) -> bool| noted().filter(|it| is(it)).count();
        Self {
            done: drained.done.len(),
            failed: drained.failed.len(),
            learned: count(|it| matches!(it, Noted::Recorded(_))),
            seen_again: count(|it| matches!(it, Noted::Known(_))),
            for_review: count(|it| matches!(it, Noted::Waiting(_))),
            refused: count(|it| matches!(it, Noted::Refused(_))),
            calls: drained.spent.calls,
            tokens: drained.spent.tokens,
            money: money(drained.spent.micros),
            stopped: drained.stop.as_ref().map(stopped),
            embedding: filled.map(FilledDto::from),
        }
    }
}

fn told(drained: &Drained) -> String {
    let mut text = String::new();
    for noted in drained.done.iter().flat_map(|(_, noted)| noted) {
        let (how, lesson) = match noted {
            Noted::Recorded(lesson) => ("learned", lesson),
            Noted::Known(lesson) => ("seen again", lesson),
            Noted::Waiting(lesson) => ("for review", lesson),
            Noted::Refused(_) => continue,
        };
        text.push_str(&format!("  {how:<10} {}\n", super::lesson::row(lesson)));
    }
    for (job, why) in &drained.failed {
        text.push_str(&output::one_line(&format!("  job {job}: {why}")));
        text.push('\n');
    }
    let sum = DrainedDto::of(Some(drained), None);
    text.push_str(&format!(
        "{} done: {} learned, {} seen again, {} to review, {} refused; {}, {}{}\n",
        output::count(sum.done as u64, "job"),
        output::count(sum.learned as u64, "lesson"),
        sum.seen_again,
        sum.for_review,
        sum.refused,
        output::count(sum.calls, "call"),
        output::count(sum.tokens, "token"),
        cost(drained.spent.micros),
    ));
    if let Some(why) = &sum.stopped {
        text.push_str(&output::one_line(&format!("left for later: {why}")));
        text.push('\n');
    }
    text
}

fn stopped(stop: &Stop) -> String {
    match stop {
        Stop::Enough => "the limit of --limit jobs was reached".to_owned(),
        Stop::OthersAtWork => "other processes already make as many calls as `model_workers` allows".to_owned(),
        Stop::Allowance => "another call would exceed today's budget (settings `model_tokens_per_day`, `model_money_per_day`)".to_owned(),
        Stop::Model(error) => error.to_string(),
    }
}

fn cost(micros: u64) -> String {
    match micros {
        0 => String::new(),
        _ => format!(", {}.{:06} spent", micros / 1_000_000, micros % 1_000_000),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a sum for people to see; what is allowed is counted in whole millionths"
)]
fn money(micros: u64) -> f64 {
    micros as f64 / 1e6
}
