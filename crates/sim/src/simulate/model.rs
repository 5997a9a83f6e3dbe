//! The expected state, independent of any store.
//!
//! The model gets each request and its answer. From that alone it knows which lessons must be there, which must not,
//! and within which bounds their counts are: a lost answer leaves it unsure until the next check.

use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use hardwon_core::{Lesson, LessonId, TenantId};

/// A count that is known, or known within bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BoundedCount {
    least: u64,
    most: u64,
}

impl BoundedCount {
    /// Adds one, which surely happened or perhaps.
    pub(super) fn add(&mut self, surely: bool) {
        self.least += u64::from(surely);
        self.most += 1;
    }

    fn settle_at(&mut self, what: &str, seen: u64) -> anyhow::Result<()> {
        let Self { least, most } = *self;
        ensure!(
            (least..=most).contains(&seen),
            "{what} is {seen}, but only {least} to {most} were observed"
        );
        (self.least, self.most) = (seen, seen);
        Ok(())
    }
}

/// Whether a lesson was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Present,
    /// Its deletion was requested, and the answer was lost.
    Unsure,
    Gone,
}

/// The expected state of one lesson.
#[derive(Debug)]
pub(super) struct LessonFact {
    presence: Presence,
    pub(super) shown: BoundedCount,
    pub(super) helped: BoundedCount,
    pub(super) harmed: BoundedCount,
    /// A made-up word in it, if it was noted and not edited since.
    pub(super) word: Option<String>,
}

/// The expected state of all lessons.
#[derive(Debug, Default)]
pub(super) struct SimModel {
    facts: BTreeMap<(TenantId, LessonId), LessonFact>,
    /// Words of erased lessons.
    pub(super) erased: Vec<String>,
}

impl SimModel {
    /// Picks a lesson of a tenant that may be there.
    pub(super) fn pick_lesson(&self, tenant: &TenantId, pick: usize) -> Option<LessonId> {
        let of_tenant = |it: &&(TenantId, LessonId)| it.0 == *tenant;
        let ids: Vec<LessonId> = (self.facts.iter())
            .filter(|(_, fact)| fact.presence != Presence::Gone)
            .map(|(key, _)| key)
            .filter(of_tenant)
            .map(|(_, id)| *id)
            .collect();
        (!ids.is_empty()).then(|| ids[pick % ids.len()])
    }

    /// Returns the expected state of a lesson, starting empty for a new one.
    pub(super) fn fact(&mut self, tenant: &TenantId, id: LessonId) -> &mut LessonFact {
        self.facts
            .entry((tenant.clone(), id))
            .or_insert(LessonFact {
                presence: Presence::Present,
                shown: BoundedCount::default(),
                helped: BoundedCount::default(),
                harmed: BoundedCount::default(),
                word: None,
            })
    }

    /// Records that the deletion of a lesson was requested.
    pub(super) fn record_deletion(&mut self, tenant: &TenantId, id: LessonId, surely: bool) {
        let fate = if surely {
            Presence::Gone
        } else {
            Presence::Unsure
        };
        let fact = self.fact(tenant, id);
        fact.presence = fate;
        if surely {
            let word = fact.word.take();
            self.erased.extend(word);
        }
    }

    /// Checks all lessons of a tenant, once all recalls are counted, and is sure of them from then on.
    pub(super) fn check_lessons(
        &mut self,
        tenant: &TenantId,
        lessons: &[Lesson],
    ) -> anyhow::Result<()> {
        for lesson in lessons {
            let fact = self.fact(tenant, lesson.id);
            ensure!(
                fact.presence != Presence::Gone,
                "{} is back from the dead",
                lesson.id
            );
            fact.presence = Presence::Present;
            let counts = lesson.counts;
            fact.shown
                .settle_at(&format!("shown of {}", lesson.id), counts.shown)?;
            fact.helped
                .settle_at(&format!("helped of {}", lesson.id), counts.helped)?;
            fact.harmed
                .settle_at(&format!("harmed of {}", lesson.id), counts.harmed)?;
            if let Some(word) = &fact.word {
                let text = lesson.content.text.as_str();
                ensure!(text.contains(word), "{} lost its words: {text}", lesson.id);
            }
        }
        let mut unsure = Vec::new();
        for ((owner, id), fact) in &self.facts {
            let is_there = lessons.iter().any(|lesson| lesson.id == *id);
            if owner != tenant || is_there || fact.presence == Presence::Gone {
                continue;
            }
            if fact.presence == Presence::Present {
                bail!("{id} of {tenant} is gone, and nobody asked for it");
            }
            unsure.push(*id);
        }
        for id in unsure {
            self.record_deletion(tenant, id, true);
        }
        Ok(())
    }
}
