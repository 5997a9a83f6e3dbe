//! A machine as far as settings go: its home folder, its environment, and which settings to edit.
//!
//! The environment comes in as a function, so that a test can be another machine.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{FileContent, SettingsFile};

/// What the names of programs end with, the first of a folder being the one that is started. npm installs programs on Windows
/// as files for `cmd`.
#[cfg(windows)]
const PROGRAM_SUFFIXES: [&str; 3] = [".exe", ".bat", ".cmd"];
#[cfg(not(windows))]
const PROGRAM_SUFFIXES: [&str; 1] = [""];

/// A machine, as far as settings go.
pub struct Machine<'a> {
    /// The user's home folder.
    pub home: PathBuf,
    /// Returns the value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// Whether to edit the user's settings or a project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupScope {
    /// The user's, which hold in every project.
    User,
    /// One project's, in this folder.
    Project(PathBuf),
}

/// Where a client keeps its settings.
pub(crate) struct SettingsHome {
    /// The variables that move the user's folder, by precedence, each with the settings' place below the folder it
    /// names.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// The user's folder, below the home folder, when no variable is set.
    pub(crate) default: &'static str,
    /// The folder in a project.
    pub(crate) project: &'static str,
}

/// The folder of a client's settings on a machine.
pub(crate) struct SettingsSite<'a> {
    pub(crate) machine: &'a Machine<'a>,
    pub(crate) scope: &'a SetupScope,
    pub(crate) folder: PathBuf,
    /// The folder above it, or itself, that hardwon must not remove.
    pub(crate) kept_folder: PathBuf,
}

impl SettingsHome {
    /// Makes a place of the variables that move it, the user's folder and a project's.
    pub(crate) const fn new(
        variables: &'static [(&'static str, &'static str)],
        default: &'static str,
        project: &'static str,
    ) -> Self {
        Self {
            variables,
            default,
            project,
        }
    }

    /// Finds the folder on a machine.
    pub(crate) fn locate_on<'a>(
        &self,
        machine: &'a Machine<'a>,
        reach: &'a SetupScope,
    ) -> SettingsSite<'a> {
        let folder_of = |(variable, below): &(&str, &'static str)| {
            Some((machine.folder_variable(variable)?, *below))
        };
        let (root, below) = match reach {
            SetupScope::Project(project) => (project.clone(), self.project),
            SetupScope::User => (self.variables.iter().find_map(folder_of))
                .unwrap_or_else(|| (machine.home.clone(), self.default)),
        };
        SettingsSite {
            machine,
            scope: reach,
            folder: root.join(below),
            kept_folder: root,
        }
    }
}

impl SettingsSite<'_> {
    /// Returns a file in the folder with the content that belongs in it.
    pub(crate) fn file_in_folder(&self, name: &str, content: FileContent) -> SettingsFile {
        self.settings_file(self.folder.join(name), content)
    }

    /// Returns a file of the client with the content that belongs in it.
    pub(crate) fn settings_file(&self, path: PathBuf, content: FileContent) -> SettingsFile {
        SettingsFile {
            path,
            kept_folder: self.kept_folder.clone(),
            content,
        }
    }
}

impl Machine<'_> {
    /// Returns the folder that a variable names; `None` if it is unset or empty.
    pub fn folder_variable(&self, variable: &str) -> Option<PathBuf> {
        let value = (self.variable)(variable).filter(|value| !value.is_empty())?;
        let path = PathBuf::from(value);
        match path.strip_prefix("~") {
            Ok(rest) => Some(self.home.join(rest)),
            Err(_) => Some(path),
        }
    }

    /// Finds a program on the search path.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders = (self.variable)("PATH").unwrap_or_default();
        let names = PROGRAM_SUFFIXES.map(|suffix| format!("{name}{suffix}"));
        let folders = env::split_paths(&folders);
        let mut places = folders.flat_map(|folder| names.clone().map(|name| folder.join(name)));
        places.find(|place| place.is_absolute() && is_program(place))
    }

    /// Formats a path for people, with `~` for the home folder.
    pub fn short_path(&self, path: &Path) -> String {
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

/// Returns the folder of a project's settings: that of its repository, else the folder itself.
pub fn project_folder(folder: &Path) -> PathBuf {
    let root = folder.ancestors().find(|above| above.join(".git").exists());
    root.unwrap_or(folder).to_owned()
}
