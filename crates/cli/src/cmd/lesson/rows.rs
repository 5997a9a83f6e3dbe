//! Lessons as a table: number, the day on which each was made, what it comes from, where it belongs, what it says.

use hardwon_core::{Lesson, ProjectId};
use hardwon_engine::Desk;
use jiff::Zoned;

use super::render_text;
use crate::{Result, Settings, output, time};

/// Widest cell of a column that others are lined up with, in characters.
const MAX_COLUMN_CHARS: usize = 40;

/// Prints lessons, one a line. Those of the project that is meant are `here`.
pub(super) fn print_rows(desk: &Desk<'_>, settings: &Settings, lessons: &[Lesson]) -> Result<()> {
    let now = Zoned::now();
    let here = settings.scope.project.as_ref();
    let belongs = |lesson: &Lesson| match lesson.scope.project.as_ref() {
        project if project == here && here.is_some() => "here".to_owned(),
        project => output::to_one_line(describe_project(project)),
    };
    let day = |lesson: &Lesson| time::format_day(lesson.created, &now);
    let (day_width, place_width) = (widest(lessons, day), widest(lessons, belongs));
    output::print_lines(lessons.iter().map(|lesson| {
        let (number, day, place) = (lesson.id.to_string(), day(lesson), belongs(lesson));
        let contradictions = describe_contradictions(desk, lesson)?;
        Ok(format!(
            "{number:<5} {day:<day_width$}  {:<6}  {place:<place_width$}  {}{contradictions}",
            lesson.trust.class.origin(),
            render_text(lesson)
        ))
    }))
}

/// Returns the width of a column, in characters.
fn widest(lessons: &[Lesson], cell: impl Fn(&Lesson) -> String) -> usize {
    let widths = lessons.iter().map(|lesson| cell(lesson).chars().count());
    widths
        .filter(|width| *width <= MAX_COLUMN_CHARS)
        .max()
        .unwrap_or(0)
}

/// Says where a lesson belongs.
pub(super) fn describe_project(project: Option<&ProjectId>) -> &str {
    project.map_or("everywhere", ProjectId::display_name)
}

/// Says which lessons say the opposite, if any do.
fn describe_contradictions(desk: &Desk<'_>, lesson: &Lesson) -> Result<String> {
    let others = desk.contradictions(lesson)?;
    let others: Vec<String> = others.iter().map(|other| other.id.to_string()).collect();
    Ok(match &others[..] {
        [] => String::new(),
        others => format!(" (contradicts {})", others.join(", ")),
    })
}
