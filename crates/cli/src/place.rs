//! Puts a project's lessons into its files: what would be done to which file, doing it, and taking it back.
//!
//! [`look`] makes a plan of the lessons and of the files as they are, and changes nothing. [`apply`] carries out a plan,
//! with a backup and one local commit, and takes one back. [`audit`] looks at the memories that are nobody's in particular
//! for what belongs in a project, and [`audit_apply`] moves it. Which lessons are placed, and what a file is with them,
//! is decided in [`hardwon_gates::place`].

pub mod applied;
pub mod apply;
pub mod audit;
pub mod audit_apply;
pub mod audit_plan;
mod audit_record;
mod audit_try;
pub mod look;
mod projects;
pub mod reading;
mod record;
pub mod work_text;

use std::path::PathBuf;

pub use record::list_placed_roots;

use hardwon_core::digest::{hash_parts, to_hex};
use hardwon_engine::{PlanBasis, PlanId};
use hardwon_gates::{json::place::PlacedFileDto, place::PlaceChoice};
use hardwon_repo::Repository;

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// What is in it; `None` if there is none.
    pub before: Option<Vec<u8>>,
    /// What will be in it; `None` if it is deleted.
    pub after: Option<Vec<u8>>,
    /// Whether it is committed.
    pub is_committed: bool,
}

impl FileEdit {
    /// Tells it: what is done, the lines that leave and those that come.
    pub fn describe(&self) -> PlacedFileDto {
        let [before, after] = [&self.before, &self.after]
            .map(|text| String::from_utf8_lossy(text.as_deref().unwrap_or_default()));
        let (removed, added) = find_changed_lines(&before, &after);
        PlacedFileDto {
            verb: match (&self.before, self.is_committed) {
                _ if self.after.is_none() => "delete",
                (None, true) => "make and commit",
                (None, false) => "make",
                (Some(_), true) if self.before == self.after => "commit",
                (Some(_), true) => "change and commit",
                (Some(_), false) => "change",
            },
            path: self.path.display().to_string(),
            commit: self.is_committed,
            removed,
            added,
        }
    }
}

/// Returns the lines that leave and those that come; what changes is in one place.
fn find_changed_lines(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let ends = old.iter().rev().zip(new.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let own = |lines: &[&str]| {
        let changes = &lines[..lines.len() - tail];
        changes.iter().map(ToString::to_string).collect()
    };
    (own(old), own(new))
}

/// What placing would do.
#[derive(Debug)]
pub struct PlacePlan {
    /// Where.
    pub repository: Repository,
    /// Whether a file may be made.
    pub may_create: bool,
    /// What it was made from.
    pub basis: PlanBasis,
    /// The lessons.
    pub choice: PlaceChoice,
    /// What becomes of files; none if all are as they should be.
    pub edits: Vec<FileEdit>,
    /// What else is to be said.
    pub notes: Vec<String>,
    /// Whether a file is missing that may not be made.
    pub lacks_file: bool,
}

impl PlacePlan {
    /// Returns its name.
    pub fn id(&self) -> PlanId {
        let items: Vec<String> = self.edits.iter().map(describe_edit).collect();
        PlanId::from_items(&self.basis, items.iter().map(String::as_str))
    }

    /// Returns the digest of the block that it places; `none` if it takes the block out.
    pub fn block_hash(&self) -> String {
        let block = self.choice.block.as_ref();
        block.map_or_else(|| "none".to_owned(), |block| block.hash())
    }
}

fn describe_edit(edit: &FileEdit) -> String {
    let digest = edit.after.as_deref().map(hash_text);
    let digest = digest.unwrap_or_else(|| "deleted".to_owned());
    format!("{} {} {digest}", edit.path.display(), edit.is_committed)
}

/// Returns a digest of what is in a file.
fn hash_text(bytes: &[u8]) -> String {
    to_hex(&hash_parts([bytes]))
}
