//! Lessons that somebody wrote down, and what becomes of them.

mod note_once;

use hardwon_core::{
    access::{Principal, Rights},
    change::{Actor, ChangeBatch, DecisionOutcome, LessonDecision, decide_admission},
    evidence::{Evidence, EvidenceKind},
    guard,
    id::{LessonId, RunId, TenantId},
    lesson::{
        AdmittedLesson, Cause, Draft, FailureKey, Lesson, LessonContent, RunOutcome, Status,
        TrustClass,
    },
    text::RawText,
};
use hardwon_store::{Commit as _, Write, last_version_of};
use jiff::Timestamp;

use crate::{Desk, Result};

/// What somebody wants to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// What it says.
    pub content: LessonContent<RawText>,
    /// The run it was said in, if it was said in one.
    pub run: Option<RunId>,
    /// The lessons whose place it takes.
    pub supersedes: Vec<LessonId>,
    /// What the run had met, if that is why it is said.
    pub failure: Option<NotedFailure>,
    /// The task that taught it, if it is known.
    pub task: Option<RawText>,
}

/// What a run met that made somebody write a lesson down.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedFailure {
    /// The failure that the lesson is about.
    pub failure: FailureKey,
    /// What was met, in a line.
    pub description: RawText,
}

impl Note {
    /// Makes a note of what a lesson says.
    #[must_use]
    pub fn new(content: LessonContent<RawText>) -> Self {
        Self {
            content,
            run: None,
            supersedes: Vec::new(),
            failure: None,
            task: None,
        }
    }

    /// Drafts the lesson that somebody's note asks for.
    fn into_draft(self, who: &Principal) -> Draft {
        let (failure, what) = self.failure.map(|it| (it.failure, it.description)).unzip();
        let evidence = match &self.run {
            Some(run) => Evidence {
                note: what,
                ..Evidence::from_run(run)
            },
            None => Evidence {
                kind: EvidenceKind::Conversation,
                reference: RawText::from(match who.trust.class {
                    TrustClass::Person => "written by hand",
                    _ => "written by the agent",
                }),
                note: None,
            },
        };
        Draft {
            scope: who.scope.clone(),
            content: self.content,
            cause: Cause::Manual,
            outcome: RunOutcome::Mixed,
            evidence: vec![evidence],
            trust: who.trust,
            confidence: 0.5,
            failure,
            expires_at: None,
            supersedes: self.supersedes,
            task: self.task,
        }
    }
}

/// What became of a proposed lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteOutcome {
    /// It is a lesson, and may be recalled.
    Recorded(Box<Lesson>),
    /// It is a lesson, and waits for a person.
    Pending(Box<Lesson>),
    /// The same was known; what speaks for it was added.
    AlreadyKnown(Box<Lesson>),
    /// It is no lesson, for this reason.
    Refused(String),
}

impl NoteOutcome {
    /// Returns the number of the lesson that now says it; none if it was refused.
    #[must_use]
    pub fn id(&self) -> Option<LessonId> {
        match self {
            Self::Recorded(lesson) | Self::Pending(lesson) | Self::AlreadyKnown(lesson) => {
                Some(lesson.id)
            }
            Self::Refused(_) => None,
        }
    }

    /// Returns the lesson that now says it, or why there is none.
    pub fn into_lesson(self) -> std::result::Result<Box<Lesson>, String> {
        match self {
            Self::Recorded(lesson) | Self::Pending(lesson) | Self::AlreadyKnown(lesson) => {
                Ok(lesson)
            }
            Self::Refused(why) => Err(why),
        }
    }
}

impl Desk<'_> {
    /// Remembers what somebody writes down, on their word, where they stand.
    pub fn note(&self, note: Note) -> Result<NoteOutcome> {
        let mut noted = self.note_all(vec![note])?;
        Ok(noted.pop().expect("one answer a note"))
    }

    /// Remembers many at once, all durable when this returns; one answer a note, in order.
    pub fn note_all(&self, notes: Vec<Note>) -> Result<Vec<NoteOutcome>> {
        let drafts = notes.into_iter();
        self.admit_drafts(drafts.map(|it| it.into_draft(&self.principal)).collect())
    }

    /// Guards drafts, and stores those that pass, in one transaction; one answer a draft, in order.
    ///
    /// This is the door for whoever makes drafts of their own, such as a distiller. A draft says
    /// itself whose word it is and whether content from outside had a part in it.
    pub fn admit_drafts(&self, drafts: Vec<Draft>) -> Result<Vec<NoteOutcome>> {
        for draft in &drafts {
            self.check_access(Rights::Write, &draft.scope)?;
        }
        let drafts = drafts.into_iter();
        let verdicts = drafts.map(|it| guard::admit_draft(it, &self.policy.guard));
        let verdicts: Vec<guard::GuardVerdict> = verdicts.collect();
        let (by, now, capacity) = (&self.principal.actor, self.now(), self.policy.capacity);
        self.engine.store.commit(self.tenant(), |tx| {
            Ok(store_guarded(tx, &verdicts, by, now, capacity)?)
        })
    }
}

/// Decides about guarded lessons inside a transaction, in order, and carries the decisions out.
pub(crate) fn store_guarded<'a>(
    tx: &mut dyn Write,
    verdicts: impl IntoIterator<Item = &'a guard::GuardVerdict>,
    by: &Actor,
    now: Timestamp,
    capacity: usize,
) -> hardwon_store::Result<Vec<NoteOutcome>> {
    let noted = verdicts.into_iter().map(|verdict| match verdict {
        guard::GuardVerdict::Admitted(admitted) => store_admitted(tx, admitted, by, now, capacity),
        guard::GuardVerdict::Rejected { reasons } => Ok(refusal_from_reasons(reasons)),
    });
    noted.collect()
}

pub(crate) fn refusal_from_reasons(reasons: &[guard::Rejection]) -> NoteOutcome {
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    // A reason quotes what it found.
    NoteOutcome::Refused(guard::neutralise(&reasons.join("; ")).into_owned())
}

/// Decides about one admitted lesson inside a transaction, and carries the decision out.
fn store_admitted(
    tx: &mut dyn Write,
    admitted: &AdmittedLesson,
    by: &Actor,
    now: Timestamp,
    capacity: usize,
) -> hardwon_store::Result<NoteOutcome> {
    let tenant = &admitted.scope.tenant;
    let known = tx.reader().decision_context(admitted, capacity)?;
    let decision = decide_admission(admitted.clone(), &known, capacity, now);
    let verdict = decision.outcome;
    let lesson = apply_decision(tx, tenant, decision, by, now)?;
    Ok(outcome_from_decision(verdict, Box::new(lesson)))
}

/// Carries a decision out, and returns the lesson that it is about as it is now.
pub(crate) fn apply_decision(
    tx: &mut dyn Write,
    tenant: &TenantId,
    decision: LessonDecision,
    by: &Actor,
    now: Timestamp,
) -> hardwon_store::Result<Lesson> {
    let applied = tx.apply(&ChangeBatch {
        tenant: tenant.clone(),
        actor: by.clone(),
        at: now,
        changes: decision.changes,
    })?;
    let lesson = match last_version_of(applied, decision.lesson) {
        Some(lesson) => Some(lesson),
        None => tx.reader().lesson(tenant, decision.lesson)?,
    };
    Ok(lesson.expect("a decision names a lesson that is there"))
}

/// Says what became of what a lesson now says.
pub(crate) fn outcome_from_decision(verdict: DecisionOutcome, lesson: Box<Lesson>) -> NoteOutcome {
    match (verdict, &lesson.status) {
        (DecisionOutcome::Reinforced | DecisionOutcome::Known, _) => {
            NoteOutcome::AlreadyKnown(lesson)
        }
        (DecisionOutcome::Added, Status::Pending { .. }) => NoteOutcome::Pending(lesson),
        (DecisionOutcome::Added, _) => NoteOutcome::Recorded(lesson),
    }
}
