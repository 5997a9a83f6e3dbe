//! What is kept of a plan that was applied: each file as it was, in a folder of its own, so that it can be taken back.
//!
//! It is in the folder of state, which only its owner may read, and is written before the files are.

use std::{fs, path::PathBuf};

use hardwon_core::plan::PlanId;
use hardwon_engine::{private_file, regular_file};
use serde::{Deserialize, Serialize};

use super::{PlacePlan, hash_text};
use crate::{config, error::CliError};

/// A plan that was applied.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlaceRecord {
    pub(super) id: String,
    /// The root of the repository.
    pub(super) root: PathBuf,
    pub(super) files: Vec<OriginalFile>,
    /// The commit that it made.
    pub(super) commit: Option<String>,
    pub(super) is_undone: bool,
}

/// A file as it was.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OriginalFile {
    /// Its path from the root.
    pub(super) path: PathBuf,
    /// The name of its copy; `None` if there was none.
    pub(super) copy: Option<String>,
    /// A digest of what it became; `None` if it was deleted.
    pub(super) after: Option<String>,
    pub(super) is_committed: bool,
}

impl PlaceRecord {
    /// Copies the files of a plan as they are, and notes what becomes of them.
    pub(super) fn begin(plan: &PlacePlan) -> Result<Self, CliError> {
        let id = plan.id();
        let folder = folder_of(&id)?;
        let mut files = Vec::new();
        for (number, edit) in plan.edits.iter().enumerate() {
            let copy = edit
                .before
                .as_ref()
                .map(|text| (format!("{number}.before"), text));
            if let Some((name, text)) = &copy {
                let path = folder.join(name);
                private_file::write(&path, text.as_bytes()).map_err(|error| {
                    CliError::bad_input(format!("writing the backup {}: {error}", path.display()))
                })?;
            }
            files.push(OriginalFile {
                path: edit.path.clone(),
                copy: copy.map(|(name, _)| name),
                after: edit.after.as_ref().map(|it| hash_text(it.as_bytes())),
                is_committed: edit.is_committed,
            });
        }
        let record = Self {
            id: id.to_string(),
            root: plan.repository.root().to_owned(),
            files,
            commit: None,
            is_undone: false,
        };
        record.save()?;
        Ok(record)
    }

    pub(super) fn save(&self) -> Result<(), CliError> {
        let id =
            PlanId::parse(&self.id).ok_or_else(|| CliError::internal("a plan without an id"))?;
        let path = folder_of(&id)?.join("record.json");
        let json =
            serde_json::to_vec(self).map_err(|error| CliError::internal(error.to_string()))?;
        private_file::write(&path, &json)
            .map_err(|error| CliError::bad_input(format!("writing {}: {error}", path.display())))
    }

    pub(super) fn load(id: &PlanId) -> Result<Self, CliError> {
        let path = folder_of(id)?.join("record.json");
        let text = regular_file::read_to_string(&path)
            .map_err(|_| CliError::negative(format!("no plan {id} was applied on this machine")))?;
        serde_json::from_str(&text)
            .map_err(|error| CliError::bad_input(format!("reading {}: {error}", path.display())))
    }

    /// Reads a file as it was; `None` if there was none.
    pub(super) fn read_copy(&self, file: &OriginalFile) -> Result<Option<Vec<u8>>, CliError> {
        let Some(name) = &file.copy else {
            return Ok(None);
        };
        let id =
            PlanId::parse(&self.id).ok_or_else(|| CliError::internal("a plan without an id"))?;
        let path = folder_of(&id)?.join(name);
        let read = fs::read(&path);
        read.map(Some).map_err(|error| {
            CliError::bad_input(format!("reading the backup {}: {error}", path.display()))
        })
    }
}

/// Returns the folder of a plan's backups.
pub(super) fn folder_of(id: &PlanId) -> Result<PathBuf, CliError> {
    Ok(config::state_folder()?.join("place").join(id.as_str()))
}
