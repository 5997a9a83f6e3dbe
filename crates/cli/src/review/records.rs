//! The reviews of a repository, in its git folder: one file each, by the tree that was reviewed.
//!
//! They are notes for whoever delivers, not proofs: whoever may write to the git folder may write them too.

use std::{fs, path::PathBuf, time::SystemTime};

use hardwon_core::limits;
use hardwon_engine::regular_file;
use hardwon_gates::json::final_review::FinalReviewDto;
use hardwon_repo::{ObjectId, Repository, ReviewDelivery, replace_whole};

use crate::{CliError, Result, output};

/// The reviews of one repository.
#[derive(Debug)]
pub struct ReviewRecords {
    folder: PathBuf,
}

impl ReviewRecords {
    /// Finds the folder.
    pub fn open(repository: &Repository) -> Result<Self> {
        Ok(Self {
            folder: repository.git_folder()?.join("hardwon/review"),
        })
    }

    /// Keeps a review, and drops the oldest.
    pub fn save(&self, review: &FinalReviewDto) -> Result<()> {
        let name = format!("{}.json", review.tree);
        self.write(&name, output::to_json(review)?.as_bytes())?;
        self.drop_oldest();
        Ok(())
    }

    /// Keeps fixes as a patch, and returns its path.
    pub fn save_patch(&self, tree: &ObjectId, patch: &[u8]) -> Result<PathBuf> {
        self.write(&format!("{tree}.patch"), patch)
    }

    /// Finds the newest review that reviewed a tree or led to it, in this delivery.
    pub fn find(
        &self,
        delivery: &ReviewDelivery,
        tree: &ObjectId,
    ) -> Result<Option<FinalReviewDto>> {
        let mut newest: Option<FinalReviewDto> = None;
        for path in self.list()? {
            let text = regular_file::read_to_string(&path);
            let text = text.map_err(CliError::bad_file("reading", &path))?;
            // A damaged one approves nothing.
            let Ok(review) = serde_json::from_str::<FinalReviewDto>(&text) else {
                print_note!("{} is damaged, and counts for nothing", path.display());
                continue;
            };
            let is_about = review.tree == tree.as_str() || review.result == tree.as_str();
            let is_newer = newest.as_ref().is_none_or(|newest| newest.at <= review.at);
            if is_about && is_newer && review.base == delivery.base.as_str() {
                newest = Some(review);
            }
        }
        Ok(newest)
    }

    fn list(&self) -> Result<Vec<PathBuf>> {
        let paths = regular_file::list_folder(&self.folder);
        let paths = paths.map_err(CliError::bad_file("reading", &self.folder))?;
        let is_review = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
        Ok(paths.into_iter().filter(is_review).collect())
    }

    /// Drops the oldest reviews, with their patches. One that stays for another reason is no harm.
    fn drop_oldest(&self) {
        let mut paths = self.list().unwrap_or_default();
        let write_time =
            |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified());
        paths.sort_by_cached_key(|path| write_time(path).unwrap_or(SystemTime::UNIX_EPOCH));
        let surplus = paths.len().saturating_sub(limits::REVIEWS_KEPT);
        for path in &paths[..surplus] {
            drop(fs::remove_file(path));
            drop(fs::remove_file(path.with_extension("patch")));
        }
    }

    /// Writes a file so that it is there whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.folder.join(name);
        let result = fs::create_dir_all(&self.folder).and_then(|()| replace_whole(&path, bytes));
        result.map_err(CliError::bad_file("writing", &path))?;
        Ok(path)
    }
}
