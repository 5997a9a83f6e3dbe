//! Finds out whether lessons helped, from what runs did after they were shown and from feedback.
//!
//! The decisions are [`hardwon_core::credit`]'s. Here a run is joined with its recalls, and the decision is applied in
//! one transaction, so that a run which two processes learn from at once is judged once.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    Actor, BaselineKey, Change, ChangeBatch, CleanEvent, CreditPriors, GaussianMessage,
    InquiryOrigin, Judgement, Lesson, LessonId, LessonJudgement, LessonOpinion, LessonOutcome,
    LessonPrior, ObservedOutcome, Recall, RecallId, RecordDelta, RunId, RunStatus, Status,
    TenantId, Trace, Trust, TrustClass, credit,
};
use hardwon_store::{
    Commit as _, JudgementId, JudgementListing, JudgementRecord, Read, RecallListing, Write,
    last_version_of,
};
use jiff::Timestamp;

use crate::{
    Desk, PraiseRefusal, Principal, Result, Rights,
    voices::{LessonVoices, is_beyond},
};

/// What a run showed about the lessons recalled in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreditOutcome {
    /// The outcome of each lesson that was shown or left out at random.
    pub lessons: Vec<LessonJudgement>,
    /// The lessons that were taken out because they probably do harm.
    pub quarantined: Vec<LessonId>,
}

/// What the end of a run showed about the lessons recalled in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunEndOutcome {
    /// The credit of the lessons; of a run that was judged before, as it was then.
    pub credit: CreditOutcome,
    /// Whether the run was judged before.
    pub was_judged: bool,
}

/// The outcomes of a run's lessons, before they are judged.
#[derive(Debug)]
pub(crate) struct RunObservation {
    tenant: TenantId,
    /// Whoever reports the run: lessons out of their sight are not judged by it.
    reporter: Principal,
    run: RunId,
    /// Whether the run went well; `None` if it did not end by itself.
    went_well: Option<bool>,
    /// Whether calls of the run were seen, and not its name alone.
    was_seen: bool,
    outcomes: Vec<ObservedOutcome>,
    /// What it adds to the counts of the project's calls.
    calls: Vec<(BaselineKey, GaussianMessage)>,
}

/// Observes the outcomes of the lessons recalled in a run; `None` if none was, or the run has not ended. Recalls that
/// are still in the spool are not read, nor those of another agent, whose runs may have the same names.
pub(crate) fn observe_run(
    reader: &dyn Read,
    trace: &Trace,
    reporter: &Principal,
) -> Result<Option<RunObservation>> {
    let Some(end) = trace.end() else {
        return Ok(None);
    };
    let tenant = &trace.scope().tenant;
    let recalls = load_recalls(reader, trace, reporter)?;
    let lessons = load_eligible(reader, tenant, &recalls)?;
    let outcomes = credit::observe_outcomes(trace, &recalls, &lessons);
    Ok((!recalls.is_empty()).then(|| RunObservation {
        tenant: tenant.clone(),
        reporter: reporter.clone(),
        run: trace.run().clone(),
        went_well: credit::went_well(end),
        was_seen: trace.call_count() > 0,
        outcomes,
        calls: credit::count_calls(trace, &lessons),
    }))
}

/// Returns the lessons that the recalls of a run showed or withheld.
pub(crate) fn load_recalled(
    reader: &dyn Read,
    trace: &Trace,
    reporter: &Principal,
) -> hardwon_store::Result<Vec<Lesson>> {
    let recalls = load_recalls(reader, trace, reporter)?;
    load_eligible(reader, &trace.scope().tenant, &recalls)
}

/// Returns the recalls of a run that its reporter may see.
fn load_recalls(
    reader: &dyn Read,
    trace: &Trace,
    reporter: &Principal,
) -> hardwon_store::Result<Vec<(RecallId, Recall)>> {
    let listing = RecallListing::of_run(trace.run().clone());
    let mut recalls = reader.recalls(&trace.scope().tenant, &listing)?;
    recalls.retain(|(_, recall)| {
        recall.scope.agent == trace.scope().agent && reporter.can_see(&recall.scope)
    });
    Ok(recalls)
}

fn load_eligible(
    reader: &dyn Read,
    tenant: &TenantId,
    recalls: &[(RecallId, Recall)],
) -> hardwon_store::Result<Vec<Lesson>> {
    let ids = (recalls.iter()).flat_map(|(_, recall)| recall.eligible_lessons());
    load_lessons(reader, tenant, ids)
}

impl Desk<'_> {
    /// Returns a page of judgements, of all runs or of one.
    pub fn judgements(
        &self,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        self.principal.check_right(Rights::Read)?;
        Ok(self.snapshot()?.judgements(self.tenant(), listing)?)
    }

    /// Credits the lessons shown in a run of this scope, of which nothing but its end is known. A run that was judged
    /// before keeps its judgement.
    pub fn report_run_end(
        &self,
        run: &RunId,
        status: RunStatus,
        score: Option<f64>,
    ) -> Result<RunEndOutcome> {
        self.check_access(Rights::Write, &self.principal.scope)?;
        let mut trace = Trace::new(run.clone(), self.principal.scope.clone());
        trace.push(CleanEvent::End { status, score });
        let observation = observe_run(&*self.counted_snapshot()?, &trace, &self.principal)?;
        let Some(observation) = observation else {
            return Ok(RunEndOutcome::default());
        };
        let at = self.now();
        self.engine.store.commit(self.tenant(), |tx| {
            let before = find_judgement(tx.reader(), self.tenant(), run)?;
            let before = before.filter(|before| before.recalled_lessons().next().is_some());
            if let Some(before) = before {
                return Ok(RunEndOutcome {
                    credit: self.describe_judged(tx.reader(), &before)?,
                    was_judged: true,
                });
            }
            Ok(RunEndOutcome {
                credit: credit_run(tx, &observation, at)?,
                was_judged: false,
            })
        })
    }

    /// Returns what a judgement says about the lessons that the principal may see.
    fn describe_judged(&self, reader: &dyn Read, judged: &Judgement) -> Result<CreditOutcome> {
        let ids = judged.recalled_lessons().map(|recalled| recalled.lesson);
        let lessons = load_lessons(reader, self.tenant(), ids)?;
        let is_seen = |recalled: &&LessonJudgement| {
            let mut all = lessons.iter();
            all.any(|lesson| lesson.id == recalled.lesson && self.principal.can_see(&lesson.scope))
        };
        let outcomes = judged.recalled_lessons().filter(is_seen);
        Ok(CreditOutcome {
            lessons: outcomes.cloned().collect(),
            quarantined: Vec::new(),
        })
    }

    /// Counts feedback of a person or agent on a lesson, as far as their trust reaches. Praise counts if it is not of one's
    /// own lesson, the lesson was shown, and the same was not said before.
    pub fn report_opinion(&self, id: LessonId, opinion: crate::Opinion) -> Result<Lesson> {
        Ok(self.report_opinion_in(id, opinion, None)?.0)
    }

    /// Counts feedback that was given in a run, if it is known; also returns why praise was not counted.
    pub(crate) fn report_opinion_in(
        &self,
        id: LessonId,
        opinion: crate::Opinion,
        run: Option<&RunId>,
    ) -> Result<(Lesson, Option<PraiseRefusal>)> {
        // A recent showing counts.
        drop(self.engine.store.flush(self.tenant()));
        let at = self.now();
        self.commit_on_lesson(id, Rights::Write, |tx, lesson| {
            if let Some(is_good) = opinion.is_good() {
                let (tenant, actor) = (self.tenant(), &self.principal.actor);
                let voices = LessonVoices::load(tx.reader(), tenant, lesson, actor)?;
                if let Some(why) = voices.refuse_word(&self.principal, lesson, is_good, at) {
                    return Ok((lesson.clone(), Some(why)));
                }
            }
            if opinion == crate::Opinion::Helped
                && let Some(why) = self.refuse_praise(tx, lesson, run, at)?
            {
                return Ok((lesson.clone(), Some(why)));
            }
            let part = judgement_from_opinion(lesson, opinion, self.principal.trust);
            let because = format!("{} said that it is wrong", self.principal.actor.0);
            let changes = credit::changes_from_delta(lesson, part.delta, &because);
            // Feedback belongs to no run: it does not say in which one it was earned.
            let judgement = Judgement::default().with_feedback([part]);
            let record = JudgementRecord {
                run: None,
                at,
                judgement,
            };
            let changes =
                apply_judgement(tx, self.tenant(), &self.principal.actor, changes, &record)?;
            let new_version = last_version_of(changes, id);
            Ok((new_version.unwrap_or_else(|| lesson.clone()), None))
        })
    }
}

/// Credits the lessons shown in a run with their outcomes, inside a transaction. Crediting the same run again, grown or
/// not, replaces the earlier credit.
pub(crate) fn credit_run(
    tx: &mut dyn Write,
    told: &RunObservation,
    at: Timestamp,
) -> hardwon_store::Result<CreditOutcome> {
    let (reader, tenant) = (tx.reader(), &told.tenant);
    let former = find_judgement(reader, tenant, &told.run)?;
    let former = former.as_ref();
    let ids = told.outcomes.iter().map(|outcome| outcome.lesson);
    let parts = former.iter().flat_map(|former| &former.lessons);
    let lessons = load_lessons(reader, tenant, ids.chain(parts.map(|part| part.lesson)))?;
    // A run of the same name that somebody else reported keeps its judgement.
    let is_foreign = |it: &Lesson| !told.reporter.can_see(&it.scope);
    if former.is_some() && lessons.iter().any(is_foreign) {
        return Ok(CreditOutcome::default());
    }
    let before = load_priors(reader, tenant, &told.outcomes, &lessons, former)?;
    let words = former.into_iter().flat_map(Judgement::feedback).cloned();
    let mut judgement = credit::judge_run(&told.outcomes, told.went_well, &before);
    judgement.baselines.extend(told.calls.iter().cloned());
    let by = bound_report(reader, told, &lessons, former, &mut judgement, at)?;
    let judgement = judgement.with_feedback(words);
    let because = describe_run_outcome(&told.run, &judgement);
    let changes = credit::changes_from_judgement(&lessons, former, &judgement, &because);
    let outcome = CreditOutcome {
        lessons: judgement.lessons.clone(),
        quarantined: find_quarantined(&changes),
    };
    let run = Some(told.run.clone());
    let record = JudgementRecord { run, at, judgement };
    apply_judgement(tx, tenant, &by, changes, &record)?;
    Ok(outcome)
}

/// Takes out of a judgement what its reporter cannot say of lessons that are more trusted than they are: a run that was
/// only named says nothing, and of those that were seen one a day counts. Returns whose word it is.
fn bound_report(
    reader: &dyn Read,
    told: &RunObservation,
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
    judgement: &mut Judgement,
    at: Timestamp,
) -> hardwon_store::Result<Actor> {
    let (mut by, mut is_bounded) = (Actor::rules(), false);
    for part in &mut judgement.lessons {
        let lesson = lessons.iter().find(|lesson| lesson.id == part.lesson);
        let Some(lesson) = lesson.filter(|lesson| is_beyond(&told.reporter, lesson)) else {
            continue;
        };
        let actor = &told.reporter.actor;
        // The same run may have grown.
        let former_delta = replaced.map(|before| before.delta_for_lesson(lesson.id));
        let is_counted = former_delta.is_some_and(|delta| delta != RecordDelta::default());
        let voices = LessonVoices::load(reader, &told.tenant, lesson, actor)?;
        if told.was_seen && (is_counted || !voices.has_spoken(at)) {
            by = actor.clone();
        } else {
            part.delta = RecordDelta::default();
            is_bounded = true;
        }
    }
    if is_bounded {
        // How runs go in general is no more theirs to say.
        judgement.baselines.clear();
    }
    Ok(by)
}

/// Counts a model's opinions on the lessons shown in a run, inside a transaction, in place of its earlier ones on that
/// run.
pub(crate) fn record_model_opinions(
    tx: &mut dyn Write,
    origin: &InquiryOrigin,
    opinions: &[LessonOpinion],
    at: Timestamp,
) -> hardwon_store::Result<()> {
    let (tenant, run) = (&origin.scope.tenant, &origin.run);
    let reader = tx.reader();
    let former = find_judgement(reader, tenant, run)?;
    let mut before = former.iter().flat_map(Judgement::feedback).peekable();
    if opinions.is_empty() && before.peek().is_none() {
        return Ok(());
    }
    let spoken_of = opinions.iter().map(|opinion| opinion.lesson);
    let ids = spoken_of.chain(before.map(|before| before.lesson));
    let lessons = load_lessons(reader, tenant, ids)?;
    let word = Trust::new(TrustClass::Distilled, origin.tainted);
    let judgements = opinions.iter().filter_map(|opinion| {
        let lesson = lessons.iter().find(|lesson| lesson.id == opinion.lesson)?;
        credit::judgement_from_opinion(opinion, word, lesson.trust)
    });
    let judgement = former.clone().unwrap_or_default().with_feedback(judgements);
    let because = format!("a model judged that it harmed in run {run}");
    let changes = credit::changes_from_judgement(&lessons, former.as_ref(), &judgement, &because);
    let run = Some(run.clone());
    let record = JudgementRecord { run, at, judgement };
    apply_judgement(tx, tenant, &Actor::model(), changes, &record)?;
    Ok(())
}

/// Changes lessons by a judgement, saves it, and returns the outcomes of the lessons.
fn apply_judgement(
    tx: &mut dyn Write,
    tenant: &TenantId,
    by: &Actor,
    changes: Vec<Change>,
    judged: &JudgementRecord,
) -> hardwon_store::Result<Vec<Option<Lesson>>> {
    let lessons = tx.apply(&ChangeBatch {
        tenant: tenant.clone(),
        actor: by.clone(),
        at: judged.at,
        changes,
    })?;
    tx.save_judgement(judged)?;
    Ok(lessons)
}

/// Makes a part of a judgement of an opinion on a lesson.
fn judgement_from_opinion(
    lesson: &Lesson,
    opinion: crate::Opinion,
    word: Trust,
) -> LessonJudgement {
    let good = opinion.is_good();
    let tally = |is_good| credit::delta_from_feedback(is_good, word, lesson.trust);
    LessonJudgement {
        recall: None,
        lesson: lesson.id,
        is_control: false,
        moment: None,
        outcome: match opinion {
            crate::Opinion::Followed => LessonOutcome::Followed,
            crate::Opinion::Helped | crate::Opinion::Wrong => LessonOutcome::NotNeeded,
        },
        went_well: good,
        observed: None,
        delta: good.map_or_else(RecordDelta::default, tally),
    }
}

fn find_judgement(
    reader: &dyn Read,
    tenant: &TenantId,
    run: &RunId,
) -> hardwon_store::Result<Option<Judgement>> {
    let mut judgements = reader.judgements(tenant, &JudgementListing::of_run(run.clone()))?;
    Ok(judgements.pop().map(|(_, record)| record.judgement))
}

/// Loads these lessons, each once, as far as they still exist.
fn load_lessons(
    reader: &dyn Read,
    tenant: &TenantId,
    ids: impl Iterator<Item = LessonId>,
) -> hardwon_store::Result<Vec<Lesson>> {
    let mut lessons = Vec::new();
    for id in ids.collect::<BTreeSet<_>>() {
        lessons.extend(reader.lesson(tenant, id)?);
    }
    Ok(lessons)
}

/// Loads the prior estimates, without what the run's earlier judgement added.
fn load_priors(
    reader: &dyn Read,
    tenant: &TenantId,
    aftermaths: &[ObservedOutcome],
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
) -> hardwon_store::Result<CreditPriors> {
    let prior_of = |lesson: &Lesson| {
        let former = replaced.map(|former| former.delta_for_lesson(lesson.id));
        let prior = LessonPrior::from_lesson_without(lesson, former.unwrap_or_default());
        (lesson.id, prior)
    };
    let mut baselines = BTreeMap::new();
    for about in credit::required_baselines(aftermaths) {
        let former = replaced.map(|former| former.baseline_message(&about));
        let leaning = reader.baseline(tenant, &about)? - former.unwrap_or_default();
        baselines.insert(about, leaning);
    }
    Ok(CreditPriors {
        lessons: lessons.iter().map(prior_of).collect(),
        baselines,
    })
}

/// Describes the outcome of a run, as the reason for a lesson that it takes out.
fn describe_run_outcome(run: &RunId, judgement: &Judgement) -> String {
    match judgement.went_well {
        Some(false) => format!("run {run} did not go well"),
        Some(true) | None => format!("what it is about came again in run {run}"),
    }
}

fn find_quarantined(changes: &[Change]) -> Vec<LessonId> {
    let taken_out = |change: &Change| match change {
        Change::SetStatus {
            id,
            status: Status::Quarantined { .. },
        } => Some(*id),
        _ => None,
    };
    changes.iter().filter_map(taken_out).collect()
}
