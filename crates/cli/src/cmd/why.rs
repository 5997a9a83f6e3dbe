//! `hardwon why`: what a recall found, what it showed and why, why not the rest, and what followed.

use std::process::ExitCode;

use hardwon_api::v1::recall::log::{AftermathDto, ConsideredDto, WhyDto};
use hardwon_core::limits;
use hardwon_engine::Desk;
use hardwon_store::{ConsideredLesson, Recall, RecallId, RecallListing, Treatment};

use super::recall_story::{self, RecallStory};
use crate::{
    args::{GlobalArgs, WhyArgs},
    config::Settings,
    error::CliError,
    open, output, time,
};

pub(super) fn run(global: &GlobalArgs, args: &WhyArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    let Some((id, recall)) = find_recall(&desk, &settings, args.recall)? else {
        return Err(CliError::negative("there is no such recall")
            .with_hint("`hardwon log --all` lists the recalls; `hardwon recall` makes one"));
    };
    let story = RecallStory::gather(&engine, &settings, id, &recall)?;
    let found = explain_lessons(&desk, &recall, &story)?;
    if args.json {
        output::print_json(&build_dto(id, &recall, &story, &found))?;
    } else {
        output::print(&render_explanation(id, &recall, &story, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds the recall of this number, else the newest that is asked for.
fn find_recall(
    desk: &Desk<'_>,
    settings: &Settings,
    number: Option<i64>,
) -> Result<Option<(RecallId, Recall)>, CliError> {
    let mut listing = RecallListing {
        within: settings.requested_within(),
        before: number.map(|number| RecallId(number.saturating_add(1))),
        limit: number.map_or(limits::PAGE_ROWS, |_| 1),
        ..RecallListing::default()
    };
    loop {
        let page = desk.recalls(&listing)?;
        let Some((oldest, _)) = page.last() else {
            return Ok(None);
        };
        listing.before = Some(*oldest);
        let is_it = |(id, _): &(RecallId, Recall)| number.is_none_or(|number| id.0 == number);
        let found = page.into_iter().find(is_it);
        if found.is_some() || number.is_some() {
            return Ok(found);
        }
    }
}

/// A lesson that a recall found, as it is now, and what is to be said of it.
struct ExplainedLesson<'a> {
    considered: &'a ConsideredLesson,
    row: String,
    why: String,
}

fn explain_lessons<'a>(
    desk: &Desk<'_>,
    recall: &'a Recall,
    story: &RecallStory,
) -> Result<Vec<ExplainedLesson<'a>>, CliError> {
    let found = |it: &'a ConsideredLesson| {
        let lesson = desk.lesson_if_visible(it.lesson)?;
        Ok(ExplainedLesson {
            considered: it,
            why: story.describe_reason(recall, it, lesson.as_ref()),
            row: lesson.as_ref().map_or_else(
                || format!("{} (it is no longer there)", it.lesson),
                super::lesson::render_row,
            ),
        })
    };
    recall.considered.iter().map(found).collect()
}

fn render_explanation(
    id: RecallId,
    recall: &Recall,
    story: &RecallStory,
    found: &[ExplainedLesson<'_>],
) -> String {
    let project = recall.scope.project.as_ref();
    let mut text = format!("recall {}, {}\n", id.0, time::format_local(recall.at));
    let mut line = |name: &str, value: &str| {
        text.push_str(&format!("  {name:<11} {}\n", output::to_one_line(value)));
    };
    line("moment", recall_story::describe_moment(recall.moment));
    line("project", project.map_or("none", |it| it.display_name()));
    if let Some(run) = &recall.run {
        line("session", run.as_str());
    }
    if let Some(client) = &recall.client {
        line("client", client.as_str());
    }
    match &story.query_text {
        Some(asked) => line("for", asked),
        None if recall.prompt.chars > 0 => {
            line(
                "for",
                &format!("{} characters, not kept", recall.prompt.chars),
            );
        }
        None => {}
    }
    if let Some(why) = &recall.silence {
        line("silent", why.as_str());
    }
    for found in found {
        text.push_str(&render_lesson(story, found));
    }
    text
}

/// Writes one candidate: the lesson as it is now, what became of it and why, and what followed.
fn render_lesson(story: &RecallStory, found: &ExplainedLesson<'_>) -> String {
    let what = match &found.considered.treatment {
        Treatment::Shown => "shown",
        Treatment::HeldOut => "left out at random",
        Treatment::Deferred => "left for later",
        Treatment::Excluded { .. } => "not shown",
    };
    let mut text = format!("\n{what}: {}\n  because {}\n", found.row, found.why);
    if let Some(part) = story.outcome(found.considered) {
        text.push_str(&format!("  {}\n", recall_story::describe_outcome(part)));
    }
    if let Some(part) = story.opinion(found.considered) {
        text.push_str(&format!(
            "  a model judged that {}\n",
            recall_story::describe_opinion(part)
        ));
    }
    text
}

fn build_dto<'a>(
    id: RecallId,
    recall: &'a Recall,
    story: &'a RecallStory,
    found: &'a [ExplainedLesson<'_>],
) -> WhyDto<'a> {
    let considered = found.iter().map(|found| {
        let aftermath = AftermathDto::from_judgement(&found.why, story.outcome(found.considered));
        ConsideredDto::from_considered(found.considered, aftermath)
    });
    WhyDto::from_recall(
        id,
        recall,
        story.query_text.as_deref(),
        considered.collect(),
    )
}
