//! What is kept of an audit that was applied, so that it can be taken back.

use std::{fs, path::PathBuf};

use hardwon_engine::PlanId;
use hardwon_gates::json::place::AppliedPlanDto;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::{OriginalFile, folder_of_all, load_record, save_record};
use crate::Result;

/// What is kept of an audit that was applied, so that it can be taken back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct AuditRecord {
    pub(super) id: String,
    /// The files that entries were cut out of.
    pub(super) files: Vec<OriginalFile>,
    /// Lessons that held everywhere and moved.
    pub(super) moved: Vec<i64>,
    /// Lessons that entries became.
    pub(super) added: Vec<i64>,
    /// The plans by which they were placed.
    pub(super) placed: Vec<String>,
    /// When.
    pub(super) at: Timestamp,
    pub(super) is_undone: bool,
}

/// Says of an audit that was applied what taking it back would do.
pub(super) fn describe_audit(id: &PlanId) -> Result<Option<AppliedPlanDto>> {
    let record = AuditRecord::load(id)?;
    Ok(record.map(|record| {
        let files = record.files.iter().map(|file| {
            let is_same = file.is_as_left(fs::read(&file.path).ok().as_deref());
            (file.path.display().to_string(), is_same)
        });
        let (same, changed): (Vec<_>, Vec<_>) = files.partition(|(_, is_same)| *is_same);
        let names = |files: Vec<(String, bool)>| files.into_iter().map(|(path, _)| path);
        let lessons = record.moved.iter().chain(&record.added);
        AppliedPlanDto {
            id: record.id,
            at: record.at,
            root: None,
            commit: None,
            undone: record.is_undone,
            files: Vec::new(),
            restored: names(same).collect(),
            lessons: lessons.copied().collect(),
            changed_since: names(changed).collect(),
        }
    }))
}

/// Returns the folder of the audits that were applied.
pub(super) fn folder_of_audits() -> Result<PathBuf> {
    Ok(folder_of_all()?.join("audits"))
}

impl AuditRecord {
    pub(super) fn folder(&self) -> Result<PathBuf> {
        Ok(folder_of_audits()?.join(&self.id))
    }

    pub(super) fn save(&self) -> Result<()> {
        save_record(&self.folder()?, self)
    }

    pub(super) fn load(id: &PlanId) -> Result<Option<Self>> {
        load_record(&folder_of_audits()?.join(id.as_str()))
    }
}
