//! Bringing lessons back: terms, search, rank, render, remember.

use hardwon_core::{
    credit::HoldoutChances,
    id::{ClientName, LessonId, RunId},
    lesson::Lesson,
    limits,
    preamble::{self, Preamble, PreambleBudget, PreambleLesson},
    rank::{self, ExclusionReason, Ranking, Requester, SilenceReason},
    redact,
    scope::Scope,
    text::{CleanText, RawText},
    tokens::QueryTerms,
};
use hardwon_store::{ConsideredLesson, Moment, PromptDigest, Query, Recall, Spool, Treatment};

use crate::{Engine, Lots, Result, model::ModelError};

/// Who asks, where, and for what.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Where it is asked.
    pub scope: Scope,
    /// The prompt. It is not kept unless the policy says so, and then without its secrets and for
    /// days; it is sent nowhere but to the embedding that is set, if one is, without its secrets.
    pub prompt: RawText,
    /// What is known of the asker.
    pub asker: Requester,
    /// How many lessons to show at most; none for the policy's number. A preamble never shows more
    /// than [`limits::SHOWN_MAX`].
    pub limit: Option<usize>,
    /// The run, when it is asked in one.
    pub run: Option<RunId>,
    /// The client that asks, when one does.
    pub client: Option<ClientName>,
    /// At which moment of the run.
    pub moment: Moment,
}

impl Ask {
    /// Asks with a prompt before a turn.
    #[must_use]
    pub fn new(scope: Scope, prompt: impl Into<RawText>) -> Self {
        Self {
            scope,
            prompt: prompt.into(),
            asker: Requester::default(),
            limit: None,
            run: None,
            client: None,
            moment: Moment::Prompt,
        }
    }
}

/// What a recall gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// What to put before the turn; empty when no lesson fits.
    pub preamble: Preamble,
    /// Every candidate, with reasons.
    pub ranking: Ranking,
    /// What chance had in mind for the lessons.
    pub lots: Lots,
    /// Why the embedding that is set had no say; the lessons go by words then.
    pub trouble: Option<ModelError>,
}

impl Engine {
    pub(crate) fn note_recall(&self, recall: &Recall) -> Result<()> {
        let spool = self.store.remember(recall)?;
        if spool == Spool::Due {
            // It is on record by now; if it cannot be counted at this moment, the next one tries.
            drop(self.store.flush(&recall.scope.tenant));
        }
        Ok(())
    }

    pub(crate) fn explain(&self, ask: &Ask) -> Result<Recalled> {
        let (ranking, trouble) = self.ranked_to_show(ask)?;
        let run = (ask.moment != Moment::Requested).then_some(ask.run.as_ref());
        let lessons = ranking.shown.iter().map(|it| &it.lesson);
        let lots = self.draw(run.flatten(), lessons, false);
        Ok(self.worded(ranking, lots, trouble))
    }

    /// Ranks as many lessons as may be shown; with them why the embedding had no say, if it had none.
    pub(crate) fn ranked_to_show(&self, ask: &Ask) -> Result<(Ranking, Option<ModelError>)> {
        self.ranked(ask, self.limit(ask).min(limits::SHOWN_MAX))
    }

    /// Words what is to be shown, less what chance holds back.
    pub(crate) fn worded(
        &self,
        ranking: Ranking,
        lots: Lots,
        trouble: Option<ModelError>,
    ) -> Recalled {
        let hold = |ranking: Ranking, id: &LessonId| match lots.why_not(*id) {
            Some(why) => ranking.exclude(*id, why),
            None => ranking,
        };
        let ranking = lots.held.iter().chain(&lots.left).fold(ranking, hold);
        let shown: Vec<&Lesson> = ranking.shown.iter().map(|ranked| &ranked.lesson).collect();
        Recalled {
            preamble: self.render(&shown),
            ranking,
            lots,
            trouble,
        }
    }

    pub(crate) fn rank(&self, ask: &Ask) -> Result<Ranking> {
        Ok(self.ranked(ask, self.limit(ask))?.0)
    }

    fn limit(&self, ask: &Ask) -> usize {
        ask.limit.unwrap_or(self.policy.shown)
    }

    fn ranked(&self, ask: &Ask, limit: usize) -> Result<(Ranking, Option<ModelError>)> {
        // What we said ourselves in an earlier turn says nothing about this one.
        let prompt = redact::strip_own_blocks(ask.prompt.expose());
        let (near, trouble) = match &self.semantic {
            Some(semantic) => semantic.near(&prompt),
            None => (None, None),
        };
        let now = self.clock.now();
        let query = Query {
            scope: ask.scope.clone(),
            terms: QueryTerms::from_prompt(&prompt),
            limit: limits::CANDIDATES,
            now,
            near,
        };
        let found = self.store.snapshot()?.search(&query)?;
        let policy = rank::RankPolicy {
            limit,
            ..self.policy.rank
        };
        let asker = ask
            .asker
            .clone()
            .with_default_identities(&self.policy.asker);
        let ranking = rank::rank_candidates(&query.terms, found, &asker, policy, now);
        Ok((ranking, trouble))
    }

    /// Words lessons for a prompt, within the policy's budget.
    pub(crate) fn render(&self, lessons: &[&Lesson]) -> Preamble {
        self.render_within(lessons, self.policy.budget)
    }

    /// Words lessons within a budget.
    pub(crate) fn render_within(&self, lessons: &[&Lesson], budget: PreambleBudget) -> Preamble {
        let shown: Vec<PreambleLesson<'_>> = lessons
            .iter()
            .map(|lesson| PreambleLesson { lesson })
            .collect();
        preamble::render_preamble(&shown, self.policy.form, budget)
    }

    /// Puts together what is remembered of a recall.
    pub(crate) fn record(&self, ask: &Ask, recalled: &Recalled) -> Recall {
        Recall {
            silence: recalled.ranking.silence.map(SilenceReason::to_clean_text),
            ..self.record_of(ask, considered(recalled))
        }
    }

    /// Returns what is kept of a prompt or a call, if it is to be kept.
    fn kept_of(&self, prompt: &RawText) -> Option<CleanText> {
        let kept = (self.policy.keep_prompts)
            .then(|| redact::clean_to_chars(prompt, limits::QUERY_TEXT_CHARS));
        kept.filter(|it| !it.is_blank())
    }

    /// Puts together what is remembered where these lessons were found.
    pub(crate) fn record_of(&self, ask: &Ask, considered: Vec<ConsideredLesson>) -> Recall {
        Recall {
            scope: ask.scope.clone(),
            run: ask.run.clone(),
            client: ask.client.clone(),
            at: self.clock.now(),
            moment: ask.moment,
            prompt: PromptDigest::from_text(ask.prompt.expose()),
            query_text: self.kept_of(&ask.prompt),
            considered,
            silence: None,
        }
    }
}

/// Lists what was found as it is kept: a lesson that the budget left no room for was not shown.
fn considered(recalled: &Recalled) -> Vec<ConsideredLesson> {
    let (ranking, lots) = (&recalled.ranking, &recalled.lots);
    let shown = ranking.shown.iter().map(|ranked| {
        let treatment = treatment(ranked.lesson.id, &recalled.preamble.shown);
        kept(&ranked.lesson, ranked.explanation.score, treatment, lots)
    });
    let others = ranking.excluded.iter().map(|passed| {
        let treatment = not_shown(&passed.why);
        kept(&passed.lesson, passed.explanation.score, treatment, lots)
    });
    shown.chain(others).take(limits::CANDIDATES).collect()
}

/// Lists lessons that are about just what happened as they are kept: nothing was ranked.
pub(crate) fn exact(lessons: &[Lesson], shown: &[LessonId], lots: &Lots) -> Vec<ConsideredLesson> {
    let considered = |lesson: &Lesson| {
        let why = lots.why_not(lesson.id);
        let treatment = why.map_or_else(|| treatment(lesson.id, shown), |why| not_shown(&why));
        kept(lesson, 1.0, treatment, lots)
    };
    let kept = lessons.iter().map(considered);
    kept.take(limits::CANDIDATES).collect()
}

/// Returns a lesson that was found as it is kept. Of one that was passed over chance decided nothing.
fn kept(lesson: &Lesson, score: f32, treatment: Treatment, lots: &Lots) -> ConsideredLesson {
    let chances = match treatment {
        Treatment::Excluded { .. } => HoldoutChances::default(),
        _ => lots.chances(lesson.id),
    };
    ConsideredLesson {
        lesson: lesson.id,
        score,
        treatment,
        holdout_chance: chances.holdout,
        deferral_chance: chances.deferral,
    }
}

/// Returns what became of a lesson that was not chosen.
fn not_shown(why: &ExclusionReason) -> Treatment {
    match why {
        ExclusionReason::HeldOut => Treatment::HeldOut,
        ExclusionReason::Deferred => Treatment::Deferred,
        why => Treatment::Excluded {
            why: why.to_clean_text(),
        },
    }
}

/// Returns what became of a lesson that was chosen.
fn treatment(lesson: LessonId, shown: &[LessonId]) -> Treatment {
    if shown.contains(&lesson) {
        return Treatment::Shown;
    }
    let why = clean("the preamble had no room for it");
    Treatment::Excluded { why }
}

fn clean(why: &str) -> CleanText {
    redact::clean_to_bytes(&RawText::from(why), limits::REASON_CHARS)
}
