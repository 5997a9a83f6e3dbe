//! Reads and replaces other programs' files with care.
//!
//! A file is replaced at once or not at all, keeps its permissions, and stays where a link points. Its former bytes are
//! kept beside it until they are restored.

use std::{
    ffi::OsString,
    fs::{self, File, Permissions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_engine::{private_file, regular_file};

use super::{FileContent, FileStep, Result, SetupProblem};

/// Settings larger than this are left alone.
const SETTINGS_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A file, and the content that belongs in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The folder above it that is never removed, however empty it becomes.
    pub kept_folder: PathBuf,
    /// The content that belongs in it.
    pub content: FileContent,
}

/// Whether to add our entries or to remove them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupDirection {
    /// Add the content to the file.
    Install,
    /// Remove our entries from it.
    Remove,
}

impl SettingsFile {
    /// Decides the change to the file as it is now.
    pub fn plan(&self, way: SetupDirection) -> Result<FileStep> {
        let now = read_settings(&self.path)?;
        let before = read_settings(&backup_path(&self.path))?;
        match way {
            SetupDirection::Install => self.content.install(now.as_deref(), before.as_deref()),
            SetupDirection::Remove => self.content.remove(now.as_deref(), before.as_deref()),
        }
    }

    /// Decides again, since the file may have changed while its owner was asked, and makes the change.
    ///
    /// Returns the change. Removal also removes folders that become empty, if they are `ours`.
    pub fn apply_change(
        &self,
        way: SetupDirection,
        ours: &dyn Fn(&Path) -> bool,
    ) -> Result<FileStep> {
        let step = self.plan(way)?;
        self.do_step(&step, way, ours).map_err(|error| {
            SetupProblem::new(
                format!("it cannot be written: {error}"),
                "see that it may be written, then run the command again",
            )
        })?;
        Ok(step)
    }

    fn do_step(
        &self,
        step: &FileStep,
        way: SetupDirection,
        ours: &dyn Fn(&Path) -> bool,
    ) -> io::Result<()> {
        let beside = backup_path(&self.path);
        match step {
            FileStep::Nothing => {}
            FileStep::Write { text, is_kept } => {
                let place = resolve_links(&self.path)?;
                let permissions = fs::metadata(&place).ok().map(|about| about.permissions());
                if *is_kept {
                    replace_file(&beside, &fs::read(&place)?, permissions.clone(), false)?;
                }
                let is_program = matches!(
                    &self.content,
                    FileContent::Whole {
                        is_program: true,
                        ..
                    }
                );
                replace_file(&place, text.as_bytes(), permissions, is_program)?;
            }
            FileStep::Remove => {
                fs::remove_file(resolve_links(&self.path)?)?;
            }
        }
        if way == SetupDirection::Remove {
            if fs::symlink_metadata(&self.path).is_ok() {
                regular_file::if_there(fs::remove_file(&beside))?;
            }
            self.remove_empty_folders(ours);
        }
        Ok(())
    }

    /// Removes our empty folders above the file, up to the kept one.
    fn remove_empty_folders(&self, ours: &dyn Fn(&Path) -> bool) {
        let folders = self.path.ancestors().skip(1);
        let below = folders.take_while(|folder| {
            folder.starts_with(&self.kept_folder) && *folder != self.kept_folder
        });
        for folder in below {
            if !ours(folder) || fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// Reads a file as text; `None` if it does not exist.
pub fn read_settings(path: &Path) -> Result<Option<String>> {
    let text = regular_file::read_within(path, SETTINGS_BYTES_MAX);
    regular_file::if_there(text).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::FileTooLarge => "add the entries by hand",
            io::ErrorKind::InvalidData => "store it as UTF-8",
            _ => "see that it may be read",
        };
        SetupProblem::new(format!("it cannot be read: {error}"), remedy)
    })
}

/// Returns the path where a file's former bytes are kept.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".hardwon-backup");
    path.with_file_name(name)
}

/// Follows links to the final path, whether or not it exists.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    const LINKS_MAX: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&place) {
            Ok(to) => place = place.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("its link points to itself"))
}

/// Replaces a file atomically. Without permissions to keep, only its owner may read it: clients keep keys and
/// conversations in such files.
fn replace_file(
    path: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
    is_program: bool,
) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let mut name = OsString::from(".hardwon-new-");
    name.push(std::process::id().to_string());
    let fresh = folder.join(name);
    // Nobody else may read it, not even for a moment.
    let file = private_file::open(File::options().write(true).create_new(true), &fresh);
    let result = file.and_then(|mut file| {
        file.write_all(bytes)?;
        let permissions = match permissions {
            Some(permissions) => permissions,
            None => file.metadata()?.permissions(),
        };
        file.set_permissions(if is_program {
            executable(permissions)
        } else {
            permissions
        })?;
        file.sync_all()
    });
    result
        .and_then(|()| fs::rename(&fresh, path))
        .inspect_err(|_| {
            drop(fs::remove_file(&fresh));
        })
}

/// Makes a file executable for everyone who may read it.
#[cfg(unix)]
fn executable(permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = permissions.mode();
    Permissions::from_mode(mode | (mode & 0o444) >> 2)
}

#[cfg(not(unix))]
fn executable(permissions: Permissions) -> Permissions {
    permissions
}

#[cfg(test)]
mod tests;
