//! Holding lessons back by chance now and then, so that what showing them changes can be told.
//!
//! How often is [`credit::draw`]'s decision. The lots are drawn from the names of the run and the
//! lesson: nothing random is needed, and anybody can check afterwards. Without a run nobody could
//! ever tell how it went, so nothing is held back then.

use hardwon_core::{
    credit::{self, Candidate},
    digest,
    id::{LessonId, RunId},
    lesson::Lesson,
};

use crate::Engine;

/// What chance had in mind for the lessons of a recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lots {
    /// Those that are held back.
    pub held: Vec<LessonId>,
    /// How likely each was to be, where that was left to chance.
    pub chances: Vec<(LessonId, f32)>,
}

impl Lots {
    /// Returns how likely a lesson was to be held back; 0 where nothing was left to chance.
    #[must_use]
    pub fn chance(&self, lesson: LessonId) -> f32 {
        let found = self.chances.iter().find(|it| it.0 == lesson);
        found.map_or(0.0, |it| it.1)
    }
}

impl Engine {
    /// Draws lots for lessons that are to be shown in a run.
    pub(crate) fn draw<'a>(
        &self,
        run: Option<&RunId>,
        lessons: impl Iterator<Item = &'a Lesson>,
    ) -> Lots {
        let Some(run) = run.filter(|_| self.policy.holdout) else {
            return Lots::default();
        };
        let candidate = |lesson: &Lesson| Candidate {
            shown: lesson.counts.shown,
            trial: lesson.counts.trial,
            lot: lot(run, lesson.id),
        };
        let (ids, candidates): (Vec<LessonId>, Vec<Candidate>) =
            lessons.map(|it| (it.id, candidate(it))).unzip();
        let drawn = credit::draw(&candidates);
        Lots {
            held: drawn.held.map(|place| ids[place]).into_iter().collect(),
            chances: ids.into_iter().zip(drawn.chances).collect(),
        }
    }
}

/// Returns a number from 0 to 1, as good as drawn, and always the same for a run and a lesson.
fn lot(run: &RunId, lesson: LessonId) -> f64 {
    let digest = digest::of([run.as_str().as_bytes(), &lesson.0.to_be_bytes()]);
    let (&head, _) = digest.split_first_chunk().expect("32 bytes hold 4");
    f64::from(u32::from_be_bytes(head)) / (f64::from(u32::MAX) + 1.0)
}
