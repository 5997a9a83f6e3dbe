//! What a first learning comes to, for somebody who has never seen a lesson: how many there are, and those that came up most often.
//!
//! Neither a list of all lessons, which `lesson list` is, nor the reasons why the rest taught nothing, which `learn` gives.

use std::{cmp::Reverse, collections::BTreeMap};

use hardwon_api::v1::learn::LearnSummaryDto;
use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, Status},
};

use super::super::lesson::render_text;
use crate::output;

/// Most lessons that are shown.
const SHOWN: usize = 3;

/// Lessons that sessions taught, each with how often.
#[derive(Default)]
pub(super) struct Highlights(BTreeMap<LessonId, Highlight>);

struct Highlight {
    times: u64,
    line: String,
}

impl Highlights {
    /// Counts a lesson that a session taught, unless it waits for a person.
    pub(super) fn add(&mut self, lesson: &Lesson) {
        if lesson.status != Status::Active {
            return;
        }
        let new = || Highlight {
            times: 0,
            line: render_text(lesson),
        };
        self.0.entry(lesson.id).or_insert_with(new).times += 1;
    }

    /// Says what was learned, shows the most frequent lessons, and says what is still to come of the rest.
    pub(super) fn describe(&self, summary: &LearnSummaryDto, is_elsewhere: bool) -> String {
        let verdict = match summary.noted.learned {
            0 => "no new lesson".to_owned(),
            number => format!("{} learned", output::pluralize(number, "lesson")),
        };
        let files = output::pluralize(summary.files, "transcript");
        let sum = output::bold(&format!("{verdict} from {files}"));
        let mut text = if self.0.is_empty() {
            format!("{sum}\n")
        } else {
            format!("{sum}; what came up most often:\n{}", self.render_rows())
        };
        text.push_str(match (summary.noted.learned > 0, is_elsewhere) {
            (false, _) => "",
            (true, false) => "`hardwon lesson list` lists them.\n",
            (true, true) => {
                "`hardwon lesson list --all-projects` lists them; each is shown in its own project.\n"
            }
        });
        text.push_str(&describe_rest(summary));
        text
    }

    /// Writes a line for each of the most frequent, the most frequent first.
    fn render_rows(&self) -> String {
        let mut highlights: Vec<&Highlight> = self.0.values().collect();
        highlights.sort_by_key(|highlight| Reverse(highlight.times));
        highlights.truncate(SHOWN);
        let times = highlights
            .iter()
            .map(|highlight| output::pluralize(highlight.times, "time"));
        let times: Vec<String> = times.collect();
        let width = times.iter().map(String::len).max().unwrap_or_default();
        let rows = times.iter().zip(highlights);
        rows.map(|(times, it)| format!("  {times:>width$}  {}\n", it.line))
            .collect()
    }
}

/// Says what is not learned yet, and who has to do what for it.
fn describe_rest(summary: &LearnSummaryDto) -> String {
    let rest = [
        (
            summary.noted.for_review,
            "lesson",
            "to review: `hardwon review-queue`.",
        ),
        (
            summary.witnessed,
            "failure",
            "seen once; each becomes a lesson when another run meets it too.",
        ),
        (
            summary.asks,
            "run",
            "queued for the model: `hardwon queue drain` asks it.",
        ),
        (
            summary.unreadable.len() as u64,
            "file",
            "that could not be read, named above.",
        ),
    ];
    let rest = rest.into_iter().filter(|row| row.0 > 0);
    rest.map(|(number, thing, what)| format!("{} {what}\n", output::pluralize(number, thing)))
        .collect()
}
