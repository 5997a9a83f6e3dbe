//! Lessons related to one: what it replaced, what replaced it, and similar or contradicting ones.

use std::collections::VecDeque;

use hardwon_core::{Lesson, LessonId, Meaning, Stance, Status, limits};
use hardwon_store::{JournalEntry, LessonQuery, journal::JournalEntryKind, paging::read_history};

use crate::{Desk, Result, Visibility, access::Rights};

/// Most lessons that one is compared with: each is read for what it advises and warns of.
const MAX_COMPARED: usize = 8;
/// The share of words, from 0 to 1, that makes two lessons worth comparing.
const MIN_OVERLAP: f64 = 0.5;

hardwon_core::named_enum! {
    /// The relation of another lesson to the one in question.
    Relation {
        /// It would be replaced by it.
        Replaced = "replaced",
        /// It contradicts it.
        Opposite = "opposite",
        /// It says nearly the same, or uses the same words differently.
        Similar = "alike",
    }
}

impl Relation {
    /// Says how a lesson stands to the other one: `would replace`.
    pub fn words(self, lesson: &Lesson, other: &Lesson) -> &'static str {
        match self {
            Self::Replaced if !lesson.trust.is_at_least(other.trust) => {
                "claims to replace, but is trusted less than,"
            }
            Self::Replaced => "would replace",
            Self::Opposite => "contradicts",
            Self::Similar => "is like",
        }
    }
}

/// One lesson of a line of successors, and how it came to step back.
#[derive(Debug, Clone, PartialEq)]
pub struct LineageLink {
    /// The lesson.
    pub lesson: Lesson,
    /// The change by which it stepped back; `None` for one that did not.
    pub retired_by: Option<JournalEntry>,
}

impl Desk<'_> {
    /// Returns the lessons to compare one with, the most important first: those that it names as replaced, those that
    /// contradict it, those that are similar.
    pub fn related_lessons(&self, lesson: &Lesson) -> Result<Vec<(Relation, Lesson)>> {
        let mut beside = Vec::new();
        for id in lesson.supersedes.iter().take(limits::SIMILAR_LESSONS) {
            let old = self.lesson_if_visible(*id)?;
            let old = old.filter(|old| old.status == Status::Active);
            beside.extend(old.map(|old| (Relation::Replaced, old)));
        }
        let near = self.find_near(lesson)?;
        for opposite in self.list_opposites(lesson, &near)? {
            beside.push((Relation::Opposite, opposite));
        }
        for alike in sort_similar(lesson, near) {
            beside.push((Relation::Similar, alike));
        }
        let mut known_ids = vec![lesson.id];
        beside.retain(|(_, it)| {
            let is_new = !known_ids.contains(&it.id);
            known_ids.push(it.id);
            is_new
        });
        Ok(beside)
    }

    /// Returns the lessons that contradict one: those that are marked so, and of those about the same words such as say the
    /// opposite.
    pub fn opposite_lessons(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let near = self.find_near(lesson)?;
        self.list_opposites(lesson, &near)
    }

    fn list_opposites(&self, lesson: &Lesson, near: &[Lesson]) -> Result<Vec<Lesson>> {
        let stance = Stance::from_content(&lesson.content);
        let mut opposites = self.contradictions(lesson)?;
        for other in near.iter().filter(|other| other.id != lesson.id) {
            let is_known = opposites.iter().any(|known| known.id == other.id);
            if !is_known && stance.opposes(&Stance::from_content(&other.content)) {
                opposites.push(other.clone());
            }
        }
        Ok(opposites)
    }

    /// Finds lessons recallable in the same scope that have words of this one.
    fn find_near(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let words = format!("{} {}", lesson.content.signature, lesson.content.text);
        let query = LessonQuery {
            limit: MAX_COMPARED,
            ..self.query_words(&lesson.scope, &words)
        };
        let mut near = self.search(&query)?;
        near.retain(|other| self.principal.can_see(&other.scope));
        Ok(near)
    }

    /// Returns the chain of lessons that replaced one another, the oldest first, with this one among them; at most
    /// [`limits::LINEAGE_LESSONS`].
    pub fn lineage(&self, lesson: &Lesson) -> Result<Vec<LineageLink>> {
        let line = self.find_line(lesson)?;
        line.into_iter()
            .map(|line| self.link_lesson(line))
            .collect()
    }

    fn link_lesson(&self, lesson: Lesson) -> Result<LineageLink> {
        let mut retired_by = None;
        if matches!(lesson.status, Status::Superseded { .. }) {
            let mut newest = self.history(lesson.id)?.into_iter().rev();
            retired_by = newest.find(|newest| newest.body.kind == JournalEntryKind::Status);
        }
        Ok(LineageLink { lesson, retired_by })
    }

    fn find_line(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let mut line = vec![lesson.clone()];
        let mut next = 0;
        while let Some(newer) = line
            .get(next)
            .filter(|_| line.len() < limits::LINEAGE_LESSONS)
        {
            let mut older = self
                .snapshot()?
                .lessons_replaced_by(self.tenant(), newer.id)?;
            older.retain(|older| self.principal.can_see(&older.scope));
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

    /// Returns the journal entries of one lesson, the oldest first; the newest [`limits::PAGE_ROWS`] of them.
    pub fn history(&self, id: LessonId) -> Result<Vec<JournalEntry>> {
        let reader = self.snapshot()?;
        let lesson = reader.lesson(self.tenant(), id)?;
        // The scope of an erased lesson is not known, but the owner of the tenant may look.
        if lesson.is_some() || self.principal.visibility < Visibility::Tenant {
            self.principal
                .authorize_lesson(id, lesson, Rights::Curate)?;
        }
        self.principal.check_right(Rights::Curate)?;
        let mut entries = VecDeque::new();
        for entry in read_history(&*reader, self.tenant(), id) {
            if entries.len() == limits::PAGE_ROWS {
                entries.pop_front();
            }
            entries.push_back(entry?);
        }
        Ok(entries.into())
    }
}

/// Returns those lessons that share most words with one, the most similar first.
fn sort_similar(lesson: &Lesson, near: Vec<Lesson>) -> Vec<Lesson> {
    let meaning = Meaning::from_content(&lesson.content);
    let share = |other: &Lesson| meaning.word_overlap(&Meaning::from_content(&other.content));
    let mut alike: Vec<(f64, Lesson)> = near
        .into_iter()
        .map(|lesson| (share(&lesson), lesson))
        .collect();
    alike.retain(|(share, _)| *share >= MIN_OVERLAP);
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.into_iter().map(|(_, other)| other).collect()
}

/// Returns those lessons that are not in the chain yet.
fn without_known(line: &[Lesson], more: impl IntoIterator<Item = Lesson>) -> Vec<Lesson> {
    let is_known = |it: &Lesson| line.iter().any(|known| known.id == it.id);
    more.into_iter()
        .filter(|lesson| !is_known(lesson))
        .collect()
}
