//! Asks for lessons in their own words, before and after sweeps.
//!
//! A lesson is still found if it comes up, or the one that is told for it.

use std::{collections::BTreeMap, io::Write as _};

use hardwon_core::{LessonId, Status};
use hardwon_engine::{Desk, RecallRequest, Scope};

use super::planted::PlantedLesson;

/// Returns the lessons that their own words bring up, with these.
pub(super) fn find_in_own_words(
    desk: &Desk<'_>,
    lessons: &[PlantedLesson],
    numbers: &BTreeMap<LessonId, usize>,
) -> anyhow::Result<BTreeMap<LessonId, String>> {
    let mut found = BTreeMap::new();
    for (id, place) in numbers {
        let lesson = &lessons[*place];
        let prompt = format!("{} {}", lesson.signature, lesson.text);
        if comes_up(desk, *id, &prompt)? {
            found.insert(*id, prompt);
        }
    }
    Ok(found)
}

/// Counts the lessons that came up before, and do so no more.
pub(super) fn count_lost(
    desk: &Desk<'_>,
    before: &BTreeMap<LessonId, String>,
    is_verbose: bool,
) -> anyhow::Result<u32> {
    let mut lost = 0;
    for (id, prompt) in before {
        let now = find_teller(desk, *id)?;
        if !comes_up(desk, now, prompt)? {
            lost += 1;
            if is_verbose {
                let teller = desk.lesson(now)?;
                let text = &teller.content.text;
                writeln!(
                    std::io::stderr(),
                    "LOST {id} {prompt:?}\n  told by {text:?}"
                )?;
            }
        }
    }
    Ok(lost)
}

/// Returns the lesson that is told for another one in the end.
fn find_teller(desk: &Desk<'_>, mut id: LessonId) -> anyhow::Result<LessonId> {
    while let Status::Superseded { by } = desk.lesson(id)?.status {
        id = by;
    }
    Ok(id)
}

fn comes_up(desk: &Desk<'_>, id: LessonId, prompt: &str) -> anyhow::Result<bool> {
    let request = RecallRequest::new(Scope::default(), prompt);
    let ranking = desk.rank_lessons(&request)?;
    Ok(ranking.shown.iter().any(|shown| shown.lesson.id == id))
}
