//! Lessons as a table: number, age, where each belongs, what it says.

use hardwon_core::{id::ProjectId, lesson::Lesson};
use hardwon_engine::{Clock as _, Desk, SystemClock};
use jiff::Timestamp;

use super::render_text;
use crate::{config::Settings, error::CliError, output};

/// Widest name of a project that others are lined up with, in characters.
const MAX_PROJECT_CHARS: usize = 40;

/// Prints lessons, one a line. Those of the project that is meant are `here`.
pub(super) fn print_rows(
    desk: &Desk<'_>,
    settings: &Settings,
    lessons: &[Lesson],
) -> Result<(), CliError> {
    let now = SystemClock.now();
    let here = settings.scope.project.as_ref();
    let belongs = |lesson: &Lesson| match lesson.scope.project.as_ref() {
        project if project == here && here.is_some() => "here".to_owned(),
        project => output::to_one_line(describe_project(project)),
    };
    let widths = lessons.iter().map(|lesson| belongs(lesson).chars().count());
    let wide = widths
        .filter(|wide| *wide <= MAX_PROJECT_CHARS)
        .max()
        .unwrap_or(0);
    output::print_lines(lessons.iter().map(|lesson| {
        let (number, age) = (lesson.id.to_string(), format_age(lesson.created, now));
        let (belongs, opposed) = (belongs(lesson), describe_contradictions(desk, lesson)?);
        Ok(format!(
            "{number:<5} {age:<5}  {belongs:<wide$}  {}{opposed}",
            render_text(lesson)
        ))
    }))
}

/// Says where a lesson belongs.
pub(super) fn describe_project(project: Option<&ProjectId>) -> &str {
    project.map_or("everywhere", ProjectId::display_name)
}

/// Says how old a lesson is, in the largest unit of which it has seen one or more.
fn format_age(created: Timestamp, now: Timestamp) -> String {
    let days = now.duration_since(created).as_hours() / 24;
    match days {
        ..1 => "today".to_owned(),
        1..60 => format!("{days}d"),
        60..730 => format!("{}mo", days / 30),
        _ => format!("{}y", days / 365),
    }
}

/// Says which lessons say the opposite, if any do.
fn describe_contradictions(desk: &Desk<'_>, lesson: &Lesson) -> Result<String, CliError> {
    let others = desk.contradictions(lesson)?;
    let others: Vec<String> = others.iter().map(|other| other.id.to_string()).collect();
    Ok(match &others[..] {
        [] => String::new(),
        others => format!(" (contradicts {})", others.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        let day = |days: i64| Timestamp::from_second(days * 86_400).unwrap();
        for (days, expected) in [
            (0, "today"),
            (1, "1d"),
            (59, "59d"),
            (60, "2mo"),
            (729, "24mo"),
            (730, "2y"),
        ] {
            assert_eq!(format_age(day(1000), day(1000 + days)), expected);
        }
        assert_eq!(
            format_age(day(2), day(1)),
            "today",
            "a clock may have been set back"
        );
    }
}
