//! The results of credit: each lesson's outcomes and effect, what showing lessons was worth, and the life of one.

mod life;
mod worth;

pub use life::{LessonLife, LifeEvent};
pub use worth::Worth;

use std::{cmp::Reverse, collections::BTreeSet};

use hardwon_core::{
    access::Rights,
    credit::{CreditSummary, OutcomeCounts},
    id::LessonId,
    lesson::Lesson,
    preamble::{self, PreambleFormat},
};
use hardwon_store::{LessonListing, ScopeFilter};

use crate::{
    Desk, Result,
    paging::{for_each_judgement, for_each_lesson},
};

/// The record of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonStanding {
    /// The lesson.
    pub lesson: Lesson,
    /// The counts of its outcomes.
    pub outcomes: OutcomeCounts,
    /// Approximate number of tokens that showing it has cost.
    pub tokens: u64,
}

/// The results of credit.
#[derive(Debug, Clone, Default)]
pub struct EffectsReport {
    /// Each lesson that was ever shown or left out at random, the most shown first.
    pub lessons: Vec<LessonStanding>,
    /// The totals of the lessons that were asked about.
    pub summary: CreditSummary,
}

impl Desk<'_> {
    /// Reports the results of credit for the lessons visible from the project, or for one of them. Runs are those in which
    /// one of these lessons had a part.
    pub fn measure_effects(&self, only: Option<LessonId>) -> Result<EffectsReport> {
        match only {
            Some(id) => self.measure_lessons(vec![self.lesson(id)?], |_| true),
            None => {
                self.measure_effects_within(&ScopeFilter::Visible(self.principal.scope.clone()))
            }
        }
    }

    /// Reports the results of credit for the lessons of a part of the tenant, as far as they are visible.
    pub fn measure_effects_within(&self, within: &ScopeFilter) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        let listing = LessonListing {
            within: self.narrow_filter(within)?,
            ..LessonListing::default()
        };
        let mut lessons = Vec::new();
        let reader = self.engine.store.snapshot()?;
        for_each_lesson(&*reader, self.tenant(), listing, |lesson| {
            lessons.push(self.principal.hide_inactive_words(lesson));
        })?;
        drop(reader);
        self.measure_lessons(lessons, LessonStanding::was_eligible)
    }

    /// Sums up what was judged of these lessons, and reports on those that are wanted.
    fn measure_lessons(
        &self,
        lessons: Vec<Lesson>,
        is_wanted: fn(&LessonStanding) -> bool,
    ) -> Result<EffectsReport> {
        let ids: BTreeSet<LessonId> = lessons.iter().map(|lesson| lesson.id).collect();
        let reader = self.engine.store.snapshot()?;
        let mut summary = CreditSummary::default();
        for_each_judgement(&*reader, self.tenant(), |judged| {
            let mut judgement = judged.judgement;
            judgement.lessons.retain(|part| ids.contains(&part.lesson));
            summary.add_judgement(judged.run.is_some(), judged.at, &judgement);
        })?;
        let format = self.policy.format;
        let standings = lessons.into_iter();
        let standings = standings.map(|lesson| measure_standing(lesson, &summary, format));
        let mut lessons: Vec<LessonStanding> = standings.filter(is_wanted).collect();
        lessons.sort_by_key(|lesson| (Reverse(lesson.lesson.counts.shown), lesson.lesson.id));
        Ok(EffectsReport { lessons, summary })
    }
}

impl LessonStanding {
    /// Returns whether it was ever shown, or left out at random.
    fn was_eligible(&self) -> bool {
        self.lesson.counts.shown > 0 || self.outcomes != OutcomeCounts::default()
    }
}

fn measure_standing(
    lesson: Lesson,
    summary: &CreditSummary,
    format: PreambleFormat,
) -> LessonStanding {
    let tokens = preamble::count_tokens(&lesson, format);
    let tokens = u64::try_from(tokens).unwrap_or(0);
    LessonStanding {
        outcomes: summary.lessons.get(&lesson.id).copied().unwrap_or_default(),
        tokens: lesson.counts.shown.saturating_mul(tokens),
        lesson,
    }
}
