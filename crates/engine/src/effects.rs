//! The results of credit: each lesson's outcomes and effect, what showing lessons was worth, and the life of one.

mod evidence;
mod life;
mod mean_trial;
mod summary;
mod worth;

pub use evidence::EvidenceRuns;
pub use life::{LessonLife, LifeEvent};
pub use summary::{
    CreditSummary, OccasionComparison, OccasionCount, OccasionTally, OutcomeCounts, WeekCount,
};
pub use worth::{Worth, pluralize};

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hardwon_core::{Lesson, LessonId, LessonJudgement, PreambleFormat, RecallId, preamble};
use hardwon_store::{
    JudgementRecord, LessonListing, RecallListing, ScopeFilter,
    paging::{read_judgements, read_pages},
};

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

/// What the recalls of a place say of lessons.
#[derive(Default)]
struct Showings {
    recalls: BTreeSet<RecallId>,
    /// How often lessons were shown, with those that were left out.
    shown: BTreeMap<LessonId, u64>,
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
    /// Reports the results of credit in the sessions of the project, of all lessons visible from it; or of one lesson, wherever
    /// it was shown.
    pub fn measure_effects(&self, only: Option<LessonId>) -> Result<EffectsReport> {
        match only {
            Some(id) => {
                let lessons = vec![self.lesson(id)?];
                Ok(self.measure_lessons(lessons, &self.list_judgements()?, |_| true))
            }
            None => {
                self.measure_effects_within(&ScopeFilter::Visible(self.principal.scope.clone()))
            }
        }
    }

    /// Reports the results of credit in the sessions of a part of the tenant: of the lessons that were shown there or left out
    /// at random, as far as they are visible. Outside of any project those are the lessons of no project, wherever they were shown.
    pub fn measure_effects_within(&self, within: &ScopeFilter) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        let place = match self.narrow_filter(within)? {
            ScopeFilter::Visible(scope) => ScopeFilter::Scope(scope),
            place => place,
        };
        let judgements = self.list_judgements()?;
        let showings = self.list_showings(&place)?;
        let lessons = self.list_lessons_with_results(&place, &showings, &judgements)?;
        let own = lessons.iter().filter(|own| place.includes(&own.scope));
        let own: BTreeSet<LessonId> = own.map(|own| own.id).collect();
        let is_there = |part: &LessonJudgement| {
            let recall = || part.recall.is_some_and(|id| showings.recalls.contains(&id));
            own.contains(&part.lesson) || recall()
        };
        let mut report = self.measure_lessons(lessons, &judgements, is_there);
        // What somebody said of a lesson that no run was shown is no result.
        report.lessons.retain(|standing| {
            standing.lesson.counts.shown > 0 || standing.outcomes != OutcomeCounts::default()
        });
        Ok(report)
    }

    /// Lists what the kept recalls of a place say of lessons, also of those that hold elsewhere too. Of the whole tenant
    /// the lessons know it themselves.
    fn list_showings(&self, place: &ScopeFilter) -> Result<Showings> {
        let mut showings = Showings::default();
        if *place == ScopeFilter::Tenant {
            return Ok(showings);
        }
        let listing = RecallListing {
            within: place.clone(),
            ..RecallListing::default()
        };
        let reader = self.snapshot()?;
        let page = |listing: &RecallListing| reader.recalls(self.tenant(), listing);
        let recalls = read_pages(listing, page, |listing, last| listing.before = Some(last.0));
        for row in recalls {
            let (id, recall) = row?;
            showings.recalls.insert(id);
            for lesson in recall.eligible_lessons() {
                showings.shown.entry(lesson).or_default();
            }
            for lesson in recall.counted_lessons() {
                *showings.shown.entry(lesson).or_default() += 1;
            }
        }
        Ok(showings)
    }

    /// Lists the lessons of a place that were shown, and those besides that these judgements are about or that were shown there.
    fn list_lessons_with_results(
        &self,
        place: &ScopeFilter,
        showings: &Showings,
        judgements: &[JudgementRecord],
    ) -> Result<Vec<Lesson>> {
        let parts = judgements
            .iter()
            .flat_map(|judged| &judged.judgement.lessons);
        let mut rest: BTreeSet<LessonId> = parts.map(|part| part.lesson).collect();
        rest.extend(showings.shown.keys());
        let listing = LessonListing {
            within: place.clone(),
            only_shown: true,
            ..LessonListing::default()
        };
        let mut lessons = Vec::new();
        let reader = self.snapshot()?;
        for_each_lesson(&*reader, self.tenant(), listing, |lesson| {
            rest.remove(&lesson.id);
            lessons.push(lesson);
        })?;
        for id in rest {
            let Some(mut lesson) = reader.lesson(self.tenant(), id)? else {
                continue;
            };
            let is_own = place.includes(&lesson.scope);
            let count = showings.shown.get(&id).filter(|_| !is_own);
            if let Some(count) = count {
                lesson.counts.shown = *count;
            }
            if is_own || count.is_some() && self.principal.can_see(&lesson.scope) {
                lessons.push(lesson);
            }
        }
        let lessons = lessons.into_iter();
        let lessons = lessons.map(|lesson| self.principal.hide_inactive_words(lesson));
        Ok(lessons.collect())
    }

    fn list_judgements(&self) -> Result<Vec<JudgementRecord>> {
        let reader = self.snapshot()?;
        let judgements = read_judgements(&*reader, self.tenant());
        Ok(judgements
            .map(|row| Ok(row?.1))
            .collect::<hardwon_store::Result<_>>()?)
    }

    /// Sums up what was judged of these lessons, as far as it counts.
    fn measure_lessons(
        &self,
        lessons: Vec<Lesson>,
        judgements: &[JudgementRecord],
        is_counted: impl Fn(&LessonJudgement) -> bool,
    ) -> EffectsReport {
        let ids: BTreeSet<LessonId> = lessons.iter().map(|lesson| lesson.id).collect();
        let mut summary = CreditSummary::default();
        for judged in judgements {
            let mut judgement = judged.judgement.clone();
            let is_meant = |part: &LessonJudgement| ids.contains(&part.lesson) && is_counted(part);
            judgement.lessons.retain(is_meant);
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
