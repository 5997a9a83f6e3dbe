//! Which folders `init` made, so that `uninstall` removes those and leaves the others as they were.
//!
//! An empty folder tells nothing of who made it. So the paths are written down in a file of our own. Where
//! that cannot be written, a folder too many stays.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use hardwon_engine::{private, regular};

/// The folders that `init` made and that are still to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFolders {
    file: PathBuf,
    folders: BTreeSet<PathBuf>,
}

impl MadeFolders {
    /// Reads what was written down in this folder.
    #[must_use]
    pub fn read(data: &Path) -> Self {
        let file = data.join("made-folders");
        let text = regular::read_to_string(&file).unwrap_or_default();
        let folders = text.lines().map(PathBuf::from).collect();
        Self { file, folders }
    }

    /// Returns the folders that would have to be made for a file to be there.
    #[must_use]
    pub fn missing_for(path: &Path) -> Vec<PathBuf> {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|it| !it.as_os_str().is_empty() && !it.exists());
        missing.map(Path::to_owned).collect()
    }

    /// Adds those of these folders that are there now.
    pub fn add(&mut self, folders: Vec<PathBuf>) {
        self.folders
            .extend(folders.into_iter().filter(|it| it.is_dir()));
    }

    /// Returns whether a folder was made by `init`.
    #[must_use]
    pub fn has(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Writes down those that are still there; where none is, nothing of this stays.
    pub fn write(&mut self) {
        let is_own = |folder: &PathBuf| self.file.starts_with(folder);
        let there = |folder: &&PathBuf| folder.is_dir() && !is_own(folder);
        // Nothing worse comes of what fails here than an empty folder that stays.
        if self.folders.iter().any(|it| there(&it)) {
            self.folders.extend(Self::missing_for(&self.file));
            let there = self
                .folders
                .iter()
                .filter(|it| it.is_dir() || self.file.starts_with(it));
            let lines: String = there.map(|it| format!("{}\n", it.display())).collect();
            drop(private::write(&self.file, lines.as_bytes()));
        } else if fs::remove_file(&self.file).is_ok() {
            let own = self.file.ancestors().skip(1);
            let mut own = own.take_while(|it| self.folders.contains(*it));
            while own.next().is_some_and(|it| fs::remove_dir(it).is_ok()) {}
        }
    }
}
