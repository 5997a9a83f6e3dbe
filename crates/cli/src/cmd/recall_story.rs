//! How `hardwon log` and `hardwon why` word the story of a recall: at which moment it was, for what, and what followed.
//!
//! The engine gathers it. What was asked is told to the owner, and to an agent only where it asked itself. Nothing here
//! prints; the two commands choose how much of it they show.

use hardwon_core::{CleanText, Lesson, LessonJudgement, LessonOutcome};
use hardwon_engine::{Engine, RecallStory, StoryLesson, Visibility};
use hardwon_store::RecallId;

use crate::{Result, Settings, output};

/// Returns what the person at the terminal may know of what a recall was made for.
pub(super) fn find_query_text(
    engine: &Engine,
    settings: &Settings,
    id: RecallId,
) -> Result<Option<CleanText>> {
    // A call that names an agent may be that agent's, who reads what was asked for its own sake.
    let reach = if settings.is_agent_named {
        Visibility::Agent
    } else {
        Visibility::Tenant
    };
    let desk = engine.acting_as(settings.person().restrict_to(reach));
    Ok(desk.query_text(id)?)
}

/// Returns what a recall was made for, on one line.
pub(super) fn render_query_text(story: &RecallStory) -> Option<String> {
    let query_text = story.query_text.as_ref();
    query_text.map(|query_text| output::to_one_line(query_text.as_str()))
}

/// Returns a lesson as it is now, in words of the caller's.
pub(super) fn name_lesson(found: &StoryLesson, render: fn(&Lesson) -> String) -> String {
    let missing_line = || format!("{} (it is no longer there)", found.considered.lesson);
    found.lesson.as_ref().map_or_else(missing_line, render)
}

/// Says what a model read about a lesson.
pub(super) fn describe_opinion(part: &LessonJudgement) -> String {
    let opinion = match (part.went_well, part.outcome) {
        (Some(true), _) => "it helped",
        (Some(false), _) => "it harmed",
        (None, LessonOutcome::Followed) => "it was followed",
        (None, _) => "it was not followed",
    };
    format!("a model judged that {opinion}")
}
