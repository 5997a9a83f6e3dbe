//! The only way to change lessons: a batch of changes, decided here and carried out by a store.
//!
//! [`decide_admission()`] decides what an admitted lesson means for the existing lessons: it is new, or known
//! already, or better than another, or its opposite. It returns the changes as a value, so a dry run prints it and a
//! test compares it. [`apply_change`] applies one change to one lesson; every store calls it, so all agree. Whether
//! two lessons mean the same is decided by [`Meaning`]. This module reads no store: what a decision needs to know
//! comes in as [`DecisionContext`].

mod curate;
mod decide;
mod evict;
mod meaning;
mod restate;
#[cfg(test)]
mod tests;

use std::fmt;

use hardwon_redact::{clean_derived, clean_to_chars};
use jiff::Timestamp;

use crate::{
    AdmittedLesson, CleanText, Evidence, Lesson, LessonContent, LessonCounts, LessonId,
    RecordDelta, Slug, Status, Trust,
    id::{AgentId, ProjectId, TenantId},
    lesson::{HOLD_ENTRY, RunOutcome, TRIGGERS_ENTRY},
    limits,
};

pub use curate::{
    CurationError, check_is_own_word, relocate_lesson, revise_lesson, supersede_lesson,
    withdraw_lesson,
};
pub use decide::{
    DecisionContext, DecisionOutcome, LessonDecision, absorb_lessons, approve_lesson,
    confirm_lesson, decide_admission, evicted_status, mark_opposites, withdrawn_status,
};
pub use decide::{is_expired, may_replace, says_the_same};
pub use evict::EvictionCandidate;
pub use meaning::{MEANING_VERSION, Meaning, MeaningKey, twin_key};
pub use restate::{is_restatement, restates};

/// The note on evidence that is less trusted than the lesson that it supports.
const OUTSIDE_NOTE: &str = "content from outside had a part in it";

/// The author of a change, as the journal records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor(pub CleanText);

impl Actor {
    /// What an actor with a key is named by, before the key's id.
    pub const KEY_MARK: &str = "key ";

    /// Returns the actor for a person at the command line.
    pub fn person() -> Self {
        Self(CleanText::from_literal("person"))
    }

    /// Returns the actor for whoever acts with a server's key, other than an agent.
    pub fn with_key(id: impl fmt::Display) -> Self {
        Self(CleanText::from_stored(format!("{}{id}", Self::KEY_MARK)))
    }

    /// Returns whether it is a person, at the command line or with a key. Agents have other names, also with a key of theirs.
    pub fn is_person(&self) -> bool {
        *self == Self::person() || self.0.as_str().starts_with(Self::KEY_MARK)
    }

    /// Returns the actor for what a server does by itself.
    pub fn server() -> Self {
        Self(CleanText::from_literal("server"))
    }

    /// Returns the actor for the rules that learn from runs.
    pub fn rules() -> Self {
        Self(CleanText::from_literal("rules"))
    }

    /// Returns the actor for a model that was asked about a run.
    pub fn model() -> Self {
        Self(CleanText::from_literal("model"))
    }

    /// Returns the actor for a sweep that nobody attends.
    pub fn sweep() -> Self {
        Self(CleanText::from_literal("sweep"))
    }

    /// Returns the actor for an agent that wrote or judged a lesson itself.
    pub fn agent(agent: &AgentId) -> Self {
        Self(clean_derived(&format!("agent {agent}")))
    }
}

/// One change to one lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds a new lesson.
    Add {
        /// The lesson's number: the next one that the store has free.
        id: LessonId,
        /// The lesson as the guard admitted it.
        admitted: Box<AdmittedLesson>,
    },
    /// Appends evidence because the same thing was learned again; nothing else changes.
    Reinforce {
        /// The lesson to change.
        id: LessonId,
        /// The evidence to append.
        evidence: Vec<Evidence>,
    },
    /// Takes evidence back that was appended and does not belong to the lesson; the first one always stays.
    Retract {
        /// The lesson to change.
        id: LessonId,
        /// The evidence to take back.
        evidence: Vec<Evidence>,
    },
    /// Raises the trust of a lesson, because a more trusted author wrote the very same.
    Vouch {
        /// The lesson to change.
        id: LessonId,
        /// The trust of that author.
        trust: Trust,
    },
    /// Replaces the words of a lesson. If they mean something else now, its contradictions are cleared.
    Revise {
        /// The lesson to change.
        id: LessonId,
        /// The new words.
        content: Box<LessonContent>,
    },
    /// Replaces a lesson's metadata. Its trust becomes the lower of its own and the editor's.
    Amend {
        /// The lesson to change.
        id: LessonId,
        /// The new outcome of the runs behind it.
        outcome: RunOutcome,
        /// The new confidence of its author, 0 to 1.
        confidence: f64,
        /// The new time of expiry; `None` if it never expires.
        expires_at: Option<Timestamp>,
        /// The trust of the editor.
        trust: Trust,
    },
    /// Sets the state of a lesson.
    SetStatus {
        /// The lesson to change.
        id: LessonId,
        /// The new state.
        status: Status,
    },
    /// Makes a waiting lesson active after a person's review.
    Approve {
        /// The lesson to change.
        id: LessonId,
        /// The reviewer's comment, if any.
        why: Option<CleanText>,
    },
    /// Replaces a lesson by a better one.
    Supersede {
        /// The lesson to change.
        id: LessonId,
        /// The lesson that replaces it.
        by: LessonId,
        /// The reason, if one was given.
        why: Option<CleanText>,
    },
    /// Marks a lesson as contradicted by another. The other is marked by a change of its own.
    Contradict {
        /// The lesson to change.
        id: LessonId,
        /// The lesson that contradicts it.
        other: LessonId,
    },
    /// Moves a lesson to a project, or makes it visible everywhere for its agent.
    Move {
        /// The lesson to change.
        id: LessonId,
        /// The new project; `None` means everywhere.
        project: Option<ProjectId>,
    },
    /// Adds outcomes to a lesson's record, or takes them back.
    Credit {
        /// The lesson to change.
        id: LessonId,
        /// What to add to its record; negative parts take back.
        delta: RecordDelta,
    },
    /// Erases a lesson's words at a person's request; the journal's hashes stay.
    Erase {
        /// The lesson to erase.
        id: LessonId,
    },
}

impl Change {
    /// Returns the number of the lesson that it changes.
    pub fn lesson_id(&self) -> LessonId {
        match self {
            Self::Add { id, .. }
            | Self::Reinforce { id, .. }
            | Self::Retract { id, .. }
            | Self::Vouch { id, .. }
            | Self::Revise { id, .. }
            | Self::Amend { id, .. }
            | Self::SetStatus { id, .. }
            | Self::Approve { id, .. }
            | Self::Supersede { id, .. }
            | Self::Contradict { id, .. }
            | Self::Move { id, .. }
            | Self::Credit { id, .. }
            | Self::Erase { id } => *id,
        }
    }

    /// Returns a comment for the journal, so that a lesson's history can be read; never the lesson's own words.
    /// `None` if the change explains itself.
    pub fn comment(&self) -> Option<CleanText> {
        let text = match self {
            Self::Add { admitted, .. } => match &admitted.status {
                Status::Active => return None,
                status => describe_status(status),
            },
            Self::Reinforce { evidence, .. } => describe_sources(evidence),
            Self::Retract { evidence, .. } => format!("without {}", describe_sources(evidence)),
            Self::Vouch { trust, .. } | Self::Amend { trust, .. } => trust.class.name().to_owned(),
            Self::SetStatus { status, .. } => describe_status(status),
            Self::Approve { why: None, .. } => describe_status(&Status::Active),
            Self::Approve { why: Some(why), .. } => format!("active: {why}"),
            Self::Supersede { by, why: None, .. } => {
                describe_status(&Status::Superseded { by: *by })
            }
            Self::Supersede {
                by, why: Some(why), ..
            } => format!("superseded by {by}: {why}"),
            Self::Contradict { other, .. } => other.to_string(),
            Self::Move { project, .. } => {
                let project = project.as_ref();
                let name = project.map_or("everywhere", ProjectId::display_name);
                name.to_owned()
            }
            Self::Credit { delta: tally, .. } => describe_delta(tally),
            Self::Revise { .. } | Self::Erase { .. } => return None,
        };
        Some(clean_to_chars(&text.into(), limits::COMMENT_CHARS))
    }

    /// Returns a comment on an edit for the journal: which parts of a lesson are new. Never the words, so that what somebody
    /// edits out is gone. `None` if this is no edit.
    pub fn describe_edit(&self, before: &Lesson) -> Option<CleanText> {
        let Self::Revise { content: new, .. } = self else {
            return None;
        };
        let old = &before.content;
        let differs = |entry: &str| old.metadata.get(entry) != new.metadata.get(entry);
        let parts = [
            ("signature", old.signature != new.signature),
            ("text", old.text != new.text),
            ("tags", old.tags != new.tags),
            ("triggers", differs(TRIGGERS_ENTRY)),
            ("hold", differs(HOLD_ENTRY)),
        ];
        let parts = parts.iter().filter(|(_, is_new)| *is_new);
        let names: Vec<&str> = parts.map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| clean_derived(&format!("new {}", names.join(", "))))
    }

    /// Returns whether a comment that [`describe_edit`](Self::describe_edit) made tells of other words.
    pub fn is_edit_of_words(comment: &CleanText) -> bool {
        let mut parts = comment.as_str().split([' ', ',']);
        parts.any(|part| matches!(part, "signature" | "text"))
    }

    /// Returns whether this edits what brings a lesson up, and no words of it.
    pub fn edits_only_triggers(&self, before: &Lesson) -> bool {
        let Self::Revise { content: new, .. } = self else {
            return false;
        };
        let [old_content, new_content] = [&before.content, &**new].map(|content| {
            let mut content = content.clone();
            (content.metadata.remove(TRIGGERS_ENTRY), content)
        });
        old_content.0 != new_content.0 && old_content.1 == new_content.1
    }
}

/// Returns whether two lessons are for the same people and tools. Another name given by the caller makes another lesson,
/// whatever the words.
fn has_same_audience(a: &LessonContent, b: &LessonContent) -> bool {
    let tools_agree = a.tools.is_empty() || b.tools.is_empty() || is_same_set(&a.tools, &b.tools);
    a.reference == b.reference && is_same_set(&a.targets, &b.targets) && tools_agree
}

/// Returns whether both have the same members, in whatever order.
pub fn is_same_set<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a.iter().all(|a| b.contains(a)) && b.iter().all(|b| a.contains(b))
}

fn describe_status(status: &Status) -> String {
    let name = status.word();
    match status {
        Status::Active => name.to_owned(),
        Status::Superseded { by } => format!("{name} by {by}"),
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why, .. } => {
            format!("{name}: {why}")
        }
    }
}

fn describe_sources(evidence: &[Evidence]) -> String {
    let source = |it: &Evidence| format!("{} {}", it.kind.name(), it.reference);
    evidence.iter().map(source).collect::<Vec<_>>().join(", ")
}

/// Renders a record delta for the journal; what was taken back is negative.
fn describe_delta(tally: &RecordDelta) -> String {
    let counts = [
        ("helped", tally.helped),
        ("wrong", tally.harmed),
        ("went well", tally.went_well),
        ("went badly", tally.went_badly),
    ];
    let counts = counts.iter().filter(|(_, count)| *count != 0);
    let counts: Vec<String> = counts
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if counts.is_empty() {
        "belief".to_owned()
    } else {
        counts.join(", ")
    }
}

/// Changes that take effect together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeBatch {
    /// The owner of the lessons.
    pub tenant: TenantId,
    /// The author of the changes.
    pub actor: Actor,
    /// When the changes were made.
    pub at: Timestamp,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// Why a change cannot be applied to the existing lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The lesson to change does not exist.
    #[error("there is no lesson {0}")]
    Missing(LessonId),
    /// The number of the lesson to add is in use.
    #[error("lesson {0} exists already")]
    AlreadyExists(LessonId),
}

/// Returns a lesson after one change: `before` is `None` for a lesson to add, the result is `None` for one that was
/// deleted. A change without effect returns the lesson as it was.
///
/// Times are cut to milliseconds, the precision of the stores.
pub fn apply_change(
    before: Option<Lesson>,
    change: &Change,
    at: Timestamp,
) -> Result<Option<Lesson>, ChangeError> {
    match (before, change) {
        (None, Change::Add { id, admitted }) => Ok(Some(build_lesson(*id, admitted, at))),
        (Some(lesson), Change::Add { .. }) => Err(ChangeError::AlreadyExists(lesson.id)),
        (None, change) => Err(ChangeError::Missing(change.lesson_id())),
        (Some(_), Change::Erase { .. }) => Ok(None),
        (Some(lesson), change) => Ok(Some(update_lesson(lesson, change, at))),
    }
}

fn build_lesson(id: LessonId, admitted: &AdmittedLesson, at: Timestamp) -> Lesson {
    let at = truncate_to_millisecond(at);
    let mut admitted_lesson = admitted.clone();
    admitted_lesson.expires_at = admitted_lesson.expires_at.map(truncate_to_millisecond);
    admitted_lesson.confidence = clamp_confidence(admitted_lesson.confidence);
    admitted_lesson.evidence = merge_evidence(Vec::new(), &admitted_lesson.evidence);
    Lesson {
        id,
        admitted: admitted_lesson,
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: at,
        updated: at,
    }
}

/// Clamps a confidence to 0 to 1; a value that is not finite becomes the default.
fn clamp_confidence(claim: f64) -> f64 {
    if claim.is_finite() {
        claim.clamp(0.0, 1.0)
    } else {
        limits::CONFIDENCE_DEFAULT
    }
}

fn update_lesson(mut lesson: Lesson, change: &Change, at: Timestamp) -> Lesson {
    let at = truncate_to_millisecond(at);
    let admitted_lesson = &mut lesson.admitted;
    match change {
        Change::Reinforce { evidence, .. } => {
            admitted_lesson.evidence =
                merge_evidence(std::mem::take(&mut admitted_lesson.evidence), evidence);
        }
        Change::Retract { evidence, .. } => {
            retract_evidence(&mut admitted_lesson.evidence, evidence);
        }
        Change::Vouch { trust, .. } => {
            if admitted_lesson.trust.tainted && !trust.tainted {
                admitted_lesson
                    .evidence
                    .iter_mut()
                    .for_each(note_outside_evidence);
            }
            admitted_lesson.trust = *trust;
        }
        Change::Revise { content, .. } => {
            if admitted_lesson.content != **content {
                if Meaning::from_content(&admitted_lesson.content) != Meaning::from_content(content)
                {
                    lesson.contradicts.clear();
                }
                // A review leaves nothing of the words that it replaced. What was in use may have a file of its name.
                let name_of = |content: &LessonContent| Slug::from_text(content.title.as_str());
                let is_in_review = matches!(admitted_lesson.status, Status::Pending { .. });
                if is_in_review && admitted_lesson.slug == name_of(&admitted_lesson.content) {
                    admitted_lesson.slug = name_of(content);
                }
                admitted_lesson.content = (**content).clone();
                lesson.updated = at;
            }
        }
        Change::Amend {
            outcome,
            confidence,
            expires_at,
            trust,
            ..
        } => {
            let before = admitted_lesson.clone();
            admitted_lesson.outcome = *outcome;
            admitted_lesson.confidence = clamp_confidence(*confidence);
            admitted_lesson.expires_at = expires_at.map(truncate_to_millisecond);
            admitted_lesson.trust = admitted_lesson.trust.combine_with(*trust);
            if *admitted_lesson != before {
                lesson.updated = at;
            }
        }
        Change::SetStatus { status, .. } => set_status(&mut lesson, status.clone(), at),
        Change::Approve { .. } => set_status(&mut lesson, Status::Active, at),
        Change::Supersede { by, .. } => set_status(&mut lesson, Status::Superseded { by: *by }, at),
        Change::Contradict { other, .. } => {
            let marks = &mut lesson.contradicts;
            if !marks.contains(other) && marks.len() < limits::CONTRADICTIONS {
                marks.push(*other);
            }
        }
        Change::Move { project, .. } => {
            if admitted_lesson.scope.project != *project {
                admitted_lesson.scope.project.clone_from(project);
                lesson.updated = at;
            }
        }
        Change::Credit { delta: tally, .. } => lesson.counts = lesson.counts.with_delta(*tally),
        Change::Add { .. } | Change::Erase { .. } => {}
    }
    lesson
}

fn set_status(lesson: &mut Lesson, status: Status, at: Timestamp) {
    if lesson.status != status {
        lesson.admitted.status = status;
        lesson.updated = at;
    }
}

/// Appends evidence that is not there yet; beyond the limit, the first and the newest stay.
fn merge_evidence(mut there: Vec<Evidence>, more: &[Evidence]) -> Vec<Evidence> {
    for evidence in more {
        if !there.iter().any(|there| is_same_source(there, evidence)) {
            there.push(evidence.clone());
        }
    }
    let surplus = there.len().saturating_sub(limits::EVIDENCE_ENTRIES);
    there.drain(1..1 + surplus);
    there
}

/// Takes evidence out again; a lesson keeps at least its first.
fn retract_evidence(there: &mut Vec<Evidence>, gone: &[Evidence]) {
    let first = there.first().cloned();
    there.retain(|there| !gone.iter().any(|other| is_same_source(there, other)));
    if there.is_empty() {
        there.extend(first);
    }
}

/// Marks evidence as coming from outside, because the lesson that it supports is not marked.
fn note_outside_evidence(evidence: &mut Evidence) {
    let note = match &evidence.note {
        Some(note) if note.as_str().starts_with(OUTSIDE_NOTE) => return,
        Some(note) => format!("{OUTSIDE_NOTE}: {note}"),
        None => OUTSIDE_NOTE.to_owned(),
    };
    evidence.note = Some(clean_to_chars(&note.into(), limits::EVIDENCE_NOTE_CHARS));
}

/// Returns whether both refer to the same source, whatever their notes.
fn is_same_source(a: &Evidence, b: &Evidence) -> bool {
    a.kind == b.kind && a.reference == b.reference
}

/// Returns a time to the millisecond.
pub fn truncate_to_millisecond(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond())
        .expect("a timestamp's milliseconds are those of a timestamp")
}
