//! Remembers under which name a repository was last known, so that its lessons go along when it gets a remote, another
//! one, or another folder.
//!
//! A repository is known again by its git folder, which stays the same one on the disk wherever it is moved to: by when it
//! was made and its number there. A copy and a clone have one of their own. Where a file system does not say when a folder
//! was made, nothing is remembered, because numbers are used again.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use hardwon_core::{ProjectId, limits};
use hardwon_store::private_file;

use crate::project::{find_common_folder, project_of_git_folder};

/// A repository on this machine, and the file that has its last name.
#[derive(Debug, Clone)]
pub struct Checkout {
    git_folder: PathBuf,
    mark: PathBuf,
}

impl Checkout {
    /// Finds the repository that a folder is in. The marks are beside the database, whose lessons have these names.
    pub fn find(folder: &Path, database: &Path) -> Option<Self> {
        let git_folder = folder.ancestors().find_map(find_common_folder)?;
        let identity = identify(&fs::metadata(&git_folder).ok()?)?;
        let mark = database.with_extension("checkouts").join(identity);
        Some(Self { git_folder, mark })
    }

    /// Returns the name that the repository has now.
    pub fn name(&self) -> ProjectId {
        project_of_git_folder(&self.git_folder)
    }

    /// Returns the name under which the repository was known last.
    pub fn last_name(&self) -> Option<ProjectId> {
        read_mark(&self.mark).map(|(name, _)| name)
    }

    /// Returns whether another repository is known by this name, and still has it.
    pub fn is_name_of_another(&self, name: &ProjectId) -> bool {
        let marks = fs::read_dir(self.mark.parent().unwrap_or(&self.mark));
        let mut others = (marks.into_iter().flatten().flatten())
            .map(|mark| mark.path())
            .filter(|mark| *mark != self.mark);
        others.any(|mark| {
            read_mark(&mark).is_some_and(|(other, git_folder)| {
                other == *name && git_folder.is_dir() && project_of_git_folder(&git_folder) == *name
            })
        })
    }

    /// Remembers the name; of too many repositories, the one that was noted first is forgotten.
    pub fn note_name(&self, name: &ProjectId) -> io::Result<()> {
        let folder = self.mark.parent().unwrap_or(&self.mark);
        if !self.mark.exists() {
            let marks: Vec<_> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .collect();
            let noted_at = |mark: &&fs::DirEntry| mark.metadata().and_then(|at| at.modified()).ok();
            if marks.len() >= limits::CHECKOUTS
                && let Some(oldest) = marks.iter().min_by_key(noted_at)
            {
                fs::remove_file(oldest.path())?;
            }
        }
        let git_folder = dunce::canonicalize(&self.git_folder)?;
        let text = format!("{}\n{}\n", name.as_str(), git_folder.display());
        private_file::write(&self.mark, text.as_bytes())
    }
}

fn read_mark(mark: &Path) -> Option<(ProjectId, PathBuf)> {
    let text = hardwon_engine::regular_file::read_to_string(mark).ok()?;
    let (name, git_folder) = text.split_once('\n')?;
    Some((
        ProjectId::parse(name).ok()?,
        git_folder.trim_end_matches('\n').into(),
    ))
}

/// Returns what tells a folder from all others, also after it was moved.
fn identify(folder: &Metadata) -> Option<String> {
    let birth = folder.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(folder);
    #[cfg(not(unix))]
    let number = 0;
    Some(format!("{:x}-{number:x}", birth.as_nanos()))
}
