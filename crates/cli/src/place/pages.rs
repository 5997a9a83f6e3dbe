//! The pages of long lessons in a project's `docs/hardwon/`: what becomes of each, and whether they are as they should be.
//!
//! A page is wholly ours, and known by its first line. A file of that name that is none is never touched; neither is
//! anything behind a link, which might lead out of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_gates::place::{AgentsFile, PAGE_FOLDER, PlaceChoice, find_page_state};
use hardwon_repo::Repository;

use super::{
    FileEdit, PlacePlan,
    work_text::{not_committed, read_file, read_text, unify_breaks},
};
use crate::error::CliError;

/// Most pages that are looked at.
const PAGES: usize = 1000;

/// Returns whether the block of a file leads to pages.
pub(super) fn has_pages(repository: &Repository, name: &str) -> Result<bool, CliError> {
    let text = read_file(repository, name)?.text.unwrap_or_default();
    let file = AgentsFile::parse(&text);
    Ok(file.is_ok_and(|file| !file.page_links().is_empty()))
}

/// Adds what becomes of pages: those of the choice, and those that nothing leads to any more. `name` is the file of the
/// block.
pub(super) fn add_pages(plan: &mut PlacePlan, name: &str) -> Result<(), CliError> {
    refuse_links(&plan.repository)?;
    let pages: Vec<(PathBuf, String)> = plan
        .choice
        .pages
        .iter()
        .map(|page| (PathBuf::from(page.path()), page.render()))
        .collect();
    let mut old_pages = list_pages(&plan.repository)?;
    old_pages.extend(list_committed_pages(&plan.repository, name)?);
    old_pages.sort();
    old_pages.dedup();
    old_pages.retain(|path| !pages.iter().any(|(wanted, _)| wanted == path));
    for (path, text) in pages {
        add_page(plan, path, Some(text))?;
    }
    for path in old_pages {
        add_page(plan, path, None)?;
    }
    Ok(())
}

fn add_page(plan: &mut PlacePlan, path: PathBuf, after: Option<String>) -> Result<(), CliError> {
    let before = read_text(&plan.repository.root().join(&path))?;
    let name = path.display();
    if before
        .as_deref()
        .is_some_and(|before| find_page_state(before).is_none())
    {
        let message = format!("{name} is there already, and not of hardwon's making");
        return Err(
            CliError::bad_input(message).with_hint("move it elsewhere, or place without --docs")
        );
    }
    let parts = [
        path.as_os_str().as_encoded_bytes(),
        before.as_deref().unwrap_or_default().as_bytes(),
    ];
    plan.basis = plan.basis.with_texts(parts);
    let is_ignored = plan.repository.is_ignored(&path);
    if is_ignored {
        plan.notes.push(format!(
            "git ignores {name}: it is written, and not committed"
        ));
    }
    let edit = FileEdit {
        is_committed: !is_ignored,
        path,
        before,
        after,
    };
    let committed_text = plan.read_committed(&edit)?;
    check_committed(&edit, committed_text.as_deref())?;
    plan.push_edit(edit, committed_text.as_deref());
    Ok(())
}

/// Checks that a page holds nobody's work that is not committed yet.
fn check_committed(edit: &FileEdit, committed: Option<&[u8]>) -> Result<(), CliError> {
    let before = edit
        .before
        .as_ref()
        .map(|before| unify_breaks(before.as_bytes()));
    // As a killed process leaves it: written, and not committed.
    let is_ours = edit.before.is_none() || edit.before == edit.after;
    if !edit.is_committed || is_ours || committed.map(unify_breaks) == before {
        Ok(())
    } else {
        Err(not_committed(&format!(
            "{} has changes that are not committed",
            edit.path.display()
        )))
    }
}

/// Lists the files of the folder that are pages.
fn list_pages(repository: &Repository) -> Result<Vec<PathBuf>, CliError> {
    let folder = repository.root().join(PAGE_FOLDER);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut names: Vec<PathBuf> = files
        .map(|file| Path::new(PAGE_FOLDER).join(file.file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .take(PAGES)
        .collect();
    names.sort();
    let mut pages = Vec::new();
    for path in names {
        let text = read_text(&repository.root().join(&path))?.unwrap_or_default();
        if find_page_state(&text).is_some() {
            pages.push(path);
        }
    }
    Ok(pages)
}

/// Lists the pages that the block of the latest commit leads to: a killed process may have deleted one and not committed
/// that.
fn list_committed_pages(repository: &Repository, name: &str) -> Result<Vec<PathBuf>, CliError> {
    let path = read_file(repository, name)?.path;
    let committed_text = repository.read_committed(&path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&committed_text);
    let links = AgentsFile::parse(&text).map(|file| file.page_links());
    Ok(links
        .unwrap_or_default()
        .into_iter()
        .map(PathBuf::from)
        .collect())
}

/// Refuses folders that a link leads to, out of the repository perhaps.
fn refuse_links(repository: &Repository) -> Result<(), CliError> {
    let folders = Path::new(PAGE_FOLDER)
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty());
    for folder in folders {
        let path = repository.root().join(folder);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir()) {
            let message = format!("{} is no folder of this repository", folder.display());
            return Err(CliError::bad_input(message).with_hint("place without --docs"));
        }
    }
    Ok(())
}

/// Returns what is wrong with the pages that a block leads to; `None` if they are as they were written.
pub fn find_fault(repository: &Repository, links: &[String]) -> Result<Option<String>, CliError> {
    if !links.is_empty() {
        refuse_links(repository)?;
    }
    for link in links {
        let text = read_text(&repository.root().join(link))?;
        match text.as_deref().map(find_page_state) {
            None => {
                return Ok(Some(format!(
                    "the block leads to {link}, which is not there"
                )));
            }
            Some(None) => return Ok(Some(format!("{link} is not of hardwon's making"))),
            Some(Some(false)) => return Ok(Some(format!("{link} was edited by hand"))),
            Some(Some(true)) => {}
        }
    }
    Ok(None)
}

/// Returns whether the pages of a choice are there as they should be.
pub fn are_current(repository: &Repository, choice: &PlaceChoice) -> Result<bool, CliError> {
    for page in &choice.pages {
        let text = read_text(&repository.root().join(page.path()))?;
        let text = text.map(|text| unify_breaks(text.as_bytes()));
        if text.as_deref() != Some(page.render().as_bytes()) {
            return Ok(false);
        }
    }
    Ok(true)
}
