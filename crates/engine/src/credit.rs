//! Finding out whether lessons helped: from what a run did after it was shown them, and from what
//! people and agents say.
//!
//! The decisions are [`hardwon_core::credit`]'s. Here a run is brought together with its recalls,
//! and what is decided is carried out in one transaction, so that a run which two processes learn
//! from at once is judged once.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{
    access::Rights,
    change::{Actor, Change, ChangeBatch},
    credit::{
        self, CreditPriors, Judgement, LessonJudgement, LessonOutcome, LessonPrior,
        ObservedOutcome, RecordDelta,
    },
    distil::{InquiryOrigin, judge::LessonOpinion},
    id::{LessonId, RecallId, RunId, TenantId},
    lesson::{Lesson, Status, Trust, TrustClass},
    recall::Recall,
    trace::Trace,
};
use hardwon_store::{Judged, JudgementListing, Read, RecallListing, Write, last_of};
use jiff::Timestamp;

use crate::{Desk, Engine, Result};

/// What a run said of the lessons that it was shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Credited {
    /// What became of each lesson that was shown or held back.
    pub parts: Vec<LessonJudgement>,
    /// The lessons that were taken out because they probably harm.
    pub quarantined: Vec<LessonId>,
}

/// What became of the lessons that a run was shown, before it is known what that says of them.
#[derive(Debug)]
pub(crate) struct Told {
    tenant: TenantId,
    run: RunId,
    /// Whether it went well; none if it did not come to an end of its own.
    good: Option<bool>,
    aftermaths: Vec<ObservedOutcome>,
}

impl Engine {
    /// Looks what became of the lessons that a run was shown; none where it was shown nothing, or
    /// has not ended. Recalls that are only noted yet are not looked at.
    pub(crate) fn tell(&self, trace: &Trace) -> Result<Option<Told>> {
        let Some(end) = trace.end() else {
            return Ok(None);
        };
        let tenant = &trace.scope().tenant;
        let reader = self.store.snapshot()?;
        let recalls = recalls_of(&*reader, tenant, trace.run())?;
        let meant = recalls
            .iter()
            .flat_map(|(_, recall)| recall.eligible_lessons());
        let lessons = present(&*reader, tenant, meant)?;
        let aftermaths = credit::observe_outcomes(trace, &recalls, &lessons);
        Ok((!recalls.is_empty()).then(|| Told {
            tenant: tenant.clone(),
            run: trace.run().clone(),
            good: credit::went_well(end),
            aftermaths,
        }))
    }
}

/// Returns the recalls of a run.
fn recalls_of(
    reader: &dyn Read,
    tenant: &TenantId,
    run: &RunId,
) -> hardwon_store::Result<Vec<(RecallId, Recall)>> {
    let listing = RecallListing {
        run: Some(run.clone()),
        ..RecallListing::default()
    };
    reader.recalls(tenant, &listing)
}

impl Desk<'_> {
    /// Counts what somebody says about a lesson, as far as their word goes.
    pub fn report(&self, id: LessonId, opinion: crate::Opinion) -> Result<Lesson> {
        let at = self.now();
        self.commit_about(id, Rights::Write, |tx, lesson| {
            let part = said(lesson, opinion, self.who.trust);
            let because = format!("{} said that it is wrong", self.who.actor.0);
            let changes = credit::changes_from_delta(lesson, part.delta, &because);
            // A word belongs to no run: nobody says in which one it was earned.
            let judgement = Judgement::default().with_feedback([part]);
            let judged = Judged {
                run: None,
                at,
                judgement,
            };
            let applied = carry_out(tx, self.tenant(), &self.who.actor, changes, &judged)?;
            let counted = last_of(applied, id);
            Ok(counted.unwrap_or_else(|| lesson.clone()))
        })
    }
}

/// Credits the lessons that a run was shown with what became of them, inside a transaction.
/// Crediting the same run again, grown or not, replaces what was credited before.
pub(crate) fn take_up(
    tx: &mut dyn Write,
    told: &Told,
    at: Timestamp,
) -> hardwon_store::Result<Credited> {
    let tenant = &told.tenant;
    let replaced = judgement_of(tx.reader(), tenant, &told.run)?;
    let shown = told.aftermaths.iter().map(|it| it.lesson);
    let judged = replaced.iter().flat_map(|it| &it.lessons);
    let lessons = present(tx.reader(), tenant, shown.chain(judged.map(|it| it.lesson)))?;
    let before = before(
        tx.reader(),
        tenant,
        &told.aftermaths,
        &lessons,
        replaced.as_ref(),
    )?;
    let words = replaced.iter().flat_map(Judgement::feedback).cloned();
    let judgement = credit::judge_run(&told.aftermaths, told.good, &before).with_feedback(words);
    let because = because(&told.run, &judgement);
    let changes = credit::changes_from_judgement(&lessons, replaced.as_ref(), &judgement, &because);
    let credited = Credited {
        parts: judgement.lessons.clone(),
        quarantined: quarantined(&changes),
    };
    let run = Some(told.run.clone());
    let judged = Judged { run, at, judgement };
    carry_out(tx, tenant, &Actor::rules(), changes, &judged)?;
    Ok(credited)
}

/// Counts what a model said of the lessons that a run was shown, inside a transaction, in place of
/// what it said of that run before.
pub(crate) fn hear(
    tx: &mut dyn Write,
    origin: &InquiryOrigin,
    opinions: &[LessonOpinion],
    at: Timestamp,
) -> hardwon_store::Result<()> {
    let (tenant, run) = (&origin.scope.tenant, &origin.run);
    let replaced = judgement_of(tx.reader(), tenant, run)?;
    let mut before = replaced.iter().flat_map(Judgement::feedback).peekable();
    if opinions.is_empty() && before.peek().is_none() {
        return Ok(());
    }
    let spoken_of = opinions.iter().map(|it| it.lesson);
    let lessons = present(
        tx.reader(),
        tenant,
        spoken_of.chain(before.map(|it| it.lesson)),
    )?;
    let word = Trust {
        class: TrustClass::Distilled,
        tainted: origin.tainted,
    };
    let heard = opinions.iter().filter_map(|opinion| {
        let lesson = lessons.iter().find(|it| it.id == opinion.lesson)?;
        credit::judgement_from_opinion(opinion, word, lesson.trust)
    });
    let judgement = replaced.clone().unwrap_or_default().with_feedback(heard);
    let because = format!("a model judged that it harmed in run {run}");
    let changes = credit::changes_from_judgement(&lessons, replaced.as_ref(), &judgement, &because);
    let run = Some(run.clone());
    let judged = Judged { run, at, judgement };
    carry_out(tx, tenant, &Actor::model(), changes, &judged)?;
    Ok(())
}

/// Changes lessons by a judgement, keeps it, and returns what became of the lessons.
fn carry_out(
    tx: &mut dyn Write,
    tenant: &TenantId,
    by: &Actor,
    changes: Vec<Change>,
    judged: &Judged,
) -> hardwon_store::Result<Vec<Option<Lesson>>> {
    let applied = tx.apply(&ChangeBatch {
        tenant: tenant.clone(),
        actor: by.clone(),
        at: judged.at,
        changes,
    })?;
    tx.judge(judged)?;
    Ok(applied)
}

/// What somebody said of a lesson, as a part of a judgement.
fn said(lesson: &Lesson, opinion: crate::Opinion, word: Trust) -> LessonJudgement {
    let good = opinion.is_good();
    let tally = |is_good| credit::delta_from_feedback(is_good, word, lesson.trust);
    LessonJudgement {
        recall: None,
        lesson: lesson.id,
        is_control: false,
        moment: None,
        outcome: match opinion {
            crate::Opinion::Followed => LessonOutcome::Followed,
            crate::Opinion::Helped | crate::Opinion::Wrong => LessonOutcome::Unclear,
        },
        went_well: good,
        delta: good.map_or_else(RecordDelta::default, tally),
        timing: None,
    }
}

fn judgement_of(
    reader: &dyn Read,
    tenant: &TenantId,
    run: &RunId,
) -> hardwon_store::Result<Option<Judgement>> {
    let listing = JudgementListing {
        run: Some(run.clone()),
        limit: 1,
        ..JudgementListing::default()
    };
    let found = reader.judgements(tenant, &listing)?;
    Ok(found.into_iter().next().map(|it| it.1.judgement))
}

/// Returns these lessons, each once, as far as they are still there.
fn present(
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

/// Gathers what is believed, without what the run's earlier judgement added.
fn before(
    reader: &dyn Read,
    tenant: &TenantId,
    aftermaths: &[ObservedOutcome],
    lessons: &[Lesson],
    replaced: Option<&Judgement>,
) -> hardwon_store::Result<CreditPriors> {
    let known = |lesson: &Lesson| {
        let added = replaced
            .map(|it| it.delta_for_lesson(lesson.id))
            .unwrap_or_default();
        (lesson.id, LessonPrior::from_lesson_without(lesson, added))
    };
    let mut baselines = BTreeMap::new();
    for about in credit::required_baselines(aftermaths) {
        let added = replaced
            .map(|it| it.baseline_message(&about))
            .unwrap_or_default();
        let leaning = reader.baseline(tenant, &about)? - added;
        baselines.insert(about, leaning);
    }
    Ok(CreditPriors {
        lessons: lessons.iter().map(known).collect(),
        baselines,
    })
}

/// Says what a run came to, for a lesson that it takes out.
fn because(run: &RunId, judgement: &Judgement) -> String {
    match judgement.went_well {
        Some(false) => format!("run {run} did not go well"),
        Some(true) | None => format!("what it is about came again in run {run}"),
    }
}

fn quarantined(changes: &[Change]) -> Vec<LessonId> {
    let taken_out = |change: &Change| match change {
        Change::SetStatus {
            id,
            status: Status::Quarantined { .. },
        } => Some(*id),
        _ => None,
    };
    changes.iter().filter_map(taken_out).collect()
}
