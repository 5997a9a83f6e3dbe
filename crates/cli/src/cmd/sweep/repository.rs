//! Looks in a folder for what lessons name: files, scripts, options, branches.
//!
//! It only reads, and only below the root of the project. What is made by a build is not looked for, and of what lies
//! outside nothing is said.

use std::path::{Component, Path, PathBuf};

use hardwon_core::{
    id::ProjectId,
    named_things::{LookupFinding, NamedThing},
};
use hardwon_engine::{RepositoryLookup, regular_file};

use crate::{config::Settings, project};

/// Folders whose contents come and go.
const MADE: &[&str] = &[
    "target",
    "dist",
    "build",
    "out",
    "node_modules",
    ".venv",
    "venv",
    "tmp",
    "coverage",
    "vendor",
];
/// Most names of a folder that are compared with one that is gone.
const NAMES: usize = 1000;

/// The project of a folder.
pub(super) struct FolderRepository {
    root: PathBuf,
    project: ProjectId,
}

impl FolderRepository {
    /// Finds the repository around the current folder, if its project is the one in question.
    pub(super) fn find(settings: &Settings) -> Option<Self> {
        let root = project::find_root(&std::env::current_dir().ok()?)?;
        let project = project::project_of_folder(&root);
        let is_asked_for =
            !settings.is_project_named || settings.scope.project.as_ref() == Some(&project);
        is_asked_for.then_some(Self { root, project })
    }

    fn read(&self, name: &str) -> Option<String> {
        regular_file::read_to_string(&self.root.join(name)).ok()
    }

    fn look_up_file(&self, path: &str) -> LookupFinding {
        let relative = Path::new(path);
        let first = relative.components().next();
        let is_inside = relative
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        let is_made = first.is_some_and(|first| MADE.iter().any(|made| first.as_os_str() == *made));
        if !is_inside || is_made {
            return LookupFinding::Unknown;
        }
        if self.root.join(relative).exists() {
            return LookupFinding::Present;
        }
        let folder = relative
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        // A path of which not even the first folder is here belongs to something else.
        match (folder, first) {
            (Some(_), Some(first)) if self.root.join(first).is_dir() => {
                LookupFinding::Gone(self.find_similar(relative))
            }
            _ => LookupFinding::Unknown,
        }
    }

    /// Says what is there of the same name with another ending.
    fn find_similar(&self, path: &Path) -> String {
        let folder = self.root.join(path.parent().unwrap_or(Path::new("")));
        let Ok(entries) = folder.read_dir() else {
            return "its folder is gone too".to_owned();
        };
        let same = entries
            .take(NAMES)
            .flatten()
            .find(|entry| Path::new(&entry.file_name()).file_stem() == path.file_stem());
        same.map_or_else(String::new, |same| {
            format!("there is `{}`", same.file_name().to_string_lossy())
        })
    }

    fn look_up_script(&self, runner: &str, name: &str) -> LookupFinding {
        let names: Option<Vec<String>> = match runner {
            "npm" => self.read("package.json").and_then(|text| {
                let package: serde_json::Value = serde_json::from_str(&text).ok()?;
                let scripts = package.get("scripts")?.as_object()?;
                Some(scripts.keys().cloned().collect())
            }),
            "make" => self.read("Makefile").map(|text| read_targets(&text)),
            "just" => self.read("justfile").map(|text| read_targets(&text)),
            _ => None,
        };
        match names {
            None => LookupFinding::Unknown,
            Some(names) if names.iter().any(|name_there| name_there == name) => {
                LookupFinding::Present
            }
            Some(names) => {
                let similar = names
                    .iter()
                    .find(|other| other.contains(name) || name.contains(other.as_str()));
                LookupFinding::Gone(
                    similar.map_or_else(String::new, |similar| format!("there is `{similar}`")),
                )
            }
        }
    }

    fn look_up_option(&self, file: &str, option: &str) -> LookupFinding {
        match self.read(file) {
            None => LookupFinding::Unknown,
            Some(text) if text.contains(option) || !text.contains("--") => LookupFinding::Present,
            Some(_) => LookupFinding::Gone(String::new()),
        }
    }

    fn look_up_branch(&self, name: &str) -> LookupFinding {
        let Some(git) = project::find_common_folder(&self.root) else {
            return LookupFinding::Unknown;
        };
        let ending = format!("/{name}");
        let packed_refs =
            regular_file::read_to_string(&git.join("packed-refs")).unwrap_or_default();
        let is_packed = packed_refs
            .lines()
            .any(|line| line.contains(" refs/") && line.ends_with(&ending));
        let remotes = git
            .join("refs/remotes")
            .read_dir()
            .into_iter()
            .flatten()
            .flatten();
        let is_loose = git.join("refs/heads").join(name).exists()
            || remotes
                .map(|remote| remote.path().join(name))
                .any(|path| path.exists());
        if is_packed || is_loose {
            LookupFinding::Present
        } else {
            LookupFinding::Gone(String::new())
        }
    }
}

impl RepositoryLookup for FolderRepository {
    fn project(&self) -> &ProjectId {
        &self.project
    }

    fn look_up(&self, thing: &NamedThing) -> LookupFinding {
        match thing {
            NamedThing::File(path) => self.look_up_file(path),
            NamedThing::Script { runner, name } => self.look_up_script(runner, name),
            NamedThing::ScriptOption { file, option } => self.look_up_option(file, option),
            NamedThing::Branch(name) => self.look_up_branch(name),
        }
    }
}

/// Returns the names before the colons at the beginning of lines.
fn read_targets(text: &str) -> Vec<String> {
    let heads = text
        .lines()
        .filter(|line| !line.starts_with([' ', '\t', '#']))
        .filter_map(|line| line.split_once(':'));
    heads
        .flat_map(|(head, _)| head.split_whitespace().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_there_and_what_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("scripts")).unwrap();
        fs::create_dir_all(root.join(".git/refs/heads/release")).unwrap();
        for (name, text) in [
            ("scripts/seed.py", "parser.add_argument('--fresh')"),
            ("package.json", r#"{"scripts": {"test:unit": "vitest"}}"#),
            ("Makefile", "all: lint\nlint:\n\tcheck\n"),
            (".git/refs/heads/release/2", ""),
            (".git/packed-refs", "abc refs/remotes/origin/develop-next\n"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
        let repository = FolderRepository {
            root: root.to_owned(),
            project: ProjectId::parse("shop").unwrap(),
        };
        let check = |thing: NamedThing, expected: LookupFinding| {
            assert_eq!(repository.look_up(&thing), expected, "{thing:?}");
        };
        let gone = |what: &str| LookupFinding::Gone(what.to_owned());
        let file = |path: &str| NamedThing::File(path.to_owned());
        let script = |runner: &str, name: &str| NamedThing::Script {
            runner: runner.to_owned(),
            name: name.to_owned(),
        };
        let option = |option: &str| NamedThing::ScriptOption {
            file: "scripts/seed.py".to_owned(),
            option: option.to_owned(),
        };
        let branch = |name: &str| NamedThing::Branch(name.to_owned());
        check(file("scripts/seed.py"), LookupFinding::Present);
        check(file("scripts/seed.sh"), gone("there is `seed.py`"));
        check(file("elsewhere/seed.sh"), LookupFinding::Unknown);
        check(file("target/debug/seed.sh"), LookupFinding::Unknown);
        check(script("npm", "test:unit"), LookupFinding::Present);
        check(script("npm", "test"), gone("there is `test:unit`"));
        check(script("make", "lint"), LookupFinding::Present);
        check(script("make", "deploy"), gone(""));
        check(script("just", "deploy"), LookupFinding::Unknown);
        check(option("--fresh"), LookupFinding::Present);
        check(option("--stale"), gone(""));
        check(branch("release/2"), LookupFinding::Present);
        check(branch("develop-next"), LookupFinding::Present);
        check(branch("release/1"), gone(""));
    }
}
