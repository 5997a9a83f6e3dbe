//! Records which folders `init` made, so that `uninstall` removes those and no others.
//!
//! An empty folder does not show who made it. So the paths are kept in a file of our own, also where there are none.
//! Where that cannot be written, a folder too many stays.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use hardwon_engine::{private_file, regular_file};

use super::SetupDirection;

/// The folders that `init` made and that are still to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFolders {
    file: PathBuf,
    folders: BTreeSet<PathBuf>,
}

impl MadeFolders {
    /// Reads the record in this folder.
    pub fn read(data: &Path) -> Self {
        let file = data.join("made-folders");
        let folders = regular_file::read_to_string(&file).unwrap_or_default();
        let folders = folders.lines().map(PathBuf::from).collect();
        Self { file, folders }
    }

    /// Returns the folders that would have to be made for a file to exist.
    pub fn missing_for(path: &Path) -> Vec<PathBuf> {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|above| !above.as_os_str().is_empty() && !above.exists());
        missing.map(Path::to_owned).collect()
    }

    /// Adds those of these folders that exist now.
    pub fn add_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders
            .extend(folders.into_iter().filter(|folder| folder.is_dir()));
    }

    /// Returns whether `init` made a folder.
    pub fn contains(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Writes the folders that still exist; removes the record when none exists and nothing is set up any more.
    pub fn write(&mut self, way: SetupDirection) {
        let is_own = |folder: &PathBuf| self.file.starts_with(folder);
        let there = |folder: &&PathBuf| folder.is_dir() && !is_own(folder);
        // At worst, a failure here leaves an empty folder behind.
        if way == SetupDirection::Install || self.folders.iter().any(|folder| there(&folder)) {
            self.folders.extend(Self::missing_for(&self.file));
            let there = self
                .folders
                .iter()
                .filter(|folder| folder.is_dir() || self.file.starts_with(folder));
            let lines: String = there.map(|path| format!("{}\n", path.display())).collect();
            drop(private_file::write(&self.file, lines.as_bytes()));
        } else if fs::remove_file(&self.file).is_ok() {
            let own = self.file.ancestors().skip(1);
            let mut own = own.take_while(|own| self.folders.contains(*own));
            while own.next().is_some_and(|own| fs::remove_dir(own).is_ok()) {}
        }
    }
}
