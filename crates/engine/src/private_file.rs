//! Files and folders that only their owner may read.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

/// Opens a file; if it is new, only its owner may read it, in a folder that only its owner may enter.
///
/// # Errors
///
/// Those of opening the file, or of creating its folder where there is none.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(path.parent().unwrap_or(path))?;
            options.open(path)
        }
        opened => opened,
    }
}

/// Writes a file that only its owner may read, replacing its content.
///
/// # Errors
///
/// Those of [`open`] and of writing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    open(&mut options, path)?.write_all(bytes)
}

/// Creates a folder that only its owner may enter, and those above it.
///
/// # Errors
///
/// If it cannot be created.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
