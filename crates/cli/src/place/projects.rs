//! The projects that are known on this machine, and where their repositories are.
//!
//! Projects are those of lessons, and the repositories in which clients say that they worked: Claude Code and Codex note
//! the folders that a person trusted. A folder that is gone says nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use hardwon_core::ProjectId;
use hardwon_gates::place::KnownProject;

use crate::project::{find_root, project_of_folder};

/// Most folders that are looked at.
const FOLDERS: usize = 1000;

/// The projects, with the roots of their repositories.
#[derive(Debug, Default)]
pub(super) struct MachineProjects {
    roots: BTreeMap<ProjectId, Vec<PathBuf>>,
    home: Option<PathBuf>,
}

impl MachineProjects {
    /// Puts together the projects of lessons and those of folders in which somebody worked.
    pub(super) fn gather(
        of_lessons: impl IntoIterator<Item = ProjectId>,
        home: Option<&Path>,
        worked_in: &[PathBuf],
    ) -> Self {
        let mut projects = Self {
            home: home.map(Path::to_owned),
            ..Self::default()
        };
        let mut folders = worked_in.to_vec();
        for project in of_lessons {
            let path = project.as_str();
            if Path::new(path).is_absolute() {
                folders.push(PathBuf::from(path.trim_end_matches("/.git")));
            }
            projects.roots.entry(project).or_default();
        }
        folders.truncate(FOLDERS);
        for folder in folders {
            projects.add_folder(&folder);
        }
        projects
    }

    fn add_folder(&mut self, folder: &Path) {
        let root = folder.is_dir().then(|| find_root(folder)).flatten();
        // A home under version control is no project that an entry could be about.
        let Some(root) = root.filter(|root| self.home.as_ref() != Some(root)) else {
            return;
        };
        let roots = self.roots.entry(project_of_folder(&root)).or_default();
        if !roots.contains(&root) {
            roots.push(root);
        }
    }

    /// Returns the root of the one repository of a project; `None` if there is none here, or several.
    pub(super) fn find_root(&self, project: &ProjectId) -> Option<&Path> {
        match &self.roots.get(project)?[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Lists the projects with the folders that an entry may name.
    pub(super) fn list_known(&self) -> impl Iterator<Item = KnownProject> {
        self.roots.iter().map(|(project, roots)| KnownProject {
            id: project.clone(),
            folders: roots
                .iter()
                .flat_map(|root| self.spell_folder(root))
                .collect(),
        })
    }

    /// Returns the ways to write a folder: its path, and from the home folder.
    fn spell_folder(&self, folder: &Path) -> Vec<String> {
        let whole = folder.to_str().map(str::to_owned);
        let below = self
            .home
            .as_ref()
            .and_then(|home| folder.strip_prefix(home).ok());
        let below = below
            .and_then(|below| below.to_str())
            .map(|text| format!("~/{text}"));
        whole.into_iter().chain(below).collect()
    }
}
