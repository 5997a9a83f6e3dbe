//! Which lessons a model was asked about, so that it is not asked again before they change.
//!
//! A lesson is noted by its number and the time of its last change, without its words. Lessons that the model put into a
//! group are not noted: until the group is merged it is asked for again.

use std::collections::BTreeMap;

use hardwon_core::{Lesson, TenantId, limits};
use hardwon_store::{Read, Write};
use jiff::Timestamp;

use super::record::save_row;
use crate::Result;

/// The name of the record.
const ROW_NAME: &str = "hardwon sweep asked";

/// The lessons that a model was asked about, each with the time of its last change in milliseconds.
#[derive(Debug, Default)]
pub(super) struct AskedLessons(BTreeMap<i64, i64>);

impl AskedLessons {
    pub(super) fn load(reader: &dyn Read, tenant: &TenantId) -> Result<Self> {
        let progress = reader.source_progress(tenant, ROW_NAME)?;
        let rows: Option<Vec<(i64, i64)>> =
            progress.and_then(|progress| serde_json::from_slice(&progress.state).ok());
        Ok(Self(rows.unwrap_or_default().into_iter().collect()))
    }

    /// Returns whether a model was asked about a lesson as it is.
    pub(super) fn has(&self, lesson: &Lesson) -> bool {
        self.0.get(&lesson.id.0) == Some(&lesson.updated.as_millisecond())
    }

    /// Notes lessons; of too many the oldest are forgotten.
    pub(super) fn add<'a>(&mut self, lessons: impl Iterator<Item = &'a Lesson>) {
        let rows = lessons.map(|lesson| (lesson.id.0, lesson.updated.as_millisecond()));
        self.0.extend(rows);
        while self.0.len() > limits::SWEEP_LESSONS {
            self.0.pop_first();
        }
    }

    pub(super) fn save(&self, tx: &mut dyn Write, now: Timestamp) -> Result<()> {
        let rows: Vec<(i64, i64)> = self.0.iter().map(|(id, at)| (*id, *at)).collect();
        save_row(tx, ROW_NAME, 0, &rows, now)
    }
}
