//! What changed in the lessons that may be recalled from a scope, for a copy of them elsewhere.
//!
//! A copy begins with all lessons, page by page, and is then kept up by what the journal says happened since. Each
//! page leads to the next by a [`FeedPosition`]. Lessons that wait for review, or are out of use, are never told with
//! their words. Whoever keeps the copy is not known here.

use std::{collections::HashSet, fmt};

use hardwon_core::{
    access::Rights,
    id::LessonId,
    journal::{ChainHead, Departure, JournalEntry, JournalEntryKind},
    lesson::{Lesson, Status},
    limits,
};
use hardwon_store::{LessonListing, Read, ScopeFilter, StatusName};

use crate::{Desk, Result};

/// Digits of a hash by which a position tells one chain from another.
const HASH_DIGITS: usize = 16;

/// A place in a tenant's journal, up to which a copy is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPosition {
    sequence: u64,
    /// The first digits of the hash there: a journal that began anew has others.
    hash: String,
}

impl FeedPosition {
    /// Parses what `Display` wrote; `None` if it is nothing of that kind.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (sequence, hash) = text.split_once('-')?;
        let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|it| it.is_ascii_hexdigit());
        Some(Self {
            sequence: sequence.parse().ok()?,
            hash: is_hash.then(|| hash.to_owned())?,
        })
    }

    /// Returns it as bytes, to be sealed: where it goes to somebody who may not see the whole journal, neither the
    /// number nor the hash is to be read.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 16] {
        let hash = u64::from_str_radix(&self.hash, 16).unwrap_or_default();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[8..].copy_from_slice(&hash.to_be_bytes());
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let number = |half: &[u8]| half.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        Self {
            sequence: number(&bytes[..8]),
            hash: format!("{:016x}", number(&bytes[8..])),
        }
    }

    /// Returns the number of the entry.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    fn from_head(head: &ChainHead) -> Self {
        Self {
            sequence: head.sequence,
            hash: head.hash.to_string()[..HASH_DIGITS].to_owned(),
        }
    }
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.sequence, self.hash)
    }
}

/// One page of what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPage {
    /// Lessons that may be recalled and are new or changed, each once.
    pub lessons: Vec<Lesson>,
    /// Lessons that may not be recalled any more.
    pub gone: Vec<LessonId>,
    /// Where to go on.
    pub next: FeedPosition,
    /// Whether there is more already.
    pub has_more: bool,
}

impl FeedPage {
    /// Returns whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty() && self.gone.is_empty()
    }
}

/// One page of all lessons.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyPage {
    /// The lessons, the newest first.
    pub lessons: Vec<Lesson>,
    /// The position from which the copy can be kept up, if this is the first page.
    pub next: FeedPosition,
    /// The last lesson of this page, if there is another page.
    pub cursor: Option<LessonId>,
}

impl Desk<'_> {
    /// Returns the lessons that may be recalled from the principal's own scope: those with lower numbers than
    /// `before`, or the first page.
    pub fn copy_lessons(&self, before: Option<LessonId>) -> Result<CopyPage> {
        self.check_access(Rights::Read, &self.principal.scope)?;
        let reader = self.engine.store.snapshot()?;
        let listing = LessonListing {
            within: ScopeFilter::Visible(self.principal.scope.clone()),
            status: Some(StatusName::Active),
            before,
            limit: limits::FEED_LESSONS,
            ..LessonListing::default()
        };
        let lessons = reader.lessons(self.tenant(), &listing)?;
        let last = lessons.last().map(|it| it.id);
        Ok(CopyPage {
            next: FeedPosition::from_head(&reader.journal_head(self.tenant())?),
            cursor: last.filter(|_| lessons.len() == limits::FEED_LESSONS),
            lessons,
        })
    }

    /// Returns what changed after a position; `None` if the journal has no such place, so that the copy must begin
    /// anew.
    pub fn feed(&self, after: &FeedPosition) -> Result<Option<FeedPage>> {
        self.check_access(Rights::Read, &self.principal.scope)?;
        let reader = self.engine.store.snapshot()?;
        if !self.is_in_journal(&*reader, after)? {
            return Ok(None);
        }
        let entries = reader.journal(self.tenant(), after.sequence, limits::PAGE_ROWS)?;
        let mut page = FeedPage {
            lessons: Vec::new(),
            gone: Vec::new(),
            next: after.clone(),
            has_more: entries.len() == limits::PAGE_ROWS,
        };
        let mut told = HashSet::new();
        for entry in &entries {
            if page.lessons.len() == limits::FEED_LESSONS {
                page.has_more = true;
                break;
            }
            if !told.contains(&entry.body.lesson) && self.tell_entry(&*reader, entry, &mut page)? {
                told.insert(entry.body.lesson);
            }
            page.next = FeedPosition::from_head(&entry.head());
        }
        Ok(Some(page))
    }

    fn is_in_journal(&self, reader: &dyn Read, place: &FeedPosition) -> Result<bool> {
        let before = place.sequence.checked_sub(1);
        let head = match before {
            None => Some(ChainHead::genesis(self.tenant())),
            Some(before) => {
                let entries = reader.journal(self.tenant(), before, 1)?;
                entries.first().map(JournalEntry::head)
            }
        };
        Ok(head.is_some_and(|it| FeedPosition::from_head(&it) == *place))
    }

    /// Returns whether a lesson that was moved or erased may have been in sight before. If that is not known any more, it
    /// may have been: a copy must not keep what is gone.
    fn may_have_seen(&self, entry: &JournalEntry) -> bool {
        let comment = entry.body.comment.as_ref().and_then(|it| it.text());
        let left = comment.and_then(Departure::read);
        left.is_none_or(|it| it.was_visible_from(&self.principal.scope))
    }

    /// Adds a changed lesson to a page, as it is now; returns whether later entries about it add nothing.
    ///
    /// A lesson out of sight is told only where it may have been in sight before: when it was moved or erased. Then
    /// its number is told, and nothing else.
    fn tell_entry(
        &self,
        reader: &dyn Read,
        entry: &JournalEntry,
        page: &mut FeedPage,
    ) -> Result<bool> {
        let id = entry.body.lesson;
        let kind = entry.body.kind;
        let is_visible = |it: &Lesson| it.scope.is_visible_from(&self.principal.scope);
        let is_gone = match reader.lesson(self.tenant(), id)? {
            Some(lesson) if is_visible(&lesson) && lesson.status == Status::Active => {
                page.lessons.push(lesson);
                return Ok(true);
            }
            Some(lesson) if is_visible(&lesson) => true,
            // That a lesson was moved is told by its erasure as well, and where it was moved from no longer.
            _ => {
                matches!(kind, JournalEntryKind::Move | JournalEntryKind::Erase)
                    && self.may_have_seen(entry)
            }
        };
        if is_gone {
            page.gone.push(id);
        }
        Ok(is_gone)
    }
}
