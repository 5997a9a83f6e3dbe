//! Carrying a plan out, and taking one back: a backup, the files, one local commit.
//!
//! The commit is made before a file is touched, and the branch has it after all are written; if it cannot have it, the
//! files are put back. A file that is not as the plan knows it is not touched.

use std::{fs, path::Path};

use hardwon_engine::{PlanId, regular_file};
use hardwon_gates::json::place::PlacedDto;
use hardwon_repo::{FileVersion, Repository, remove_whole, replace_whole};

use super::record::{PlaceRecord, refuse_changed};
use crate::{CliError, FileEdit, PlacePlan, Result, output};

/// Carries a plan out.
pub fn apply_plan(plan: &PlacePlan) -> Result<PlacedDto> {
    let count_text = output::pluralize(plan.choice.placed.len() as u64, "lesson");
    let message = format!(
        "Update the project memory\n\n{count_text} that agents learned here.\n\nHardwon-Place: {}\n",
        plan.block_hash()
    );
    let mut record = None;
    let commit = carry_out(&plan.repository, &plan.edits, &message, || {
        record = Some(PlaceRecord::begin(plan)?);
        Ok(())
    })?;
    if let Some(record) = &mut record {
        record.commit.clone_from(&commit);
        record.save()?;
    }
    Ok(PlacedDto {
        id: plan.id().to_string(),
        files: name_files(&plan.edits),
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
    let folder = record.folder()?;
    let edits = record.files.iter().map(|file| {
        let refusal = || refuse_changed(&record.root.join(&file.path), &folder);
        record.find_undo(file)?.ok_or_else(refusal)
    });
    let edits: Vec<FileEdit> = edits.collect::<Result<_>>()?;
    let message =
        format!("Take back an update of the project memory\n\nHardwon-Place-Undo: {id}\n");
    let commit = carry_out(&repository, &edits, &message, || Ok(()))?;
    record.is_undone = true;
    record.save()?;
    Ok(PlacedDto {
        id: id.to_string(),
        files: name_files(&edits),
        commit,
        undone: true,
    })
}

fn name_files(edits: &[FileEdit]) -> Vec<String> {
    let name = |edit: &FileEdit| edit.path.display().to_string();
    edits.iter().map(name).collect()
}

/// Commits and writes files; `back_up` is called before the first is written. Returns the commit.
fn carry_out(
    repository: &Repository,
    edits: &[FileEdit],
    message: &str,
    back_up: impl FnOnce() -> Result<()>,
) -> Result<Option<String>> {
    let commits = edits.iter().filter(|edit| edit.is_committed);
    let versions = commits.map(|edit| FileVersion {
        path: edit.path.clone(),
        content: edit.after.clone(),
    });
    let versions: Vec<FileVersion> = versions.collect();
    let commit = if versions.is_empty() {
        None
    } else {
        Some(repository.prepare_commit(&versions, message)?)
    };
    back_up()?;
    let mut edits_left = edits.iter();
    let result = edits_left
        .try_for_each(|edit| write(repository, edit))
        .and_then(|()| {
            let commit = commit.map(|commit| repository.finish_commit(&commit));
            Ok(commit.transpose()?)
        });
    if result.is_err() {
        for edit in edits {
            // A file that was not written yet is as it was.
            let path = repository.root().join(&edit.path);
            if read_bytes(&path)? == edit.after {
                put(&path, edit.before.as_deref())?;
            }
        }
    }
    result
}

/// Writes a file, if it is still as it was.
fn write(repository: &Repository, edit: &FileEdit) -> Result<()> {
    let path = repository.root().join(&edit.path);
    if read_bytes(&path)? != edit.before {
        return Err(bad_input!("{} is being changed", path.display())
            .with_hint("run `hardwon place` again"));
    }
    put(&path, edit.after.as_deref())
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
