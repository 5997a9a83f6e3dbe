//! References to the sources of a lesson: pointers into runs, never their contents.

use crate::{
    id::RunId,
    limits,
    text::{CleanText, RawText},
};

/// The kind of source that an [`Evidence`] refers to (AIP-11 `evidence[].kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// One session of an agent.
    Run,
    /// A conversation with a person.
    Conversation,
    /// An issue, a ticket, a pull request.
    WorkItem,
    /// An entry of an audit log.
    Audit,
    /// A page of a wiki.
    WikiPage,
}

impl EvidenceKind {
    /// All kinds, in the order of the specification.
    pub const ALL: [Self; 5] = [
        Self::Run,
        Self::Conversation,
        Self::WorkItem,
        Self::Audit,
        Self::WikiPage,
    ];

    /// Returns the name used in files, JSON and SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Conversation => "conversation",
            Self::WorkItem => "work-item",
            Self::Audit => "audit",
            Self::WikiPage => "wiki-page",
        }
    }

    /// Parses the name; `None` if it is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One source that supports a lesson.
///
/// `T` is [`RawText`] on the way in and [`CleanText`] once admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence<T = CleanText> {
    /// The kind of source.
    pub kind: EvidenceKind,
    /// Its identifier: a run id, a URL, a path; at most [`limits::EVIDENCE_REF_CHARS`] characters.
    pub reference: T,
    /// What happened there, in one line; at most [`limits::EVIDENCE_NOTE_CHARS`] characters.
    pub note: Option<T>,
}

impl<T> Evidence<T> {
    /// Applies `f` to both texts of the evidence.
    pub fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> Evidence<U> {
        Evidence {
            kind: self.kind,
            reference: f(&self.reference),
            note: self.note.as_ref().map(f),
        }
    }
}

impl Evidence<RawText> {
    /// Creates evidence that refers to a run.
    #[must_use]
    pub fn from_run(run: &RunId) -> Self {
        Self {
            kind: EvidenceKind::Run,
            reference: run.as_str().into(),
            note: None,
        }
    }
}

const _: () = assert!(limits::NAME_CHARS <= limits::EVIDENCE_REF_CHARS);
