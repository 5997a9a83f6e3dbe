//! What a replay came to, for people.

use hardwon_core::replay::{
    ClassCounts, FailureClass, LessonScores, MomentCounts, RecurringFailure, ReplayMoment,
};
use hardwon_engine::Lesson;

use super::{Played, per_hundred, share};
use crate::{cmd::lesson, error::Failure, output};

/// Most lessons, and most failures, that are named.
const NAMED: usize = 10;
/// Columns that a class of failures gets.
const CLASS: usize = 22;
/// Columns that a moment gets.
const MOMENT: usize = 20;

const LEGEND: &str =
    "covered      a lesson that had been shown says what the session found out by itself
solved other a lesson about it had been shown, but something else solved it
never solved a lesson about it had been shown, but the session never solved it
irrelevant   a lesson was shown, but nothing that it is about went wrong
";

pub(super) fn of(played: &Played) -> Result<String, Failure> {
    let report = played.replay.report();
    if report.sessions == 0 {
        return Ok(format!("no sessions to replay{}\n", others(played)));
    }
    let mut parts = vec![head(played), moments(played), classes(played)];
    parts.extend(lessons(played)?);
    parts.extend(unmet(&report.totals.recurring_failures()));
    parts.push(rates(played));
    if !report.totals.lessons.is_empty() {
        parts.push(LEGEND.to_owned());
    }
    Ok(parts.join("\n"))
}

fn others(played: &Played) -> String {
    match played.others {
        0 => String::new(),
        others => format!("; {} of no known format", output::count(others, "file")),
    }
}

fn head(played: &Played) -> String {
    let report = played.replay.report();
    let failures: u64 = report.totals.classes.values().map(|it| it.failures).sum();
    format!(
        "{}\n{}, {}, {}: {}{}\n",
        outcome(report.totals.preventable_counts()),
        output::count(report.sessions, "session"),
        output::count(report.prompts, "prompt"),
        output::count(report.calls, "call"),
        output::count(failures, "failure"),
        others(played),
    )
}

/// Says what lessons would have been worth, first of all.
fn outcome(counts: ClassCounts) -> String {
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
    let share = 100.0 * share(met, repeats);
    let lead = format!("Lessons would have covered {met} of {failures} ({share:.0} %).");
    match counts.covered_at_start {
        0 => output::bold(&lead),
        more => format!(
            "{}\n{more} more were covered only by what was shown at the session's start.",
            output::bold(&lead)
        ),
    }
}

fn moments(played: &Played) -> String {
    let head = [
        "shown",
        "covered",
        "solved other",
        "never solved",
        "irrelevant",
        "repeats",
    ];
    let mut rows = vec![row("moment", MOMENT, &head.map(str::to_owned))];
    for at in ReplayMoment::ALL {
        let counts = played.replay.report().totals.moments.get(&at);
        let it = counts.copied().unwrap_or_default();
        let MomentCounts {
            shown,
            covered: met,
            ..
        } = it;
        let numbers = [
            shown,
            met,
            it.fixed_otherwise,
            it.unclear,
            it.unneeded,
            it.recurrences_covered,
        ];
        rows.push(row(
            said(at),
            MOMENT,
            &numbers.map(|number| number.to_string()),
        ));
    }
    rows.concat()
}

fn said(at: ReplayMoment) -> &'static str {
    match at {
        ReplayMoment::Start => "session's start",
        ReplayMoment::Prompt => "with the prompt",
        ReplayMoment::Call => "before the call",
        ReplayMoment::Failure => "at the failure",
    }
}

fn classes(played: &Played) -> String {
    let head = ["failures", "repeats", "solved", "covered", "at the start"];
    let mut rows = vec![row("class", CLASS, &head.map(str::to_owned))];
    let classes = &played.replay.report().totals.classes;
    let of = |wanted: bool| {
        let rows = classes
            .iter()
            .filter(move |(class, _)| class.is_preventable == wanted);
        rows.map(class_row)
    };
    rows.extend(of(true));
    let others: Vec<String> = of(false).collect();
    if !others.is_empty() {
        rows.push("failures that no lesson prevents\n".to_owned());
        rows.extend(others);
    }
    rows.concat()
}

fn class_row((class, it): (&FailureClass, &ClassCounts)) -> String {
    let numbers = [
        it.failures,
        it.recurrences,
        it.fixed,
        it.covered,
        it.covered_at_start,
    ];
    row(class.name, CLASS, &numbers.map(|number| number.to_string()))
}

fn row(name: &str, width: usize, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>13}")).collect();
    format!("{name:<width$}{cells}\n")
}

fn lessons(played: &Played) -> Result<Option<String>, Failure> {
    let lessons = played.replay.lessons()?;
    let met = lessons.iter().filter(|(_, counts)| counts.covered > 0);
    // Without its number: it is in no store.
    let row = |(lesson, it): &(Lesson, LessonScores)| {
        format!(
            "{:>4} of {:>4}  {}\n",
            it.covered,
            it.shown,
            lesson::said(lesson)
        )
    };
    let rows: String = met.take(NAMED).map(row).collect();
    let head = "lessons that covered most, of how often each was shown\n";
    Ok((!rows.is_empty()).then(|| format!("{head}{rows}")))
}

fn unmet(recurring: &[&RecurringFailure]) -> Option<String> {
    let unmet = recurring.iter().filter(|it| it.covered < it.recurrences);
    let rows: String = unmet
        .take(NAMED)
        .map(|it| {
            let pattern = output::one_line(&it.pattern);
            let sessions = output::count(it.sessions, "session");
            format!(
                "{:>4} of {:>4}  {pattern}, in {sessions}\n",
                it.recurrences - it.covered,
                it.recurrences
            )
        })
        .collect();
    let head = "repeats that no lesson covered, of how often each came back\n";
    (!rows.is_empty()).then(|| format!("{head}{rows}"))
}

fn rates(played: &Played) -> String {
    let report = played.replay.report();
    let later = report.totals.counts_after_start();
    let precision = match later.precision() {
        Some(precision) => format!("; {:.0} % covered a failure", precision * 100.0),
        None => String::new(),
    };
    format!(
        "in 100 calls {} lessons were shown, {} of them irrelevant{precision} (after the session's start)\n\
         a session's start took {} tokens on average, {} at most; {} were shown in all\n\
         {} of {} would have been asked for a lesson at the end of a turn, where `ask` allows it\n\
         {} learned on the way; nothing was stored\n",
        per_hundred(later.shown, report.calls),
        per_hundred(later.unneeded, report.calls),
        report.start_tokens / report.sessions,
        report.start_tokens_most,
        report.tokens,
        report.asked,
        output::count(report.sessions, "session"),
        match report.learned {
            1 => "1 lesson was".to_owned(),
            many => format!("{many} lessons were"),
        },
    )
}
