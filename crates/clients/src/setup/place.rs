//! A machine as far as settings go: its home folder, its environment, and whose settings are meant.
//!
//! The environment comes in as a function, so that a test can be another machine.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{content::FileContent, file::SettingsFile};

/// A machine, as far as settings go.
pub struct Machine<'a> {
    /// The user's home folder.
    pub home: PathBuf,
    /// Answers what the environment would.
    pub setting: &'a dyn Fn(&str) -> Option<OsString>,
}

/// Whose settings are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupReach {
    /// The user's, in every project.
    User,
    /// One project's, in this folder.
    Project(PathBuf),
}

/// A folder of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFolder {
    /// The folder.
    pub path: PathBuf,
    /// The folder above it, or itself, that is not hardwon's to remove.
    pub root: PathBuf,
}

impl SetupReach {
    /// Returns the folder of a client's settings: the user's, or the one below a project.
    pub(crate) fn folder(&self, user: SettingsFolder, below: &str) -> SettingsFolder {
        match self {
            Self::User => user,
            Self::Project(project) => SettingsFolder {
                path: project.join(below),
                root: project.clone(),
            },
        }
    }
}

impl SettingsFolder {
    /// Returns a file of this folder with what belongs in it.
    pub(crate) fn target(&self, path: PathBuf, content: FileContent) -> SettingsFile {
        SettingsFile {
            path,
            root: self.root.clone(),
            content,
        }
    }

    pub(super) fn holds_something(&self) -> bool {
        let entries = self.path.read_dir();
        entries.is_ok_and(|mut entries| entries.next().is_some())
    }
}

impl Machine<'_> {
    /// Returns a folder below the one that a variable names, else one below the home folder.
    pub(crate) fn moved(&self, variable: &str, below: &str, default: &str) -> SettingsFolder {
        match self.path(variable) {
            Some(root) => SettingsFolder {
                path: root.join(below),
                root,
            },
            None => SettingsFolder {
                path: self.home.join(default),
                root: self.home.clone(),
            },
        }
    }

    /// Returns the folder that a variable names.
    #[must_use]
    pub fn path(&self, variable: &str) -> Option<PathBuf> {
        let value = (self.setting)(variable).filter(|value| !value.is_empty())?;
        let path = PathBuf::from(value);
        match path.strip_prefix("~") {
            Ok(rest) => Some(self.home.join(rest)),
            Err(_) => Some(path),
        }
    }

    /// Finds a program on the search path.
    #[must_use]
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders = (self.setting)("PATH")?;
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        let mut places = env::split_paths(&folders).map(|folder| folder.join(&name));
        places.find(|place| place.is_absolute() && is_program(place))
    }

    /// Returns a path as people write it, `~` for the home folder.
    #[must_use]
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) => Path::new("~").join(rest).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Returns the folder whose settings are a project's: that of its repository, else the folder itself.
#[must_use]
pub fn project_folder(folder: &Path) -> PathBuf {
    let mut above = folder.ancestors();
    above
        .find(|it| it.join(".git").exists())
        .unwrap_or(folder)
        .to_owned()
}
