//! Iterates over all rows of a kind, page by page, in one snapshot: lessons, judgements, journal entries.

use hardwon_core::{id::TenantId, lesson::Lesson, limits};
use hardwon_store::{
    JudgementListing, JudgementRecord, LessonListing, Read, journal::JournalEntry,
};

use crate::Result;

/// Calls `each` with every lesson of a listing, in its order.
pub(crate) fn for_each_lesson(
    reader: &dyn Read,
    tenant: &TenantId,
    listing: LessonListing,
    mut each: impl FnMut(Lesson),
) -> Result<()> {
    let mut listing = listing;
    loop {
        let page = reader.lessons(tenant, &listing)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        listing.before = Some(last.id);
        page.into_iter().for_each(&mut each);
    }
}

/// Calls `each` with every judgement of a tenant, the newest first.
pub(crate) fn for_each_judgement(
    reader: &dyn Read,
    tenant: &TenantId,
    mut each: impl FnMut(JudgementRecord),
) -> Result<()> {
    let mut listing = JudgementListing::default();
    loop {
        let page = reader.judgements(tenant, &listing)?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        listing.before = Some(*last);
        page.into_iter().for_each(|(_, judged)| each(judged));
    }
}

/// Calls `each` with every journal entry of a tenant, the oldest first.
pub(crate) fn for_each_entry(
    reader: &dyn Read,
    tenant: &TenantId,
    mut each: impl FnMut(&JournalEntry),
) -> Result<()> {
    let mut after = 0;
    loop {
        let page = reader.journal(tenant, after, limits::PAGE_ROWS)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.sequence;
        page.iter().for_each(&mut each);
    }
}
