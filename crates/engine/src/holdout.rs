//! Leaves lessons out at random, so that the effect of showing them can be measured.
//!
//! [`credit::holdout_share`] decides how often. The lot is drawn from the names of the run and the
//! lesson: no random numbers are needed, and the draw can be checked afterwards. Without a run the
//! outcome would never be known, so nothing is left out then.

use hardwon_core::{Lesson, LessonId, RunId, credit, digest};

/// The result of drawing lots for the lessons of a recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HoldoutDraw {
    /// Lessons left out at random: the control group.
    pub controls: Vec<LessonId>,
    /// The probability of being left out, 0 to 1, for each lesson where chance decided.
    pub chances: Vec<(LessonId, f32)>,
}

impl HoldoutDraw {
    /// Returns the probability that a lesson was left out; 0 where chance did not decide.
    pub fn chance_for(&self, lesson: LessonId) -> f32 {
        let entry = self.chances.iter().find(|chance| chance.0 == lesson);
        entry.map_or(0.0, |entry| entry.1)
    }
}

/// Draws which lessons of a run are left out. Without a run nothing is. Lessons that a person placed in a file are not to
/// be among these.
pub(crate) fn draw_holdout<'a>(
    run: Option<&RunId>,
    lessons: impl Iterator<Item = &'a Lesson>,
) -> HoldoutDraw {
    let mut draw = HoldoutDraw::default();
    let Some(run) = run else {
        return draw;
    };
    for lesson in lessons {
        let share = credit::holdout_share(&lesson.counts.trial, lesson.counts.shown);
        draw.chances.push((lesson.id, to_single_precision(share)));
        if draw_number(run, lesson.id) < share {
            draw.controls.push(lesson.id);
        }
    }
    draw
}

/// Rounds a probability to the precision that is stored.
#[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1")]
fn to_single_precision(chance: f64) -> f32 {
    chance as f32
}

/// Returns a pseudo-random number from 0 to 1, always the same for a run and a lesson.
fn draw_number(run: &RunId, lesson: LessonId) -> f64 {
    let digest = digest::hash_parts([run.as_str().as_bytes(), &lesson.0.to_be_bytes()]);
    let (&head, _) = digest.split_first_chunk().expect("32 bytes hold 4");
    f64::from(u32::from_be_bytes(head)) / (f64::from(u32::MAX) + 1.0)
}
