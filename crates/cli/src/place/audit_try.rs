//! Trying in a copy of the database what the files of projects would take of what an audit found.
//!
//! There an entry is a lesson that a person approved, and the rules of placing choose. What the file would not take is
//! for a person.

use std::{collections::BTreeSet, path::Path};

use hardwon_core::{
    Draft, EntryState, GuardPolicy, Lesson, LessonId, Retirement, Status, guard::admit_draft,
};
use hardwon_engine::{Desk, Engine, PlanBasis};
use hardwon_gates::leak::LeakScanner;
use hardwon_repo::Repository;
use hardwon_store::journal::JournalEntryKind;

use super::{
    audit_plan::{Arrivals, settings_of},
    look,
};
use crate::{AuditPlan, AuditStep, Result, Settings, open};

/// Tries in a copy of the database which entries the files of their projects would take; the others are for a person.
pub(super) fn try_moves(
    settings: &Settings,
    plan: &mut AuditPlan,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner>,
) -> Result<()> {
    let arrivals = plan.list_arrivals();
    if arrivals.is_empty() {
        return Ok(());
    }
    let engine = open::open_copy(settings)?;
    let (mut basis, mut refusals) = (plan.basis.clone(), Vec::new());
    for ((root, project), entries) in arrivals {
        let settings = settings_of(settings, Some(project));
        match try_repository(&engine, &settings, root, &entries, scan) {
            Ok((refused, made_from)) => {
                basis = basis.with_texts([made_from.as_str().as_bytes()]);
                refusals.extend(refused);
            }
            Err(error) => {
                let refuse = |(row, _)| (row, error.message().to_owned());
                refusals.extend(entries.into_iter().map(refuse));
            }
        }
    }
    plan.basis = basis;
    for (row, why) in refusals {
        plan.rows[row].step = AuditStep::ByHand(why);
    }
    Ok(())
}

/// Returns the entries that the repository's file would not take, and what that was made from.
fn try_repository(
    engine: &Engine,
    settings: &Settings,
    root: &Path,
    entries: &Arrivals<'_>,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner>,
) -> Result<(Vec<(usize, String)>, PlanBasis)> {
    let repository = Repository::find(root)?;
    let scanner = scan(&repository)?;
    let desk = engine.acting_as(settings.person());
    let before = PlanBasis::from_lessons(&desk.find_placeable()?.lessons);
    let mut refusals = Vec::new();
    let mut numbers: Vec<(usize, LessonId)> = Vec::new();
    for &(index, entry) in entries {
        match approve_entry(engine, settings, &entry.draft)? {
            Ok(id) => numbers.push((index, id)),
            Err(why) => refusals.push((index, why)),
        }
    }
    let lessons = desk.find_placeable()?;
    let plan = look::plan_found(repository, settings, &lessons, false, &scanner)?;
    let placed_ids: BTreeSet<LessonId> = plan
        .choice
        .placed
        .iter()
        .map(|placement| placement.0)
        .collect();
    for (index, id) in numbers
        .into_iter()
        .filter(|(_, id)| !placed_ids.contains(id))
    {
        let left = plan.choice.left.iter().find(|pair| pair.0 == id);
        let reason = left.map_or("the project's file does not take it", |pair| pair.1.name());
        refusals.push((index, reason.to_owned()));
    }
    if plan.lacks_file {
        let reason = "the repository has no AGENTS.md; `hardwon place --create` there makes one";
        let refuse = |(row, _): &(usize, _)| (*row, reason.to_owned());
        refusals = entries.iter().map(refuse).collect();
    }
    // The numbers in the copy are no part of it: others may be given before the plan is applied.
    Ok((refusals, before))
}

/// Why a lesson leaves that an audit made.
pub(super) const TAKEN_BACK: &str = "the audit that made it was taken back";

/// Stores an entry as a lesson that a person approves; why not, if the guard has something against it.
pub(super) fn approve_entry(
    engine: &Engine,
    settings: &Settings,
    draft: &Draft,
) -> Result<Result<LessonId, String>> {
    let desk = engine.acting_as(settings.person());
    let mut outcomes = desk.admit_drafts(vec![draft.clone()])?;
    let outcome = outcomes.pop().expect("one outcome for each draft");
    let lesson = match outcome.into_lesson() {
        Ok(lesson) => lesson,
        Err(why) => return Ok(Err(why)),
    };
    let may_be_approved = match &lesson.status {
        Status::Active => return Ok(Ok(lesson.id)),
        // That it came from a file is what the person who applies the plan looks at; anything else is for a review.
        Status::Pending { .. } => waits_as_file(&desk, &lesson)?,
        // It left with an audit, not because somebody had something against it.
        Status::Archived { by, .. } => *by == Retirement::TakenBack,
        _ => false,
    };
    if may_be_approved {
        desk.approve_lesson(lesson.id, None)?;
        return Ok(Ok(lesson.id));
    }
    Ok(Err(match &lesson.status {
        Status::Pending { why } => format!("it waits for review: {why}"),
        other => format!("a lesson says so already, and it is {}", other.name()),
    }))
}

/// Returns whether a lesson waits only because it came from a file: nothing else is against its words, and nobody has held
/// it since.
fn waits_as_file(desk: &Desk<'_>, lesson: &Lesson) -> Result<bool> {
    let policy = GuardPolicy {
        imported: EntryState::Active,
        ..desk.policy().guard
    };
    let verdict = admit_draft(lesson.to_draft(), &policy);
    let is_clean = verdict.is_ok_and(|admitted| admitted.status == Status::Active);
    let history = desk.history(lesson.id)?;
    let mut kinds = history.iter().map(|entry| entry.body.kind);
    Ok(is_clean && !kinds.any(|kind| kind == JournalEntryKind::Status))
}
