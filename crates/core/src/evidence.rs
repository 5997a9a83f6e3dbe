//! References to the sources of a lesson: pointers into runs, never their contents.

use serde::{Deserialize, Serialize};

use crate::{CleanText, RawText, id::RunId, limits, named_enum::named_enum};

named_enum! {
    /// The kind of source that an [`Evidence`] refers to (AIP-11 `evidence[].kind`).
    EvidenceKind {
        /// One session of an agent.
        Run = "run",
        /// A conversation with a person.
        Conversation = "conversation",
        /// An issue, a ticket, a pull request.
        WorkItem = "work-item",
        /// An entry of an audit log.
        Audit = "audit",
        /// A page of a wiki.
        WikiPage = "wiki-page",
    }
}

/// One source that supports a lesson.
///
/// `T` is [`RawText`] on the way in and [`CleanText`] once admitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence<T = CleanText> {
    /// The kind of source.
    pub kind: EvidenceKind,
    /// Its identifier: a run id, a URL, a path; at most [`limits::EVIDENCE_REF_CHARS`] characters.
    #[serde(rename = "ref")]
    pub reference: T,
    /// What happened there, in one line; at most [`limits::EVIDENCE_NOTE_CHARS`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    pub fn from_run(run: &RunId) -> Self {
        Self {
            kind: EvidenceKind::Run,
            reference: run.as_str().into(),
            note: None,
        }
    }
}

const _: () = assert!(limits::NAME_CHARS <= limits::EVIDENCE_REF_CHARS);
