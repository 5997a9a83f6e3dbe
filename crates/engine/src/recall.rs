//! Recalls lessons: terms, search, rank, render, record.

use hardwon_core::{
    CleanText, ClientName, ExclusionReason, Explanation, Lesson, LessonId, Preamble,
    PreambleBudget, PreambleFormat, Ranking, RawText, RecallId, Requester, RunId, Scope,
    SilenceReason, limits, preamble, rank,
};
use hardwon_store::{
    Commit as _, ConsideredLesson, Durability, LessonQuery, Moment, PromptDigest, QueryTextReader,
    Recall, RecallListing, SpoolLevel, Treatment,
};
use jiff::Timestamp;

use crate::{Desk, HoldoutDraw, ModelError, Result, Rights, Visibility, holdout::draw_holdout};

/// A request for the lessons that fit a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// The scope that asks.
    pub scope: Scope,
    /// The prompt. Kept only if the policy says so, and then without its secrets and for days; sent only to the
    /// configured embedding, if there is one, without its secrets.
    pub prompt: RawText,
    /// What is known of the asking agent.
    pub requester: Requester,
    /// Most lessons to show; `None` for the policy's number. A preamble never shows more than [`limits::SHOWN_MAX`].
    pub limit: Option<usize>,
    /// The form of the preamble; `None` for the policy's.
    pub format: Option<PreambleFormat>,
    /// The run that asks, if one does.
    pub run: Option<RunId>,
    /// The client that asks, if one does.
    pub client: Option<ClientName>,
    /// The moment of the run.
    pub moment: Moment,
}

impl RecallRequest {
    /// Makes a request for a prompt before a turn.
    pub fn new(scope: Scope, prompt: impl Into<RawText>) -> Self {
        Self {
            scope,
            prompt: prompt.into(),
            requester: Requester::default(),
            limit: None,
            format: None,
            run: None,
            client: None,
            moment: Moment::Prompt,
        }
    }
}

/// The result of a recall.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallOutcome {
    /// The text to put before the turn; empty when no lesson fits.
    pub preamble: Preamble,
    /// Every candidate, with reasons.
    pub ranking: Ranking,
    /// Which lessons were left out at random.
    pub holdout: HoldoutDraw,
    /// Why the configured embedding was not used; the recall then went by words.
    pub embedding_error: Option<ModelError>,
}

/// A lesson that a recall found, shown or not.
#[derive(Debug)]
pub struct RecallCandidate<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// Why it is not shown; none if it is.
    pub exclusion: Option<String>,
    /// How it came to its place.
    pub explanation: &'a Explanation,
}

impl RecallOutcome {
    /// Returns every candidate, the best first, with why it is not in the preamble.
    pub fn candidates(&self) -> Vec<RecallCandidate<'_>> {
        let reason_omitted = |id: LessonId| {
            let mut omissions = self.preamble.omitted.iter();
            let omission = omissions.find(|(omissions, _)| *omissions == id);
            omission.map(|(_, why)| why.reason().to_owned())
        };
        let candidates = self.ranking.shown.iter().map(|showing| RecallCandidate {
            lesson: &showing.lesson,
            exclusion: reason_omitted(showing.lesson.id),
            explanation: &showing.explanation,
        });
        let others = self.ranking.excluded.iter();
        let others = others.map(|candidate| RecallCandidate {
            lesson: &candidate.lesson,
            exclusion: Some(candidate.why.to_string()),
            explanation: &candidate.explanation,
        });
        let mut all: Vec<RecallCandidate<'_>> = candidates.chain(others).collect();
        all.sort_by_key(|candidate| candidate.explanation.position);
        all
    }
}

/// Recalling, and what is on record of it.
impl Desk<'_> {
    /// Recalls the lessons that fit a prompt, and records what was shown.
    pub fn recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        let recall = self.explain_recall(ask)?;
        self.record_recall(ask, &recall)?;
        Ok(recall)
    }

    /// Computes a recall without recording it.
    ///
    /// A person who asks directly gets every lesson that fits: none is left out at random.
    pub fn explain_recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        self.check_access(Rights::Read, &ask.scope)?;
        let recaller = self.recaller();
        let format = ask.format.unwrap_or(recaller.format);
        Recaller { format, ..recaller }.explain(ask)
    }

    /// Records what was shown for a prompt. A caller that needs the lessons even where nothing can be written hands
    /// them out first.
    pub fn record_recall(&self, ask: &RecallRequest, recalled: &RecallOutcome) -> Result<()> {
        self.note_recall(&self.recaller().build_recall(ask, recalled))
    }

    /// Records a recall that is already assembled.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        self.check_access(Rights::Read, &recall.scope)?;
        let store = &self.engine.store;
        if store.spool_recall(recall)? == SpoolLevel::FlushDue {
            // It is recorded by now; if it cannot be counted at present, the next one tries.
            drop(store.flush(&recall.scope.tenant));
        }
        Ok(())
    }

    /// Ranks lessons for a program with a presentation of its own: up to [`limits::CANDIDATES`], without a preamble,
    /// and not recorded.
    pub fn rank_lessons(&self, ask: &RecallRequest) -> Result<Ranking> {
        self.check_access(Rights::Read, &ask.scope)?;
        let recaller = self.recaller();
        Ok(recaller.rank_within(ask, recaller.shown_limit(ask))?.0)
    }

    /// Returns a page of a listing of recalls, as far as they were made in visible scopes.
    pub fn recalls(&self, listing: &RecallListing) -> Result<Vec<(RecallId, Recall)>> {
        self.principal.check_right(Rights::Read)?;
        let listing = RecallListing {
            within: self.narrow_filter(&listing.within)?,
            ..listing.clone()
        };
        let reader = self.snapshot()?;
        Ok(reader.recalls(self.tenant(), &listing)?)
    }

    /// Returns the query text of a recall, where it is kept: of any recall for the tenant's owner, of its own recalls
    /// for an agent.
    pub fn query_text(&self, recall: RecallId) -> Result<Option<CleanText>> {
        self.principal.check_right(Rights::Read)?;
        let reader = match self.principal.visibility {
            Visibility::Tenant => QueryTextReader::Owner,
            _ => QueryTextReader::Agent(&self.principal.scope.agent),
        };
        Ok(self.snapshot()?.query_text(self.tenant(), recall, reader)?)
    }

    /// Counts the spooled recalls, and deletes query texts before a time.
    pub fn flush_recalls(&self, until: Timestamp) -> Result<()> {
        self.principal.check_right(Rights::Read)?;
        // The transaction counts before it deletes, and deletes also where nothing can be counted.
        (self.engine.store).commit_with(self.tenant(), Durability::Lazy, |tx| {
            Ok(tx.erase_query_texts(until)?)
        })
    }

    pub(crate) fn recaller(&self) -> Recaller<'_> {
        Recaller {
            desk: self,
            format: self.policy.format,
            now: self.now(),
        }
    }
}

/// Finds and renders lessons for a prompt, at one time.
pub(crate) struct Recaller<'a> {
    desk: &'a Desk<'a>,
    format: PreambleFormat,
    now: Timestamp,
}

impl Recaller<'_> {
    fn explain(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        let (ranking, trouble) = self.rank_to_show(ask)?;
        let is_drawn = self.desk.policy.holdout && ask.moment != Moment::Requested;
        let run = ask.run.as_ref().filter(|_| is_drawn);
        let lessons = ranking.shown.iter().map(|showing| &showing.lesson);
        let open = lessons.filter(|lesson| !self.desk.policy.placed.contains(&lesson.id));
        let draw = draw_holdout(run, open);
        Ok(self.render_recall(ranking, draw, trouble))
    }

    /// Ranks as many lessons as may be shown; also returns why the embedding was not used, if it failed.
    pub(crate) fn rank_to_show(
        &self,
        ask: &RecallRequest,
    ) -> Result<(Ranking, Option<ModelError>)> {
        self.rank_within(ask, self.shown_limit(ask).min(limits::SHOWN_MAX))
    }

    /// Renders what is to be shown, without the lessons left out at random.
    pub(crate) fn render_recall(
        &self,
        ranking: Ranking,
        draw: HoldoutDraw,
        trouble: Option<ModelError>,
    ) -> RecallOutcome {
        let hold = |ranking: Ranking, id: &LessonId| ranking.exclude(*id, ExclusionReason::HeldOut);
        let ranking = draw.controls.iter().fold(ranking, hold);
        let lessons: Vec<&Lesson> = ranking.shown.iter().map(|ranked| &ranked.lesson).collect();
        RecallOutcome {
            preamble: self.render_preamble(&lessons),
            ranking,
            holdout: draw,
            embedding_error: trouble,
        }
    }

    fn shown_limit(&self, ask: &RecallRequest) -> usize {
        ask.limit.unwrap_or(self.desk.policy.max_shown)
    }

    fn rank_within(
        &self,
        ask: &RecallRequest,
        limit: usize,
    ) -> Result<(Ranking, Option<ModelError>)> {
        // Our own preamble in an earlier turn says nothing about this one.
        let prompt = hardwon_redact::strip_own_blocks(ask.prompt.expose());
        let vector = match &self.desk.engine.semantic {
            Some(semantic) => semantic.embed_prompt(&prompt),
            None => Ok(None),
        };
        let (vector, trouble) = match vector {
            Ok(vector) => (vector, None),
            Err(error) => (None, Some(error)),
        };
        let now = self.now;
        let terms = rank::read_prompt(&prompt);
        let query = LessonQuery {
            now,
            vector,
            ..self.desk.query_terms(&ask.scope, terms)
        };
        let result = self.desk.snapshot()?.search(&query)?;
        let policy = rank::RankPolicy {
            limit,
            ..self.desk.policy.rank
        };
        let asker = ask
            .requester
            .clone()
            .with_default_identities(&self.desk.policy.default_identities);
        let ranking = rank::rank_candidates(&query.terms, result, &asker, policy, now);
        Ok((ranking, trouble))
    }

    /// Renders lessons for a prompt, within the policy's budget.
    pub(crate) fn render_preamble(&self, lessons: &[&Lesson]) -> Preamble {
        self.render_within_budget(lessons, self.desk.policy.budget)
    }

    /// Renders lessons within a budget.
    pub(crate) fn render_within_budget(
        &self,
        lessons: &[&Lesson],
        budget: PreambleBudget,
    ) -> Preamble {
        preamble::render_preamble(lessons, self.format, budget)
    }

    /// Assembles the record of a recall.
    pub(crate) fn build_recall(&self, ask: &RecallRequest, recalled: &RecallOutcome) -> Recall {
        Recall {
            silence: recalled.ranking.silence.map(SilenceReason::to_clean_text),
            ..self.build_recall_with(ask, list_considered(recalled))
        }
    }

    /// Returns the text to keep of a prompt or a call; `None` if the policy keeps none.
    fn kept_query_text(&self, prompt: &RawText) -> Option<CleanText> {
        let text = (self.desk.policy.keep_prompts)
            .then(|| hardwon_redact::clean_to_chars(prompt, limits::QUERY_TEXT_CHARS));
        text.filter(|text| !text.is_blank())
    }

    /// Assembles the record of a recall that found these lessons.
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
            silence: is_left_out(&considered).then(|| SilenceReason::LeftOut.to_clean_text()),
            considered,
        }
    }
}

/// Lists the considered lessons for the record: one for which the budget had no room was not shown.
fn list_considered(recalled: &RecallOutcome) -> Vec<ConsideredLesson> {
    let (ranking, draw) = (&recalled.ranking, &recalled.holdout);
    let candidates = ranking.shown.iter().map(|ranked| {
        let treatment = treatment_of_chosen(ranked.lesson.id, &recalled.preamble.shown);
        consider_lesson(&ranked.lesson, ranked.explanation.score, treatment, draw)
    });
    let others = ranking.excluded.iter().map(|passed| {
        let treatment = treatment_of_excluded(&passed.why);
        consider_lesson(&passed.lesson, passed.explanation.score, treatment, draw)
    });
    candidates.chain(others).take(limits::CANDIDATES).collect()
}

/// Returns whether nothing was shown because what was found was left out at random.
fn is_left_out(considered: &[ConsideredLesson]) -> bool {
    let has = |wanted| considered.iter().any(|found| found.treatment == wanted);
    has(Treatment::HeldOut) && !has(Treatment::Shown)
}

/// Lists lessons that match exactly for the record: nothing was ranked.
pub(crate) fn list_exact(
    lessons: &[Lesson],
    shown: &[LessonId],
    draw: &HoldoutDraw,
) -> Vec<ConsideredLesson> {
    let candidate_of = |lesson: &Lesson| {
        let treatment = if draw.controls.contains(&lesson.id) {
            Treatment::HeldOut
        } else {
            treatment_of_chosen(lesson.id, shown)
        };
        consider_lesson(lesson, 1.0, treatment, draw)
    };
    let candidates = lessons.iter().map(candidate_of);
    candidates.take(limits::CANDIDATES).collect()
}

/// Returns a considered lesson for the record. An excluded one has no chance, as none was drawn.
fn consider_lesson(
    lesson: &Lesson,
    score: f32,
    treatment: Treatment,
    draw: &HoldoutDraw,
) -> ConsideredLesson {
    let holdout_chance = match treatment {
        Treatment::Excluded { .. } => 0.0,
        _ => draw.chance_for(lesson.id),
    };
    ConsideredLesson {
        lesson: lesson.id,
        score,
        treatment,
        holdout_chance,
    }
}

/// Returns the treatment of a lesson that was not chosen.
fn treatment_of_excluded(why: &ExclusionReason) -> Treatment {
    match why {
        ExclusionReason::HeldOut => Treatment::HeldOut,
        why => Treatment::Excluded {
            why: why.to_clean_text(),
        },
    }
}

/// Returns the treatment of a lesson that was chosen.
fn treatment_of_chosen(lesson: LessonId, shown: &[LessonId]) -> Treatment {
    if shown.contains(&lesson) {
        return Treatment::Shown;
    }
    let reason = RawText::from("the preamble had no room for it");
    Treatment::Excluded {
        why: hardwon_redact::clean_to_bytes(&reason, limits::REASON_CHARS),
    }
}
