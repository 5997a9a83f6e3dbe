//! Bringing lessons back: terms, search, rank, render, remember.

use hardwon_core::{
    access::{Rights, Visibility},
    credit::HoldoutChances,
    id::{ClientName, LessonId, RecallId, RunId},
    lesson::Lesson,
    limits,
    preamble::{self, Preamble, PreambleBudget, PreambleLesson},
    rank::{self, ExclusionReason, Ranking, Requester, SilenceReason},
    redact,
    scope::Scope,
    text::{CleanText, RawText},
    tokens::QueryTerms,
};
use hardwon_store::{
    Commit as _, ConsideredLesson, Durability, LessonQuery, Moment, PromptDigest, QueryTextReader,
    Recall, RecallListing, SpoolLevel, Store, Treatment,
};
use jiff::Timestamp;

use crate::{
    Desk, HoldoutDraw, Policy, Result, embed::SemanticRecall, holdout::draw_holdout,
    model::ModelError,
};

/// Who asks, where, and for what.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// Where it is asked.
    pub scope: Scope,
    /// The prompt. It is not kept unless the policy says so, and then without its secrets and for
    /// days; it is sent nowhere but to the embedding that is set, if one is, without its secrets.
    pub prompt: RawText,
    /// What is known of the asker.
    pub requester: Requester,
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

impl RecallRequest {
    /// Asks with a prompt before a turn.
    #[must_use]
    pub fn new(scope: Scope, prompt: impl Into<RawText>) -> Self {
        Self {
            scope,
            prompt: prompt.into(),
            requester: Requester::default(),
            limit: None,
            run: None,
            client: None,
            moment: Moment::Prompt,
        }
    }
}

/// What a recall gave.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallOutcome {
    /// What to put before the turn; empty when no lesson fits.
    pub preamble: Preamble,
    /// Every candidate, with reasons.
    pub ranking: Ranking,
    /// What chance had in mind for the lessons.
    pub holdout: HoldoutDraw,
    /// Why the embedding that is set had no say; the lessons go by words then.
    pub embedding_error: Option<ModelError>,
}

/// Recalling, and what is on record of it.
impl Desk<'_> {
    /// Brings back the lessons that fit a prompt, and remembers what was shown.
    pub fn recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        let recalled = self.explain_recall(ask)?;
        self.record_recall(ask, &recalled)?;
        Ok(recalled)
    }

    /// Says what a recall would show, without remembering that it was asked.
    ///
    /// Who asks by himself gets what he asked for: nothing of it is held back.
    pub fn explain_recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        self.check_access(Rights::Read, &ask.scope)?;
        self.recaller().explain(ask)
    }

    /// Remembers what was shown for a prompt. Who needs the lessons even where nothing can be
    /// written hands them out before.
    pub fn record_recall(&self, ask: &RecallRequest, recalled: &RecallOutcome) -> Result<()> {
        self.note_recall(&self.recaller().build_recall(ask, recalled))
    }

    /// Remembers a recall that is put together already.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        self.check_access(Rights::Read, &recall.scope)?;
        let store = &self.engine.store;
        if store.spool_recall(recall)? == SpoolLevel::FlushDue {
            // It is on record by now; if it cannot be counted at this moment, the next one tries.
            drop(store.flush(&recall.scope.tenant));
        }
        Ok(())
    }

    /// Ranks lessons for a program that makes its own of them: up to [`limits::CANDIDATES`], in no
    /// preamble, and not remembered.
    pub fn rank_lessons(&self, ask: &RecallRequest) -> Result<Ranking> {
        self.check_access(Rights::Read, &ask.scope)?;
        let recaller = self.recaller();
        Ok(recaller.rank_within(ask, recaller.shown_limit(ask))?.0)
    }

    /// Returns a page of the recalls that a listing asks for, as far as they were made in sight.
    pub fn recalls(&self, listing: &RecallListing) -> Result<Vec<(RecallId, Recall)>> {
        self.principal.check_right(Rights::Read)?;
        let listing = RecallListing {
            within: self.narrow_filter(&listing.within)?,
            ..listing.clone()
        };
        let reader = self.engine.store.snapshot()?;
        Ok(reader.recalls(self.tenant(), &listing)?)
    }

    /// Returns what a recall was made for, where that is kept: to who owns the tenant of any, to an agent
    /// of its own.
    pub fn query_text(&self, recall: RecallId) -> Result<Option<CleanText>> {
        self.principal.check_right(Rights::Read)?;
        let reader = match self.principal.visibility {
            Visibility::Tenant => QueryTextReader::Owner,
            Visibility::Agent | Visibility::Project => {
                QueryTextReader::Agent(&self.principal.scope.agent)
            }
        };
        Ok(self
            .engine
            .store
            .snapshot()?
            .query_text(self.tenant(), recall, reader)?)
    }

    /// Counts what was only noted so far, and forgets what was asked before a moment.
    pub fn flush_recalls(&self, until: Timestamp) -> Result<()> {
        self.principal.check_right(Rights::Read)?;
        // The transaction counts before it forgets, and forgets also where nothing can be counted.
        (self.engine.store).commit_with(self.tenant(), Durability::Lazy, |tx| {
            Ok(tx.forget_query_texts(until)?)
        })
    }

    pub(crate) fn recaller(&self) -> Recaller<'_> {
        Recaller {
            store: &*self.engine.store,
            semantic: self.engine.semantic.as_ref(),
            policy: &self.policy,
            now: self.now(),
        }
    }
}

/// Finds lessons for a prompt and words them, at one moment.
pub(crate) struct Recaller<'a> {
    store: &'a dyn Store,
    semantic: Option<&'a SemanticRecall>,
    policy: &'a Policy,
    now: Timestamp,
}

impl Recaller<'_> {
    fn explain(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        let (ranking, trouble) = self.rank_to_show(ask)?;
        let is_drawn = self.policy.holdout && ask.moment != Moment::Requested;
        let run = ask.run.as_ref().filter(|_| is_drawn);
        let lessons = ranking.shown.iter().map(|it| &it.lesson);
        let lots = draw_holdout(run, lessons, false);
        Ok(self.render_recall(ranking, lots, trouble))
    }

    /// Ranks as many lessons as may be shown; with them why the embedding had no say, if it had none.
    pub(crate) fn rank_to_show(
        &self,
        ask: &RecallRequest,
    ) -> Result<(Ranking, Option<ModelError>)> {
        self.rank_within(ask, self.shown_limit(ask).min(limits::SHOWN_MAX))
    }

    /// Words what is to be shown, less what chance holds back.
    pub(crate) fn render_recall(
        &self,
        ranking: Ranking,
        lots: HoldoutDraw,
        trouble: Option<ModelError>,
    ) -> RecallOutcome {
        let hold = |ranking: Ranking, id: &LessonId| match lots.exclusion_reason(*id) {
            Some(why) => ranking.exclude(*id, why),
            None => ranking,
        };
        let ranking = lots
            .controls
            .iter()
            .chain(&lots.deferred)
            .fold(ranking, hold);
        let shown: Vec<&Lesson> = ranking.shown.iter().map(|ranked| &ranked.lesson).collect();
        RecallOutcome {
            preamble: self.render_preamble(&shown),
            ranking,
            holdout: lots,
            embedding_error: trouble,
        }
    }

    fn shown_limit(&self, ask: &RecallRequest) -> usize {
        ask.limit.unwrap_or(self.policy.max_shown)
    }

    fn rank_within(
        &self,
        ask: &RecallRequest,
        limit: usize,
    ) -> Result<(Ranking, Option<ModelError>)> {
        // What we said ourselves in an earlier turn says nothing about this one.
        let prompt = redact::strip_own_blocks(ask.prompt.expose());
        let (near, trouble) = match self.semantic {
            Some(semantic) => semantic.embed_prompt(&prompt),
            None => (None, None),
        };
        let now = self.now;
        let query = LessonQuery {
            scope: ask.scope.clone(),
            terms: QueryTerms::from_prompt(&prompt),
            limit: limits::CANDIDATES,
            now,
            vector: near,
        };
        let found = self.store.snapshot()?.search(&query)?;
        let policy = rank::RankPolicy {
            limit,
            ..self.policy.rank
        };
        let asker = ask
            .requester
            .clone()
            .with_default_identities(&self.policy.default_identities);
        let ranking = rank::rank_candidates(&query.terms, found, &asker, policy, now);
        Ok((ranking, trouble))
    }

    /// Words lessons for a prompt, within the policy's budget.
    pub(crate) fn render_preamble(&self, lessons: &[&Lesson]) -> Preamble {
        self.render_within_budget(lessons, self.policy.budget)
    }

    /// Words lessons within a budget.
    pub(crate) fn render_within_budget(
        &self,
        lessons: &[&Lesson],
        budget: PreambleBudget,
    ) -> Preamble {
        let shown: Vec<PreambleLesson<'_>> = lessons
            .iter()
            .map(|lesson| PreambleLesson { lesson })
            .collect();
        preamble::render_preamble(&shown, self.policy.format, budget)
    }

    /// Puts together what is remembered of a recall.
    pub(crate) fn build_recall(&self, ask: &RecallRequest, recalled: &RecallOutcome) -> Recall {
        Recall {
            silence: recalled.ranking.silence.map(SilenceReason::to_clean_text),
            ..self.build_recall_with(ask, list_considered(recalled))
        }
    }

    /// Returns what is kept of a prompt or a call, if it is to be kept.
    fn kept_query_text(&self, prompt: &RawText) -> Option<CleanText> {
        let kept = (self.policy.keep_prompts)
            .then(|| redact::clean_to_chars(prompt, limits::QUERY_TEXT_CHARS));
        kept.filter(|it| !it.is_blank())
    }

    /// Puts together what is remembered where these lessons were found.
    pub(crate) fn build_recall_with(
        &self,
        ask: &RecallRequest,
        considered: Vec<ConsideredLesson>,
    ) -> Recall {
        Recall {
            scope: ask.scope.clone(),
            run: ask.run.clone(),
            client: ask.client.clone(),
            at: self.now,
            moment: ask.moment,
            prompt: PromptDigest::from_text(ask.prompt.expose()),
            query_text: self.kept_query_text(&ask.prompt),
            considered,
            silence: None,
        }
    }
}

/// Lists what was found as it is kept: a lesson that the budget left no room for was not shown.
fn list_considered(recalled: &RecallOutcome) -> Vec<ConsideredLesson> {
    let (ranking, lots) = (&recalled.ranking, &recalled.holdout);
    let shown = ranking.shown.iter().map(|ranked| {
        let treatment = treatment_of_chosen(ranked.lesson.id, &recalled.preamble.shown);
        consider_lesson(&ranked.lesson, ranked.explanation.score, treatment, lots)
    });
    let others = ranking.excluded.iter().map(|passed| {
        let treatment = treatment_of_excluded(&passed.why);
        consider_lesson(&passed.lesson, passed.explanation.score, treatment, lots)
    });
    shown.chain(others).take(limits::CANDIDATES).collect()
}

/// Lists lessons that are about just what happened as they are kept: nothing was ranked.
pub(crate) fn list_exact(
    lessons: &[Lesson],
    shown: &[LessonId],
    lots: &HoldoutDraw,
) -> Vec<ConsideredLesson> {
    let considered = |lesson: &Lesson| {
        let why = lots.exclusion_reason(lesson.id);
        let treatment = why.map_or_else(
            || treatment_of_chosen(lesson.id, shown),
            |why| treatment_of_excluded(&why),
        );
        consider_lesson(lesson, 1.0, treatment, lots)
    };
    let kept = lessons.iter().map(considered);
    kept.take(limits::CANDIDATES).collect()
}

/// Returns a lesson that was found as it is kept. Of one that was passed over chance decided nothing.
fn consider_lesson(
    lesson: &Lesson,
    score: f32,
    treatment: Treatment,
    lots: &HoldoutDraw,
) -> ConsideredLesson {
    let chances = match treatment {
        Treatment::Excluded { .. } => HoldoutChances::default(),
        _ => lots.chances_for(lesson.id),
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
fn treatment_of_excluded(why: &ExclusionReason) -> Treatment {
    match why {
        ExclusionReason::HeldOut => Treatment::HeldOut,
        ExclusionReason::Deferred => Treatment::Deferred,
        why => Treatment::Excluded {
            why: why.to_clean_text(),
        },
    }
}

/// Returns what became of a lesson that was chosen.
fn treatment_of_chosen(lesson: LessonId, shown: &[LessonId]) -> Treatment {
    if shown.contains(&lesson) {
        return Treatment::Shown;
    }
    let why = clean_reason("the preamble had no room for it");
    Treatment::Excluded { why }
}

fn clean_reason(why: &str) -> CleanText {
    redact::clean_to_bytes(&RawText::from(why), limits::REASON_CHARS)
}
