//! What a replay came to, for people.

use std::fmt::Display;

use hardwon_api::v1::replay::per_hundred_calls;
use hardwon_engine::{ClassCounts, FailureClass, Lesson, LessonScores, RecurringFailure};

use super::{ReplayedSessions, ratio};
use crate::{Result, cmd::lesson, output};

/// Most lessons, and most failures, that are named.
const MAX_ROWS: usize = 10;

pub(super) fn render_report(played: &ReplayedSessions) -> Result<String> {
    let report = played.replay.report();
    if report.sessions == 0 {
        let others = describe_not_transcripts(played);
        return Ok(format!("no sessions to replay{others}\n"));
    }
    let mut parts = vec![render_header(played), render_classes(played)];
    parts.extend(render_lessons(played)?);
    parts.extend(render_uncovered(&report.totals.recurring_failures()));
    parts.push(render_rates(played));
    Ok(parts.join("\n"))
}

fn describe_not_transcripts(played: &ReplayedSessions) -> String {
    match played.not_transcripts {
        0 => String::new(),
        others => format!("; {} of no known format", output::pluralize(others, "file")),
    }
}

fn render_header(played: &ReplayedSessions) -> String {
    let report = played.replay.report();
    let classes = report.totals.classes.values();
    let failures: u64 = classes.map(|class| class.failures).sum();
    format!(
        "{}\n{}, {}, {}: {}{}\n",
        describe_coverage(report.totals.preventable_counts()),
        output::pluralize(report.sessions, "session"),
        output::pluralize(report.prompts, "prompt"),
        output::pluralize(report.calls, "call"),
        output::pluralize(failures, "failure"),
        describe_not_transcripts(played),
    )
}

/// Says what lessons would have been worth, first of all.
fn describe_coverage(counts: ClassCounts) -> String {
    let (repeats, met) = (counts.recurrences, counts.covered);
    if repeats == 0 {
        return output::bold("No avoidable failure came back in another session.");
    }
    let failures = match repeats {
        1 => "the 1 repeat failure".to_owned(),
        _ => format!("{repeats} repeat failures"),
    };
    let share = 100.0 * ratio(met, repeats);
    let lead = format!("Lessons would have covered {met} of {failures} ({share:.0} %).");
    let lead = output::bold(&lead);
    match counts.covered_at_start {
        0 => lead,
        more => format!(
            "{lead}\n{more} more were covered only by what was shown at the session's start."
        ),
    }
}

fn render_classes(played: &ReplayedSessions) -> String {
    let head = ["failures", "repeats", "solved", "covered", "at start"];
    let mut rows = vec![render_row("class", head)];
    let classes = &played.replay.report().totals.classes;
    let of = |wanted: bool| {
        let rows = classes
            .iter()
            .filter(move |(class, _)| class.is_preventable == wanted);
        rows.map(render_class)
    };
    rows.extend(of(true));
    let others: Vec<String> = of(false).collect();
    if !others.is_empty() {
        rows.push("not counted above: failures that lessons seldom prevent\n".to_owned());
        rows.extend(others);
    }
    rows.concat()
}

fn render_class((class, it): (&FailureClass, &ClassCounts)) -> String {
    let numbers = [it.failures, it.recurrences, it.fixed, it.covered];
    let numbers = numbers.into_iter().chain([it.covered_at_start]);
    render_row(class.name, numbers)
}

/// Writes a row that fits into 80 columns.
fn render_row(name: &str, cells: impl IntoIterator<Item = impl Display>) -> String {
    let cells = cells.into_iter().map(|cell| format!("{cell:>11}"));
    let cells: String = cells.collect();
    format!("{name:<22}{cells}\n")
}

fn render_lessons(played: &ReplayedSessions) -> Result<Option<String>> {
    let lessons = played.replay.lessons()?;
    let useful = lessons.iter().filter(|(_, counts)| counts.covered > 0);
    // Without its number: it is in no store.
    let row = |(lesson, it): &(Lesson, LessonScores)| {
        let text = lesson::render_text(lesson);
        format!("{:>4} of {:>4}  {text}\n", it.covered, it.shown)
    };
    let rows: String = useful.take(MAX_ROWS).map(row).collect();
    let head = "lessons that covered most, of how often each was shown\n";
    Ok((!rows.is_empty()).then(|| format!("{head}{rows}")))
}

fn render_uncovered(recurring: &[&RecurringFailure]) -> Option<String> {
    let unmet = recurring
        .iter()
        .filter(|failure| failure.covered < failure.recurrences);
    let row = |unmet: &&RecurringFailure| {
        let pattern = output::to_one_line(&unmet.pattern);
        let sessions = output::pluralize(unmet.sessions, "session");
        let (all, left) = (unmet.recurrences, unmet.recurrences - unmet.covered);
        format!("{left:>4} of {all:>4}  {pattern}, in {sessions}\n")
    };
    let rows: String = unmet.take(MAX_ROWS).map(row).collect();
    let head = "repeats that no lesson covered, of how often each came back\n";
    (!rows.is_empty()).then(|| format!("{head}{rows}"))
}

/// Says what it would have cost; the counts of each moment are in JSON.
fn render_rates(played: &ReplayedSessions) -> String {
    let report = played.replay.report();
    let later = report.totals.counts_after_start();
    let precision = later.precision().map(|precision| 100.0 * precision);
    let precision =
        precision.map(|share| format!(", {share:.0} % of them about a failure that was met"));
    let precision = precision.unwrap_or_default();
    format!(
        "In 100 calls {} lessons were shown{precision}; a session's start took {} tokens on average. Learned on the way: \
         {}; nothing was stored.\n",
        per_hundred_calls(later.shown, report.calls),
        report.start_tokens / report.sessions,
        output::pluralize(report.learned, "lesson"),
    )
}
