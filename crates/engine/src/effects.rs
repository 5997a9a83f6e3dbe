//! The results of credit: each lesson's outcomes and effect, and how runs went over time.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hardwon_core::{
    access::{Rights, Visibility},
    credit::{self, CreditSummary, EffectTrials, OutcomeCounts},
    id::{LessonId, TenantId},
    lesson::{EffectEstimate, Lesson, Trial, TrialVerdict},
    preamble::{self, PreambleFormat},
};
use hardwon_store::{LessonListing, Read, ScopeFilter};

use crate::{
    Desk, Result,
    paging::{for_each_judgement, for_each_lesson},
};

/// Standard deviations on either side of a 95 % interval.
const CONFIDENCE_DEVIATIONS: f64 = 1.959_964;

/// The record of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonStanding {
    /// The lesson.
    pub lesson: Lesson,
    /// The counts of its outcomes.
    pub outcomes: OutcomeCounts,
    /// The probability that a task goes well with it which goes well half the time without.
    pub utility: f64,
    /// The 95 % interval of the utility.
    pub utility_interval: (f64, f64),
    /// The estimated effect of showing it on its occasions, beside those of all lessons, where chance decided whether it was
    /// shown.
    pub effect: Option<EffectEstimate>,
    /// What chance left with it and without it, in three measures.
    pub trials: EffectTrials,
    /// Approximate number of tokens that showing it has cost.
    pub tokens: u64,
}

/// The results of credit.
#[derive(Debug, Clone, Default)]
pub struct EffectsReport {
    /// Each lesson that was ever shown or left out at random, the most shown first.
    pub lessons: Vec<LessonStanding>,
    /// The totals, including lessons that no longer exist.
    pub summary: CreditSummary,
}

impl Desk<'_> {
    /// Reports the results of credit for the lessons visible from the project, or for one of them. Runs are those of
    /// the whole tenant; a principal that sees less is told of those only in which a lesson that it sees had a part.
    pub fn measure_effects(&self, only: Option<LessonId>) -> Result<EffectsReport> {
        self.measure_within(&ScopeFilter::Visible(self.principal.scope.clone()), only)
    }

    /// Reports the results of credit for the lessons of a part of the tenant, as far as they are visible.
    pub fn measure_effects_within(&self, within: &ScopeFilter) -> Result<EffectsReport> {
        self.measure_within(within, None)
    }

    fn measure_within(
        &self,
        within: &ScopeFilter,
        only: Option<LessonId>,
    ) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        let within = self.narrow_filter(within)?;
        // A lesson's effect is estimated beside those of all, wherever it is asked for.
        let listing = LessonListing {
            within: self.narrow_filter(&ScopeFilter::Tenant)?,
            ..LessonListing::default()
        };
        let reader = self.engine.store.snapshot()?;
        let visible_ids = self.find_seen_lessons(&*reader)?;
        let is_counted = |id: LessonId| {
            let is_seen = visible_ids
                .as_ref()
                .is_none_or(|visible_ids| visible_ids.contains(&id));
            is_seen && only.is_none_or(|only| only == id)
        };
        let is_part = only.is_some() || visible_ids.is_some();
        let summary = summarize_judgements(&*reader, self.tenant(), is_part, is_counted)?;
        let mut lessons = Vec::new();
        let mut trials: Vec<(LessonId, Trial)> = Vec::new();
        for_each_lesson(&*reader, self.tenant(), listing, |lesson| {
            let trial = lesson.counts.trial;
            trials.extend((trial != Trial::default()).then_some((lesson.id, trial)));
            if only.map_or_else(|| within.includes(&lesson.scope), |id| lesson.id == id) {
                let lesson = self.principal.hide_inactive_words(lesson);
                let standing = measure_standing(lesson, &summary, self.policy.format);
                lessons.extend(
                    Some(standing).filter(|standing| only.is_some() || standing.was_eligible()),
                );
            }
        })?;
        let (tried, trials): (Vec<LessonId>, Vec<Trial>) = trials.into_iter().unzip();
        let effects = credit::estimate_effects(&trials);
        let effects: BTreeMap<LessonId, Option<EffectEstimate>> =
            tried.into_iter().zip(effects).collect();
        for standing in &mut lessons {
            standing.effect = effects.get(&standing.lesson.id).copied().flatten();
        }
        lessons.sort_by_key(|lesson| (Reverse(lesson.lesson.counts.shown), lesson.lesson.id));
        Ok(EffectsReport { lessons, summary })
    }
}

impl Desk<'_> {
    /// Returns the lessons that a principal sees; `None` if those are all of the tenant.
    fn find_seen_lessons(&self, reader: &dyn Read) -> Result<Option<BTreeSet<LessonId>>> {
        if self.principal.visibility == Visibility::Tenant {
            return Ok(None);
        }
        let listing = LessonListing {
            within: self.narrow_filter(&ScopeFilter::Tenant)?,
            ..LessonListing::default()
        };
        let mut visible_ids = BTreeSet::new();
        for_each_lesson(reader, self.tenant(), listing, |lesson| {
            visible_ids.insert(lesson.id);
        })?;
        Ok(Some(visible_ids))
    }
}

impl LessonStanding {
    /// Says what the trial of showing it tells so far.
    pub fn verdict(&self) -> TrialVerdict {
        self.lesson.counts.trial.judge_estimate(self.effect)
    }

    /// Returns whether it was ever shown, or left out at random.
    fn was_eligible(&self) -> bool {
        self.lesson.counts.shown > 0 || self.outcomes != OutcomeCounts::default()
    }
}

/// Sums up what was judged. Of a part of the lessons, only the runs in which one of them had a part count.
fn summarize_judgements(
    reader: &dyn Read,
    tenant: &TenantId,
    is_part: bool,
    is_counted: impl Fn(LessonId) -> bool,
) -> Result<CreditSummary> {
    let mut summary = CreditSummary::default();
    for_each_judgement(reader, tenant, |judged| {
        let mut judgement = judged.judgement;
        judgement.lessons.retain(|part| is_counted(part.lesson));
        match judged.run {
            None => summary.add_feedback(&judgement),
            Some(_) if is_part && judgement.lessons.is_empty() => {}
            Some(_) => summary.add_run(judged.at, &judgement),
        }
    })?;
    Ok(summary)
}

fn measure_standing(
    lesson: Lesson,
    summary: &CreditSummary,
    format: PreambleFormat,
) -> LessonStanding {
    let posterior = lesson.posterior();
    let tokens = preamble::count_tokens(&lesson, format);
    let tokens = u64::try_from(tokens).unwrap_or(0);
    LessonStanding {
        outcomes: summary.lessons.get(&lesson.id).copied().unwrap_or_default(),
        utility: posterior.utility(),
        utility_interval: posterior.utility_interval(CONFIDENCE_DEVIATIONS),
        effect: None,
        trials: (summary.lesson_trials.get(&lesson.id).copied()).unwrap_or_default(),
        tokens: lesson.counts.shown.saturating_mul(tokens),
        lesson,
    }
}
