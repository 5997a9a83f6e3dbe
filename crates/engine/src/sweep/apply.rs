//! Applying a plan: all of it in one transaction, or nothing.
//!
//! A plan may come from a file that somebody edited, so each item is decided again by what the lessons are and by what
//! the principal may do; one that cannot be done is left out and said. A lesson that takes the place of others is
//! stored before they are superseded, each step is journaled, and how to take it all back is kept in the same
//! transaction.

use hardwon_core::{
    Change, CleanText, CurationError, DecisionContext, Lesson, LessonContent, LessonId, RawText,
    Retirement, Status, Trust,
    change::{
        absorb_lessons, decide_admission, is_expired, mark_opposites, supersede_lesson,
        withdraw_lesson,
    },
};
use hardwon_store::{ScopeFilter, Write};
use jiff::Timestamp;

use super::decide::{SweepItem, SweepPlan, is_repeat, merge_by_words, was_shown};
use super::{
    lease::check_is_free,
    look::load_active_lessons,
    record::{SweepRecord, SweepState, UndoStep},
};
use crate::{Desk, PlanBasis, PlanId, Result, access::Rights, plan::reverse_change};
use crate::{SweepError, SweepLease};

/// The comment on a lesson that is told by another one.
const TOLD_AS_ONE: &str = "told as one by a sweep";
/// The state of a lesson whose sweep was taken back.
const TAKEN_BACK: &str = "the sweep that made it was taken back";

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedSweep {
    /// Its name, by which it can be taken back.
    pub id: PlanId,
    /// Lessons that were added.
    pub added: Vec<LessonId>,
    /// Lessons that are not recalled any more.
    pub retired: Vec<LessonId>,
    /// Items that could not be done, by what they are about, and why.
    pub left_out: Vec<(Vec<LessonId>, String)>,
}

/// What was done so far, within the transaction.
struct SweepProgress {
    done: AppliedSweep,
    /// Steps that take it back, the latest first.
    steps: Vec<UndoStep>,
}

impl Desk<'_> {
    /// Carries out a plan about a part of the tenant. `lease` is that of its maker, if it still holds one.
    ///
    /// # Errors
    ///
    /// `Sweep` if the lessons have changed since, or another sweep goes on.
    pub fn apply_sweep(
        &self,
        plan: &SweepPlan,
        within: &ScopeFilter,
        lease: Option<&SweepLease>,
    ) -> Result<AppliedSweep> {
        self.principal.check_right(Rights::Curate)?;
        let within = self.narrow_filter(within)?;
        let now = self.now();
        self.commit(|tx| {
            let mut state = match lease {
                Some(lease) => lease.find_state(tx.reader(), self)?,
                None => SweepState::load(tx.reader(), self.tenant())?,
            };
            if lease.is_none() {
                check_is_free(&state, now)?;
            }
            let lessons = load_active_lessons(tx.reader(), self, &within)?;
            if PlanBasis::from_lessons(&lessons) != plan.basis {
                return Err(SweepError::Moved.into());
            }
            let mut progress = SweepProgress::new(plan.id());
            for item in &plan.items {
                if let Err(why) = self.apply_item(tx, item, &mut progress, now)? {
                    progress.done.left_out.push((item.lessons(), why));
                }
            }
            if !progress.steps.is_empty() {
                progress.to_record(self, now).save(tx, state.applied, now)?;
                state.applied += 1;
            }
            state.last_at = Some(now.as_millisecond());
            state.save(tx, now)?;
            Ok(progress.done)
        })
    }

    /// Does one item. The inner error is why it cannot be done; then it changed nothing.
    fn apply_item(
        &self,
        tx: &mut dyn Write,
        item: &SweepItem,
        progress: &mut SweepProgress,
        now: Timestamp,
    ) -> Result<Result<(), String>> {
        match item {
            SweepItem::Merge { members, content } | SweepItem::Propose { members, content } => {
                self.apply_merge(tx, members, content, progress, now)
            }
            _ => match self.decide_item(tx, item, now)? {
                Ok(changes) => self.apply_changes(tx, changes, progress).map(Ok),
                Err(why) => Ok(Err(why)),
            },
        }
    }

    /// Decides what an item changes that adds no lesson.
    fn decide_item(
        &self,
        tx: &dyn Write,
        item: &SweepItem,
        now: Timestamp,
    ) -> Result<Result<Vec<Change>, String>> {
        let reason = CleanText::from_stored(TOLD_AS_ONE.to_owned());
        let trust = self.principal.trust;
        let lessons = match self.load_current(tx, &item.lessons())? {
            Ok(lessons) => lessons,
            Err(reason) => return Ok(Err(reason)),
        };
        let decision = match item {
            SweepItem::Absorb { .. } => {
                let (survivor, others) = (&lessons[0], &lessons[1..]);
                if let Some(other) = others.iter().find(|other| !is_repeat(survivor, other)) {
                    return Ok(Err(format!(
                        "{} does not say what {} does, wherever that comes up",
                        survivor.id, other.id
                    )));
                }
                let others: Vec<&Lesson> = others.iter().collect();
                let mut each = others.iter();
                each.try_for_each(|other| supersede_lesson(other, survivor, trust, None).map(drop))
                    .map(|()| absorb_lessons(survivor, &others, &reason))
            }
            SweepItem::Supersede { why: reason, .. } => {
                supersede_lesson(&lessons[1], &lessons[0], trust, Some(reason.clone()))
            }
            SweepItem::Contradict { one, other } => Ok(mark_opposites(*one, *other).to_vec()),
            SweepItem::Hold { why: reason, .. } => withdraw_lesson(
                &lessons[0],
                trust,
                Status::Pending {
                    why: reason.clone(),
                },
            ),
            SweepItem::Archive { why: reason, .. } => {
                let lesson = &lessons[0];
                if !is_expired(lesson, now) && was_shown(lesson) {
                    return Ok(Err(format!("{} was shown since", lesson.id)));
                }
                archive_swept(lesson, trust, reason.clone(), now)
            }
            SweepItem::Merge { .. } | SweepItem::Propose { .. } => Ok(Vec::new()),
        };
        Ok(decision.map_err(|error: CurationError| error.to_string()))
    }

    /// Stores a lesson that takes the place of others, then supersedes them; or only stores it, if it waits for a person.
    fn apply_merge(
        &self,
        tx: &mut dyn Write,
        members: &[LessonId],
        content: &LessonContent,
        progress: &mut SweepProgress,
        now: Timestamp,
    ) -> Result<Result<(), String>> {
        let members = match self.load_current(tx, members)? {
            Ok(members) if members.len() > 1 => members,
            Ok(_) => return Ok(Err("a merge needs two lessons".to_owned())),
            Err(why) => return Ok(Err(why)),
        };
        let words = content.map(|text| RawText::from(text.as_str()));
        let lessons: Vec<&Lesson> = members.iter().collect();
        let merge = match merge_by_words(&lessons, words, &self.policy.guard) {
            Ok(merged) => merged,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let is_more = |it: &&Lesson| !self.principal.trust.is_at_least(it.trust);
        let too_trusted = members.iter().find(is_more);
        if let Some(too_trusted) = too_trusted.filter(|_| !merge.is_proposed) {
            return Ok(Err(CurationError::LessTrusted(
                too_trusted.id,
                too_trusted.trust.class,
            )
            .to_string()));
        }
        // What it replaces is superseded below, by whoever applies the plan.
        let reader = tx.reader();
        let context = reader.decision_context(&merge.admitted, self.policy.capacity)?;
        let context = DecisionContext {
            replaced: Vec::new(),
            eviction_candidates: Vec::new(),
            ..context
        };
        let decision = decide_admission(*merge.admitted, &context, usize::MAX, now);
        let by = decision.lesson;
        if let Some(context) = tx.reader().lesson(self.tenant(), by)?
            && context.status != Status::Active
        {
            // Lessons are never told by one that is not told itself.
            return Ok(Err(format!(
                "{by} says so, and is {}",
                context.status.name()
            )));
        }
        self.apply_changes(tx, decision.changes, progress)?;
        let changes = merge.members.into_iter().filter(|id| *id != by);
        let changes = changes.map(|id| Change::Supersede {
            id,
            by,
            why: Some(CleanText::from_stored(TOLD_AS_ONE.to_owned())),
        });
        let changes = if merge.is_proposed {
            Vec::new()
        } else {
            changes.collect()
        };
        self.apply_changes(tx, changes, progress).map(Ok)
    }

    /// Loads lessons that are recalled, or did until they expired; the inner error is why one is not.
    fn load_current(
        &self,
        tx: &dyn Write,
        ids: &[LessonId],
    ) -> Result<Result<Vec<Lesson>, String>> {
        let mut lessons = Vec::new();
        for id in ids {
            let lesson = tx.reader().lesson(self.tenant(), *id)?;
            let lesson = self
                .principal
                .authorize_lesson(*id, lesson, Rights::Curate)?;
            if lesson.status != Status::Active {
                return Ok(Err(format!("{id} is not active any more")));
            }
            lessons.push(lesson);
        }
        Ok(Ok(lessons))
    }

    fn apply_changes(
        &self,
        tx: &mut dyn Write,
        changes: Vec<Change>,
        progress: &mut SweepProgress,
    ) -> Result<()> {
        for change in changes {
            let id = change.lesson_id();
            let before = tx.reader().lesson(self.tenant(), id)?;
            let after = tx.apply(&self.make_batch(vec![change.clone()]))?;
            if let Some(after) = after.into_iter().flatten().next() {
                progress.note(&change, before.as_ref(), &after);
            }
        }
        Ok(())
    }
}

/// Decides how a lesson leaves: when its time is over by its author's word, else because nobody needed it.
fn archive_swept(
    lesson: &Lesson,
    trust: Trust,
    why: CleanText,
    now: Timestamp,
) -> Result<Vec<Change>, CurationError> {
    let by = if is_expired(lesson, now) {
        Retirement::Expired
    } else {
        Retirement::NeverNeeded
    };
    let (id, status) = (lesson.id, Status::Archived { by, why });
    match by {
        Retirement::Expired => Ok(vec![Change::SetStatus { id, status }]),
        _ => withdraw_lesson(lesson, trust, status),
    }
}

impl SweepProgress {
    fn new(id: PlanId) -> Self {
        let sweep = AppliedSweep {
            id,
            added: Vec::new(),
            retired: Vec::new(),
            left_out: Vec::new(),
        };
        Self {
            done: sweep,
            steps: Vec::new(),
        }
    }

    /// Notes a change and how to take it back.
    fn note(&mut self, change: &Change, before: Option<&Lesson>, after: &Lesson) {
        let reverse = match before {
            Some(before) => reverse_change(change, before),
            None => {
                self.done.added.push(after.id);
                let reason = CleanText::from_stored(TAKEN_BACK.to_owned());
                Some(Change::SetStatus {
                    id: after.id,
                    status: Status::Archived {
                        by: Retirement::TakenBack,
                        why: reason,
                    },
                })
            }
        };
        if before.is_some_and(|before| before.status == Status::Active)
            && after.status != Status::Active
        {
            self.done.retired.push(after.id);
        }
        self.steps
            .extend(reverse.map(|reverse| UndoStep::from_reverse(&reverse, &after.status)));
    }

    fn to_record(&self, desk: &Desk<'_>, now: Timestamp) -> SweepRecord {
        SweepRecord {
            id: self.done.id.to_string(),
            at: now.as_millisecond(),
            actor: desk.principal.actor.0.to_string(),
            retired: self.done.retired.len(),
            added: self.done.added.len(),
            is_undone: false,
            steps: self.steps.iter().rev().cloned().collect(),
        }
    }
}
