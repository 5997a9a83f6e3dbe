//! What is kept of a plan that was applied: each file as it was, in a folder of its own, so that it can be taken back.
//!
//! It is in the folder of state, which only its owner may read, and is written before the files are.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use hardwon_engine::{Clock as _, PlanId, SystemClock, private_file, regular_file};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::hash_text;
use crate::{CliError, FileEdit, PlacePlan, Result, config};

/// A plan that was applied.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlaceRecord {
    pub(super) id: String,
    /// The root of the repository.
    pub(super) root: PathBuf,
    pub(super) files: Vec<OriginalFile>,
    /// When.
    pub(super) at: Timestamp,
    /// The commit that it made.
    pub(super) commit: Option<String>,
    pub(super) is_undone: bool,
}

/// A file as it was.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OriginalFile {
    /// Its path: of a placement from the root, of an audit the whole.
    pub(super) path: PathBuf,
    /// The name of its copy; `None` if there was none.
    copy: Option<String>,
    /// A digest of what it became; `None` if it was deleted.
    after: Option<String>,
    #[serde(default)]
    pub(super) is_committed: bool,
}

impl OriginalFile {
    /// Copies the file of an edit into a folder as it is, under a number, and notes what becomes of it.
    pub(super) fn keep(folder: &Path, number: usize, edit: &FileEdit) -> Result<Self> {
        let name = format!("{number}.before");
        if let Some(text) = &edit.before {
            write_kept(&folder.join(&name), text)?;
        }
        Ok(Self {
            path: edit.path.clone(),
            copy: edit.before.as_ref().map(|_| name),
            after: edit.after.as_deref().map(hash_text),
            is_committed: edit.is_committed,
        })
    }

    /// Returns whether what is there now is what the file became.
    pub(super) fn is_as_left(&self, now: Option<&[u8]>) -> bool {
        now.map(hash_text) == self.after
    }

    /// Reads it as it was; `None` if there was none.
    pub(super) fn read_copy(&self, folder: &Path) -> Result<Option<Vec<u8>>> {
        let Some(name) = &self.copy else {
            return Ok(None);
        };
        let path = folder.join(name);
        let bytes = fs::read(&path).map(Some);
        bytes.map_err(CliError::bad_file("reading", &path))
    }
}

/// Says that a file was changed since, so that nothing can be taken back, and where it is as it was.
pub(super) fn refuse_changed(path: &Path, folder: &Path) -> CliError {
    bad_input!("{} was changed since", path.display())
        .with_hint(format!("as it was before, it is in {}", folder.display()))
}

impl PlaceRecord {
    /// Copies the files of a plan as they are, and notes what becomes of them.
    pub(super) fn begin(plan: &PlacePlan) -> Result<Self> {
        let id = plan.id();
        let folder = folder_of(id.as_str())?;
        let edits = plan.edits.iter().enumerate();
        let files = edits.map(|(number, edit)| OriginalFile::keep(&folder, number, edit));
        let record = Self {
            id: id.to_string(),
            root: plan.repository.root().to_owned(),
            files: files.collect::<Result<_, _>>()?,
            at: SystemClock.now(),
            commit: None,
            is_undone: false,
        };
        record.save()?;
        Ok(record)
    }

    /// Returns the edit that takes a file back; `None` if it was changed since.
    pub(super) fn find_undo(&self, file: &OriginalFile) -> Result<Option<FileEdit>> {
        let now = fs::read(self.root.join(&file.path)).ok();
        if !file.is_as_left(now.as_deref()) {
            return Ok(None);
        }
        Ok(Some(FileEdit {
            path: file.path.clone(),
            before: now,
            after: file.read_copy(&self.folder()?)?,
            is_committed: file.is_committed && self.commit.is_some(),
        }))
    }

    pub(super) fn folder(&self) -> Result<PathBuf> {
        folder_of(&self.id)
    }

    pub(super) fn save(&self) -> Result<()> {
        save_record(&self.folder()?, self)
    }

    pub(super) fn load(id: &PlanId) -> Result<Self> {
        load_record(&folder_of(id.as_str())?)?
            .ok_or_else(|| negative!("no plan {id} was applied on this machine"))
    }
}

/// Saves the record of a plan in its folder.
pub(super) fn save_record(folder: &Path, record: &impl Serialize) -> Result<()> {
    let json = serde_json::to_vec(record).map_err(CliError::internal)?;
    write_kept(&folder.join("record.json"), &json)
}

/// Loads the record of a plan from its folder; `None` if there is none.
pub(super) fn load_record<T: DeserializeOwned>(folder: &Path) -> Result<Option<T>> {
    let path = folder.join("record.json");
    let Ok(text) = regular_file::read_to_string(&path) else {
        return Ok(None);
    };
    let record = serde_json::from_str(&text).map(Some);
    record.map_err(CliError::bad_file("reading", &path))
}

/// Writes what is kept of a plan.
fn write_kept(path: &Path, bytes: &[u8]) -> Result<()> {
    private_file::write(path, bytes).map_err(CliError::bad_file("writing", path))
}

/// Lists the plans that have a record in a folder.
pub(super) fn list_ids(folder: &Path) -> Result<Vec<PlanId>> {
    let entries = regular_file::if_there(fs::read_dir(folder));
    let entries = entries.map_err(CliError::bad_file("reading", folder))?;
    let ids = entries.into_iter().flatten().flatten().filter_map(|entry| {
        let is_recorded = entry.path().join("record.json").is_file();
        PlanId::parse(entry.file_name().to_str()?).filter(|_| is_recorded)
    });
    Ok(ids.collect())
}

/// Returns the folder in which plans have theirs.
pub(super) fn folder_of_all() -> Result<PathBuf> {
    Ok(config::state_folder()?.join("place"))
}

/// Returns the roots of the repositories in which plans were applied from this machine, each once.
///
/// # Errors
/// If there is no folder of state.
pub fn list_placed_roots() -> Result<BTreeSet<PathBuf>> {
    let folders = regular_file::list_folder(&folder_of_all()?).unwrap_or_default();
    let records = folders.iter().map(|folder| folder.join("record.json"));
    let texts = records.filter_map(|path| regular_file::read_to_string(&path).ok());
    let records = texts.filter_map(|text| serde_json::from_str::<PlaceRecord>(&text).ok());
    Ok(records.map(|record| record.root).collect())
}

/// Returns the folder of a plan's backups.
fn folder_of(id: &str) -> Result<PathBuf> {
    Ok(folder_of_all()?.join(id))
}
