//! Goes through all rows of a kind, page by page, in one snapshot.

use std::{collections::VecDeque, iter::from_fn};

use hardwon_core::{Job, Lesson, LessonId, TenantId, limits};

use crate::{
    JobListing, JournalEntry, JudgementId, JudgementListing, JudgementRecord, LessonListing, Read,
    Result,
};

/// Returns the rows of all pages, until one is empty or cannot be read: `advance` moves the place from which the next page is
/// read behind the last row of a page.
pub fn read_pages<P, T, E>(
    mut place: P,
    mut read: impl FnMut(&P) -> Result<Vec<T>, E>,
    advance: impl Fn(&mut P, &T),
) -> impl Iterator<Item = Result<T, E>> {
    let (mut page, mut is_over) = (VecDeque::new(), false);
    from_fn(move || {
        if page.is_empty() && !is_over {
            match read(&place) {
                Ok(rows) => page = VecDeque::from(rows),
                Err(error) => {
                    is_over = true;
                    return Some(Err(error));
                }
            }
            match page.back() {
                Some(last) => advance(&mut place, last),
                None => is_over = true,
            }
        }
        page.pop_front().map(Ok)
    })
}

/// Returns all lessons of a listing, in its order.
pub fn read_lessons(
    reader: &dyn Read,
    tenant: &TenantId,
    listing: LessonListing,
) -> impl Iterator<Item = Result<Lesson>> {
    let page = |listing: &LessonListing| reader.lessons(tenant, listing);
    read_pages(listing, page, |listing, last| {
        listing.before = Some(last.id);
    })
}

/// Returns all judgements of a tenant, the newest first.
pub fn read_judgements(
    reader: &dyn Read,
    tenant: &TenantId,
) -> impl Iterator<Item = Result<(JudgementId, JudgementRecord)>> {
    let page = |listing: &JudgementListing| reader.judgements(tenant, listing);
    read_pages(JudgementListing::default(), page, |listing, last| {
        listing.before = Some(last.0);
    })
}

/// Returns all jobs of a listing, the newest first.
pub fn read_jobs(
    reader: &dyn Read,
    tenant: &TenantId,
    listing: JobListing,
) -> impl Iterator<Item = Result<Job>> {
    let page = |listing: &JobListing| reader.jobs(tenant, listing);
    read_pages(listing, page, |listing, last| {
        listing.before = Some(last.id);
    })
}

/// Returns all journal entries of a tenant, the oldest first.
pub fn read_journal(
    reader: &dyn Read,
    tenant: &TenantId,
) -> impl Iterator<Item = Result<JournalEntry>> {
    let page = |after: &u64| reader.journal(tenant, *after, limits::PAGE_ROWS);
    read_pages(0, page, |after, last| *after = last.sequence)
}

/// Returns all journal entries of a lesson, the oldest first.
pub fn read_history(
    reader: &dyn Read,
    tenant: &TenantId,
    id: LessonId,
) -> impl Iterator<Item = Result<JournalEntry>> {
    let page = move |after: &u64| reader.lesson_history(tenant, id, *after, limits::PAGE_ROWS);
    read_pages(0, page, |after, last| *after = last.sequence)
}
