//! Compares the state of each lesson according to the journal with the stored lessons.

use std::collections::BTreeMap;

use hardwon_core::{Lesson, LessonId};

use super::{JournalEntryKind, is_content_of};
use crate::{JournalEntry, Sha256Hash};

/// What the journal states about one lesson.
#[derive(Debug, Clone, Copy)]
struct LedgerAccount {
    was_added: bool,
    content: Sha256Hash,
    was_deleted: bool,
    was_seen: bool,
}

/// The latest state of every lesson according to the journal.
///
/// Apply the verified entries with [`apply_entry`](Self::apply_entry), then compare each stored lesson with
/// [`check_row`](Self::check_row), then ask for the [`missing_lessons`](Self::missing_lessons). It needs some 50
/// bytes a lesson and reads no row more than once.
#[derive(Debug, Clone, Default)]
pub struct LessonLedger {
    accounts: BTreeMap<LessonId, LedgerAccount>,
}

/// A stored lesson that differs from the journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Discrepancy {
    /// The journal has no entry that adds the lesson.
    #[error("lesson {0} is there, but the journal has no entry that adds it")]
    NotInJournal(LessonId),
    /// The lesson was changed without an entry.
    #[error("lesson {0} is not what its latest journal entry says it is")]
    Altered(LessonId),
    /// The lesson was deleted and is stored all the same.
    #[error("lesson {0} is there, but the journal says that it was deleted")]
    ErasedButPresent(LessonId),
    /// The lesson was removed without an entry.
    #[error("lesson {0} is gone, but the journal has no entry that deletes it")]
    Missing(LessonId),
}

impl LessonLedger {
    /// Applies the next entry.
    #[must_use]
    pub fn apply_entry(mut self, entry: &JournalEntry) -> Self {
        let before = self.accounts.get(&entry.body.lesson);
        let account = LedgerAccount {
            was_added: before.is_some_and(|before| before.was_added)
                || entry.body.kind == JournalEntryKind::Add,
            content: entry.body.content,
            was_deleted: entry.body.kind == JournalEntryKind::Erase,
            was_seen: false,
        };
        self.accounts.insert(entry.body.lesson, account);
        self
    }

    /// Compares a stored lesson with the journal, and marks it as seen.
    pub fn check_row(&mut self, lesson: &Lesson) -> Result<(), Discrepancy> {
        let id = lesson.id;
        let Some(account) = self.accounts.get_mut(&id).filter(|held| held.was_added) else {
            return Err(Discrepancy::NotInJournal(id));
        };
        account.was_seen = true;
        if account.was_deleted {
            return Err(Discrepancy::ErasedButPresent(id));
        }
        if !is_content_of(&account.content, lesson) {
            return Err(Discrepancy::Altered(id));
        }
        Ok(())
    }

    /// Returns the lessons that should exist and were not among the checked ones.
    pub fn missing_lessons(&self) -> impl Iterator<Item = Discrepancy> {
        self.accounts
            .iter()
            .filter(|(_, account)| !account.was_seen && !account.was_deleted)
            .map(|(id, _)| Discrepancy::Missing(*id))
    }
}
