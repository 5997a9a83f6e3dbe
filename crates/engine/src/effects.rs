//! The results of credit: each lesson's outcomes and effect, what showing lessons was worth, and the life of one.

mod life;
mod mean_trial;
mod summary;
mod worth;

pub use life::{LessonLife, LifeEvent};
pub use summary::{
    CreditSummary, OccasionComparison, OccasionCount, OccasionTally, OutcomeCounts, WeekCount,
};
pub use worth::{Worth, describe_trial, pluralize};

use std::{cmp::Reverse, collections::BTreeSet};

use hardwon_core::{
    id::LessonId,
    lesson::Lesson,
    preamble::{self, PreambleFormat},
};
use hardwon_store::{JudgementRecord, LessonListing, ScopeFilter, paging::read_judgements};

use crate::{Desk, Result, access::Rights, paging::for_each_lesson};

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
            Some(id) => {
                let lessons = vec![self.lesson(id)?];
                Ok(self.measure_lessons(lessons, &self.list_judgements()?))
            }
            None => {
                self.measure_effects_within(&ScopeFilter::Visible(self.principal.scope.clone()))
            }
        }
    }

    /// Reports the results of credit for the lessons of a part of the tenant, as far as they are visible: those that were
    /// shown or left out at random.
    pub fn measure_effects_within(&self, within: &ScopeFilter) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        let judgements = self.list_judgements()?;
        let lessons = self.list_lessons_with_results(within, &judgements)?;
        let mut report = self.measure_lessons(lessons, &judgements);
        // What somebody said of a lesson that no run was shown is no result.
        report.lessons.retain(|standing| {
            standing.lesson.counts.shown > 0 || standing.outcomes != OutcomeCounts::default()
        });
        Ok(report)
    }

    /// Lists the lessons that were shown, and those that these judgements are about besides.
    fn list_lessons_with_results(
        &self,
        within: &ScopeFilter,
        judgements: &[JudgementRecord],
    ) -> Result<Vec<Lesson>> {
        let within = self.narrow_filter(within)?;
        let parts = judgements
            .iter()
            .flat_map(|judged| &judged.judgement.lessons);
        let mut rest: BTreeSet<LessonId> = parts.map(|part| part.lesson).collect();
        let listing = LessonListing {
            within: within.clone(),
            only_shown: true,
            ..LessonListing::default()
        };
        let mut lessons = Vec::new();
        let reader = self.engine.store.snapshot()?;
        for_each_lesson(&*reader, self.tenant(), listing, |lesson| {
            rest.remove(&lesson.id);
            lessons.push(lesson);
        })?;
        for id in rest {
            let lesson = reader.lesson(self.tenant(), id)?;
            lessons.extend(lesson.filter(|lesson| within.includes(&lesson.scope)));
        }
        let lessons = lessons.into_iter();
        let lessons = lessons.map(|lesson| self.principal.hide_inactive_words(lesson));
        Ok(lessons.collect())
    }

    fn list_judgements(&self) -> Result<Vec<JudgementRecord>> {
        let reader = self.engine.store.snapshot()?;
        let judgements = read_judgements(&*reader, self.tenant());
        Ok(judgements
            .map(|row| Ok(row?.1))
            .collect::<hardwon_store::Result<_>>()?)
    }

    /// Sums up what was judged of these lessons.
    fn measure_lessons(
        &self,
        lessons: Vec<Lesson>,
        judgements: &[JudgementRecord],
    ) -> EffectsReport {
        let ids: BTreeSet<LessonId> = lessons.iter().map(|lesson| lesson.id).collect();
        let mut summary = CreditSummary::default();
        for judged in judgements {
            let mut judgement = judged.judgement.clone();
            judgement.lessons.retain(|part| ids.contains(&part.lesson));
            summary.add_judgement(judged.run.is_some(), judged.at, &judgement);
        }
        let format = self.policy.format;
        let standings = lessons.into_iter();
        let standings = standings.map(|lesson| measure_standing(lesson, &summary, format));
        let mut lessons: Vec<LessonStanding> = standings.collect();
        lessons.sort_by_key(|lesson| (Reverse(lesson.lesson.counts.shown), lesson.lesson.id));
        EffectsReport { lessons, summary }
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
