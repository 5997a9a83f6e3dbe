//! The folder that a copy is in: locked while its process lives, so that the next one removes what a killed one left.
//!
//! Folders are known by their name and a file in them that nobody holds a lock on. What cannot be removed, such as another
//! person's, stays.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use tempfile::TempDir;

const PREFIX: &str = "hardwon-review-";
const LOCK: &str = "lock";

/// A folder for a copy, which is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct CopyFolder {
    /// Let go before the folder is removed: where a file is open, some systems keep it.
    _lock: File,
    folder: TempDir,
}

impl CopyFolder {
    /// Makes one among the temporary files, and removes those that were left there.
    pub(crate) fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        remove_left(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // It gets its name once it is locked: nobody finds one that is not.
        let new_lock = folder.path().join("unlocked");
        let lock = File::create_new(&new_lock)?;
        lock.lock()?;
        fs::rename(&new_lock, folder.path().join(LOCK))?;
        Ok(Self {
            _lock: lock,
            folder,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders whose process is gone.
fn remove_left(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let is_named = entry
            .file_name()
            .to_str()
            .is_some_and(|text| text.starts_with(PREFIX));
        // A link is no folder, wherever it leads.
        let is_folder = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
        if is_named && is_folder && is_left(&entry.path()) {
            // What stays is found again.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn is_left(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    let is_file = fs::symlink_metadata(&lock).is_ok_and(|metadata| metadata.is_file());
    is_file && File::open(lock).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, file: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("work")).unwrap();
            fs::write(folder.join(file), "").unwrap();
        };
        let at_work = CopyFolder::create_in(parent.path()).unwrap();
        make("hardwon-review-left", LOCK);
        make("hardwon-review-young", "unlocked");
        make("somebody-elses", LOCK);
        fs::write(parent.path().join("hardwon-review-file"), "").unwrap();
        let mut expected = vec![
            at_work.path().file_name().unwrap().to_owned(),
            "hardwon-review-file".into(),
            "hardwon-review-young".into(),
            "somebody-elses".into(),
        ];
        #[cfg(unix)]
        {
            let link = parent.path().join("hardwon-review-link");
            std::os::unix::fs::symlink(parent.path().join("somebody-elses"), link).unwrap();
            expected.push("hardwon-review-link".into());
        }
        let next = CopyFolder::create_in(parent.path()).unwrap();
        expected.push(next.path().file_name().unwrap().to_owned());
        expected.sort();
        let listed = || {
            let entries = fs::read_dir(parent.path()).unwrap();
            let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(listed(), expected);
        drop((at_work, next));
        assert_eq!(listed().len(), expected.len() - 2);
    }
}
