//! The lessons that wait for a person, the oldest first.
//!
//! The verbs that decide about them are in `curate`, and what to compare one with is in `related`.

use std::collections::BTreeMap;

use hardwon_core::{Lesson, LessonId, Status};
use hardwon_store::{LessonListing, ScopeFilter, StatusName};

use crate::{AccessError, Desk, Result, access::Rights, paging::for_each_lesson};

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

    /// Returns the pairs of lessons in use that say of each other that not both can hold, the oldest first: a person decides.
    pub fn opposed_pairs(&self, within: &ScopeFilter) -> Result<Vec<[Lesson; 2]>> {
        self.principal.check_right(Rights::Curate)?;
        let listing = LessonListing {
            within: self.narrow_filter(within)?,
            status: Some(StatusName::Active),
            ..LessonListing::default()
        };
        let mut marked = Vec::new();
        for_each_lesson(&*self.snapshot()?, self.tenant(), listing, |lesson| {
            if !lesson.contradicts.is_empty() && self.principal.can_see(&lesson.scope) {
                marked.push(lesson);
            }
        })?;
        marked.reverse();
        let mut pairs = Vec::new();
        for lesson in marked {
            let others = self.contradictions(&lesson)?.into_iter();
            // The younger one names the older one, so that each pair is there once.
            let others = others.filter(|other| other.id < lesson.id);
            let others = others.filter(|other| other.status == Status::Active);
            pairs.extend(others.map(|other| [other, lesson.clone()]));
        }
        Ok(pairs)
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
