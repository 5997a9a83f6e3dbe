//! Taking a sweep back, as far as nobody has changed its lessons since.

use hardwon_core::LessonId;
use hardwon_store::Write;

use super::record::{SweepRecord, UndoStep};
use crate::{Desk, PlanId, Result, Rights, SweepError};

/// What became of taking a sweep back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneSweep {
    /// Its name.
    pub id: PlanId,
    /// Lessons that are as they were before.
    pub restored: Vec<LessonId>,
    /// Lessons that were changed or erased since, and stay as they are.
    pub left: Vec<LessonId>,
}

impl Desk<'_> {
    /// Takes a sweep back: what it took out is recalled again, what it added leaves.
    ///
    /// # Errors
    ///
    /// `Sweep` if there is no such sweep, or it was taken back already.
    pub fn undo_sweep(&self, id: &PlanId) -> Result<UndoneSweep> {
        self.principal.check_right(Rights::Curate)?;
        let now = self.now();
        self.commit(|tx| {
            let records = SweepRecord::load_all(tx.reader(), self.tenant())?;
            let mut same = records.into_iter().filter(|(_, it)| it.id == id.as_str());
            let unknown = || SweepError::Unknown(id.clone());
            let (number, record) = same.next().ok_or_else(unknown)?;
            // Whoever sees a part of it would take back that part, and nobody could take back the rest.
            if !record.is_seen_by(self, tx.reader())? {
                return Err(unknown().into());
            }
            if record.is_undone {
                return Err(SweepError::Undone(id.clone()).into());
            }
            let mut undone = UndoneSweep {
                id: id.clone(),
                restored: Vec::new(),
                left: Vec::new(),
            };
            for step in &record.steps {
                let list = if self.take_back(tx, step)? {
                    &mut undone.restored
                } else {
                    &mut undone.left
                };
                if !list.contains(&step.lesson) {
                    list.push(step.lesson);
                }
            }
            SweepRecord {
                is_undone: true,
                ..record
            }
            .save(tx, number, now)?;
            Ok(undone)
        })
    }

    /// Returns the sweeps that are kept, the newest first: those of which the principal sees all lessons.
    pub fn sweeps(&self) -> Result<Vec<SweepRecord>> {
        self.principal.check_right(Rights::Curate)?;
        let reader = self.snapshot()?;
        let mut records = Vec::new();
        for (_, record) in SweepRecord::load_all(&*reader, self.tenant())? {
            if record.is_seen_by(self, &*reader)? {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Takes one step back; `false` if the lesson is not as the sweep left it.
    fn take_back(&self, tx: &mut dyn Write, step: &UndoStep) -> Result<bool> {
        let own_lesson = tx.reader().lesson(self.tenant(), step.lesson)?;
        let Some(lesson) = own_lesson.filter(|own_lesson| {
            self.principal.can_see(&own_lesson.scope) && step.fits(&own_lesson.status)
        }) else {
            return Ok(false);
        };
        if !self.principal.trust.is_at_least(lesson.trust) {
            return Ok(false);
        }
        tx.apply(&self.make_batch(step.to_changes()))?;
        Ok(true)
    }
}
