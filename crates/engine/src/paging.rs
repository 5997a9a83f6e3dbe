//! Goes through all lessons of a listing, page by page, in one snapshot.

use hardwon_core::{Lesson, TenantId};
use hardwon_store::{LessonListing, Read, paging::read_lessons};

use crate::Result;

/// Calls `each` with every lesson of a listing, in its order.
pub(crate) fn for_each_lesson(
    reader: &dyn Read,
    tenant: &TenantId,
    listing: LessonListing,
    mut each: impl FnMut(Lesson),
) -> Result<()> {
    for lesson in read_lessons(reader, tenant, listing) {
        each(lesson?);
    }
    Ok(())
}
