//! `hardwon queue`: the questions that wait for a model, seen and worked off.

use std::process::ExitCode;

use hardwon_core::queue::{Job, JobId, JobState, ModelCost, day_number};
use hardwon_engine::{Desk, DrainReport, DrainStop, EmbedReport, JobSelection, NoteOutcome, Scope};
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    args::{GlobalArgs, QueueCommand, QueueDrainArgs, QueueListArgs, QueuePickArgs},
    config::Settings,
    embedding,
    error::{CliError, ExitReason},
    model, open, output, time,
};

/// Lessons that one call embeds at most.
const MAX_EMBEDDED: usize = 100_000;

pub(super) fn run(global: &GlobalArgs, command: &QueueCommand) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    match command {
        QueueCommand::List(args) => list_jobs(&settings, args),
        QueueCommand::Retry(args) => {
            change_jobs(&settings, args, "will be retried", |desk, which| {
                desk.retry_jobs(which)
            })
        }
        QueueCommand::Purge(args) => change_jobs(&settings, args, "deleted", |desk, which| {
            desk.purge_jobs(which)
        }),
        QueueCommand::Drain(args) => {
            super::refuse_scope_options(global, "the queue is worked off as a whole, in turn")?;
            drain_queue(&settings, args)
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
    fn from_job(job: &'a Job) -> Self {
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

    fn render_line(&self, job: &Job) -> String {
        let why = self.why.map(|why| format!(" ({why})")).unwrap_or_default();
        let due = match job.state {
            JobState::Waiting { due } => Some(format!(" due {}", time::format_local(due))),
            _ => None,
        };
        output::replace_controls(&format!(
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

fn list_jobs(settings: &Settings, args: &QueueListArgs) -> Result<ExitCode, CliError> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let now = Timestamp::now();
    let state = parse_state(args.state.as_deref());
    let is_asked_for = |scope: &Scope| settings.is_requested(scope);
    let which = JobSelection {
        only_job: None,
        scope_filter: Some(&is_asked_for),
    };
    let jobs = desk.jobs(&which, state, args.limit)?;
    let spent = desk.model_cost(day_number(now))?;
    let count = |state| Ok::<_, CliError>(desk.jobs(&which, Some(state), usize::MAX)?.len());
    let summary = QueueDto {
        waiting: count("waiting")?,
        running: count("running")?,
        done: count("done")?,
        dead: count("dead")?,
        seen: count("seen")?,
        calls_today: spent.calls,
        tokens_today: spent.tokens,
        money_today: money_from_micros(spent.micros),
    };
    for job in &jobs {
        let row = JobDto::from_job(job);
        match args.json {
            true => output::print_json(&row)?,
            false => output::print_line(&row.render_line(job))?,
        }
    }
    if args.json {
        output::print_json(&summary)?;
    } else {
        output::print_line(&format!(
            "{} waiting, {} running, {} done, {} dead; today {}, {}{}",
            summary.waiting,
            summary.running,
            summary.done,
            summary.dead,
            output::pluralize(spent.calls, "call"),
            output::pluralize(spent.tokens, "token"),
            render_cost(spent.micros),
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the state of this name.
fn parse_state(name: Option<&str>) -> Option<&'static str> {
    JobState::NAMES.into_iter().find(|it| Some(*it) == name)
}

fn change_jobs(
    settings: &Settings,
    args: &QueuePickArgs,
    what: &str,
    work: impl Fn(&Desk<'_>, &JobSelection<'_>) -> hardwon_engine::Result<u64>,
) -> Result<ExitCode, CliError> {
    let engine = open::open_writer(settings)?;
    let is_asked_for = |scope: &Scope| settings.is_requested(scope);
    let count = work(
        &engine.acting_as(settings.person()),
        &JobSelection {
            only_job: args.job.map(JobId),
            scope_filter: Some(&is_asked_for),
        },
    )?;
    if count == 0 && !args.all {
        return Err(
            CliError::negative("no job matches").with_hint("`hardwon queue list` shows the jobs")
        );
    }
    match args.json {
        true => output::print_json(&serde_json::json!({ "jobs": count }))?,
        false => output::print_line(&format!("{} {what}", output::pluralize(count, "job")))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn drain_queue(settings: &Settings, args: &QueueDrainArgs) -> Result<ExitCode, CliError> {
    let model = model::from_settings(&settings.model);
    let model = model.map_err(|it| CliError::bad_input(it.to_string()))?;
    if model.is_none() && !settings.embedding.is_on() {
        return Err(CliError::bad_input("no model is configured")
            .with_hint("set one, as in `hardwon config set model openai`; see docs/model.md"));
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let drained = match model {
        Some(model) => {
            if args.now {
                desk.hasten_jobs()?;
            }
            let jobs = u32::try_from(args.limit).unwrap_or(u32::MAX);
            Some(desk.drain_queue(&*model, &model::drain_limits(&settings.model, jobs))?)
        }
        None => None,
    };
    let filled = match settings.embedding.is_on() {
        true => Some(desk.embed_lessons(&embedding::fill_limits(settings, MAX_EMBEDDED))?),
        false => None,
    };
    match args.json {
        true => output::print_json(&DrainResultDto::from_results(
            drained.as_ref(),
            filled.as_ref(),
        ))?,
        false => {
            let drained = drained.as_ref().map(render_drained).unwrap_or_default();
            let filled = filled.as_ref().map(render_filled).unwrap_or_default();
            output::print(&format!("{drained}{filled}"))?;
        }
    }
    let stop = drained.as_ref().and_then(|it| it.stop.as_ref());
    let is_asked_too_little = stop.is_some_and(|stop| *stop != DrainStop::LimitReached);
    let is_left = is_asked_too_little || filled.as_ref().is_some_and(|it| it.stop.is_some());
    Ok(ExitReason::Partial.exit_code_if(is_left))
}

/// Says how many lessons have a vector now.
fn render_filled(filled: &EmbedReport) -> String {
    let lessons = output::pluralize(filled.embedded as u64, "lesson");
    let mut text = format!("{lessons} embedded");
    if filled.unknown > 0 {
        text.push_str(&format!(
            ", {} of which the embedding knows no word",
            filled.unknown
        ));
    }
    if filled.cost != ModelCost::default() {
        let calls = output::pluralize(filled.cost.calls, "call");
        text.push_str(&format!(
            "; {calls}, {}",
            output::pluralize(filled.cost.tokens, "token")
        ));
    }
    if let Some(why) = &filled.stop {
        text.push_str(&output::to_one_line(&format!(
            "; the others are left for later: {why}"
        )));
    }
    text.push('\n');
    text
}

/// What came of it, as JSON shows it.
#[derive(Debug, Serialize)]
struct DrainResultDto {
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
    embedding: Option<FillResultDto>,
}

/// Lessons embedded along the way, as JSON shows it.
#[derive(Debug, Serialize)]
struct FillResultDto {
    embedded: usize,
    unknown: usize,
    calls: u64,
    tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

impl From<&EmbedReport> for FillResultDto {
    fn from(filled: &EmbedReport) -> Self {
        Self {
            embedded: filled.embedded,
            unknown: filled.unknown,
            calls: filled.cost.calls,
            tokens: filled.cost.tokens,
            stopped: filled.stop.as_ref().map(ToString::to_string),
        }
    }
}

impl DrainResultDto {
    fn from_results(drained: Option<&DrainReport>, filled: Option<&EmbedReport>) -> Self {
        let nothing = DrainReport::default();
        let drained = drained.unwrap_or(&nothing);
        let noted = || drained.done.iter().flat_map(|(_, noted)| noted);
        let count = |is: fn(&NoteOutcome) -> bool| noted().filter(|it| is(it)).count();
        Self {
            done: drained.done.len(),
            failed: drained.failed.len(),
            learned: count(|it| matches!(it, NoteOutcome::Recorded(_))),
            seen_again: count(|it| matches!(it, NoteOutcome::AlreadyKnown(_))),
            for_review: count(|it| matches!(it, NoteOutcome::Pending(_))),
            refused: count(|it| matches!(it, NoteOutcome::Refused(_))),
            calls: drained.cost.calls,
            tokens: drained.cost.tokens,
            money: money_from_micros(drained.cost.micros),
            stopped: drained.stop.as_ref().map(describe_stop),
            embedding: filled.map(FillResultDto::from),
        }
    }
}

fn render_drained(drained: &DrainReport) -> String {
    let mut text = String::new();
    for noted in drained.done.iter().flat_map(|(_, noted)| noted) {
        let (how, lesson) = match noted {
            NoteOutcome::Recorded(lesson) => ("learned", lesson),
            NoteOutcome::AlreadyKnown(lesson) => ("seen again", lesson),
            NoteOutcome::Pending(lesson) => ("for review", lesson),
            NoteOutcome::Refused(_) => continue,
        };
        text.push_str(&format!(
            "  {how:<10} {}\n",
            super::lesson::render_row(lesson)
        ));
    }
    for (job, why) in &drained.failed {
        text.push_str(&output::to_one_line(&format!("  job {job}: {why}")));
        text.push('\n');
    }
    let sum = DrainResultDto::from_results(Some(drained), None);
    text.push_str(&format!(
        "{} done: {} learned, {} seen again, {} to review, {} refused; {}, {}{}\n",
        output::pluralize(sum.done as u64, "job"),
        output::pluralize(sum.learned as u64, "lesson"),
        sum.seen_again,
        sum.for_review,
        sum.refused,
        output::pluralize(sum.calls, "call"),
        output::pluralize(sum.tokens, "token"),
        render_cost(drained.cost.micros),
    ));
    if let Some(why) = &sum.stopped {
        text.push_str(&output::to_one_line(&format!("left for later: {why}")));
        text.push('\n');
    }
    text
}

fn describe_stop(stop: &DrainStop) -> String {
    match stop {
        DrainStop::LimitReached => "the limit of --limit jobs was reached".to_owned(),
        DrainStop::OthersAtWork => "other processes already make as many calls as `model_workers` allows".to_owned(),
        DrainStop::OverBudget => "another call would exceed today's budget (settings `model_tokens_per_day`, `model_money_per_day`)".to_owned(),
        DrainStop::ModelFailed(error) => error.to_string(),
    }
}

fn render_cost(micros: u64) -> String {
    match micros {
        0 => String::new(),
        _ => format!(", {}.{:06} spent", micros / 1_000_000, micros % 1_000_000),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a sum for people to see; what is allowed is counted in whole millionths"
)]
fn money_from_micros(micros: u64) -> f64 {
    micros as f64 / 1e6
}
