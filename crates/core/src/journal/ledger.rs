//! What the journal says each lesson is, held against the rows that are there.

use std::collections::BTreeMap;

use super::{JournalEntry, JournalEntryKind, Sha256Hash, content_hash};
use crate::{id::LessonId, lesson::Lesson};

/// What the journal says of one lesson.
#[derive(Debug, Clone, Copy)]
struct LedgerAccount {
    was_added: bool,
    content: Sha256Hash,
    was_deleted: bool,
    was_seen: bool,
}

/// The latest state of every lesson by the journal's word.
///
/// Fold the verified entries in with [`apply_entry`](Self::apply_entry), then hold each row against it with
/// [`check_row`](Self::check_row), then ask for the [`missing_lessons`](Self::missing_lessons). It needs some 50 bytes a
/// lesson and no row more than once.
#[derive(Debug, Clone, Default)]
pub struct LessonLedger {
    accounts: BTreeMap<LessonId, LedgerAccount>,
}

/// A row that is not what the journal says it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Discrepancy {
    /// The journal does not know how the lesson came to be.
    #[error("lesson {id} is there, but the journal has no entry that adds it")]
    NotInJournal {
        /// Which lesson.
        id: LessonId,
    },
    /// The lesson was changed without an entry.
    #[error("lesson {id} is not what its latest journal entry says it is")]
    Altered {
        /// Which lesson.
        id: LessonId,
    },
    /// The lesson was deleted and is there all the same.
    #[error("lesson {id} is there, but the journal says that it was deleted")]
    DeletedButPresent {
        /// Which lesson.
        id: LessonId,
    },
    /// The lesson is gone without an entry.
    #[error("lesson {id} is gone, but the journal has no entry that deletes it")]
    Missing {
        /// Which lesson.
        id: LessonId,
    },
}

impl LessonLedger {
    /// Takes in the next entry.
    #[must_use]
    pub fn apply_entry(mut self, entry: &JournalEntry) -> Self {
        let before = self.accounts.get(&entry.body.lesson);
        let account = LedgerAccount {
            was_added: before.is_some_and(|it| it.was_added)
                || entry.body.kind == JournalEntryKind::Add,
            content: entry.body.content,
            was_deleted: entry.body.kind == JournalEntryKind::Delete,
            was_seen: false,
        };
        self.accounts.insert(entry.body.lesson, account);
        self
    }

    /// Holds a row against the journal's word.
    pub fn check_row(&mut self, lesson: &Lesson) -> Result<(), Discrepancy> {
        let id = lesson.id;
        let Some(account) = self.accounts.get_mut(&id).filter(|it| it.was_added) else {
            return Err(Discrepancy::NotInJournal { id });
        };
        account.was_seen = true;
        if account.was_deleted {
            return Err(Discrepancy::DeletedButPresent { id });
        }
        if account.content != content_hash(lesson) {
            return Err(Discrepancy::Altered { id });
        }
        Ok(())
    }

    /// Returns the lessons that should be there and were not among the checked rows.
    pub fn missing_lessons(&self) -> impl Iterator<Item = Discrepancy> {
        self.accounts
            .iter()
            .filter(|(_, account)| !account.was_seen && !account.was_deleted)
            .map(|(&id, _)| Discrepancy::Missing { id })
    }
}
