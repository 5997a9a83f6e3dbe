//! Taking a sweep back, as far as nobody has changed its lessons since.

use hardwon_core::{access::Rights, id::LessonId, plan::PlanId};
use hardwon_store::Write;

use super::{
    SweepError,
    record::{SweepRecord, UndoStep},
};
use crate::{Desk, Result};

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
            let (number, record) = same.next().ok_or_else(|| SweepError::Unknown(id.clone()))?;
            if record.is_undone {
                return Err(SweepError::Undone(id.clone()).into());
            }
            let mut undone = UndoneSweep {
                id: id.clone(),
                restored: Vec::new(),
                left: Vec::new(),
            };
            for step in &record.steps {
                let list = match self.take_back(tx, step)? {
                    true => &mut undone.restored,
                    false => &mut undone.left,
                };
                if !list.contains(&LessonId(step.lesson)) {
                    list.push(LessonId(step.lesson));
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

    /// Returns the sweeps that are kept, the newest first.
    pub fn sweeps(&self) -> Result<Vec<SweepRecord>> {
        self.principal.check_right(Rights::Curate)?;
        self.check_sees_tenant()?;
        let records = SweepRecord::load_all(&*self.engine.store.snapshot()?, self.tenant())?;
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    /// Takes one step back; `false` if the lesson is not as the sweep left it.
    fn take_back(&self, tx: &mut dyn Write, step: &UndoStep) -> Result<bool> {
        let found = tx.reader().lesson(self.tenant(), LessonId(step.lesson))?;
        let Some(lesson) =
            found.filter(|it| self.principal.can_see(&it.scope) && step.fits(&it.status))
        else {
            return Ok(false);
        };
        if !self.principal.trust.is_at_least(lesson.trust) {
            return Ok(false);
        }
        tx.apply(&self.make_batch(step.to_changes()))?;
        Ok(true)
    }
}
