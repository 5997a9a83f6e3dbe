//! Going through all rows of a kind, page by page, in one snapshot: lessons, judgements, journal entries.

use hardwon_core::{id::TenantId, journal::JournalEntry, lesson::Lesson, limits};
use hardwon_store::{JudgementListing, JudgementRecord, LessonListing, Read};

use crate::Result;

/// Goes through all lessons that a listing asks for, in its order.
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

/// Goes through all judgements of a tenant, the newest first.
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

/// Goes through the journal of a tenant, the oldest entry first.
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
