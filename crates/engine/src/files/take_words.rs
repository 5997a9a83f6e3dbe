//! Taking the words of a file: as a new lesson, onto one, or to wait as one that would replace it.
//!
//! Nothing is overwritten that its file did not agree with before, and trust only goes down.

use crate::{LessonFile, lesson_md};
use hardwon_core::{
    AdmittedLesson, Change, DecisionOutcome as Decided, EntryState, Evidence, GuardPolicy,
    GuardVerdict, Lesson, LessonId, Slug, Status, TrustClass,
};
use hardwon_store::{Commit as _, last_version_of};

use super::{
    agreement::{AgreementMark, SyncAgreement},
    carrier::SyncCarrier,
    import::{ScopeNames, store_file},
};
use crate::{Error, NoteOutcome, Result, note::outcome_from_decision};

/// Why a proposal is archived that came to nothing.
const SETTLED_REASON: &str = "its file says something else by now";

impl SyncCarrier<'_> {
    pub(super) fn admit_file(&self, file: &LessonFile, supersedes: Vec<LessonId>) -> GuardVerdict {
        self.admit_file_with(file, supersedes, &self.desk.policy.guard)
    }

    fn admit_file_with(
        &self,
        file: &LessonFile,
        supersedes: Vec<LessonId>,
        policy: &GuardPolicy,
    ) -> GuardVerdict {
        let principal = &self.desk.principal;
        lesson_md::admit_file(file, &principal.scope, principal.trust, supersedes, policy)
    }

    /// Takes the words of a file: as a new lesson, or in the place of one's words.
    pub(super) fn take_words(&mut self, slug: &Slug, onto: Option<&Lesson>) -> Result<()> {
        let Some(file) = self.file_for(slug) else {
            return Ok(());
        };
        let names = ScopeNames::from_lessons(self.sides.lessons);
        let outcome = match (self.admit_file(file, names.superseded_lessons(file)), onto) {
            (Err(reasons), _) => NoteOutcome::refuse(&reasons),
            (Ok(it), None) => store_file(self.desk, &it, &names)?,
            (Ok(it), Some(lesson)) => self.revise_lesson(file, *it, slug, lesson)?,
        };
        match outcome.clone().into_lesson() {
            Ok(lesson) => self.agree(slug, &lesson, AgreementMark::Unmarked),
            Err(_) => {
                let agreement = SyncAgreement {
                    lesson_number: onto.map(|onto| onto.id.0),
                    file_digest: self.file_digest(slug),
                    content_digest: String::new(),
                    mark: AgreementMark::Refused,
                };
                self.agreements.insert(slug.clone(), agreement);
            }
        }
        self.file_outcomes.push((slug.clone(), outcome));
        Ok(())
    }

    /// Puts the words of a file in the place of a lesson's; if they have to wait for a person, the
    /// lesson stays as it is, and they wait as a lesson of their own that would replace it.
    fn revise_lesson(
        &self,
        file: &LessonFile,
        mut admitted: AdmittedLesson,
        slug: &Slug,
        lesson: &Lesson,
    ) -> Result<NoteOutcome> {
        let is_active = lesson.status == Status::Active;
        if has_same_content(&admitted, lesson) && self.passes_guard(file) {
            // Only the form changed, and whose words they are with it not.
            let content = Box::new(admitted.content);
            let id = lesson.id;
            self.commit_changes(vec![Change::Revise { id, content }])?;
        } else if is_active && admitted.status != Status::Active {
            admitted.supersedes.push(lesson.id);
            return self.propose_replacement(&admitted, lesson);
        } else if !is_active && self.has_changed(slug, lesson) {
            // Somebody edited it while it waited: both wait now.
            admitted.supersedes.extend(&lesson.supersedes);
            return self.add_lesson(&admitted);
        } else {
            self.overwrite_lesson(&admitted, lesson)?;
            if !is_active {
                return self.known_outcome(lesson);
            }
        }
        self.drop_proposals(lesson)?;
        self.known_outcome(lesson)
    }

    /// Returns whether nothing but the policy about files speaks against a file.
    fn passes_guard(&self, file: &LessonFile) -> bool {
        let policy = GuardPolicy {
            imported: EntryState::Active,
            ..self.desk.policy.guard
        };
        let verdict = self.admit_file_with(file, Vec::new(), &policy);
        matches!(verdict, Ok(it) if it.status == Status::Active)
    }

    /// Writes what was admitted over a lesson. One that waited goes on waiting, or is in use now.
    fn overwrite_lesson(&self, admitted: &AdmittedLesson, lesson: &Lesson) -> Result<()> {
        let id = lesson.id;
        let mut changes = vec![
            Change::Revise {
                id,
                content: Box::new(admitted.content.clone()),
            },
            Change::Amend {
                id,
                outcome: admitted.outcome,
                confidence: admitted.confidence,
                expires_at: admitted.expires_at,
                trust: admitted.trust,
            },
        ];
        let evidence = find_new_evidence(&admitted.evidence, &lesson.evidence);
        if !evidence.is_empty() {
            changes.push(Change::Reinforce { id, evidence });
        }
        let was_pending = matches!(lesson.status, Status::Pending { .. });
        let may_be_used = admitted.status == Status::Active;
        if was_pending && !may_be_used {
            let status = admitted.status.clone();
            changes.push(Change::SetStatus { id, status });
        }
        if lesson.status == Status::Active {
            let old_lessons = self.sides.lessons.iter().filter(|old| {
                admitted.supersedes.contains(&old.id)
                    && old.id != id
                    && old.status == Status::Active
                    && old.trust.combine_with(admitted.trust) == old.trust
            });
            changes.extend(old_lessons.map(|old| Change::SetStatus {
                id: old.id,
                status: Status::Superseded { by: id },
            }));
        }
        self.commit_changes(changes)?;
        if was_pending && may_be_used && self.desk.lesson_if_visible(id)?.is_some() {
            self.desk.approve_lesson(id, None)?;
        }
        Ok(())
    }

    /// Returns whether a lesson says something else than when it last agreed with its file.
    fn has_changed(&self, slug: &Slug, lesson: &Lesson) -> bool {
        let agreement = self.agreements.get(slug);
        agreement
            .is_some_and(|agreement| agreement.content_digest != self.content_digest(lesson, slug))
    }

    /// Has the words of a file wait as a lesson that would replace another one, in the place of
    /// those that waited before.
    pub(super) fn propose_replacement(
        &self,
        admitted: &AdmittedLesson,
        lesson: &Lesson,
    ) -> Result<NoteOutcome> {
        let mut waiting = self.pending_proposals(lesson);
        if let Some(same) = waiting.find(|waiting| has_same_content(admitted, waiting)) {
            return self.known_outcome(same);
        }
        let outcome = self.add_lesson(admitted)?;
        self.drop_proposals(lesson)?;
        Ok(outcome)
    }

    /// Adds a lesson as it is, whatever others say the same.
    fn add_lesson(&self, admitted: &AdmittedLesson) -> Result<NoteOutcome> {
        let (tenant, capacity) = (self.desk.tenant(), self.desk.policy.capacity);
        let lesson = self.desk.engine.store.commit(tenant, |tx| {
            let id = tx.reader().decision_context(admitted, capacity)?.next_id;
            let add = Change::Add {
                id,
                admitted: Box::new(admitted.clone()),
            };
            let lesson = last_version_of(tx.apply(&self.desk.make_batch(vec![add]))?, id);
            Ok::<_, Error>(lesson.expect("a lesson that was added is there"))
        })?;
        Ok(outcome_from_decision(Decided::Added, Box::new(lesson)))
    }

    /// Returns the lessons that wait to replace one.
    fn pending_proposals(&self, lesson: &Lesson) -> impl Iterator<Item = &Lesson> {
        let id = lesson.id;
        self.sides.lessons.iter().filter(move |lesson| {
            matches!(lesson.status, Status::Pending { .. })
                && lesson.trust.class == TrustClass::Imported
                && lesson.supersedes.contains(&id)
        })
    }

    fn drop_proposals(&self, lesson: &Lesson) -> Result<()> {
        for proposal in self.pending_proposals(lesson) {
            self.desk
                .archive_lesson(proposal.id, &SETTLED_REASON.into())?;
        }
        Ok(())
    }

    fn known_outcome(&self, lesson: &Lesson) -> Result<NoteOutcome> {
        let present = self.desk.lesson_if_visible(lesson.id)?;
        let present = present.unwrap_or_else(|| lesson.clone());
        Ok(match present.status {
            Status::Pending { .. } => NoteOutcome::Pending(Box::new(present)),
            _ => NoteOutcome::AlreadyKnown(Box::new(present)),
        })
    }

    fn commit_changes(&self, changes: Vec<Change>) -> Result<()> {
        let batch = self.desk.make_batch(changes);
        let store = &self.desk.engine.store;
        store.commit(self.desk.tenant(), |tx| {
            tx.apply(&batch)?;
            Ok(())
        })
    }
}

/// Returns whether a file says what a lesson says, but for its form.
fn has_same_content(admitted: &AdmittedLesson, lesson: &Lesson) -> bool {
    lesson_md::content_without_file(admitted) == lesson_md::content_without_file(&lesson.admitted)
        && admitted.outcome == lesson.outcome
        && admitted.confidence == lesson.confidence
        && admitted.expires_at == lesson.expires_at
}

/// Returns the evidence that is not there yet. A file writes references without blanks.
fn find_new_evidence(new: &[Evidence], there: &[Evidence]) -> Vec<Evidence> {
    let plain = |it: &Evidence| {
        let words: Vec<&str> = it.reference.as_str().split_whitespace().collect();
        (it.kind, words.join("-"))
    };
    let is_new = |it: &&Evidence| !there.iter().any(|old| plain(old) == plain(it));
    new.iter().filter(is_new).cloned().collect()
}
