//! Carrying a plan out, and taking one back: a backup, the files, one local commit.
//!
//! The commit is made before a file is touched, and the branch has it after all are written; if it cannot have it, the
//! files are put back. A file that is not as the plan knows it is not touched.

use std::{fs, path::Path};

use hardwon_engine::{PlanId, regular_file};
use hardwon_gates::json::place::PlacedDto;
use hardwon_repo::{FileVersion, Repository, remove_whole, replace_whole};

use super::record::{OriginalFile, PlaceRecord, refuse_changed};
use crate::{CliError, Result, output};
use crate::{FileEdit, PlacePlan};

/// A file as it is to be, and as it was.
struct PlaceFileStep {
    version: FileVersion,
    old: Option<Vec<u8>>,
    is_committed: bool,
}

/// Carries a plan out.
pub fn apply_plan(plan: &PlacePlan) -> Result<PlacedDto> {
    let steps: Vec<PlaceFileStep> = plan.edits.iter().map(PlaceFileStep::from_edit).collect();
    let count_text = output::pluralize(plan.choice.placed.len() as u64, "lesson");
    let message = format!(
        "Update the project memory\n\n{count_text} that agents learned here.\n\nHardwon-Place: {}\n",
        plan.block_hash()
    );
    let mut record = None;
    let commit = carry_out(&plan.repository, &steps, &message, || {
        record = Some(PlaceRecord::begin(plan)?);
        Ok(())
    })?;
    if let Some(record) = &mut record {
        record.commit.clone_from(&commit);
        record.save()?;
    }
    Ok(PlacedDto {
        id: plan.id().to_string(),
        files: name_files(&steps),
        commit,
        undone: false,
    })
}

/// Takes a plan back, if its files are as it left them.
pub fn undo_plan(id: &PlanId) -> Result<PlacedDto> {
    let mut record = PlaceRecord::load(id)?;
    if record.is_undone {
        return Err(negative!("plan {id} was taken back already"));
    }
    let repository = Repository::find(&record.root)?;
    let mut steps = Vec::new();
    for file in &record.files {
        steps.push(PlaceFileStep::from_record(&repository, &record, file)?);
    }
    let message =
        format!("Take back an update of the project memory\n\nHardwon-Place-Undo: {id}\n");
    let commit = carry_out(&repository, &steps, &message, || Ok(()))?;
    record.is_undone = true;
    record.save()?;
    Ok(PlacedDto {
        id: id.to_string(),
        files: name_files(&steps),
        commit,
        undone: true,
    })
}

fn name_files(steps: &[PlaceFileStep]) -> Vec<String> {
    let name = |step: &PlaceFileStep| step.version.path.display().to_string();
    steps.iter().map(name).collect()
}

impl PlaceFileStep {
    fn from_edit(edit: &FileEdit) -> Self {
        Self {
            version: FileVersion {
                path: edit.path.clone(),
                content: edit.after.clone().map(String::into_bytes),
            },
            old: edit.before.clone().map(String::into_bytes),
            is_committed: edit.is_committed,
        }
    }

    fn from_record(
        repository: &Repository,
        record: &PlaceRecord,
        file: &OriginalFile,
    ) -> Result<Self> {
        let path = repository.root().join(&file.path);
        let now = read_bytes(&path)?;
        let folder = record.folder()?;
        if !file.is_as_left(now.as_deref()) {
            return Err(refuse_changed(&path, &folder));
        }
        Ok(Self {
            version: FileVersion {
                path: file.path.clone(),
                content: file.read_copy(&folder)?,
            },
            old: now,
            is_committed: file.is_committed && record.commit.is_some(),
        })
    }

    /// Writes the file, if it is still as it was.
    fn write(&self, repository: &Repository) -> Result<()> {
        let path = repository.root().join(&self.version.path);
        if read_bytes(&path)? != self.old {
            return Err(bad_input!("{} is being changed", path.display())
                .with_hint("run `hardwon place` again"));
        }
        put(&path, self.version.content.as_deref())
    }

    fn put_back(&self, repository: &Repository) -> Result<()> {
        put(
            &repository.root().join(&self.version.path),
            self.old.as_deref(),
        )
    }
}

/// Commits and writes files; `back_up` is called before the first is written. Returns the commit.
fn carry_out(
    repository: &Repository,
    steps: &[PlaceFileStep],
    message: &str,
    back_up: impl FnOnce() -> Result<()>,
) -> Result<Option<String>> {
    let edits = steps.iter().filter(|step| step.is_committed);
    let versions: Vec<FileVersion> = edits.map(|edit| edit.version.clone()).collect();
    let commit = if versions.is_empty() {
        None
    } else {
        Some(repository.prepare_commit(&versions, message)?)
    };
    back_up()?;
    let mut steps_left = steps.iter();
    let result = steps_left
        .try_for_each(|step| step.write(repository))
        .and_then(|()| {
            let commit = commit.map(|commit| repository.finish_commit(&commit));
            Ok(commit.transpose()?)
        });
    if result.is_err() {
        for step in steps {
            // A file that was not written yet is as it was.
            let path = repository.root().join(&step.version.path);
            if read_bytes(&path)? == step.version.content {
                step.put_back(repository)?;
            }
        }
    }
    result
}

fn put(path: &Path, content: Option<&[u8]>) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    let result = match content {
        Some(content) => fs::create_dir_all(folder).and_then(|()| replace_whole(path, content)),
        // Git keeps no empty folders either; one that is not empty stays.
        None => remove_whole(path).map(|()| {
            for above in folder.ancestors().take(2) {
                drop(fs::remove_dir(above));
            }
        }),
    };
    result.map_err(CliError::bad_file("writing", path))
}

fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    regular_file::if_there(fs::read(path)).map_err(CliError::bad_file("reading", path))
}
