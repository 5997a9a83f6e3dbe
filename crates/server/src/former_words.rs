//! The words of lessons before their last edits on the page, for a person who undoes one.
//!
//! The store keeps no words of before an edit, so the server keeps those of the last edits for a while, in memory.

use parking_lot::Mutex;

use hardwon_core::{CleanText, Lesson, LessonId, RawText, TenantId, TriggerEdit};
use hardwon_engine::LessonEdit;

/// Most edits whose former words are kept.
const MAX_KEPT: usize = 64;

/// The words of lessons before their last edits on the page, the newest last.
#[derive(Debug, Default)]
pub(crate) struct FormerWords(Mutex<Vec<(TenantId, LessonId, LessonEdit)>>);

impl FormerWords {
    /// Keeps the words of a lesson as they were before an edit, with the opposite of what that corrected of its triggers.
    pub(crate) fn keep(&self, lesson: &Lesson, edit: &TriggerEdit) {
        let content = &lesson.content;
        let new = |is_one_more: bool, all: &[RawText]| {
            let is_new = |text: &&RawText| !content.has_correction(is_one_more, text.expose());
            all.iter().filter(is_new).cloned().collect()
        };
        let raw = |text: &CleanText| RawText::from(text.as_str());
        let edit = LessonEdit {
            signature: Some(raw(&content.signature)),
            text: Some(raw(&content.text)),
            tags: Some(content.tags.iter().map(raw).collect()),
            hold: None,
            triggers: TriggerEdit {
                adds: new(false, &edit.removes),
                removes: new(true, &edit.adds),
            },
        };
        let mut words = self.0.lock();
        if words.len() >= MAX_KEPT {
            words.remove(0);
        }
        words.push((lesson.scope.tenant.clone(), lesson.id, edit));
    }

    /// Takes the words of before the last edit of a lesson.
    pub(crate) fn take(&self, lesson: &Lesson) -> Option<LessonEdit> {
        let mut words = self.0.lock();
        let is_its = |(tenant, id, _): &(TenantId, LessonId, LessonEdit)| {
            *tenant == lesson.scope.tenant && *id == lesson.id
        };
        let place = words.iter().rposition(is_its)?;
        Some(words.remove(place).2)
    }
}
