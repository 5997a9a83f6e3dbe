//! What credit has found out: each lesson's outcomes and effect, and how things went over time.

use hardwon_core::{
    credit::{CreditSummary, EffectEstimate, OutcomeCounts},
    id::LessonId,
    lesson::Lesson,
    preamble,
    scope::Scope,
};
use hardwon_store::{JudgementListing, LessonListing, Read, ScopeFilter};

use crate::{Engine, Result};

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

impl Engine {
    pub(crate) fn measure_effects(
        &self,
        scope: &Scope,
        only: Option<LessonId>,
    ) -> Result<EffectsReport> {
        let mut effects = EffectsReport::default();
        let reader = self.store.snapshot()?;
        for_each_judgement(&*reader, scope, |judged| {
            let mut judgement = judged.judgement;
            judgement
                .lessons
                .retain(|part| only.is_none_or(|id| part.lesson == id));
            match judged.run {
                None => effects.summary.add_feedback(&judgement),
                Some(_) if only.is_some() && judgement.lessons.is_empty() => {}
                Some(_) => effects.summary.add_run(judged.at, &judgement),
            }
        })?;
        let mut listing = LessonListing {
            within: ScopeFilter::Visible(scope.clone()),
            ..LessonListing::default()
        };
        loop {
            let page = reader.lessons(&scope.tenant, &listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            let asked = page
                .into_iter()
                .filter(|it| only.is_none_or(|id| it.id == id));
            let standings = asked.map(|lesson| self.measure_standing(lesson, &effects.summary));
            let met = standings.filter(|it| {
                only.is_some()
                    || it.lesson.counts.shown > 0
                    || it.outcomes != OutcomeCounts::default()
            });
            effects.lessons.extend(met.collect::<Vec<_>>());
        }
        let most_shown =
            |it: &LessonStanding| (std::cmp::Reverse(it.lesson.counts.shown), it.lesson.id);
        effects.lessons.sort_by_key(most_shown);
        Ok(effects)
    }

    fn measure_standing(&self, lesson: Lesson, summary: &CreditSummary) -> LessonStanding {
        let belief = lesson.posterior();
        let tokens = preamble::count_tokens(&lesson, self.policy.format);
        LessonStanding {
            outcomes: summary.lessons.get(&lesson.id).copied().unwrap_or_default(),
            utility: belief.utility(),
            utility_interval: belief.utility_interval(CONFIDENCE_DEVIATIONS),
            effect: lesson.counts.trial.estimate_effect(),
            tokens: lesson
                .counts
                .shown
                .saturating_mul(u64::try_from(tokens).unwrap_or(0)),
            lesson,
        }
    }
}

fn for_each_judgement(
    reader: &dyn Read,
    scope: &Scope,
    mut each: impl FnMut(hardwon_store::JudgementRecord),
) -> Result<()> {
    let mut listing = JudgementListing::default();
    loop {
        let page = reader.judgements(&scope.tenant, &listing)?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        listing.before = Some(*last);
        page.into_iter().for_each(|(_, judged)| each(judged));
    }
}
