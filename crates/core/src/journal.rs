//! The journal: every change to a lesson, chained so that none can be altered unseen.
//!
//! An [`JournalEntry`] says when what was done to which lesson by whom, and holds a hash of what the
//! lesson was afterwards. Entries are chained by SHA-256 within a tenant. The chain holds hashes
//! of content and never content, so a secret that slipped in can be erased from its row and the
//! chain still verifies. `docs/journal.md` gives the bytes; [`bytes`] makes them.
//!
//! [`ChainHead`] is the whole state of a chain: it makes the next entry, and it follows the entries
//! that are there. [`LessonLedger`] holds the rows against them. This module stores nothing.

mod bytes;
mod ledger;
#[cfg(test)]
mod tests;

use std::fmt;

use jiff::Timestamp;

use crate::{
    change::{Actor, Change, ChangeBatch},
    id::{LessonId, TenantId},
    lesson::Lesson,
    text::CleanText,
};

pub use ledger::{Discrepancy, LessonLedger};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Hash([u8; 32]);

impl Sha256Hash {
    /// Stands where a content hash would be in the entry of a lesson that is gone.
    pub const ZERO: Self = Self([0; 32]);

    /// Takes back the bytes that [`as_bytes`](Self::as_bytes) gave.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
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

/// What was done to a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JournalEntryKind {
    /// It was added.
    Add,
    /// Evidence was appended.
    Reinforce,
    /// Somebody more trusted said the same.
    Vouch,
    /// Its words were edited.
    Revise,
    /// What is said about it was edited.
    Amend,
    /// Its state changed.
    Status,
    /// It was marked as contradicted.
    Contradict,
    /// It was moved to another project, or to all.
    Move,
    /// Outcomes were counted.
    Credit,
    /// It was erased on a person's word.
    Delete,
}

impl JournalEntryKind {
    /// All kinds, in the order of a lesson's life.
    pub const ALL: [Self; 10] = [
        Self::Add,
        Self::Reinforce,
        Self::Vouch,
        Self::Revise,
        Self::Amend,
        Self::Status,
        Self::Contradict,
        Self::Move,
        Self::Credit,
        Self::Delete,
    ];

    /// Returns the name used in the canonical bytes, JSON and SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Reinforce => "reinforce",
            Self::Vouch => "vouch",
            Self::Revise => "revise",
            Self::Amend => "amend",
            Self::Status => "status",
            Self::Contradict => "contradict",
            Self::Move => "move",
            Self::Credit => "credit",
            Self::Delete => "delete",
        }
    }

    /// Reads a name back.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind of entry that a change leaves.
    #[must_use]
    pub fn from_change(change: &Change) -> Self {
        match change {
            Change::Add { .. } => Self::Add,
            Change::Reinforce { .. } => Self::Reinforce,
            Change::Vouch { .. } => Self::Vouch,
            Change::Revise { .. } => Self::Revise,
            Change::SetStatus { .. } | Change::Approve { .. } | Change::Supersede { .. } => {
                Self::Status
            }
            Change::Amend { .. } => Self::Amend,
            Change::Contradict { .. } => Self::Contradict,
            Change::Move { .. } => Self::Move,
            Change::Credit { .. } => Self::Credit,
            Change::Delete { .. } => Self::Delete,
        }
    }
}

/// What an entry says in words: to which state a lesson came and why, which lesson contradicts it.
///
/// The chain holds the digest and not the words, so these can be erased with the lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalComment {
    digest: Sha256Hash,
    text: Option<CleanText>,
}

impl JournalComment {
    /// Makes a remark.
    #[must_use]
    pub fn new(text: CleanText) -> Self {
        Self {
            digest: bytes::hash_comment(&text),
            text: Some(text),
        }
    }

    /// Takes back what a store kept; no words if they were erased.
    #[must_use]
    pub fn from_stored(digest: Sha256Hash, text: Option<CleanText>) -> Self {
        Self { digest, text }
    }

    /// Returns the digest of the words, which outlasts them.
    #[must_use]
    pub fn digest(&self) -> &Sha256Hash {
        &self.digest
    }

    /// Returns the words, unless they were erased.
    #[must_use]
    pub fn text(&self) -> Option<&CleanText> {
        self.text.as_ref()
    }

    /// Returns what is left once the words are erased.
    #[must_use]
    pub fn without_text(&self) -> Self {
        Self::from_stored(self.digest, None)
    }

    fn is_unaltered(&self) -> bool {
        let is_said = |text| bytes::hash_comment(text) == self.digest;
        self.text.as_ref().is_none_or(is_said)
    }
}

/// What happened, before it is chained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryBody {
    /// When; the journal keeps milliseconds.
    pub at: Timestamp,
    /// What was done.
    pub kind: JournalEntryKind,
    /// To which lesson.
    pub lesson: LessonId,
    /// By whom.
    pub actor: Actor,
    /// The hash of what the lesson was afterwards, or [`Sha256Hash::ZERO`].
    pub content: Sha256Hash,
    /// What there is to say about it.
    pub comment: Option<JournalComment>,
}

impl EntryBody {
    /// Returns what a change of a batch did, once it is known what the lesson is after it.
    #[must_use]
    pub fn from_change(change: &Change, batch: &ChangeBatch, after: Option<&Lesson>) -> Self {
        Self {
            at: batch.at,
            kind: JournalEntryKind::from_change(change),
            lesson: change.lesson_id(),
            actor: batch.actor.clone(),
            content: after.map_or(Sha256Hash::ZERO, content_hash),
            comment: change.comment().map(JournalComment::new),
        }
    }
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its place in the tenant's chain, from 1.
    pub sequence: u64,
    /// What happened.
    pub body: EntryBody,
    /// The hash of the entry before; for the first one, of the tenant's name.
    pub previous: Sha256Hash,
    /// The hash of all of the above.
    pub hash: Sha256Hash,
}

/// Where a tenant's chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainHead {
    /// How many entries there are.
    pub sequence: u64,
    /// The hash of the last one; before the first, of the tenant's name.
    pub hash: Sha256Hash,
}

/// The first place where a chain does not hold, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainBreak {
    /// Entries are missing, doubled or out of order.
    #[error("journal entry {found} stands where entry {expected} should be")]
    OutOfSequence {
        /// The number that should be there.
        expected: u64,
        /// The number that is there.
        found: u64,
    },
    /// The entry does not continue the one before it.
    #[error("journal entry {sequence} does not continue the entry before it")]
    BrokenLink {
        /// Which entry.
        sequence: u64,
    },
    /// The entry was altered after it was written.
    #[error("journal entry {sequence} was altered after it was written")]
    Altered {
        /// Which entry.
        sequence: u64,
    },
}

impl ChainHead {
    /// Returns the head of an empty chain. It depends on the tenant, so that no entry can be
    /// moved from one tenant's chain to another's.
    #[must_use]
    pub fn genesis(tenant: &TenantId) -> Self {
        Self {
            sequence: 0,
            hash: bytes::hash_genesis(tenant),
        }
    }

    /// Returns the entry that records a deed next.
    #[must_use]
    pub fn next_entry(&self, deed: EntryBody) -> JournalEntry {
        let sequence = self.sequence + 1;
        JournalEntry {
            sequence,
            hash: bytes::hash_entry(sequence, &deed, &self.hash),
            body: deed,
            previous: self.hash,
        }
    }

    /// Returns the head after an entry, or how the entry breaks the chain.
    pub fn verify_next(&self, entry: &JournalEntry) -> Result<Self, ChainBreak> {
        let sequence = entry.sequence;
        if sequence != self.sequence + 1 {
            return Err(ChainBreak::OutOfSequence {
                expected: self.sequence + 1,
                found: sequence,
            });
        }
        if entry.previous != self.hash {
            return Err(ChainBreak::BrokenLink { sequence });
        }
        let is_whole = entry
            .body
            .comment
            .as_ref()
            .is_none_or(JournalComment::is_unaltered);
        if !is_whole || entry.hash != bytes::hash_entry(sequence, &entry.body, &self.hash) {
            return Err(ChainBreak::Altered { sequence });
        }
        Ok(entry.head())
    }
}

impl JournalEntry {
    /// Returns the head of a chain that ends here.
    #[must_use]
    pub fn head(&self) -> ChainHead {
        ChainHead {
            sequence: self.sequence,
            hash: self.hash,
        }
    }
}

/// Follows a whole chain, one entry at a time, and returns its head or its first break.
pub fn verify_chain<'a>(
    tenant: &TenantId,
    entries: impl IntoIterator<Item = &'a JournalEntry>,
) -> Result<ChainHead, ChainBreak> {
    entries
        .into_iter()
        .try_fold(ChainHead::genesis(tenant), |head, entry| {
            head.verify_next(entry)
        })
}

/// Returns the hash of everything in a lesson that only a journaled change can alter.
///
/// That is all of it but what recalls count by themselves: how often and when it was shown.
#[must_use]
pub fn content_hash(lesson: &Lesson) -> Sha256Hash {
    bytes::hash_lesson(lesson)
}
