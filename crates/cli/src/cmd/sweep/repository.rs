//! Looks in a repository for what lessons name: files and scripts.
//!
//! It only reads, and says that something is gone only where that is certain. What git ignores is not looked for, and of
//! what lies outside, in another folder of the same kind or in a repository within this one nothing is said.

use std::path::{Component, Path};

use hardwon_core::{LookupFinding, NamedThing, ProjectId};
use hardwon_engine::{RepositoryLookup, regular_file};
use hardwon_repo::{FileKind, Repository, ShippedFile};

use crate::{Settings, project};

/// Most names of a folder that are compared with one that is gone.
const NAMES: usize = 1000;

/// The project of a folder.
pub(super) struct FolderRepository {
    repository: Repository,
    files: Vec<ShippedFile>,
    project: ProjectId,
}

impl FolderRepository {
    /// Finds the repository around the current folder, if its project is the one in question.
    pub(super) fn find(settings: &Settings) -> Option<Self> {
        let root = project::find_root(&std::env::current_dir().ok()?)?;
        let project = project::project_of_folder(&root);
        let is_asked_for =
            !settings.is_project_named || settings.scope.project.as_ref() == Some(&project);
        is_asked_for.then(|| Self::open(&root, project)).flatten()
    }

    /// Opens a repository of which git can list all files.
    fn open(root: &Path, project: ProjectId) -> Option<Self> {
        let repository = Repository::find(root).ok()?;
        let files = repository.list_shippable().ok()?;
        let is_whole = files.iter().all(|file| file.kind != FileKind::Submodule);
        is_whole.then_some(Self {
            repository,
            files,
            project,
        })
    }

    fn read(&self, name: &str) -> Option<String> {
        regular_file::read_to_string(&self.repository.root().join(name)).ok()
    }

    fn look_up_file(&self, path: &str) -> LookupFinding {
        let relative = Path::new(path);
        let root = self.repository.root();
        let is_inside = relative
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !is_inside {
            return LookupFinding::Unknown;
        }
        if root.join(relative).exists() {
            return LookupFinding::Present;
        }
        // A path of which not even the first folder is here belongs to something else, and one that ends another path may
        // be told from that folder.
        let mut parts = relative.components();
        let is_ours = parts.next().is_some_and(|first| root.join(first).is_dir());
        let is_elsewhere = self.files.iter().any(|file| file.path.ends_with(relative));
        if !is_ours || is_elsewhere || self.repository.is_ignored(relative) {
            LookupFinding::Unknown
        } else {
            LookupFinding::Gone(self.find_similar(relative))
        }
    }

    /// Says what is there of the same name with another ending.
    fn find_similar(&self, path: &Path) -> String {
        let folder = self
            .repository
            .root()
            .join(path.parent().unwrap_or(Path::new("")));
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
        let mut task_files = self
            .files
            .iter()
            .filter(|file| is_task_file(runner, &file.path));
        let (Some(only), None) = (task_files.next(), task_files.next()) else {
            return LookupFinding::Unknown;
        };
        let is_at_root = only.path.parent() == Some(Path::new(""));
        match only
            .path
            .to_str()
            .filter(|_| is_at_root)
            .and_then(|path| self.read(path))
        {
            Some(text) if runner == "npm" => look_up_in_package(&text, name),
            Some(text) if !text.contains(name) && !may_have_more(&text) => {
                LookupFinding::Gone(String::new())
            }
            _ => LookupFinding::Unknown,
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
        }
    }
}

/// Returns whether a runner may read a file's scripts.
fn is_task_file(runner: &str, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    match runner {
        "npm" => name == "package.json",
        "make" => name.ends_with("makefile") || name.ends_with(".mk"),
        _ => name.ends_with("justfile") || name.ends_with(".just"),
    }
}

fn look_up_in_package(text: &str, name: &str) -> LookupFinding {
    let package: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let Some(scripts) = package["scripts"].as_object() else {
        return LookupFinding::Unknown;
    };
    if scripts.contains_key(name) {
        return LookupFinding::Present;
    }
    let mut names = scripts.keys();
    let similar = names.find(|other| other.contains(name) || name.contains(other.as_str()));
    LookupFinding::Gone(similar.map_or_else(String::new, |other| format!("there is `{other}`")))
}

/// Returns whether a file of make or just may have more targets than those it writes out: it takes in other files, or
/// has patterns or variables before its colons.
fn may_have_more(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.starts_with(['\t', '#']));
    lines.any(|line| {
        let head = line.split(':').next().unwrap_or(line).trim();
        let first = head.split_whitespace().next().unwrap_or_default();
        let takes_in = matches!(
            first.trim_matches(['-', '?']),
            "include" | "sinclude" | "import" | "mod" | "load"
        );
        takes_in || first.starts_with('$') || (line.contains(':') && head.contains(['%', '$']))
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    /// Looks things up in a repository of these files.
    fn check(files: &[(&str, &str)], expected: &[(NamedThing, LookupFinding)]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut git = Command::new("git");
        let git = git.args(["init", "-q"]).current_dir(folder.path());
        assert!(git.status().unwrap().success());
        let project = ProjectId::parse("shop").unwrap();
        let repository = FolderRepository::open(folder.path(), project).unwrap();
        for (thing, finding) in expected {
            assert_eq!(
                repository.look_up(thing),
                *finding,
                "{thing:?} in {files:?}"
            );
        }
    }

    fn gone(what: &str) -> LookupFinding {
        LookupFinding::Gone(what.to_owned())
    }

    fn file(path: &str) -> NamedThing {
        NamedThing::File(path.to_owned())
    }

    fn script(runner: &str, name: &str) -> NamedThing {
        NamedThing::Script {
            runner: runner.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn what_is_there_and_what_is_gone() {
        check(
            &[
                ("scripts/seed.py", ""),
                ("src/a.rs", ""),
                ("web/src/b.rs", ""),
                (".gitignore", "/src/made"),
            ],
            &[
                (file("scripts/seed.py"), LookupFinding::Present),
                (file("scripts/seed.sh"), gone("there is `seed.py`")),
                (file("elsewhere/seed.sh"), LookupFinding::Unknown),
                (file("src/b.rs"), LookupFinding::Unknown),
                (file("src/made/c.rs"), LookupFinding::Unknown),
            ],
        );
    }

    #[test]
    fn a_script_is_gone_only_where_no_file_may_have_it() {
        let package = r#"{"scripts": {"test:unit": "vitest"}}"#;
        let docs = "make docs";
        let check = |files: &[(&str, &str)], call: &str, expected: LookupFinding| {
            let (runner, name) = call.split_once(' ').unwrap();
            check(files, &[(script(runner, name), expected)]);
        };
        let makefile = "all: lint\nlint:\n\t$(CHECK) %:\n";
        check(
            &[("package.json", package)],
            "npm test:unit",
            LookupFinding::Present,
        );
        check(
            &[("package.json", package)],
            "npm test",
            gone("there is `test:unit`"),
        );
        check(&[("Makefile", makefile)], docs, gone(""));
        check(&[("justfile", "@lint:\n  check\n")], "just docs", gone(""));
        let unknown: [(&[(&str, &str)], &str); 9] = [
            (
                &[("package.json", package), ("web/package.json", "{}")],
                "npm e2e",
            ),
            (&[("web/package.json", package)], "npm e2e"),
            (&[("Makefile", "include mk/*.mk\n")], docs),
            (&[("Makefile", makefile), ("GNUmakefile", "docs:\n")], docs),
            (&[("Makefile", "do%:\n\tbuild\n")], docs),
            (&[("Makefile", "$(TARGETS):\n\tbuild\n")], docs),
            (
                &[("Makefile", "$(foreach a,b,$(eval $(call c,$a)))\n")],
                docs,
            ),
            (&[("justfile", "import 'dev.just'\n")], "just docs"),
            (&[("justfile", "mod docs\n")], "just docs::serve"),
        ];
        for (files, call) in unknown {
            check(files, call, LookupFinding::Unknown);
        }
    }
}
