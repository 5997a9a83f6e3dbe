//! Records which folders `init` made, so that `uninstall` removes those and no others.
//!
//! An empty folder does not show who made it. So the paths are kept in a file of our own, also where there are none.
//! Where that cannot be written, a folder too many stays. Older versions kept no such file: their folders count as ours
//! if they were created in the same moment as our file in them, as far as the file system records that.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_engine::{private_file, regular_file};

use super::file::SetupDirection;

/// Longest time between creating a folder and creating the file for which it was made.
const CREATION_GAP: Duration = Duration::from_millis(100);

/// The folders that `init` made and that are still to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFolders {
    file: PathBuf,
    folders: BTreeSet<PathBuf>,
    /// Whether a record was found, even an empty one.
    is_known: bool,
}

impl MadeFolders {
    /// Reads the record in this folder.
    #[must_use]
    pub fn read(data: &Path) -> Self {
        let file = data.join("made-folders");
        let text = regular_file::read_to_string(&file);
        let is_known = text.is_ok();
        let folders = text.unwrap_or_default();
        let folders = folders.lines().map(PathBuf::from).collect();
        Self {
            file,
            folders,
            is_known,
        }
    }

    /// Adds the folders between our file and the kept folder that an older version made for it.
    pub fn add_older(&mut self, path: &Path, root: &Path) {
        if self.is_known {
            return;
        }
        let Some(file) = birth_time(path) else {
            return;
        };
        let above = path.ancestors().skip(1);
        let below = above.take_while(|it| it.starts_with(root) && *it != root);
        let is_made = |folder: &&Path| {
            let between = birth_time(folder).map(|it| file.duration_since(it));
            matches!(between, Some(Ok(between)) if between <= CREATION_GAP)
        };
        self.folders
            .extend(below.take_while(is_made).map(Path::to_owned));
    }

    /// Returns the folders that would have to be made for a file to exist.
    #[must_use]
    pub fn missing_for(path: &Path) -> Vec<PathBuf> {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|it| !it.as_os_str().is_empty() && !it.exists());
        missing.map(Path::to_owned).collect()
    }

    /// Adds those of these folders that exist now.
    pub fn add_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders
            .extend(folders.into_iter().filter(|it| it.is_dir()));
    }

    /// Returns whether `init` made a folder.
    #[must_use]
    pub fn contains(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Writes the folders that still exist; removes the record when none exists and nothing is set up any more.
    pub fn write(&mut self, way: SetupDirection) {
        let is_own = |folder: &PathBuf| self.file.starts_with(folder);
        let there = |folder: &&PathBuf| folder.is_dir() && !is_own(folder);
        // At worst, a failure here leaves an empty folder behind.
        if way == SetupDirection::Install || self.folders.iter().any(|it| there(&it)) {
            self.folders.extend(Self::missing_for(&self.file));
            let there = self
                .folders
                .iter()
                .filter(|it| it.is_dir() || self.file.starts_with(it));
            let lines: String = there.map(|it| format!("{}\n", it.display())).collect();
            drop(private_file::write(&self.file, lines.as_bytes()));
        } else if fs::remove_file(&self.file).is_ok() {
            let own = self.file.ancestors().skip(1);
            let mut own = own.take_while(|it| self.folders.contains(*it));
            while own.next().is_some_and(|it| fs::remove_dir(it).is_ok()) {}
        }
    }
}

/// Returns when a file or folder was created, where the file system records that.
fn birth_time(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|about| about.created()).ok()
}
