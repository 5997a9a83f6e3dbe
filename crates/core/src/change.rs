//! The only way state changes: a batch of changes, decided by pure functions.

use jiff::Timestamp;

use crate::{
    evidence::Evidence,
    id::{LessonId, TenantId},
    lesson::{Admitted, Content, Status},
    text::CleanText,
};

/// Who made a change, as the journal records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor(pub CleanText);

/// One change to one lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new lesson; the store numbers it.
    Add(Box<Admitted>),
    /// The same thing was learned again: the evidence is appended, nothing else changes.
    Reinforce {
        /// Which lesson.
        id: LessonId,
        /// What speaks for it now.
        evidence: Vec<Evidence>,
    },
    /// Its words were edited.
    Revise {
        /// Which lesson.
        id: LessonId,
        /// What it says now.
        content: Box<Content>,
    },
    /// Its state changed.
    SetStatus {
        /// Which lesson.
        id: LessonId,
        /// The new state.
        status: Status,
    },
    /// Two lessons say the opposite; both are marked.
    Contradict {
        /// One of them.
        id: LessonId,
        /// The other.
        other: LessonId,
    },
    /// Outcomes were counted.
    Credit {
        /// Which lesson.
        id: LessonId,
        /// How many spoke for it.
        helped: u32,
        /// How many spoke against it.
        harmed: u32,
    },
    /// A person asked for it to be gone; its words are erased, the journal's hashes stay.
    Delete {
        /// Which lesson.
        id: LessonId,
    },
}

/// Changes that take effect together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Whose lessons.
    pub tenant: TenantId,
    /// Who did it.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What, in order.
    pub changes: Vec<Change>,
}
