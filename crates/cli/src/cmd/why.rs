//! `hardwon why`: what a recall found, what it showed and why, why not the rest, and what followed.

use std::process::ExitCode;

use hardwon_core::limits;
use hardwon_engine::Desk;
use hardwon_store::{ConsideredLesson, Recall, RecallId, RecallListing, Treatment};
use serde::Serialize;

use super::story::{self, Story};
use crate::{
    args::{Global, WhyArgs},
    config::Settings,
    error::Failure,
    open, output, when,
};

pub(super) fn run(global: &Global, args: &WhyArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let desk = engine.acting_as(settings.person());
    let Some((id, recall)) = find(&desk, &settings, args.recall)? else {
        return Err(Failure::nothing("there is no such recall")
            .hint("`hardwon log --all` lists the recalls; `hardwon recall` makes one"));
    };
    let story = Story::gather(&engine, &settings, id, &recall)?;
    let found = found(&desk, &recall, &story)?;
    if args.json {
        output::json(&dto(id, &recall, &story, &found))?;
    } else {
        output::print(&told(id, &recall, &story, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds the recall of this number, else the newest that is asked for.
fn find(
    desk: &Desk<'_>,
    settings: &Settings,
    number: Option<i64>,
) -> Result<Option<(RecallId, Recall)>, Failure> {
    let mut listing = RecallListing {
        within: settings.asked_part(),
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
struct Found<'a> {
    it: &'a ConsideredLesson,
    row: String,
    why: String,
}

fn found<'a>(
    desk: &Desk<'_>,
    recall: &'a Recall,
    story: &Story,
) -> Result<Vec<Found<'a>>, Failure> {
    let found = |it: &'a ConsideredLesson| {
        let lesson = story::seen(desk.lesson(it.lesson))?;
        Ok(Found {
            it,
            why: story.reason(recall, it, lesson.as_ref()),
            row: lesson.as_ref().map_or_else(
                || format!("{} (it is no longer there)", it.lesson),
                super::lesson::row,
            ),
        })
    };
    recall.considered.iter().map(found).collect()
}

fn told(id: RecallId, recall: &Recall, story: &Story, found: &[Found<'_>]) -> String {
    let project = recall.scope.project.as_ref();
    let mut text = format!("recall {}, {}\n", id.0, when::local(recall.at));
    let mut line = |name: &str, value: &str| {
        text.push_str(&format!("  {name:<11} {}\n", output::one_line(value)));
    };
    line("moment", story::describe_moment(recall.moment));
    line("project", project.map_or("none", |it| it.display_name()));
    if let Some(run) = &recall.run {
        line("session", run.as_str());
    }
    if let Some(client) = &recall.client {
        line("client", client.as_str());
    }
    match &story.asked {
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
        text.push_str(&block(story, found));
    }
    text
}

/// Writes one candidate: the lesson as it is now, what became of it and why, and what followed.
fn block(story: &Story, found: &Found<'_>) -> String {
    let what = match &found.it.treatment {
        Treatment::Shown => "shown",
        Treatment::HeldOut => "left out at random",
        Treatment::Deferred => "left for later",
        Treatment::Excluded { .. } => "not shown",
    };
    let mut text = format!("\n{what}: {}\n  because {}\n", found.row, found.why);
    if let Some(part) = story.outcome(found.it) {
        text.push_str(&format!("  {}\n", story::describe_outcome(part)));
    }
    if let Some(part) = story.opinion(found.it) {
        text.push_str(&format!(
            "  a model judged that {}\n",
            story::describe_opinion(part)
        ));
    }
    text
}

/// A recall as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    recall: i64,
    at: String,
    moment: &'static str,
    run: Option<&'a str>,
    client: Option<&'a str>,
    project: Option<&'a str>,
    prompt_chars: u32,
    /// The prompt or the call, as far as it is kept and may be read.
    asked: Option<&'a str>,
    silent: Option<&'a str>,
    considered: Vec<ConsideredDto<'a>>,
}

/// What became of one candidate, as JSON shows it.
#[derive(Debug, Serialize)]
struct ConsideredDto<'a> {
    id: i64,
    score: f32,
    shown: bool,
    why: &'a str,
    /// What became of it; null where it was not shown or held back, and until the run is judged.
    fate: Option<&'static str>,
    /// Whether it went well; null while nobody knows.
    good: Option<bool>,
}

fn dto<'a>(id: RecallId, recall: &'a Recall, story: &'a Story, found: &'a [Found<'_>]) -> Dto<'a> {
    let considered = found.iter().map(|found| {
        let part = story.outcome(found.it);
        ConsideredDto {
            id: found.it.lesson.0,
            score: found.it.score,
            shown: found.it.treatment == Treatment::Shown,
            why: &found.why,
            fate: part.map(|part| part.outcome.name()),
            good: part.and_then(|part| part.went_well),
        }
    });
    Dto {
        recall: id.0,
        at: recall.at.to_string(),
        moment: recall.moment.name(),
        run: recall.run.as_ref().map(|run| run.as_str()),
        client: recall.client.as_ref().map(|client| client.as_str()),
        project: recall.scope.project.as_ref().map(|it| it.display_name()),
        prompt_chars: recall.prompt.chars,
        asked: story.asked.as_deref(),
        silent: recall.silence.as_ref().map(|why| why.as_str()),
        considered: considered.collect(),
    }
}
