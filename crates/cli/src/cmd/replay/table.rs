//! What a replay came to, for people.

use hardwon_api::v1::replay::per_hundred_calls;
use hardwon_engine::Lesson;
use hardwon_engine::replay::scores::{ClassCounts, FailureClass, LessonScores, RecurringFailure};

use super::{ReplayedSessions, ratio};
use crate::{cmd::lesson, error::CliError, output};

/// Most lessons, and most failures, that are named.
const MAX_ROWS: usize = 10;

pub(super) fn render_report(played: &ReplayedSessions) -> Result<String, CliError> {
    let report = played.replay.report();
    if report.sessions == 0 {
        return Ok(format!(
            "no sessions to replay{}\n",
            describe_not_transcripts(played)
        ));
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
    let failures: u64 = report
        .totals
        .classes
        .values()
        .map(|value| value.failures)
        .sum();
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
    let ClassCounts {
        recurrences: repeats,
        covered: met,
        ..
    } = counts;
    if repeats == 0 {
        return output::bold("No avoidable failure came back in another session.");
    }
    let failures = match repeats {
        1 => "the 1 repeat failure".to_owned(),
        _ => format!("{repeats} repeat failures"),
    };
    let share = 100.0 * ratio(met, repeats);
    let lead = format!("Lessons would have covered {met} of {failures} ({share:.0} %).");
    match counts.covered_at_start {
        0 => output::bold(&lead),
        more => format!(
            "{}\n{more} more were covered only by what was shown at the session's start.",
            output::bold(&lead)
        ),
    }
}

fn render_classes(played: &ReplayedSessions) -> String {
    let head = ["failures", "repeats", "solved", "covered", "at start"];
    let mut rows = vec![render_row("class", &head.map(str::to_owned))];
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
    let numbers = [
        it.failures,
        it.recurrences,
        it.fixed,
        it.covered,
        it.covered_at_start,
    ];
    render_row(class.name, &numbers.map(|number| number.to_string()))
}

/// Writes a row that fits into 80 columns.
fn render_row(name: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>11}")).collect();
    format!("{name:<22}{cells}\n")
}

fn render_lessons(played: &ReplayedSessions) -> Result<Option<String>, CliError> {
    let lessons = played.replay.lessons()?;
    let useful = lessons.iter().filter(|(_, counts)| counts.covered > 0);
    // Without its number: it is in no store.
    let row = |(lesson, it): &(Lesson, LessonScores)| {
        format!(
            "{:>4} of {:>4}  {}\n",
            it.covered,
            it.shown,
            lesson::render_text(lesson)
        )
    };
    let rows: String = useful.take(MAX_ROWS).map(row).collect();
    let head = "lessons that covered most, of how often each was shown\n";
    Ok((!rows.is_empty()).then(|| format!("{head}{rows}")))
}

fn render_uncovered(recurring: &[&RecurringFailure]) -> Option<String> {
    let unmet = recurring
        .iter()
        .filter(|failure| failure.covered < failure.recurrences);
    let rows: String = unmet
        .take(MAX_ROWS)
        .map(|unmet| {
            let pattern = output::to_one_line(&unmet.pattern);
            let sessions = output::pluralize(unmet.sessions, "session");
            format!(
                "{:>4} of {:>4}  {pattern}, in {sessions}\n",
                unmet.recurrences - unmet.covered,
                unmet.recurrences
            )
        })
        .collect();
    let head = "repeats that no lesson covered, of how often each came back\n";
    (!rows.is_empty()).then(|| format!("{head}{rows}"))
}

/// Says what it would have cost; the counts of each moment are in JSON.
fn render_rates(played: &ReplayedSessions) -> String {
    let report = played.replay.report();
    let later = report.totals.counts_after_start();
    let precision = later.precision().map_or_else(String::new, |precision| {
        format!(
            ", {:.0} % of them about a failure that was met",
            precision * 100.0
        )
    });
    format!(
        "In 100 calls {} lessons were shown{precision}; a session's start took {} tokens on average. Learned on the way: \
         {}; nothing was stored.\n",
        per_hundred_calls(later.shown, report.calls),
        report.start_tokens / report.sessions,
        output::pluralize(report.learned, "lesson"),
    )
}
