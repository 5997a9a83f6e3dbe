//! Files and folders that only their owner can read.

use std::{fs, io, path::Path};

/// Rejects a pipe, a socket or a device: opening one may block for ever.
pub(super) fn refuse_device(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        Ok(())
    } else {
        Err(io::Error::other(
            "it is a pipe, a socket or a device, not a file",
        ))
    }
}

/// Makes the file and its folder so that only their owner can read them; leaves what is there.
pub(super) fn create_private_file(path: &Path) -> io::Result<()> {
    if path.exists() {
        return refuse_device(path);
    }
    create_private_folder_of(path)?;
    private_file_options().append(true).open(path).map(drop)
}

/// Makes the folder of a file so that only its owner can read it; leaves one that is there.
pub(super) fn create_private_folder_of(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), create_private_folder)
}

#[cfg(unix)]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Returns the options to create a file that only its owner can read.
#[cfg(unix)]
pub(super) fn private_file_options() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = fs::OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

#[cfg(not(unix))]
pub(super) fn private_file_options() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true);
    options
}
