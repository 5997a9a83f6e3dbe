//! `hardwon queue`: the questions that wait for a model, seen and worked off.

use std::process::ExitCode;

use hardwon_api::v1::queue::{DrainResultDto, JobCountDto, JobDto, QueueDto};
use hardwon_core::{Job, JobId, JobState, ModelCost, queue::day_number};
use hardwon_engine::{Desk, DrainReport, DrainStop, EmbedReport, JobSelection, Scope};
use jiff::Timestamp;

use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings,
    args::{QueueCommand, QueuePickArgs},
    embedding, model, open, output, time,
};

/// Lessons that one call embeds at most.
const MAX_EMBEDDED: usize = 100_000;

pub(super) fn run(global: &GlobalArgs, command: &QueueCommand, json: bool) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    super::succeed(match command {
        QueueCommand::List { state, limit } => list_jobs(&settings, state.as_deref(), *limit, json),
        QueueCommand::Retry(args) => {
            change_jobs(&settings, args, "will be retried", json, |desk, which| {
                desk.retry_jobs(which)
            })
        }
        QueueCommand::Purge(args) => {
            change_jobs(&settings, args, "deleted", json, |desk, which| {
                desk.purge_jobs(which)
            })
        }
        QueueCommand::Drain { now, limit } => {
            super::refuse_scope_options(global, "the queue is worked off as a whole, in turn")?;
            return drain_queue(&settings, *now, *limit, json);
        }
    })
}

/// Writes a job on one line.
fn render_job(job: &Job) -> String {
    let row = JobDto::from(job);
    let reason = row.why.map(|why| format!(" ({why})")).unwrap_or_default();
    let due = match job.state {
        JobState::Waiting { due } => Some(format!(" due {}", time::format_local(due))),
        _ => None,
    };
    output::replace_controls(&format!(
        "{:<5} {:<8}{} {}: {}{reason}",
        row.job,
        row.state,
        due.unwrap_or_default(),
        row.cause,
        row.run,
    ))
}

fn list_jobs(settings: &Settings, state: Option<&str>, limit: usize, json: bool) -> Result<()> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let now = Timestamp::now();
    let state = JobState::NAMES
        .into_iter()
        .find(|name| Some(*name) == state);
    let is_asked_for = |scope: &Scope| settings.is_requested(scope);
    let selection = JobSelection {
        only_job: None,
        scope_filter: Some(&is_asked_for),
    };
    let jobs = desk.jobs(&selection, state, limit)?;
    let cost = desk.model_cost(day_number(now))?;
    let mut counts = [0; JobState::NAMES.len()];
    for (count, state) in counts.iter_mut().zip(JobState::NAMES) {
        *count = desk.jobs(&selection, Some(state), usize::MAX)?.len();
    }
    let summary = QueueDto::from_counts(counts, cost);
    for job in &jobs {
        output::print_answer(json, &JobDto::from(job), || render_job(job))?;
    }
    output::print_answer(json, &summary, || {
        format!(
            "{} waiting, {} running, {} done, {} dead; today {}, {}",
            summary.waiting,
            summary.running,
            summary.done,
            summary.dead,
            output::pluralize(cost.calls, "call"),
            output::pluralize(cost.tokens, "token"),
        )
    })
}

fn change_jobs(
    settings: &Settings,
    args: &QueuePickArgs,
    what: &str,
    json: bool,
    work: fn(&Desk<'_>, &JobSelection<'_>) -> hardwon_engine::Result<u64>,
) -> Result<()> {
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
    output::print_answer(json, &JobCountDto { jobs: count }, || {
        format!("{} {what}", output::pluralize(count, "job"))
    })
}

fn drain_queue(settings: &Settings, now: bool, limit: usize, json: bool) -> Result<ExitCode> {
    let model = model::find_for_command(&settings.model, false)?;
    if model.is_none() && !settings.embedding.is_on() {
        return Err(CliError::bad_input("no model is configured")
            .with_hint("set one, as in `hardwon config set model openai`; see docs/model.md"));
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let drain_report = match model {
        Some(model) => {
            if now {
                desk.hasten_jobs()?;
            }
            let jobs = u32::try_from(limit).unwrap_or(u32::MAX);
            Some(desk.drain_queue(&*model, &model::drain_limits(&settings.model, jobs))?)
        }
        None => None,
    };
    let embedding_report = if settings.embedding.is_on() {
        Some(desk.embed_lessons(&embedding::fill_limits(settings, MAX_EMBEDDED))?)
    } else {
        None
    };
    let (drain, filling) = (drain_report.as_ref(), embedding_report.as_ref());
    let answer = DrainResultDto::from_reports(drain, filling);
    output::print_answer(json, &answer, || {
        let texts = drain.map(render_drained).into_iter();
        texts.chain(filling.map(render_filled)).collect()
    })?;
    let stop = drain.and_then(|report| report.stop.as_ref());
    let is_asked_too_little = stop.is_some_and(|stop| *stop != DrainStop::LimitReached);
    let is_left = is_asked_too_little || filling.is_some_and(|report| report.stop.is_some());
    Ok(ExitReason::Partial.exit_code_if(is_left))
}

/// Says how many lessons have a vector now.
fn render_filled(filled: &EmbedReport) -> String {
    let lessons = output::pluralize(filled.embedded as u64, "lesson");
    let mut text = format!("{lessons} embedded");
    if filled.unknown > 0 {
        text += &format!(", {} of which the embedding knows no word", filled.unknown);
    }
    if filled.cost != ModelCost::default() {
        let calls = output::pluralize(filled.cost.calls, "call");
        text += &format!(
            "; {calls}, {}",
            output::pluralize(filled.cost.tokens, "token")
        );
    }
    if let Some(why) = &filled.stop {
        text += &output::to_one_line(&format!("; the others are left for later: {why}"));
    }
    text.push('\n');
    text
}

fn render_drained(drained: &DrainReport) -> String {
    let mut text = String::new();
    let notes = drained.done.iter().flat_map(|(_, noted)| noted);
    for (how, lesson) in notes.filter_map(super::lesson::find_noted) {
        text += &format!("  {how:<10} {}\n", super::lesson::render_row(lesson));
    }
    for (job, why) in &drained.failed {
        text += &output::to_one_line(&format!("  job {job}: {why}"));
        text.push('\n');
    }
    let sum = DrainResultDto::from_reports(Some(drained), None);
    text += &format!(
        "{} done: {} learned, {} seen again, {} to review, {} refused; {}, {}\n",
        output::pluralize(sum.done as u64, "job"),
        output::pluralize(sum.noted.learned, "lesson"),
        sum.noted.seen_again,
        sum.noted.for_review,
        sum.noted.refused,
        output::pluralize(sum.calls, "call"),
        output::pluralize(sum.tokens, "token"),
    );
    if let Some(why) = &sum.stopped {
        text += &output::to_one_line(&format!("left for later: {why}"));
        text.push('\n');
    }
    text
}
