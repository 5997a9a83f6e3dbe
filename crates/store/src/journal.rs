//! The journal: records every change to a lesson, hash-chained so that none can be altered unseen.
//!
//! A [`JournalEntry`] records the time, kind, lesson and author of a change, and a hash of the lesson's content after
//! it. Entries are chained by SHA-256 within a tenant. The chain contains hashes of content and never content, so a
//! secret that slipped in can be erased from its row and the chain still verifies. `docs/journal.md` describes the
//! bytes; [`bytes`] produces them.
//!
//! [`ChainHead`] is the whole state of a chain: it creates the next entry, and verifies existing entries.
//! [`LessonLedger`] compares the stored lessons with the journal. This module stores nothing.

mod bytes;
mod ledger;
#[cfg(test)]
mod tests;

use std::fmt;

use jiff::Timestamp;

use hardwon_core::{Actor, Change, ChangeBatch, CleanText, Lesson, LessonId, TenantId, named_enum};

pub use ledger::{Discrepancy, LessonLedger};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Hash([u8; 32]);

impl Sha256Hash {
    /// The content hash in the entry of a deleted lesson.
    pub const ZERO: Self = Self([0; 32]);

    /// Creates a hash from the bytes that [`as_bytes`](Self::as_bytes) returned.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses 64 hexadecimal digits; `None` if the text is anything else.
    pub fn parse(hex: &str) -> Option<Self> {
        let digits: Vec<u8> = hex
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        let pairs: Vec<u8> = digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect();
        (digits.len() == 64)
            .then(|| pairs.try_into().ok().map(Self))
            .flatten()
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

named_enum! {
    /// The kind of change that an entry records.
    JournalEntryKind {
        /// The lesson was added.
        Add = "add",
        /// Evidence was appended.
        Reinforce = "reinforce",
        /// A more trusted author said the same.
        Vouch = "vouch",
        /// The words were edited.
        Revise = "revise",
        /// What brings it up was edited, and no words.
        Triggers = "triggers",
        /// The metadata was edited.
        Amend = "amend",
        /// The state changed.
        Status = "status",
        /// The lesson was marked as contradicted.
        Contradict = "contradict",
        /// The lesson was moved to another project, or to all.
        Move = "move",
        /// Outcomes were added to its record.
        Credit = "credit",
        /// The lesson was erased at a person's request; `delete` is its name in stored chains.
        Erase = "delete",
    }
}

impl JournalEntryKind {
    /// Says what was done to the lesson, as people read it: `edited`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Add => "added",
            Self::Reinforce => "learned again",
            Self::Vouch => "vouched for",
            Self::Revise | Self::Triggers => "edited",
            Self::Amend => "amended",
            Self::Status => "changed",
            Self::Contradict => "contradicted",
            Self::Move => "moved",
            Self::Credit => "credited",
            Self::Erase => "erased",
        }
    }

    /// Returns the kind of entry that records a change of a lesson, given the lesson before it.
    pub fn from_change(change: &Change, before: Option<&Lesson>) -> Self {
        match change {
            Change::Add { .. } => Self::Add,
            Change::Reinforce { .. } => Self::Reinforce,
            Change::Vouch { .. } => Self::Vouch,
            Change::Revise { .. } if before.is_some_and(|old| change.edits_only_triggers(old)) => {
                Self::Triggers
            }
            Change::Revise { .. } => Self::Revise,
            Change::SetStatus { .. } | Change::Approve { .. } | Change::Supersede { .. } => {
                Self::Status
            }
            // Evidence is no part of the words: taking it back is an edit of the metadata.
            Change::Amend { .. } | Change::Retract { .. } => Self::Amend,
            Change::Contradict { .. } => Self::Contradict,
            Change::Move { .. } => Self::Move,
            Change::Credit { .. } => Self::Credit,
            Change::Erase { .. } => Self::Erase,
        }
    }
}

/// A comment on an entry: the new state and its reason, the lesson that contradicts it, or which parts an edit changed.
///
/// The chain contains the digest and not the words, so these can be erased with the lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalComment {
    digest: Sha256Hash,
    text: Option<CleanText>,
}

impl JournalComment {
    /// Creates a comment and its digest.
    pub fn new(text: CleanText) -> Self {
        Self {
            digest: bytes::hash_comment(&text),
            text: Some(text),
        }
    }

    /// Restores a stored comment; `text` is `None` if the words were erased.
    pub fn from_stored(digest: Sha256Hash, text: Option<CleanText>) -> Self {
        Self { digest, text }
    }

    /// Returns the digest of the words, which remains when they are erased.
    pub fn digest(&self) -> &Sha256Hash {
        &self.digest
    }

    /// Returns the words, unless they were erased.
    pub fn text(&self) -> Option<&CleanText> {
        self.text.as_ref()
    }

    fn is_unaltered(&self) -> bool {
        let is_said = |text| bytes::hash_comment(text) == self.digest;
        self.text.as_ref().is_none_or(is_said)
    }
}

/// What an entry records, before it is chained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryBody {
    /// The time of the change, in whole milliseconds.
    pub at: Timestamp,
    /// The kind of change.
    pub kind: JournalEntryKind,
    /// The changed lesson.
    pub lesson: LessonId,
    /// The author of the change.
    pub actor: Actor,
    /// The hash of the lesson's content after the change, or [`Sha256Hash::ZERO`].
    pub content: Sha256Hash,
    /// The comment, if there is one.
    pub comment: Option<JournalComment>,
}

impl EntryBody {
    /// Returns the record of one change of a batch, given the lesson before it and after it.
    pub fn from_change(
        change: &Change,
        batch: &ChangeBatch,
        [before, after]: [Option<&Lesson>; 2],
    ) -> Self {
        let comment = change.comment().or_else(|| change.describe_edit(before?));
        Self {
            at: batch.at,
            kind: JournalEntryKind::from_change(change, before),
            lesson: change.lesson_id(),
            actor: batch.actor.clone(),
            content: after.map_or(Sha256Hash::ZERO, content_hash),
            comment: comment.map(JournalComment::new),
        }
    }
}

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its position in the tenant's chain, from 1.
    pub sequence: u64,
    /// What it records.
    pub body: EntryBody,
    /// The hash of the previous entry; for the first one, of the tenant's name.
    pub previous: Sha256Hash,
    /// The hash of all fields above.
    pub hash: Sha256Hash,
}

/// The end of a tenant's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainHead {
    /// The number of entries.
    pub sequence: u64,
    /// The hash of the last entry; of an empty chain, of the tenant's name.
    pub hash: Sha256Hash,
}

/// The first place at which a chain is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainBreak {
    /// Entries are missing, doubled or out of order.
    #[error("entry {found} stands where entry {expected} should be")]
    OutOfSequence {
        /// The number that should be there.
        expected: u64,
        /// The number that was found.
        found: u64,
    },
    /// The entry does not continue the one before it.
    #[error("entry {0} does not continue the entry before it")]
    BrokenLink(u64),
    /// The entry was altered after it was written.
    #[error("entry {0} was altered after it was written")]
    Altered(u64),
}

impl ChainHead {
    /// Returns the head of an empty chain. It depends on the tenant, so that no entry can be moved from one tenant's
    /// chain to another's.
    pub fn genesis(tenant: &TenantId) -> Self {
        Self {
            sequence: 0,
            hash: bytes::hash_genesis(tenant),
        }
    }

    /// Returns the next entry of the chain, recording `deed`.
    pub fn next_entry(&self, deed: EntryBody) -> JournalEntry {
        let sequence = self.sequence + 1;
        JournalEntry {
            sequence,
            hash: bytes::hash_entry(sequence, &deed, &self.hash),
            body: deed,
            previous: self.hash,
        }
    }

    /// Returns the head after an entry; an error says how the entry breaks the chain.
    pub fn verify_next(self, entry: &JournalEntry) -> Result<Self, ChainBreak> {
        let sequence = entry.sequence;
        if sequence != self.sequence + 1 {
            return Err(ChainBreak::OutOfSequence {
                expected: self.sequence + 1,
                found: sequence,
            });
        }
        if entry.previous != self.hash {
            return Err(ChainBreak::BrokenLink(sequence));
        }
        let is_whole = entry
            .body
            .comment
            .as_ref()
            .is_none_or(JournalComment::is_unaltered);
        if !is_whole || entry.hash != bytes::hash_entry(sequence, &entry.body, &self.hash) {
            return Err(ChainBreak::Altered(sequence));
        }
        Ok(entry.head())
    }
}

impl JournalEntry {
    /// Returns the head of a chain that ends with this entry.
    pub fn head(&self) -> ChainHead {
        ChainHead {
            sequence: self.sequence,
            hash: self.hash,
        }
    }
}

/// Returns the hash of everything in a lesson that only a journaled change can alter.
///
/// That is all of it except what recalls count by themselves: how often and when it was shown.
pub fn content_hash(lesson: &Lesson) -> Sha256Hash {
    bytes::hash_lesson(lesson)
}

/// Returns whether a lesson is what an entry says that it was, which an earlier version may have written in its own form.
fn is_content_of(hash: &Sha256Hash, lesson: &Lesson) -> bool {
    *hash == bytes::hash_lesson(lesson) || *hash == bytes::hash_lesson_formerly(lesson)
}
