//! `hardwon lesson when`: which lessons would come up at a call, and when a lesson comes up.

use std::process::ExitCode;

use hardwon_api::v1::lesson::when::LessonsAtCallReply;
use hardwon_core::{Lesson, RawText};
use hardwon_engine::{Desk, LessonsAtCall};

use crate::{
    ExitReason, Result, Settings, cmd::named::note_empty_project, cmd::pause::note_pause, open,
    output,
};

pub(super) fn run(
    settings: &Settings,
    what: &str,
    error: Option<&str>,
    json: bool,
) -> Result<ExitCode> {
    let engine = open::open_flushed(settings)?;
    let desk = engine.acting_as(settings.person());
    if !json {
        note_pause(settings);
    }
    let id = what.parse().ok().filter(|_| error.is_none() && !json);
    let lesson = id.map(|id| desk.lesson_if_visible(id)).transpose()?;
    if let Some(lesson) = lesson.flatten() {
        let (row, moments) = (super::render_row(&lesson), desk.describe_moments(&lesson)?);
        print_line!("{row}\n    comes up {}", moments.join("; "))?;
        return Ok(ExitCode::SUCCESS);
    }
    let error = error.map(RawText::from);
    let call = RawText::from(what);
    let lessons = desk.lessons_at_call(&settings.scope, &call, error.as_ref())?;
    if json {
        output::print_json(&LessonsAtCallReply::from(&lessons))?;
    } else {
        if let Some(id) = id.filter(|_| lessons.is_empty()) {
            desk.lesson(id)?;
        }
        print_found(&lessons)?;
        note_empty_project(&desk, settings)?;
    }
    Ok(ExitReason::Negative
        .exit_code_if(lessons.before.is_empty() && lessons.at_failure.is_empty()))
}

fn print_found(found: &LessonsAtCall) -> Result<()> {
    let row = |(lesson, why): &(Lesson, String)| {
        format!("  {}\n      {why}\n", super::render_row(lesson))
    };
    let mut text = String::new();
    for (title, lessons) in [
        ("comes up:", &found.before),
        ("comes up at this error:", &found.at_failure),
        (
            "does not come up, but is about something of it:",
            &found.nearly,
        ),
    ] {
        if !lessons.is_empty() {
            text += &format!("{title}\n");
            text.extend(lessons.iter().map(row));
        }
    }
    if text.is_empty() {
        output::print_note(
            "no lesson comes up at this call or error, and none is about anything of it\nhint: `hardwon recall --explain \"<a task>\"` tells what comes up at a prompt",
        );
    }
    output::print(&text)
}

/// Says when a lesson with new words comes up, and which lessons say the opposite: now is when one of the two can go.
pub(super) fn print_moments(desk: &Desk<'_>, lesson: &Lesson) -> Result<()> {
    print_line!("comes up {}", desk.describe_moments(lesson)?.join("; "))?;
    for other in desk.contradictions(lesson)? {
        let (row, by, old) = (super::render_row(&other), lesson.id.0, other.id.0);
        print_note!(
            "it says the opposite of this, which `hardwon lesson supersede {old} {by}` replaces: {row}"
        );
    }
    Ok(())
}
