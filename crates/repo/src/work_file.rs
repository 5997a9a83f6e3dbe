//! Files of the work tree: where they really are, and how one is replaced so that it is as before or as after.
//!
//! A file that leads out of the work tree, by a link, is not touched. What is in a file is not known here.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use crate::{Repository, RepositoryError, Result};

impl Repository {
    /// Finds a file by its name in the root, through links, and returns its path from the root; the name itself if
    /// there is none.
    ///
    /// # Errors
    ///
    /// If it is no file, or leads out of the work tree or into the git folder.
    pub fn locate_file(&self, name: &str) -> Result<PathBuf> {
        let doing = "finding a file of the repository";
        let io = RepositoryError::io(doing);
        let path = self.root().join(name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name.into()),
            Err(error) => return Err(io(error)),
            Ok(_) => {}
        }
        let real = fs::canonicalize(&path).map_err(io)?;
        let root = fs::canonicalize(self.root()).map_err(io)?;
        let inside = real.strip_prefix(&root).ok().map(Path::to_owned);
        match inside.filter(|inside| !inside.starts_with(".git")) {
            Some(inside) if real.is_file() => Ok(inside),
            Some(_) => Err(io(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} is no file", path.display()),
            ))),
            None => Err(RepositoryError::Outside { path }),
        }
    }
}

/// Replaces a file, or makes it: whoever looks sees all of the old or all of the new. Its permissions stay.
///
/// # Errors
///
/// Those of writing a file beside it and of renaming that.
pub fn replace_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let half = path.with_file_name(format!(".{name}.hardwon-new"));
    // What a killed process left; a link that somebody put there goes too.
    remove_whole(&half)?;
    let result = write_new(&half, path, content).and_then(|()| fs::rename(&half, path));
    if result.is_err() {
        drop(fs::remove_file(&half));
    }
    result
}

fn write_new(half: &Path, beside: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(half)?;
    file.write_all(content)?;
    if let Ok(old) = fs::metadata(beside) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    // A folder that cannot be opened is synced by the system in its own time.
    if let Some(folder) = beside.parent().and_then(|folder| File::open(folder).ok()) {
        drop(folder.sync_all());
    }
    Ok(())
}

/// Deletes a file, if it is there.
///
/// # Errors
///
/// Those of deleting it.
pub fn remove_whole(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
