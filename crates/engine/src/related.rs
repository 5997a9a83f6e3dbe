//! What stands beside a lesson: what it replaced and what replaced it, and which others are alike.

use hardwon_core::{
    access::{Rights, Visibility},
    change::Meaning,
    id::LessonId,
    journal::JournalEntry,
    lesson::{Lesson, Status},
    limits,
    tokens::QueryTerms,
};
use hardwon_store::LessonQuery;

use crate::{Desk, Result};

/// The share of words that makes two lessons worth comparing.
const MIN_OVERLAP: f64 = 0.5;

/// What another lesson is to one that somebody looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It would be replaced by it.
    Replaced,
    /// It says the opposite.
    Opposite,
    /// It says nearly the same, or the same words in another way.
    Similar,
}

impl Desk<'_> {
    /// Returns the lessons to compare one with, the most telling first: those that it names as
    /// replaced, those that say the opposite, those that are alike.
    pub fn related_lessons(&self, lesson: &Lesson) -> Result<Vec<(Relation, Lesson)>> {
        let mut beside = Vec::new();
        for id in lesson.supersedes.iter().take(limits::SIMILAR_LESSONS) {
            let old = self.lesson_if_visible(*id)?;
            let old = old.filter(|old| old.status == Status::Active);
            beside.extend(old.map(|old| (Relation::Replaced, old)));
        }
        let opposed = self.contradictions(lesson)?;
        beside.extend(opposed.into_iter().map(|it| (Relation::Opposite, it)));
        let alike = self.find_similar(lesson)?;
        beside.extend(alike.into_iter().map(|it| (Relation::Similar, it)));
        let mut seen = vec![lesson.id];
        beside.retain(|(_, it)| {
            let is_new = !seen.contains(&it.id);
            seen.push(it.id);
            is_new
        });
        Ok(beside)
    }

    /// Returns lessons that may be recalled where this one is and share most of its words.
    fn find_similar(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let content = &lesson.content;
        let found = self.engine.store.snapshot()?.search(&LessonQuery {
            scope: lesson.scope.clone(),
            terms: QueryTerms::from_prompt(&format!("{} {}", content.signature, content.text)),
            limit: limits::CANDIDATES,
            now: self.now(),
            vector: None,
        })?;
        let meaning = Meaning::from_content(content);
        let hits = found.hits.into_iter().map(|hit| hit.lesson);
        let share = |it: &Lesson| meaning.word_overlap(&Meaning::from_content(&it.content));
        let mut alike: Vec<(f64, Lesson)> = hits.map(|it| (share(&it), it)).collect();
        alike.retain(|(share, it)| *share >= MIN_OVERLAP && self.principal.can_see(&it.scope));
        alike.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(alike.into_iter().map(|(_, it)| it).collect())
    }

    /// Returns the line of lessons that replaced one another, the oldest first, with this one among
    /// them; at most [`limits::LINEAGE_LESSONS`].
    pub fn lineage(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let mut line = vec![lesson.clone()];
        let mut next = 0;
        while let Some(newer) = line
            .get(next)
            .filter(|_| line.len() < limits::LINEAGE_LESSONS)
        {
            let mut older = self
                .engine
                .store
                .snapshot()?
                .lessons_replaced_by(self.tenant(), newer.id)?;
            older.retain(|it| self.principal.can_see(&it.scope));
            next += 1;
            line.extend(without_known(&line, older));
        }
        line.reverse();
        while let Some(last) = line.last().filter(|_| line.len() < limits::LINEAGE_LESSONS) {
            let Status::Superseded { by } = last.status else {
                break;
            };
            let newer = without_known(&line, self.lesson_if_visible(by)?);
            if newer.is_empty() {
                break;
            }
            line.extend(newer);
        }
        line.truncate(limits::LINEAGE_LESSONS);
        Ok(line)
    }

    /// Returns everything that the journal says of one lesson, the oldest first; the newest
    /// [`limits::PAGE_ROWS`] entries.
    pub fn history(&self, id: LessonId) -> Result<Vec<JournalEntry>> {
        let reader = self.engine.store.snapshot()?;
        let found = reader.lesson(self.tenant(), id)?;
        // Of one that was erased nobody knows whose it was, but who owns all of them may look.
        if found.is_some() || self.principal.visibility < Visibility::Tenant {
            self.principal.authorize_lesson(id, found, Rights::Curate)?;
        }
        self.principal.check_right(Rights::Curate)?;
        let mut entries: Vec<JournalEntry> = Vec::new();
        loop {
            let after = entries.last().map_or(0, |it| it.sequence);
            let page = reader.lesson_history(self.tenant(), id, after, limits::PAGE_ROWS)?;
            if page.is_empty() {
                return Ok(entries);
            }
            entries.extend(page);
            let surplus = entries.len().saturating_sub(limits::PAGE_ROWS);
            entries.drain(..surplus);
        }
    }
}

/// Returns those that a line has not come by yet.
fn without_known(line: &[Lesson], more: impl IntoIterator<Item = Lesson>) -> Vec<Lesson> {
    let is_known = |it: &Lesson| line.iter().any(|known| known.id == it.id);
    more.into_iter().filter(|it| !is_known(it)).collect()
}
