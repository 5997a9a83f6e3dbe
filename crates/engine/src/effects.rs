//! What credit has found out: each lesson's outcomes and effect, and how things went over time.

use std::cmp::Reverse;

use hardwon_core::{
    access::Rights,
    credit::{CreditSummary, OutcomeCounts},
    id::{LessonId, TenantId},
    lesson::{EffectEstimate, Lesson},
    preamble::{self, PreambleFormat},
};
use hardwon_store::{LessonListing, Read, ScopeFilter};

use crate::{
    Desk, Result,
    paging::{for_each_judgement, for_each_lesson},
};

/// How sure the margins of a utility are, in standard deviations (95 %).
const CONFIDENCE_DEVIATIONS: f64 = 1.959_964;

/// How a lesson stands.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonStanding {
    /// The lesson.
    pub lesson: Lesson,
    /// Its outcomes.
    pub outcomes: OutcomeCounts,
    /// How likely a task goes well with it that goes well every second time without.
    pub utility: f64,
    /// The same, with a margin of 95 %.
    pub utility_interval: (f64, f64),
    /// What showing it changed, where chance decided whether it was shown.
    pub effect: Option<EffectEstimate>,
    /// Tokens that showing it has cost, about.
    pub tokens: u64,
}

/// What credit has found out.
#[derive(Debug, Clone, Default)]
pub struct EffectsReport {
    /// Of each lesson that was ever shown or held back, the most shown first.
    pub lessons: Vec<LessonStanding>,
    /// Of all of them together, and of those that are no longer there.
    pub summary: CreditSummary,
}

impl Desk<'_> {
    /// Says what credit has found out about the lessons in sight of the project; of one of them if that
    /// is all that is asked for. Runs are the tenant's.
    pub fn measure_effects(&self, only: Option<LessonId>) -> Result<EffectsReport> {
        self.principal.check_right(Rights::Read)?;
        let scope = &self.principal.scope;
        let reader = self.engine.store.snapshot()?;
        let summary = summarize_judgements(&*reader, &scope.tenant, only)?;
        let mut lessons = Vec::new();
        let listing = LessonListing {
            within: ScopeFilter::Visible(scope.clone()),
            ..LessonListing::default()
        };
        for_each_lesson(&*reader, &scope.tenant, listing, |lesson| {
            if only.is_none_or(|id| lesson.id == id) {
                let standing = measure_standing(lesson, &summary, self.policy.format);
                lessons.extend(Some(standing).filter(|it| only.is_some() || it.was_eligible()));
            }
        })?;
        lessons.sort_by_key(|it| (Reverse(it.lesson.counts.shown), it.lesson.id));
        Ok(EffectsReport { lessons, summary })
    }
}

impl LessonStanding {
    /// Returns whether it was ever shown, or left out at random.
    fn was_eligible(&self) -> bool {
        self.lesson.counts.shown > 0 || self.outcomes != OutcomeCounts::default()
    }
}

fn summarize_judgements(
    reader: &dyn Read,
    tenant: &TenantId,
    only: Option<LessonId>,
) -> Result<CreditSummary> {
    let mut summary = CreditSummary::default();
    for_each_judgement(reader, tenant, |judged| {
        let mut judgement = judged.judgement;
        judgement
            .lessons
            .retain(|part| only.is_none_or(|id| part.lesson == id));
        match judged.run {
            None => summary.add_feedback(&judgement),
            Some(_) if only.is_some() && judgement.lessons.is_empty() => {}
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
        effect: lesson.counts.trial.estimate_effect(),
        tokens: lesson.counts.shown.saturating_mul(tokens),
        lesson,
    }
}
