//! Lessons that a person or an agent wrote down.

mod note_once;

use hardwon_core::{
    Actor, AdmittedLesson, Cause, ChangeBatch, DecisionOutcome, Draft, Evidence, EvidenceKind,
    FailureKey, Lesson, LessonContent, LessonDecision, LessonId, RawText, RunId, RunOutcome,
    Status, Triggers, TrustClass,
    change::{confirm_lesson, decide_admission},
    guard,
    trigger::keeps_failure,
};
use hardwon_store::{Write, last_version_of};
use jiff::Timestamp;

use crate::{Desk, Principal, Result, access::Rights};

/// A lesson to be recorded as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The words of the lesson.
    pub content: LessonContent<RawText>,
    /// The run in which it was written, if any.
    pub run: Option<RunId>,
    /// The lessons that it replaces.
    pub supersedes: Vec<LessonId>,
    /// The failure in the run that it is about, if any.
    pub failure: Option<NotedFailure>,
    /// The task that taught it, if it is known.
    pub task: Option<RawText>,
    /// Whether it stands in a prompt below other words, which may be pasted with it.
    pub is_below_words: bool,
}

/// A failure in a run, about which a lesson is written down.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedFailure {
    /// The key of the failure.
    pub failure: FailureKey,
    /// The failure described in one line.
    pub description: RawText,
}

impl Note {
    /// Makes a note with these words and nothing else.
    pub fn new(content: LessonContent<RawText>) -> Self {
        Self {
            content,
            run: None,
            supersedes: Vec::new(),
            failure: None,
            task: None,
            is_below_words: false,
        }
    }

    /// Makes a draft of the note, on the principal's trust.
    fn into_draft(self, who: &Principal) -> Draft {
        let (failure, what) = self
            .failure
            .map(|failure| (failure.failure, failure.description))
            .unzip();
        let evidence = match &self.run {
            Some(run) => Evidence {
                note: what,
                ..Evidence::from_run(run)
            },
            None => Evidence {
                kind: EvidenceKind::Conversation,
                reference: RawText::from(match who.trust.class {
                    TrustClass::Person => "written by hand",
                    _ if self.is_below_words => "written in a prompt, below other words",
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

/// The outcome of a proposed lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteOutcome {
    /// It was stored, and may be recalled.
    Recorded(Box<Lesson>),
    /// It was stored, and waits for a person.
    Pending(Box<Lesson>),
    /// The same was known; its evidence was added.
    AlreadyKnown(Box<Lesson>),
    /// It was refused, for this reason.
    Refused(String),
    /// It was written to a log and not kept, as the engine was told to.
    Logged,
}

impl NoteOutcome {
    /// Returns the outcome for a lesson that the guard rejected.
    pub(crate) fn refuse(reasons: &guard::Rejections) -> Self {
        // A reason quotes the text that it rejects.
        Self::Refused(guard::neutralise(&reasons.to_string()).into_owned())
    }

    /// Returns the number of the stored lesson; `None` if it was refused.
    pub fn id(&self) -> Option<LessonId> {
        Some(self.lesson().ok()?.id)
    }

    /// Returns the stored lesson.
    ///
    /// # Errors
    ///
    /// Why there is none, if it was refused.
    pub fn lesson(&self) -> std::result::Result<&Lesson, &str> {
        match self {
            Self::Recorded(lesson) | Self::Pending(lesson) | Self::AlreadyKnown(lesson) => {
                Ok(lesson)
            }
            Self::Refused(why) => Err(why),
            Self::Logged => Err(ONLY_LOGGED),
        }
    }

    /// As [`lesson`](Self::lesson), of one's own.
    pub fn into_lesson(self) -> std::result::Result<Box<Lesson>, String> {
        let lesson = self.lesson().cloned();
        lesson.map(Box::new).map_err(str::to_owned)
    }
}

impl Desk<'_> {
    /// Records a lesson in the principal's scope, on their trust.
    pub fn note(&self, note: Note) -> Result<NoteOutcome> {
        let mut outcomes = self.note_all(vec![note])?;
        Ok(outcomes.pop().expect("one answer a note"))
    }

    /// Records many lessons at once, all durable when this returns; one outcome for each, in order.
    pub fn note_all(&self, notes: Vec<Note>) -> Result<Vec<NoteOutcome>> {
        let drafts = notes.into_iter();
        self.admit_drafts(
            drafts
                .map(|draft| draft.into_draft(&self.principal))
                .collect(),
        )
    }

    /// Guards drafts, and stores those that pass, in one transaction; one outcome for each, in order.
    ///
    /// This is for callers that make drafts of their own, such as a distiller. A draft itself says how far it is
    /// trusted and whether content from outside had a part in it.
    pub fn admit_drafts(&self, drafts: Vec<Draft>) -> Result<Vec<NoteOutcome>> {
        for draft in &drafts {
            self.check_access(Rights::Write, &draft.scope)?;
        }
        let mut verdicts = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let verdict = guard::admit_draft(draft, &self.policy.guard);
            let restatement = verdict
                .as_ref()
                .ok()
                .map(|admitted| self.find_restated(admitted));
            verdicts.push((verdict, restatement.transpose()?.flatten()));
        }
        let (by, now) = (&self.principal.actor, self.now());
        self.commit(|tx| {
            let outcomes = verdicts.iter().map(|(verdict, restated)| match verdict {
                Ok(admitted) => self.store_admitted(tx, admitted, *restated, by, now),
                Err(reasons) => Ok(NoteOutcome::refuse(reasons)),
            });
            Ok(outcomes.collect::<hardwon_store::Result<_>>()?)
        })
    }

    /// Decides inside a transaction on a guarded lesson that was learned, and applies the decision; with a log, writes it
    /// there instead.
    pub(crate) fn store_learned(
        &self,
        tx: &mut dyn Write,
        verdict: &guard::GuardVerdict,
        by: &Actor,
        now: Timestamp,
    ) -> hardwon_store::Result<NoteOutcome> {
        match (verdict, &self.engine.lesson_log) {
            (Ok(admitted), Some(log)) => {
                log(admitted);
                Ok(NoteOutcome::Logged)
            }
            (Ok(admitted), None) => match self.find_advised(tx, admitted)? {
                Some(known) => self.apply_decision(tx, confirm_lesson(admitted, &known), by, now),
                None => self.store_admitted(tx, admitted, None, by, now),
            },
            (Err(reasons), _) => Ok(NoteOutcome::refuse(reasons)),
        }
    }

    /// Finds the written lesson that already gives the advice of one that was learned, and comes up where that would.
    fn find_advised(
        &self,
        tx: &dyn Write,
        admitted: &AdmittedLesson,
    ) -> hardwon_store::Result<Option<Lesson>> {
        let content = &admitted.content;
        let triggers = Triggers::from_content(content);
        let is_ruled = admitted.trust.class == TrustClass::Derived;
        if !is_ruled || admitted.status != Status::Active || triggers.is_empty() {
            return Ok(None);
        }
        let words = format!("{} {}", content.signature, content.text);
        let query = self.query_words(&admitted.scope, &words);
        let hits = tx.reader().search(&query)?.hits.into_iter();
        let mut lessons = hits.map(|hit| hit.lesson);
        Ok(lessons.find(|known| {
            // One about a failure of its own comes up at no other.
            known.failure.is_none()
                && known.content.targets == content.targets
                && Triggers::from_content(&known.content).says_as(&triggers)
                && keeps_failure(&known.content, content)
        }))
    }

    /// Decides on one admitted lesson inside a transaction, and applies the decision. `restated` is the lesson that it may
    /// only say again.
    fn store_admitted(
        &self,
        tx: &mut dyn Write,
        admitted: &AdmittedLesson,
        restated: Option<LessonId>,
        by: &Actor,
        now: Timestamp,
    ) -> hardwon_store::Result<NoteOutcome> {
        let capacity = self.policy.capacity;
        let mut context = tx.reader().decision_context(admitted, capacity)?;
        if let Some(id) = restated {
            context
                .similar
                .extend(tx.reader().lesson(self.tenant(), id)?);
        }
        let decision = decide_admission(admitted.clone(), &context, capacity, now);
        self.apply_decision(tx, decision, by, now)
    }

    /// Applies a decision inside a transaction.
    pub(crate) fn apply_decision(
        &self,
        tx: &mut dyn Write,
        decision: LessonDecision,
        by: &Actor,
        now: Timestamp,
    ) -> hardwon_store::Result<NoteOutcome> {
        let lessons = tx.apply(&ChangeBatch {
            tenant: self.tenant().clone(),
            actor: by.clone(),
            at: now,
            changes: decision.changes,
        })?;
        let lesson = match last_version_of(lessons, decision.lesson) {
            Some(lesson) => Some(lesson),
            None => tx.reader().lesson(self.tenant(), decision.lesson)?,
        };
        let lesson = lesson.expect("a decision names a lesson that is there");
        Ok(outcome_from_decision(decision.outcome, Box::new(lesson)))
    }
}

/// Why what a run taught is not kept where it is only logged.
const ONLY_LOGGED: &str = "it was logged and not kept, as the settings say";

/// Converts the outcome of a decision to that of a note.
pub(crate) fn outcome_from_decision(verdict: DecisionOutcome, lesson: Box<Lesson>) -> NoteOutcome {
    match (verdict, &lesson.status) {
        (DecisionOutcome::Reinforced | DecisionOutcome::Known, _) => {
            NoteOutcome::AlreadyKnown(lesson)
        }
        (DecisionOutcome::Added, Status::Pending { .. }) => NoteOutcome::Pending(lesson),
        (DecisionOutcome::Added | DecisionOutcome::Revived, _) => NoteOutcome::Recorded(lesson),
    }
}
