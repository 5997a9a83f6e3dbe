//! Copies a tenant from one store to another: record by record, as each is, with the journal's own digests.
//!
//! [`each_part`] reads, [`Write::put_part`](crate::Write::put_part) writes; all of it happens in one transaction of the
//! target. The text index and the keys of duplicates are made there anew. What is not copied can be made again or is of
//! the moment: vectors, how far transcripts were read, and the state of sessions.

use hardwon_core::{
    BaselineKey, FailureKey, GaussianMessage, Job, Lesson, ModelCost, Recall, RecallId, Scope,
    TenantId,
};

use crate::{
    CandidateLesson, ChainHead, Commit as _, JobListing, JournalEntry, JudgementId,
    JudgementRecord, KeptAnswer, LessonListing, QueryTextReader, Read, Result, Sha256Hash, Store,
    StoreError, StoreErrorKind, error::damaged_error, paging,
};

/// One record of a tenant.
#[derive(Debug, Clone, PartialEq)]
pub enum TenantPart {
    /// An entry of the journal, in the order of their numbers.
    Entry(Box<JournalEntry>),
    /// A lesson in any state.
    Lesson(Box<Lesson>),
    /// A recall that was counted, with the text that it was made for.
    Recall(RecallId, Box<Recall>),
    /// A judgement; the estimates of how things go without lessons are parts of their own.
    Judgement(JudgementId, Box<JudgementRecord>),
    /// An estimate of how things go without lessons.
    Baseline(BaselineKey, GaussianMessage),
    /// A failure that was seen and is not yet a lesson.
    Candidate(Scope, FailureKey, Box<CandidateLesson>),
    /// A job of the queue.
    Job(Box<Job>),
    /// What models cost on a day.
    Cost(i64, ModelCost),
    /// What is kept of a request with this name.
    Answer(Sha256Hash, KeptAnswer),
    /// A scope that anything was ever stored for.
    Scope(Scope),
}

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedTenant {
    /// The number and hash of the journal's last entry, here and there.
    pub journal_head: ChainHead,
    /// Lessons in any state.
    pub lessons: u64,
    /// Recalls.
    pub recalls: u64,
}

/// Copies a tenant with all that was counted of it by now. Nothing is copied on an error.
///
/// # Errors
///
/// `Conflict` if the target has anything of the tenant, or the source changed meanwhile; `NotFound` if the source has
/// nothing of it.
pub fn copy_tenant(from: &dyn Store, to: &dyn Store, tenant: &TenantId) -> Result<CopiedTenant> {
    from.flush(tenant)?;
    let source = from.snapshot()?;
    let head = source.journal_head(tenant)?;
    if source.scopes(tenant)?.is_empty() && head.sequence == 0 {
        let message = format!("the source has nothing of tenant {tenant}");
        return Err(
            StoreError::new(StoreErrorKind::NotFound, "copying a tenant", message)
                .with_hint("the names of tenants are told apart by upper and lower case"),
        );
    }
    let result = to.commit(tenant, |target| -> Result<CopiedTenant> {
        let reader = target.reader();
        if !reader.scopes(tenant)?.is_empty() || reader.journal_head(tenant)?.sequence > 0 {
            return Err(
                refuse_copy(format!("the target has tenant {tenant} already"))
                    .with_hint("erase it there first, if it is a copy of before"),
            );
        }
        let (mut lessons, mut recalls) = (0, 0);
        each_part(&*source, tenant, &mut |part| {
            lessons += u64::from(matches!(part, TenantPart::Lesson(_)));
            recalls += u64::from(matches!(part, TenantPart::Recall(..)));
            target.put_part(&part)
        })?;
        let journal_head = target.reader().journal_head(tenant)?;
        check_head(journal_head, head)?;
        check_head(from.snapshot()?.journal_head(tenant)?, head)?;
        Ok(CopiedTenant {
            journal_head,
            lessons,
            recalls,
        })
    });
    result.map_err(|result| result.with_action("copying a tenant"))
}

fn check_head(found: ChainHead, expected: ChainHead) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(
            refuse_copy("the tenant was changed while it was copied".to_owned())
                .with_hint("stop the servers that serve it, and copy it then"),
        )
    }
}

fn refuse_copy(why: String) -> StoreError {
    StoreError::new(StoreErrorKind::Conflict, "copying a tenant", why)
}

/// Checks that an entry follows a head, before it is put in.
pub fn check_next_entry(head: ChainHead, entry: &JournalEntry) -> Result<()> {
    let follows = entry.sequence == head.sequence + 1 && entry.previous == head.hash;
    if follows {
        Ok(())
    } else {
        Err(damaged_error(
            "an entry of the journal does not follow the one before",
        ))
    }
}

/// Passes on every part of a tenant: the journal from its first entry on, then lessons, and the rest.
pub fn each_part(
    read: &dyn Read,
    tenant: &TenantId,
    take: &mut dyn FnMut(TenantPart) -> Result<()>,
) -> Result<()> {
    for entry in paging::read_journal(read, tenant) {
        take(TenantPart::Entry(Box::new(entry?)))?;
    }
    for lesson in paging::read_lessons(read, tenant, LessonListing::default()) {
        take(TenantPart::Lesson(Box::new(lesson?)))?;
    }
    for row in paging::read_recalls(read, tenant) {
        let (id, mut recall) = row?;
        recall.query_text = read.query_text(tenant, id, QueryTextReader::Owner)?;
        take(TenantPart::Recall(id, Box::new(recall)))?;
    }
    for row in paging::read_judgements(read, tenant) {
        let (id, judged) = row?;
        take(TenantPart::Judgement(id, Box::new(judged)))?;
    }
    // A listing of all states leaves out the jobs that are only remembered.
    for state in [None, Some("seen")] {
        let listing = JobListing {
            state,
            ..JobListing::default()
        };
        for job in paging::read_jobs(read, tenant, listing) {
            take(TenantPart::Job(Box::new(job?)))?;
        }
    }
    read.loose_parts(tenant)?.into_iter().try_for_each(take)
}
