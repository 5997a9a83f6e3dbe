//! The lessons that came up most often in a first learning, for somebody who has never seen one.
//!
//! Neither a list of all lessons, which `lesson list` is, nor the counts, which `learn` gives.

use std::{cmp::Reverse, collections::BTreeMap};

use hardwon_core::{Lesson, LessonId, Status};

use super::super::lesson::render_text;

/// Most lessons that are shown.
const SHOWN: usize = 3;

/// Lessons that sessions taught, each with how often, and its line.
#[derive(Default)]
pub(super) struct Highlights(BTreeMap<LessonId, (u64, String)>);

impl Highlights {
    /// Counts a lesson that a session taught, unless it waits for a person.
    pub(super) fn add(&mut self, lesson: &Lesson) {
        if lesson.status == Status::Active {
            let new = || (0, render_text(lesson));
            self.0.entry(lesson.id).or_insert_with(new).0 += 1;
        }
    }

    /// Writes a line for each of the most frequent, the most frequent first; nothing if there is none.
    pub(super) fn render(&self) -> String {
        let mut rows: Vec<&(u64, String)> = self.0.values().collect();
        rows.sort_by_key(|(times, _)| Reverse(*times));
        let rows = rows.iter().take(SHOWN);
        let rows: String = rows.map(|(_, line)| format!("  {line}\n")).collect();
        if rows.is_empty() {
            rows
        } else {
            format!("what came up most often:\n{rows}")
        }
    }
}
