//! Leaves lessons out at random now and then, so that the effect of showing them can be measured.
//!
//! [`credit::sample_holdout`] decides how often. The lots are drawn from the names of the run and the
//! lesson: no random numbers are needed, and the draw can be checked afterwards. Without a run the
//! outcome would never be known, so nothing is left out then.

use hardwon_core::{
    credit::{self, HoldoutChances, TrialCandidate},
    digest,
    id::{LessonId, RunId},
    lesson::Lesson,
    rank::ExclusionReason,
};

/// The result of drawing lots for the lessons of a recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HoldoutDraw {
    /// Lessons left out at random: the control group.
    pub controls: Vec<LessonId>,
    /// Lessons left to a later moment of the session.
    pub deferred: Vec<LessonId>,
    /// The probability of not being shown, for each lesson where chance decided.
    pub chances: Vec<(LessonId, HoldoutChances)>,
}

impl HoldoutDraw {
    /// Returns the probability that a lesson was not shown; zeros where chance did not decide.
    pub fn chances_for(&self, lesson: LessonId) -> HoldoutChances {
        let entry = self.chances.iter().find(|chance| chance.0 == lesson);
        entry.map(|entry| entry.1).unwrap_or_default()
    }

    /// Returns why chance excludes a lesson now; `None` if it does not.
    pub fn exclusion_reason(&self, lesson: LessonId) -> Option<ExclusionReason> {
        let is_held = self
            .controls
            .contains(&lesson)
            .then_some(ExclusionReason::HeldOut);
        let is_left = || {
            self.deferred
                .contains(&lesson)
                .then_some(ExclusionReason::Deferred)
        };
        is_held.or_else(is_left)
    }
}

/// Draws which lessons of a run are left out. `may_come_later` says whether later moments may show what this one does
/// not. Without a run nothing is left out. Lessons that a person placed in a file are not to be among these.
pub(crate) fn draw_holdout<'a>(
    run: Option<&RunId>,
    lessons: impl Iterator<Item = &'a Lesson>,
    may_come_later: bool,
) -> HoldoutDraw {
    let Some(run) = run else {
        return HoldoutDraw::default();
    };
    let mut draw = HoldoutDraw::default();
    for lesson in lessons {
        let [holdout_draw, deferral_draw] = draw_numbers(run, lesson.id);
        let candidate = TrialCandidate {
            shown_count: lesson.counts.shown,
            trial: lesson.counts.trial,
            holdout_draw,
            deferral_draw,
        };
        let sample = credit::sample_holdout(&candidate, may_come_later);
        draw.chances.push((lesson.id, sample.chances));
        match (sample.is_withheld, sample.is_deferred) {
            (false, _) => {}
            (true, false) => draw.controls.push(lesson.id),
            (true, true) => draw.deferred.push(lesson.id),
        }
    }
    draw
}

/// Returns two pseudo-random numbers from 0 to 1, always the same for a run and a lesson.
fn draw_numbers(run: &RunId, lesson: LessonId) -> [f64; 2] {
    let digest = digest::hash_parts([run.as_str().as_bytes(), &lesson.0.to_be_bytes()]);
    let lot = |at: usize| {
        let (&head, _) = digest[at..].split_first_chunk().expect("32 bytes hold 8");
        f64::from(u32::from_be_bytes(head)) / (f64::from(u32::MAX) + 1.0)
    };
    [lot(0), lot(4)]
}
