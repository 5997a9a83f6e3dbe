//! Curating lessons by number: each verb looks the lesson up and decides in one transaction.

use hardwon_core::{
    Actor, AdmittedLesson, Change, CleanText, CurationError, Draft, JobState, Lesson, LessonId,
    ProjectId, RawText, Retirement, RunId, Scope, Status, TenantId, TriggerEdit, Trust, TrustClass,
    change::{
        approve_lesson, check_is_own_word, relocate_lesson, revise_lesson, says_the_same,
        supersede_lesson, withdraw_lesson,
    },
    guard, limits,
};

use hardwon_store::{
    JobListing, LessonListing, Read, ScopeFilter, Write,
    paging::{read_history, read_jobs, read_lessons},
};
use jiff::{SignedDuration, Timestamp};

use crate::{Desk, Error, Result, access::Rights, sweep::forget_lesson};

/// New words for a lesson; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LessonEdit {
    /// The pattern that calls for it.
    pub signature: Option<RawText>,
    /// The advice.
    pub text: Option<RawText>,
    /// The topics, replacing all earlier ones.
    pub tags: Option<Vec<RawText>>,
    /// Whether it holds the first call that it names.
    pub hold: Option<bool>,
    /// A person's corrections of what it comes up at.
    pub triggers: TriggerEdit,
}

/// Feedback on a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// It was followed; whether that helped is not known.
    Followed,
    /// It helped.
    Helped,
    /// It is wrong.
    Wrong,
}

impl Opinion {
    /// Returns whether it counts for the lesson; `None` if it is no judgement.
    pub(crate) fn is_good(self) -> Option<bool> {
        match self {
            Self::Followed => None,
            Self::Helped => Some(true),
            Self::Wrong => Some(false),
        }
    }
}

impl Desk<'_> {
    /// Returns the credible lessons that contradict this one.
    pub fn contradictions(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let now = self.now();
        let mut others = Vec::new();
        for id in &lesson.contradicts {
            let other = self.lesson_if_visible(*id)?;
            others.extend(other.filter(|other| lesson.is_contradicted_by(other, now)));
        }
        Ok(others)
    }

    /// Replaces the words of a lesson with those of the principal: one that may only write replaces what an agent of its name
    /// wrote.
    pub fn revise_lesson(&self, id: LessonId, edit: &LessonEdit) -> Result<Lesson> {
        let right = self.principal.rights.clamp(Rights::Write, Rights::Curate);
        let admitted_lesson = self.admit_edit(id, edit, right)?;
        let (capacity, now) = (self.policy.capacity, self.now());
        self.change_lesson(id, right, |reader, lesson| {
            if right == Rights::Write {
                let done_by = list_actors(reader, self.tenant(), id)?;
                check_is_own_word(lesson, &self.principal.actor, &done_by)?;
            }
            let context = reader.decision_context(&admitted_lesson, capacity)?;
            let new_lesson = admitted_lesson.clone();
            Ok(revise_lesson(lesson, new_lesson, &context, now)?)
        })
    }

    /// Replaces the words of a lesson that waits with a person's, and approves it: both, or nothing.
    pub fn revise_and_approve_lesson(&self, id: LessonId, edit: &LessonEdit) -> Result<Lesson> {
        let admitted_lesson = self.admit_edit(id, edit, Rights::Curate)?;
        let (capacity, now) = (self.policy.capacity, self.now());
        self.commit_on_lesson(id, Rights::Curate, |tx, lesson| {
            let context = tx.reader().decision_context(&admitted_lesson, capacity)?;
            let changes = revise_lesson(lesson, admitted_lesson.clone(), &context, now)?;
            let new_version = self.apply_to(tx, lesson, changes)?;
            let context = tx.reader().decision_context(&new_version, capacity)?;
            let changes = approve_lesson(&new_version, &context, capacity, None, now);
            self.apply_to(tx, &new_version, changes)
        })
    }

    /// Has the guard admit a lesson with new words.
    fn admit_edit(&self, id: LessonId, edit: &LessonEdit, right: Rights) -> Result<AdmittedLesson> {
        let before = self.find_lesson(id, right)?;
        if edit.hold == Some(true) && before.trust != Trust::untainted(TrustClass::Person) {
            return Err(Error::Curation(CurationError::NotAPersons(id)));
        }
        let draft = redraft_lesson(&before, edit, self.principal.trust);
        let new_lesson = guard::admit_draft(draft, &self.policy.guard)
            .map_err(|reasons| Error::RejectedByGuard(reasons.to_string()))?;
        let reason = crate::status_reason(&new_lesson.status);
        reason.map_or(Ok(*new_lesson), |why| Err(Error::RejectedByGuard(why)))
    }

    /// Approves a pending lesson, so that it may be recalled. Lessons it replaces are superseded unless a more trusted
    /// source stands behind them, and the least useful ones leave if the scope is full.
    pub fn approve_lesson(&self, id: LessonId, why: Option<&RawText>) -> Result<Lesson> {
        let reason = why.map(clean_reason);
        let (capacity, now) = (self.policy.capacity, self.now());
        self.change_lesson(id, Rights::Curate, |reader, lesson| {
            let context = reader.decision_context(lesson, capacity)?;
            let reason = reason.clone();
            Ok(approve_lesson(lesson, &context, capacity, reason, now))
        })
    }

    /// Supersedes one lesson by another, and returns the superseded one.
    pub fn supersede_lesson(
        &self,
        old: LessonId,
        by: LessonId,
        why: Option<&RawText>,
    ) -> Result<Lesson> {
        let reason = why.map(clean_reason);
        self.change_lesson(old, Rights::Curate, |reader, old| {
            let principal = &self.principal;
            let new = reader.lesson(self.tenant(), by)?;
            let new = principal.authorize_lesson(by, new, Rights::Read)?;
            Ok(supersede_lesson(
                old,
                &new,
                principal.trust,
                reason.clone(),
            )?)
        })
    }

    /// Moves a lesson to another project, or with `None` to all projects.
    pub fn relocate_lesson(&self, id: LessonId, project: Option<&ProjectId>) -> Result<Lesson> {
        let (capacity, now) = (self.policy.capacity, self.now());
        self.change_lesson(id, Rights::Curate, |reader, lesson| {
            let mut there = lesson.admitted.clone();
            there.scope.project = project.cloned();
            let context = reader.decision_context(&there, capacity)?;
            Ok(relocate_lesson(lesson, project, &context, capacity, now)?)
        })
    }

    /// Moves every lesson of a project, of any agent and in any state, to a project that has none, and returns how many;
    /// `None` where both have some, which stay where they are.
    pub fn rename_project(&self, from: &ProjectId, to: &ProjectId) -> Result<Option<usize>> {
        self.check_access(
            Rights::Write,
            &Scope {
                project: Some(from.clone()),
                ..self.principal.scope.clone()
            },
        )?;
        let listing_of = |project: &ProjectId| LessonListing {
            within: ScopeFilter::Project(Some(project.clone())),
            ..LessonListing::default()
        };
        self.commit(|tx| {
            let reader = tx.reader();
            let lessons: Result<Vec<Lesson>, _> =
                read_lessons(reader, self.tenant(), listing_of(from)).collect();
            let lessons = lessons?;
            if !lessons.is_empty() && !reader.lessons(self.tenant(), &listing_of(to))?.is_empty() {
                return Ok(None);
            }
            let moves = lessons.iter().map(|lesson| Change::Move {
                id: lesson.id,
                project: Some(to.clone()),
            });
            tx.apply(&self.make_batch(moves.collect()))?;
            Ok(Some(lessons.len()))
        })
    }

    /// Archives a lesson, whatever its trust: `lesson delete`. It stays on record.
    pub fn archive_lesson(&self, id: LessonId, why: &RawText) -> Result<Lesson> {
        self.archive_for(id, Retirement::Dismissed, why)
    }

    /// Archives a lesson because what made it is taken back. It is approved again if the same makes it again.
    pub fn take_lesson_back(&self, id: LessonId, why: &RawText) -> Result<Lesson> {
        self.archive_for(id, Retirement::TakenBack, why)
    }

    fn archive_for(&self, id: LessonId, by: Retirement, why: &RawText) -> Result<Lesson> {
        let reason = clean_reason(why);
        self.change_lesson(id, Rights::Curate, |_, _| {
            let status = Status::Archived {
                by,
                why: reason.clone(),
            };
            Ok(vec![Change::SetStatus { id, status }])
        })
    }

    /// Archives a lesson, unless it is trusted more than the caller.
    pub fn archive_within_trust(&self, id: LessonId, why: &RawText) -> Result<Lesson> {
        self.withdraw_lesson(
            id,
            &Status::Archived {
                by: Retirement::Dismissed,
                why: clean_reason(why),
            },
        )
    }

    /// Makes a lesson wait for a person's review, as far as the caller's trust reaches.
    pub fn hold_for_review(&self, id: LessonId, why: &RawText) -> Result<Lesson> {
        let reason = clean_reason(&RawText::from(&*guard::neutralise(why.expose())));
        self.withdraw_lesson(id, &Status::Pending { why: reason })
    }

    pub(crate) fn withdraw_lesson(&self, id: LessonId, status: &Status) -> Result<Lesson> {
        self.change_lesson(id, Rights::Write, |_, lesson| {
            let status = status.clone();
            Ok(withdraw_lesson(lesson, self.principal.trust, status)?)
        })
    }

    /// Erases a lesson and what else holds its words; the journal keeps only that it existed.
    pub fn erase_lesson(&self, id: LessonId) -> Result<()> {
        self.commit_on_lesson(id, Rights::Erase, |tx, lesson| {
            tx.apply(&self.make_batch(vec![Change::Erase { id }]))?;
            forget_lesson(tx, self.tenant(), id, self.now())?;
            forget_sources(tx, lesson)
        })
    }
}

/// Forgets what a lesson was made of: what runs showed of the same and waits for more of them, questions about its runs, and
/// the prompts and calls that recalls were made for, of which any may hold its words.
fn forget_sources(tx: &mut dyn Write, lesson: &Lesson) -> Result<()> {
    let tenant = &lesson.scope.tenant;
    let is_its_own = |held: &AdmittedLesson| {
        let is_same_failure = held.failure.is_some() && held.failure == lesson.failure;
        is_same_failure || says_the_same(&held.content, &lesson.content)
    };
    for scope in tx.reader().scopes(tenant)? {
        for (key, candidate) in tx.reader().candidate_lessons(&scope)? {
            if candidate.lesson.as_ref().is_some_and(is_its_own) {
                tx.delete_candidate_lesson(&scope, &key)?;
            }
        }
    }
    let is_of_it = |run: &RunId| {
        let mut sources = lesson.evidence.iter();
        sources.any(|source| source.reference.as_str() == run.as_str())
    };
    let mut jobs = Vec::new();
    for state in [None, Some(JobState::Seen.name())] {
        let listing = JobListing {
            state,
            ..JobListing::default()
        };
        for job in read_jobs(tx.reader(), tenant, listing) {
            let job = job?;
            let origin = &job.task.origin;
            if is_of_it(&origin.run) || origin.other_runs.iter().any(is_of_it) {
                jobs.push(job.id);
            }
        }
    }
    for job in jobs {
        tx.delete_job(job)?;
    }
    // The last time that is one in milliseconds, too.
    Ok(tx.erase_query_texts(Timestamp::MAX - SignedDuration::from_secs(1))?)
}

/// Returns all who changed a lesson.
fn list_actors(reader: &dyn Read, tenant: &TenantId, id: LessonId) -> Result<Vec<Actor>> {
    let mut actors = Vec::new();
    for entry in read_history(reader, tenant, id) {
        let actor = entry?.body.actor;
        if !actors.contains(&actor) {
            actors.push(actor);
        }
    }
    Ok(actors)
}

fn clean_reason(why: &RawText) -> CleanText {
    hardwon_redact::clean_to_bytes(why, limits::SITUATION_CHARS)
}

/// Drafts a lesson anew from its words and an edit, on the editor's trust.
fn redraft_lesson(lesson: &Lesson, edit: &LessonEdit, word: Trust) -> Draft {
    let own = lesson.to_draft();
    let mut content = own.content;
    // A title that was made from the old words would no longer fit.
    if edit.text.is_some() {
        content.title = RawText::default();
    }
    content.signature = edit.signature.clone().unwrap_or(content.signature);
    content.text = edit.text.clone().unwrap_or(content.text);
    content.tags = edit.tags.clone().unwrap_or(content.tags);
    if let Some(holds) = edit.hold {
        content.set_hold(holds);
    }
    if edit.triggers != TriggerEdit::default() {
        content.correct_triggers(&edit.triggers);
    }
    Draft {
        content,
        trust: word,
        ..own
    }
}
