//! The only way state changes: a batch of changes, decided here and carried out by a store.
//!
//! [`decide_admission()`] says what an admitted lesson means for the lessons that are there: it is new, or the
//! same thing learned again, or a better one, or the opposite. It returns the changes as a value,
//! so a dry run prints it and a test compares it. [`apply_change`] is what one change makes of one lesson;
//! every store calls it, so all agree. Whether two lessons say the same is [`Meaning`]'s business.
//! This module reads no store: what a decision must know comes in as [`DecisionContext`].

mod curate;
mod decide;
mod evict;
mod meaning;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use crate::{
    evidence::Evidence,
    id::{AgentId, LessonId, ProjectId, TenantId},
    lesson::{
        AdmittedLesson, Lesson, LessonContent, LessonCounts, RecordDelta, RunOutcome, Status, Trust,
    },
    limits,
    text::CleanText,
};

pub use curate::{
    CurationError, relocate_lesson, revise_lesson, supersede_lesson, withdraw_lesson,
};
pub use decide::{
    DecisionContext, DecisionOutcome, LessonDecision, approve_lesson, decide_admission,
    evicted_status, retracted_status,
};
pub use evict::EvictionCandidate;
pub use meaning::{MEANING_VERSION, Meaning, MeaningKey, twin_key};

/// What is noted at evidence that is worth less than the lesson it speaks for.
const OUTSIDE_NOTE: &str = "content from outside had a part in it";

/// Who made a change, as the journal records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor(pub CleanText);

impl Actor {
    /// Somebody at the command line.
    #[must_use]
    pub fn person() -> Self {
        Self(CleanText::assume_clean("person".to_owned()))
    }

    /// The rules that learn from runs.
    #[must_use]
    pub fn rules() -> Self {
        Self(CleanText::assume_clean("rules".to_owned()))
    }

    /// A model that was asked about a run.
    #[must_use]
    pub fn model() -> Self {
        Self(CleanText::assume_clean("model".to_owned()))
    }

    /// An agent, by its own word.
    #[must_use]
    pub fn agent(agent: &AgentId) -> Self {
        Self(CleanText::assume_clean(format!("agent {agent}")))
    }
}

/// One change to one lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new lesson.
    Add {
        /// Its number: the next one that the store has free.
        id: LessonId,
        /// What guard let through.
        admitted: Box<AdmittedLesson>,
    },
    /// The same thing was learned again: the evidence is appended, nothing else changes.
    Reinforce {
        /// Which lesson.
        id: LessonId,
        /// What speaks for it now.
        evidence: Vec<Evidence>,
    },
    /// Somebody more trusted said the very same, and their word now stands for it.
    Vouch {
        /// Which lesson.
        id: LessonId,
        /// Whose word it is now.
        trust: Trust,
    },
    /// Its words were edited. If they mean something else now, what contradicted them is forgotten.
    Revise {
        /// Which lesson.
        id: LessonId,
        /// What it says now.
        content: Box<LessonContent>,
    },
    /// Somebody edited what is said about it. Trust is the lowest of theirs and what it was.
    Amend {
        /// Which lesson.
        id: LessonId,
        /// How the runs behind it ended.
        outcome: RunOutcome,
        /// How far its author believes in it, 0 to 1.
        confidence: f64,
        /// When it stops being true.
        expires_at: Option<Timestamp>,
        /// Whose word the edit is.
        trust: Trust,
    },
    /// Its state changed.
    SetStatus {
        /// Which lesson.
        id: LessonId,
        /// The new state.
        status: Status,
    },
    /// A person looked at it and let it be recalled.
    Approve {
        /// Which lesson.
        id: LessonId,
        /// What they had to say about it, if anything.
        why: Option<CleanText>,
    },
    /// A better one takes its place.
    Supersede {
        /// Which lesson.
        id: LessonId,
        /// The lesson that takes its place.
        by: LessonId,
        /// Why, if anybody said so.
        why: Option<CleanText>,
    },
    /// It was marked: another lesson says the opposite. The other is marked by its own change.
    Contradict {
        /// Which lesson.
        id: LessonId,
        /// The lesson that says the opposite.
        other: LessonId,
    },
    /// A person said where it belongs: in this project, or everywhere for its agent.
    Move {
        /// Which lesson.
        id: LessonId,
        /// The project; none for everywhere.
        project: Option<ProjectId>,
    },
    /// Outcomes were counted, or taken back.
    Credit {
        /// Which lesson.
        id: LessonId,
        /// What they add to its record.
        delta: RecordDelta,
    },
    /// A person asked for it to be gone; its words are erased, the journal's hashes stay.
    Delete {
        /// Which lesson.
        id: LessonId,
    },
}

impl Change {
    /// Returns the lesson that it changes.
    #[must_use]
    pub fn lesson_id(&self) -> LessonId {
        match self {
            Self::Add { id, .. }
            | Self::Reinforce { id, .. }
            | Self::Vouch { id, .. }
            | Self::Revise { id, .. }
            | Self::Amend { id, .. }
            | Self::SetStatus { id, .. }
            | Self::Approve { id, .. }
            | Self::Supersede { id, .. }
            | Self::Contradict { id, .. }
            | Self::Move { id, .. }
            | Self::Credit { id, .. }
            | Self::Delete { id } => *id,
        }
    }

    /// Returns what the journal keeps of the change in words, so that a lesson's history can be
    /// read: never the lesson's own words.
    #[must_use]
    pub fn comment(&self) -> Option<CleanText> {
        let text = match self {
            Self::Add { admitted, .. } => match &admitted.status {
                Status::Active => return None,
                status => describe_status(status),
            },
            Self::Reinforce { evidence, .. } => describe_sources(evidence),
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
            Self::Move { project, .. } => describe_scope(project.as_ref()).to_owned(),
            Self::Credit { delta: tally, .. } => describe_delta(tally),
            Self::Revise { .. } | Self::Delete { .. } => return None,
        };
        Some(CleanText::assume_clean(
            text.chars().take(limits::COMMENT_CHARS).collect(),
        ))
    }
}

/// Says where a lesson belongs.
fn describe_scope(project: Option<&ProjectId>) -> &str {
    project.map_or("everywhere", ProjectId::display_name)
}

fn describe_status(status: &Status) -> String {
    let name = status.name();
    match status {
        Status::Active => name.to_owned(),
        Status::Superseded { by } => format!("{name} by {by}"),
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why } => {
            format!("{name}: {why}")
        }
    }
}

fn describe_sources(evidence: &[Evidence]) -> String {
    let source = |it: &Evidence| format!("{} {}", it.kind.name(), it.reference);
    evidence.iter().map(source).collect::<Vec<_>>().join(", ")
}

/// Says what was counted; what was taken back is below zero.
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
    match counts.is_empty() {
        true => "belief".to_owned(),
        false => counts.join(", "),
    }
}

/// Changes that take effect together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeBatch {
    /// Whose lessons.
    pub tenant: TenantId,
    /// Who did it.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What, in order.
    pub changes: Vec<Change>,
}

/// A change that does not fit the lessons that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The lesson to change is not there.
    #[error("there is no lesson {0}")]
    Missing(LessonId),
    /// The number of the lesson to add is taken.
    #[error("lesson {0} exists already")]
    AlreadyExists(LessonId),
}

/// Returns what one change makes of the lesson it names: none before it was added and none after
/// it was deleted. A change that changes nothing returns the lesson as it was.
///
/// Times are cut to milliseconds, which is what is kept.
pub fn apply_change(
    before: Option<Lesson>,
    change: &Change,
    at: Timestamp,
) -> Result<Option<Lesson>, ChangeError> {
    match (before, change) {
        (None, Change::Add { id, admitted }) => Ok(Some(build_lesson(*id, admitted, at))),
        (Some(lesson), Change::Add { .. }) => Err(ChangeError::AlreadyExists(lesson.id)),
        (None, change) => Err(ChangeError::Missing(change.lesson_id())),
        (Some(_), Change::Delete { .. }) => Ok(None),
        (Some(lesson), change) => Ok(Some(update_lesson(lesson, change, at))),
    }
}

fn build_lesson(id: LessonId, admitted: &AdmittedLesson, at: Timestamp) -> Lesson {
    let at = truncate_to_millisecond(at);
    let mut admitted = admitted.clone();
    admitted.expires_at = admitted.expires_at.map(truncate_to_millisecond);
    admitted.confidence = clamp_confidence(admitted.confidence);
    admitted.evidence = merge_evidence(Vec::new(), &admitted.evidence);
    Lesson {
        id,
        admitted,
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: at,
        updated: at,
    }
}

/// Returns a claim as a share between 0 and 1.
fn clamp_confidence(claim: f64) -> f64 {
    if claim.is_finite() {
        claim.clamp(0.0, 1.0)
    } else {
        limits::CONFIDENCE_DEFAULT
    }
}

fn update_lesson(mut lesson: Lesson, change: &Change, at: Timestamp) -> Lesson {
    let at = truncate_to_millisecond(at);
    let admitted = &mut lesson.admitted;
    match change {
        Change::Reinforce { evidence, .. } => {
            admitted.evidence = merge_evidence(std::mem::take(&mut admitted.evidence), evidence);
        }
        Change::Vouch { trust, .. } => {
            if admitted.trust.tainted && !trust.tainted {
                admitted.evidence.iter_mut().for_each(note_outside_evidence);
            }
            admitted.trust = *trust;
        }
        Change::Revise { content, .. } => {
            if admitted.content != **content {
                if Meaning::from_content(&admitted.content) != Meaning::from_content(content) {
                    lesson.contradicts.clear();
                }
                admitted.content = (**content).clone();
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
            let before = admitted.clone();
            admitted.outcome = *outcome;
            admitted.confidence = clamp_confidence(*confidence);
            admitted.expires_at = expires_at.map(truncate_to_millisecond);
            admitted.trust = admitted.trust.combine_with(*trust);
            if *admitted != before {
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
            if admitted.scope.project != *project {
                admitted.scope.project.clone_from(project);
                lesson.updated = at;
            }
        }
        Change::Credit { delta: tally, .. } => lesson.counts = lesson.counts.with_delta(*tally),
        Change::Add { .. } | Change::Delete { .. } => {}
    }
    lesson
}

fn set_status(lesson: &mut Lesson, status: Status, at: Timestamp) {
    if lesson.status != status {
        lesson.admitted.status = status;
        lesson.updated = at;
    }
}

/// Appends the evidence that is not there yet; of too much, the first and the newest stay.
fn merge_evidence(mut there: Vec<Evidence>, more: &[Evidence]) -> Vec<Evidence> {
    for evidence in more {
        if !there.iter().any(|it| is_same_source(it, evidence)) {
            there.push(evidence.clone());
        }
    }
    let surplus = there.len().saturating_sub(limits::EVIDENCE_ENTRIES);
    there.drain(1..1 + surplus);
    there
}

/// Notes at evidence from outside that it is: the lesson it speaks for does not tell.
fn note_outside_evidence(evidence: &mut Evidence) {
    let note = match &evidence.note {
        Some(note) if note.as_str().starts_with(OUTSIDE_NOTE) => return,
        Some(note) => format!("{OUTSIDE_NOTE}: {note}"),
        None => OUTSIDE_NOTE.to_owned(),
    };
    let note = note.chars().take(limits::EVIDENCE_NOTE_CHARS).collect();
    evidence.note = Some(CleanText::assume_clean(note));
}

/// Returns whether both point at the same thing, whatever they say of it.
fn is_same_source(a: &Evidence, b: &Evidence) -> bool {
    a.kind == b.kind && a.reference == b.reference
}

fn truncate_to_millisecond(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond())
        .expect("a timestamp's milliseconds are those of a timestamp")
}
