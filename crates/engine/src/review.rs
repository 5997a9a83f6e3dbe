//! The lessons that wait for a person, the oldest first.
//!
//! The verbs that decide about them are in `curate`, and what to compare one with is in `related`.

use std::collections::BTreeMap;

use hardwon_core::{Lesson, LessonId, Status};
use hardwon_store::{LessonListing, ScopeFilter, StatusName};

use crate::{AccessError, Desk, Result, access::Rights};

impl Desk<'_> {
    /// Returns the lessons of a part of the tenant that wait for a person, the oldest first: at most `limit`, after one.
    pub fn waiting_lessons(
        &self,
        within: &ScopeFilter,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        self.principal.check_right(Rights::Curate)?;
        let mut oldest = BTreeMap::new();
        for status in [StatusName::Pending, StatusName::Quarantined] {
            let mut listing = LessonListing {
                within: within.clone(),
                status: Some(status),
                ..LessonListing::default()
            };
            loop {
                let page = self.lessons(&listing)?;
                let Some(last) = page.last() else { break };
                listing.before = Some(last.id);
                oldest.extend(page.into_iter().map(|page| (page.id, page)));
                oldest = oldest.split_off(&LessonId(after.0.saturating_add(1)));
                // Stores list the newest first, so what is kept of each page is bounded here.
                while oldest.len() > limit {
                    oldest.pop_last();
                }
            }
        }
        Ok(oldest.into_values().collect())
    }

    /// Returns a lesson that waits for a person; any other is not there.
    pub fn waiting_lesson(&self, id: LessonId) -> Result<Lesson> {
        let lesson = self.find_lesson(id, Rights::Curate)?;
        match lesson.status {
            Status::Pending { .. } | Status::Quarantined { .. } => Ok(lesson),
            _ => Err(AccessError::NotFound(id).into()),
        }
    }
}
