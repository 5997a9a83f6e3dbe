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

/// What chance had in mind for the lessons of a recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HoldoutDraw {
    /// Those that are held back.
    pub controls: Vec<LessonId>,
    /// Those that are left to a later moment of the session.
    pub deferred: Vec<LessonId>,
    /// How likely each was not to be shown, where that was left to chance.
    pub chances: Vec<(LessonId, HoldoutChances)>,
}

impl HoldoutDraw {
    /// Returns how likely a lesson was not to be shown; zeros where nothing was left to chance.
    #[must_use]
    pub fn chances_for(&self, lesson: LessonId) -> HoldoutChances {
        let found = self.chances.iter().find(|it| it.0 == lesson);
        found.map(|it| it.1).unwrap_or_default()
    }

    /// Returns whether chance decided that a lesson is not shown now, and how; none if it did not.
    #[must_use]
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

/// Draws lots for lessons that are to be shown in a run, at a moment after which others may come
/// that show what this one does not, or at one of its own. Without a run nothing is left out.
pub(crate) fn draw_holdout<'a>(
    run: Option<&RunId>,
    lessons: impl Iterator<Item = &'a Lesson>,
    may_come_later: bool,
) -> HoldoutDraw {
    let Some(run) = run else {
        return HoldoutDraw::default();
    };
    let candidate = |lesson: &Lesson| TrialCandidate {
        shown_count: lesson.counts.shown,
        trial: lesson.counts.trial,
        holdout_draw: draw_numbers(run, lesson.id)[0],
        deferral_draw: draw_numbers(run, lesson.id)[1],
    };
    let (ids, candidates): (Vec<LessonId>, Vec<TrialCandidate>) =
        lessons.map(|it| (it.id, candidate(it))).unzip();
    let drawn = credit::sample_holdout(&candidates, may_come_later);
    let held = drawn.control.map(|place| ids[place]);
    HoldoutDraw {
        controls: held.filter(|_| !drawn.is_deferred).into_iter().collect(),
        deferred: held.filter(|_| drawn.is_deferred).into_iter().collect(),
        chances: ids.into_iter().zip(drawn.chances).collect(),
    }
}

/// Returns two numbers from 0 to 1, as good as drawn, and always the same for a run and a lesson.
fn draw_numbers(run: &RunId, lesson: LessonId) -> [f64; 2] {
    let digest = digest::hash_parts([run.as_str().as_bytes(), &lesson.0.to_be_bytes()]);
    let lot = |at: usize| {
        let (&head, _) = digest[at..].split_first_chunk().expect("32 bytes hold 8");
        f64::from(u32::from_be_bytes(head)) / (f64::from(u32::MAX) + 1.0)
    };
    [lot(0), lot(4)]
}
