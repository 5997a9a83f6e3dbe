//! `hardwon why`: what a recall found, what it showed and why, why not the rest, and what followed.

use std::process::ExitCode;

use hardwon_api::v1::recall::log::WhyDto;
use hardwon_engine::{RecallStory, StoryLesson};
use hardwon_store::{RecallId, ScopeFilter};

use super::recall_story;
use crate::{CliError, GlobalArgs, Result, Settings, args::WhyArgs, open, output, time};

pub(super) fn run(global: &GlobalArgs, args: &WhyArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    if !args.json {
        super::pause::note_pause(&settings);
    }
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    let found = match args.recall.map(RecallId) {
        Some(id) => desk.find_recall(settings.requested_within(), id)?,
        None => {
            let here = ScopeFilter::same_as(&settings.scope, settings.is_agent_named, true);
            desk.find_last_showing(here)?
        }
    };
    let Some(found) = found else {
        let missing = args.recall.map_or(
            "nothing was shown in this project yet",
            |_| "there is no such recall",
        );
        return Err(CliError::negative(missing)
            .with_hint("`hardwon log --all` lists the recalls, for `hardwon why NUMBER`"));
    };
    let query_text = recall_story::find_query_text(&engine, &settings, found.0)?;
    let story = desk.tell_recall(found, query_text, true)?;
    if args.json {
        let query_text = recall_story::render_query_text(&story);
        output::print_json(&WhyDto::from_story(&story, query_text.as_deref()))?;
    } else {
        output::print(&render_explanation(&story))?;
    }
    if !args.json && story.recall.shown_lessons().next().is_some() {
        output::print_note(
            "`hardwon lesson edit ID --no-trigger all` keeps a lesson from calls, `lesson delete ID` from all",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn render_explanation(story: &RecallStory) -> String {
    let recall = &story.recall;
    let fields = [
        ("moment", Some(recall.moment.words().to_owned())),
        (
            "project",
            Some(recall.scope.display_project().unwrap_or("none").to_owned()),
        ),
        ("session", recall.run.as_ref().map(ToString::to_string)),
        ("client", recall.client.as_ref().map(ToString::to_string)),
        ("for", story.describe_query()),
        ("silent", recall.silence.as_ref().map(ToString::to_string)),
        ("others", story.describe_others().map(str::to_owned)),
    ];
    let mut text = format!("recall {}, {}\n", story.id.0, time::format_local(recall.at));
    for (name, value) in fields {
        let value = value.map(|value| format!("  {name:<11} {}\n", output::to_one_line(&value)));
        text.extend(value);
    }
    for found in &story.lessons {
        text += &render_lesson(found);
    }
    text
}

/// Writes one candidate: the lesson as it is now, what became of it and why, and what followed.
fn render_lesson(found: &StoryLesson) -> String {
    let row = recall_story::name_lesson(found, super::lesson::render_row);
    let treatment = found.considered.treatment.words();
    let mut text = format!("\n{treatment}: {row}\n  because {}\n", found.why);
    if let Some(part) = &found.outcome {
        text += &format!("  {}\n", part.words());
    }
    if let Some(part) = &found.opinion {
        text += &format!("  {}\n", recall_story::describe_opinion(part));
    }
    text
}
