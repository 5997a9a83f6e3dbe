//! Decides whether a lesson that is written down says in other words what one says that is there, and what that one gains.
//!
//! Names and signs decide ([`trigger::restates`]); that both sentences are near as well is seen to by whoever found the two.
//! What only a more trusted lesson comes up at, nobody else adds to.

use hardwon_redact::clean_derived;

use super::{Meaning, has_same_audience};
use crate::{
    AdmittedLesson, Lesson, LessonContent, RawText, Status, Triggers,
    lesson::{TRIGGERS_ENTRY, TriggerEdit},
    limits,
    trigger::{self, keeps_failure},
};

/// The share of common words from which two lessons are taken to be in the same words.
const SAME_WORDS: f64 = 0.8;

/// Returns whether a lesson only says in other words what one says that is there, and comes up nowhere but where that one does
/// or may.
pub fn is_restatement(admitted: &AdmittedLesson, known: &Lesson) -> bool {
    let (new, old) = (&admitted.content, &known.content);
    admitted.scope == known.scope
        && admitted.failure == known.failure
        && admitted.expires_at == known.expires_at
        && new.situation == old.situation
        && has_same_metadata(new, old)
        && has_same_audience(new, old)
        && restates(new, old)
        && keeps_failure(old, new)
        && find_moments_to_add(admitted, known).is_some()
}

/// Returns whether two lessons give the same advice at the same occasion in other words. Where most of the words are the
/// same, what is different matters, so then it must be nothing.
pub fn restates(a: &LessonContent, b: &LessonContent) -> bool {
    let (ours, theirs) = (Meaning::from_content(a), Meaning::from_content(b));
    let is_same = || ours.is_same(&theirs) || ours.covers(&theirs) || theirs.covers(&ours);
    trigger::restates(a, b) && (ours.word_overlap(&theirs) < SAME_WORDS || is_same())
}

/// Returns whether other programs and a person's settings say the same of both; where they come up is compared apart.
fn has_same_metadata(new: &LessonContent, old: &LessonContent) -> bool {
    let entries = |content: &LessonContent| {
        let mut entries = content.metadata.clone();
        entries.remove(TRIGGERS_ENTRY);
        entries
    };
    entries(new) == entries(old)
}

/// Returns a lesson so that it comes up wherever one does that restates it; `None` if it may not, or cannot: because it is more
/// trusted, a person said where it does not, or the new one waits for a review.
pub(super) fn find_moments_to_add(
    admitted: &AdmittedLesson,
    known: &Lesson,
) -> Option<LessonContent> {
    let theirs = Triggers::from_content(&admitted.content);
    let lost_triggers =
        |content: &LessonContent| Triggers::from_content(content).list_lost(&theirs);
    let comes_up = |content: &LessonContent| {
        let own = Triggers::from_content(content);
        own.find_lost(&theirs).is_none()
    };
    if comes_up(&known.content) {
        return Some(known.content.clone());
    }
    let missing = lost_triggers(&known.content);
    let corrections = known.content.trigger_corrections();
    let is_settled = corrections.iter().any(|(is_one_more, _)| !is_one_more);
    let is_full = corrections.len() + missing.len() > limits::TRIGGERS;
    // Of words that wait for a review nothing is taken on.
    let may_add = admitted.status == Status::Active && admitted.trust.is_at_least(known.trust);
    if is_settled || is_full || !may_add {
        return None;
    }
    let mut content = known.content.map(|text| RawText::from(text.as_str()));
    content.correct_triggers(&TriggerEdit {
        adds: missing.into_iter().map(RawText::from).collect(),
        removes: Vec::new(),
    });
    let content = content.map(|text| clean_derived(text.expose()));
    comes_up(&content).then_some(content)
}
