//! What is said of a run as a whole, where every run is recorded: once, whatever was said when less of it was there.
//!
//! A run is read when it seems to be over, and may go on. What was said of it is kept beside the lessons, as a candidate
//! under the run's own name, so that a later reading finds the lesson which holds it.

use hardwon_core::{
    Actor, AdmittedLesson, Change, ChangeBatch, Episode, EpisodeKind, Evidence, EvidenceKind,
    GuardVerdict, Lesson, LessonId, RunId, Status, TrustClass, limits,
};
use hardwon_redact::clean_to_chars;
use hardwon_store::{Sighting, Write};
use jiff::Timestamp;

use crate::NoteOutcome;

/// Why the earlier lesson about a run leaves.
const WENT_ON: &str = "the run went on after this was said of it";

/// Has the summary of a run take the place of an earlier one of the same run; of other episodes, nothing.
pub(super) fn replace_earlier(
    tx: &mut dyn Write,
    episode: &Episode,
    verdict: &GuardVerdict,
    told: &NoteOutcome,
    now: Timestamp,
) -> hardwon_store::Result<()> {
    let (EpisodeKind::RunSummary(_), Ok(admitted)) = (&episode.kind, verdict) else {
        return Ok(());
    };
    let Some(now_said) = (told.lesson().ok()).filter(|lesson| lesson.status == Status::Active)
    else {
        return Ok(());
    };
    let earlier = take_earlier(tx, episode, admitted, now)?;
    let Some(earlier) = earlier.filter(|earlier| earlier.content != admitted.content) else {
        return Ok(());
    };
    let like_it = tx.reader().decision_context(&earlier, usize::MAX)?.similar;
    let changes = like_it
        .iter()
        .filter(|old| old.content == earlier.content)
        .filter_map(|old| unsay(old, &episode.run, now_said.id));
    tx.apply(&ChangeBatch {
        tenant: episode.scope.tenant.clone(),
        actor: Actor::rules(),
        at: now,
        changes: changes.collect(),
    })?;
    Ok(())
}

/// Keeps what is said of a run now, and returns what was said of it before.
fn take_earlier(
    tx: &mut dyn Write,
    episode: &Episode,
    admitted: &AdmittedLesson,
    now: Timestamp,
) -> hardwon_store::Result<Option<AdmittedLesson>> {
    let (scope, key) = (&episode.scope, &episode.key);
    let before = tx.reader().candidate_lesson(scope, key)?;
    tx.record_sighting(&Sighting {
        lesson: Some(admitted.clone()),
        ..Sighting::new(scope, key.clone(), &episode.run, now)
    })?;
    Ok(before.and_then(|before| before.lesson))
}

/// Returns what changes when a lesson is not true of a run any more: it goes if it has no other run, else it is without
/// this one. What a person vouched for stays.
fn unsay(old: &Lesson, run: &RunId, by: LessonId) -> Option<Change> {
    let is_of_run = |evidence: &&Evidence| {
        evidence.kind == EvidenceKind::Run && evidence.reference.as_str() == run.as_str()
    };
    let of_run: Vec<Evidence> = old.evidence.iter().filter(is_of_run).cloned().collect();
    let is_rules = old.status == Status::Active && old.trust.class != TrustClass::Person;
    if of_run.is_empty() || !is_rules || old.id == by {
        return None;
    }
    Some(if of_run.len() == old.evidence.len() {
        Change::Supersede {
            id: old.id,
            by,
            why: Some(clean_to_chars(&WENT_ON.into(), limits::REASON_CHARS)),
        }
    } else {
        Change::Retract {
            id: old.id,
            evidence: of_run,
        }
    })
}
