//! Looking: the lessons of the project, the files as they are, and what they would be.

use std::{env, path::Path};

use hardwon_core::LessonId;
use hardwon_engine::{Clock as _, PlanBasis, SystemClock, place::PlaceableLessons};
use hardwon_gates::{
    leak::LeakScanner,
    place::{AgentsFile, BlockFault, PlaceCandidate, PlaceChoice, PlaceTarget, choose_for_block},
};
use hardwon_repo::Repository;

use super::work_text::{FoundFile, SHARED_FILE, not_committed, read_shared, unify_breaks};
use crate::{CliError, FileEdit, PlacePlan, Result, Settings, open};

/// Finds the repository of this folder.
pub fn find_repository() -> Result<Repository> {
    // The hints of the leak gate are about folders without git, which have no project.
    Repository::find(&env::current_dir()?).map_err(CliError::bad_input)
}

/// Makes a plan. What `scanner` finds must not be in the file, which is made if `may_create` says so.
pub fn make_plan(
    settings: &Settings,
    may_create: bool,
    scanner: &LeakScanner,
) -> Result<PlacePlan> {
    let repository = find_repository()?;
    let lessons = find_lessons(settings)?;
    plan_found(repository, settings, &lessons, may_create, scanner)
}

/// Makes a plan of these lessons.
pub fn plan_found(
    repository: Repository,
    settings: &Settings,
    found: &PlaceableLessons,
    may_create: bool,
    scanner: &LeakScanner,
) -> Result<PlacePlan> {
    let choice = choose(settings, found, scanner)?;
    let mut plan = PlacePlan {
        basis: PlanBasis::from_lessons(&found.lessons),
        repository,
        may_create,
        choice,
        edits: Vec::new(),
        notes: Vec::new(),
        lacks_file: false,
    };
    plan.add_file()?;
    Ok(plan)
}

/// Leaves of these lessons those that the shared file has and those that a plan names.
pub fn keep_named(
    repository: &Repository,
    found: &mut PlaceableLessons,
    is_named: impl Fn(LessonId) -> bool,
) -> Result<()> {
    let text = read_shared(repository)?.text.unwrap_or_default();
    let file = AgentsFile::parse(&text).ok();
    let is_there = |id| file.as_ref().is_some_and(|file| file.has_line_of(id));
    let is_meant = |id| is_named(id) || is_there(id);
    found.lessons.retain(|lesson| is_meant(lesson.id));
    Ok(())
}

/// Finds the active lessons of the project.
pub fn find_lessons(settings: &Settings) -> Result<PlaceableLessons> {
    let engine = open::open_reader(settings)?;
    Ok(engine.acting_as(settings.person()).find_placeable()?)
}

/// Chooses the lessons of the block.
pub fn choose(
    settings: &Settings,
    found: &PlaceableLessons,
    scanner: &LeakScanner,
) -> Result<PlaceChoice> {
    let project = settings.scope.project.as_ref().ok_or_else(|| {
        CliError::bad_input("lessons that hold everywhere belong in no project's files")
    })?;
    let candidates = found.lessons.iter().map(|lesson| PlaceCandidate {
        lesson,
        is_approved: found.approved.contains(&lesson.id),
    });
    let candidates: Vec<PlaceCandidate<'_>> = candidates.collect();
    let target = PlaceTarget { project, scanner };
    Ok(choose_for_block(&candidates, &target, SystemClock.now()))
}

impl PlacePlan {
    /// Adds what becomes of the file, if anything does.
    fn add_file(&mut self) -> Result<()> {
        let file = read_shared(&self.repository)?;
        let texts = [file.path.as_os_str().as_encoded_bytes(), file.bytes()];
        let root = self.repository.root().as_os_str().as_encoded_bytes();
        self.basis = self.basis.with_texts([root].into_iter().chain(texts));
        if file.text.is_none() && self.choice.block.is_none() {
            return Ok(());
        }
        if file.text.is_none() && !self.may_create {
            let note = format!("there is no {SHARED_FILE}; --create makes one");
            self.notes.push(note);
            self.lacks_file = true;
            return Ok(());
        }
        let before = file.text.as_deref().unwrap_or_default();
        let after = self.put_block(&file.path, before)?;
        let edit = FileEdit {
            is_committed: self.is_to_commit(&file),
            path: file.path,
            before: file.text.map(String::into_bytes),
            after: Some(after.into_bytes()),
        };
        let committed_text = self.read_committed(&edit)?;
        self.check_rest(&edit, committed_text.as_deref())?;
        self.push_edit(edit, committed_text.as_deref());
        Ok(())
    }

    /// Returns what a file would be; it is untouched if that is not clear.
    fn put_block(&self, path: &Path, text: &str) -> Result<String> {
        let block = self.choice.block.as_ref();
        let new_text = AgentsFile::parse(text).and_then(|file| file.with_block(block));
        new_text.map_err(|fault| describe_fault(path, fault))
    }

    /// Reads a file as the latest commit has it, which the plan depends on; nothing of one that is not committed.
    fn read_committed(&mut self, edit: &FileEdit) -> Result<Option<Vec<u8>>> {
        if !edit.is_committed {
            return Ok(None);
        }
        let committed_text = self.repository.read_committed(&edit.path)?;
        let text = committed_text.as_deref().unwrap_or_default();
        self.basis = self.basis.with_texts([text]);
        Ok(committed_text)
    }

    /// Adds an edit, unless all is as it would be.
    fn push_edit(&mut self, edit: FileEdit, committed: Option<&[u8]>) {
        let is_same = edit.before == edit.after;
        let wanted_text = edit.after.as_deref().map(unify_breaks);
        let is_done = !edit.is_committed || committed.map(unify_breaks) == wanted_text;
        if !(is_same && is_done) {
            self.edits.push(edit);
        }
    }

    /// Returns whether a file is committed: unless git ignores it.
    fn is_to_commit(&mut self, found: &FoundFile) -> bool {
        let is_ignored = self.repository.is_ignored(&found.path);
        if is_ignored {
            let name = found.path.display();
            let note = format!("git ignores {name}: it is written, and not committed");
            self.notes.push(note);
        }
        !is_ignored
    }

    /// Checks that a file holds nobody's work that is not committed yet, which a commit would take along.
    fn check_rest(&self, edit: &FileEdit, committed: Option<&[u8]>) -> Result<()> {
        let name = edit.path.display();
        if !edit.is_committed || (edit.before.is_none() && committed.is_none()) {
            return Ok(());
        }
        let wanted_text = edit.after.as_deref().unwrap_or_default();
        let Some(committed) = committed else {
            // As a killed process leaves it: made, and not committed.
            let fresh = self.put_block(&edit.path, "")?;
            return if fresh.as_bytes() == wanted_text {
                Ok(())
            } else {
                Err(not_committed(&format!("git does not track {name} yet")))
            };
        };
        let theirs = String::from_utf8_lossy(committed);
        let expected_text = self.put_block(&edit.path, &theirs)?;
        if unify_breaks(expected_text.as_bytes()) == unify_breaks(wanted_text) {
            Ok(())
        } else {
            let fault = format!("{name} has changes that are not committed");
            Err(not_committed(&fault))
        }
    }
}

/// Words why a file is not touched.
pub fn describe_fault(path: &Path, fault: BlockFault) -> CliError {
    let hint = match fault {
        BlockFault::MergeMark(_) => "finish the merge first",
        BlockFault::OpenAtEnd(_) => "close it, so that something can be added behind it",
        _ => "put the markers in order, or delete the block: it is made again",
    };
    bad_input!("{}, {fault}; nothing was changed", path.display()).with_hint(hint)
}
