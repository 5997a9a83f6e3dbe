//! What is kept of a plan that was applied: each file as it was, in a folder of its own, so that it can be taken back.
//!
//! It is in the folder of state, which only its owner may read, and is written before the files are.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_engine::{Clock as _, SystemClock, plan::PlanId, private_file, regular_file};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{FileEdit, PlacePlan, hash_text};
use crate::{config, error::CliError};

/// A plan that was applied.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlaceRecord {
    pub(super) id: String,
    /// The root of the repository.
    pub(super) root: PathBuf,
    pub(super) files: Vec<OriginalFile>,
    /// When; older ones do not say it.
    #[serde(default)]
    pub(super) at: Option<Timestamp>,
    /// The commit that it made.
    pub(super) commit: Option<String>,
    pub(super) is_undone: bool,
}

/// A plan that was applied.
#[derive(Debug)]
pub struct AppliedPlan {
    /// Its name.
    pub id: String,
    /// When; older records do not say it.
    pub at: Option<Timestamp>,
    /// The root of the repository; `None` for an audit.
    pub root: Option<PathBuf>,
    /// The commit that it made.
    pub commit: Option<String>,
    /// Whether it was taken back.
    pub is_undone: bool,
    /// The lessons that taking it back would move, rename or take out.
    pub lessons: Vec<i64>,
    /// The files that it would put back as they were, where their lines are not told.
    pub restored: Vec<String>,
    /// The files that were changed since: with these it cannot be taken back.
    pub changed_since: Vec<String>,
    /// What it would do to files.
    pub edits: Vec<FileEdit>,
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
                write_kept(&folder.join(name), text.as_bytes())?;
            }
            files.push(OriginalFile {
                path: edit.path.clone(),
                copy: copy.map(|(name, _)| name),
                after: edit.after.as_ref().map(|after| hash_text(after.as_bytes())),
                is_committed: edit.is_committed,
            });
        }
        let record = Self {
            id: id.to_string(),
            root: plan.repository.root().to_owned(),
            files,
            at: Some(SystemClock.now()),
            commit: None,
            is_undone: false,
        };
        record.save()?;
        Ok(record)
    }

    pub(super) fn save(&self) -> Result<(), CliError> {
        let id =
            PlanId::parse(&self.id).ok_or_else(|| CliError::internal("a plan without an id"))?;
        save_record(&folder_of(&id)?, self)
    }

    pub(super) fn load(id: &PlanId) -> Result<Self, CliError> {
        load_record(&folder_of(id)?)?
            .ok_or_else(|| CliError::negative(format!("no plan {id} was applied on this machine")))
    }

    /// Reads a file as it was; `None` if there was none.
    pub(super) fn read_copy(&self, file: &OriginalFile) -> Result<Option<Vec<u8>>, CliError> {
        let Some(name) = &file.copy else {
            return Ok(None);
        };
        let id =
            PlanId::parse(&self.id).ok_or_else(|| CliError::internal("a plan without an id"))?;
        read_kept(&folder_of(&id)?.join(name)).map(Some)
    }
}

/// Saves the record of a plan in its folder.
pub(super) fn save_record(folder: &Path, record: &impl Serialize) -> Result<(), CliError> {
    let json = serde_json::to_vec(record).map_err(|error| CliError::internal(error.to_string()))?;
    write_kept(&folder.join("record.json"), &json)
}

/// Loads the record of a plan from its folder; `None` if there is none.
pub(super) fn load_record<T: DeserializeOwned>(folder: &Path) -> Result<Option<T>, CliError> {
    let path = folder.join("record.json");
    let Ok(text) = regular_file::read_to_string(&path) else {
        return Ok(None);
    };
    let record = serde_json::from_str(&text).map(Some);
    record.map_err(|error| CliError::bad_input(format!("reading {}: {error}", path.display())))
}

/// Writes what is kept of a plan.
pub(super) fn write_kept(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    private_file::write(path, bytes)
        .map_err(|error| CliError::bad_input(format!("writing {}: {error}", path.display())))
}

/// Reads what is kept of a plan.
pub(super) fn read_kept(path: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(path)
        .map_err(|error| CliError::bad_input(format!("reading {}: {error}", path.display())))
}

/// Lists the plans that have a record in a folder.
pub(super) fn list_ids(folder: &Path) -> Result<Vec<PlanId>, CliError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let message = format!("reading {}: {error}", folder.display());
            return Err(CliError::bad_input(message));
        }
    };
    let ids = entries.flatten().filter_map(|entry| {
        let is_recorded = entry.path().join("record.json").is_file();
        PlanId::parse(entry.file_name().to_str()?).filter(|_| is_recorded)
    });
    Ok(ids.collect())
}

/// Returns the folder in which plans have theirs.
pub(super) fn folder_of_all() -> Result<PathBuf, CliError> {
    Ok(config::state_folder()?.join("place"))
}

/// Returns the roots of the repositories in which plans were applied from this machine, each once.
///
/// # Errors
/// If there is no folder of state.
pub fn list_placed_roots() -> Result<BTreeSet<PathBuf>, CliError> {
    let entries = fs::read_dir(folder_of_all()?)
        .into_iter()
        .flatten()
        .flatten();
    let texts = entries
        .filter_map(|entry| regular_file::read_to_string(&entry.path().join("record.json")).ok());
    let records = texts.filter_map(|text| serde_json::from_str::<PlaceRecord>(&text).ok());
    Ok(records.map(|record| record.root).collect())
}

/// Returns the folder of a plan's backups.
pub(super) fn folder_of(id: &PlanId) -> Result<PathBuf, CliError> {
    Ok(folder_of_all()?.join(id.as_str()))
}
