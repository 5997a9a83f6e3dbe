//! Finds the project of a session, from what its transcript says.
//!
//! In this order: a project that a person names for all; one that the transcript names; its folder's project, if the
//! folder exists; the remote it names; the repository around the place where the folder was; that folder. A session
//! with none of these belongs to the folder of its transcript, so no session is without a project.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::ProjectId;
use hardwon_engine::{RunInfo, Scope};

use crate::project::{
    self, find_root, parse_project, path_of_address, project_of_folder, project_of_path,
    project_of_remote, project_of_repository,
};
use crate::{Settings, config};

/// Most places in the cache.
const MAX_CACHED: usize = 256;

/// How many folders above a transcript are searched for the client's note of the working folder.
const MAX_ANCESTORS: usize = 4;

/// The file in which Gemini CLI notes the working folder of the sessions beside it.
const PROJECT_ROOT: &str = ".project_root";

/// Resolves sessions to projects, with a cache: sessions of a folder come many at a time, and finding its repository
/// takes a dozen file system look-ups.
pub struct ProjectResolver {
    /// The scope that a person names for all sessions, if they do.
    named: Option<Scope>,
    home: Option<PathBuf>,
    cache: RefCell<HashMap<PlaceKey, ProjectId>>,
}

/// A folder, the URL of a repository, and the folder of the transcript, which counts only where both are absent.
type PlaceKey = (Option<String>, Option<String>, Option<PathBuf>);

impl ProjectResolver {
    /// Makes a resolver; a project that a person names counts for all sessions.
    pub fn new(settings: &Settings) -> Self {
        Self {
            named: settings.is_project_named.then(|| settings.scope.clone()),
            home: config::home_folder(),
            cache: RefCell::default(),
        }
    }

    /// Returns the scope of all sessions, with the project only if a person names it.
    pub fn base_scope(&self, settings: &Settings) -> Scope {
        let nameless = || settings.scope.without_project();
        self.named.clone().unwrap_or_else(nameless)
    }

    /// Resolves the project of a session; `None` only where a person wants its lessons to hold everywhere.
    pub fn resolve_project(&self, run: &RunInfo, transcript: &Path) -> Option<ProjectId> {
        if let Some(named) = &self.named {
            return named.project.clone();
        }
        if let Some(project) = &run.project {
            return Some(parse_project(project.as_str()).unwrap_or_else(|_| project.clone()));
        }
        let folder = run.cwd.as_deref();
        let folder = folder.map(|folder| {
            folder
                .strip_prefix("file://")
                .map_or(folder, path_of_address)
        });
        let folder = folder
            .filter(|folder| is_absolute(folder))
            .map(str::to_owned);
        let is_known = folder.is_some() || run.remote.is_some();
        let beside = (!is_known).then(|| transcript_folder(transcript));
        let place = (folder, run.remote.clone(), beside);
        let mut cache = self.cache.borrow_mut();
        if cache.len() >= MAX_CACHED && !cache.contains_key(&place) {
            cache.clear();
        }
        let project = cache.entry(place.clone());
        Some(project.or_insert_with(|| self.find_project(&place)).clone())
    }

    fn find_project(&self, (folder, remote, beside): &PlaceKey) -> ProjectId {
        let folder = folder.as_deref().map(Path::new);
        if let Some(there) = folder.filter(|folder| folder.is_dir()) {
            return project_of_folder(there);
        }
        let by_remote = || project_of_remote(remote.as_deref()?);
        let around = || self.repository_around(folder?);
        let of_folder = || Some(project_of_path(&project::resolve_links(folder?)));
        let project = by_remote().or_else(around).or_else(of_folder);
        project
            .unwrap_or_else(|| project_of_transcript(beside.as_deref().unwrap_or(Path::new("/"))))
    }

    /// Finds the repository around a deleted folder, such as a work tree inside its repository. A home folder under
    /// version control does not own deleted folders below it.
    fn repository_around(&self, gone: &Path) -> Option<ProjectId> {
        let root = find_root(gone)?;
        let holds_home = self
            .home
            .as_deref()
            .is_some_and(|home| home.starts_with(&root));
        if holds_home {
            None
        } else {
            project_of_repository(gone)
        }
    }
}

fn transcript_folder(transcript: &Path) -> PathBuf {
    let whole = dunce::canonicalize(transcript).or_else(|_| std::path::absolute(transcript));
    let whole = whole.unwrap_or_else(|_| transcript.to_owned());
    whole.parent().unwrap_or(&whole).to_owned()
}

/// Returns whether a path is absolute, on this or another system.
fn is_absolute(path: &str) -> bool {
    let is_drive = |path: &str| path.as_bytes().get(1) == Some(&b':') && path.len() > 2;
    Path::new(path).is_absolute() || path.starts_with(r"\\") || is_drive(path)
}

/// Returns the project of a transcript that does not name its session's folder.
fn project_of_transcript(folder: &Path) -> ProjectId {
    let above = folder.ancestors().take(MAX_ANCESTORS);
    let roots = above.map(|above| above.join(PROJECT_ROOT));
    let roots = roots
        .filter_map(|root| fs::read_to_string(root).ok())
        .next();
    match roots.as_deref().map(str::trim) {
        Some(root) if is_absolute(root) => project_of_folder(Path::new(root)),
        _ => project_of_folder(folder),
    }
}

#[cfg(test)]
mod tests {
    use hardwon_core::RunId;

    use super::*;

    fn run(cwd: Option<&str>, remote: Option<&str>) -> RunInfo {
        RunInfo {
            id: RunId::parse("r").unwrap(),
            agent: None,
            project: None,
            cwd: cwd.map(str::to_owned),
            remote: remote.map(str::to_owned),
            history: None,
        }
    }

    #[test]
    fn a_session_belongs_to_what_its_transcript_names() {
        let dir = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(dir.path()).unwrap();
        for folder in [
            "repo/.git",
            "repo/src",
            "scripts",
            "logs/chats",
            "gemini/chats",
            "home/.git",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let remote = "[remote \"origin\"]\n\turl = git@h:a/repo.git\n";
        fs::write(root.join("repo/.git/config"), remote).unwrap();
        let told = format!("{}\n", root.join("scripts").display());
        fs::write(root.join("gemini/.project_root"), told).unwrap();
        let places = ProjectResolver {
            named: None,
            home: Some(root.join("home")),
            cache: RefCell::default(),
        };
        for (folder, remote, transcript, expected) in [
            ("repo/src", None, "logs/a", "h/a/repo"),
            ("repo/src", Some("git@h:a/fork.git"), "logs/a", "h/a/repo"),
            ("scripts", None, "logs/a", "[]/scripts"),
            ("scripts", Some("git@h:a/b.git"), "logs/a", "[]/scripts"),
            // Folders that are gone.
            ("gone", None, "logs/a", "[]/gone"),
            ("gone", Some("git@h:a/b.git"), "logs/a", "h/a/b"),
            ("repo/trees/gone", None, "logs/a", "h/a/repo"),
            ("home/gone", None, "logs/a", "[]/home/gone"),
            // Transcripts that name nothing.
            ("", None, "repo/.aider.chat.history.md", "h/a/repo"),
            ("", None, "logs/chats/s.jsonl", "[]/logs/chats"),
            ("", None, "gemini/chats/s.jsonl", "[]/scripts"),
            ("", Some("https://h/a/b"), "logs/a", "h/a/b"),
            (".", None, "logs/a", "[]/logs"),
        ] {
            let cwd = match folder {
                "" | "." => folder.to_owned(),
                _ => root.join(folder).display().to_string(),
            };
            let run = run(Some(&cwd), remote);
            let project = places
                .resolve_project(&run, &root.join(transcript))
                .unwrap();
            let expected = expected.replace("[]", root.to_str().unwrap());
            assert_eq!(
                project.as_str(),
                expected,
                "{folder} {remote:?} {transcript}"
            );
        }
        let named = RunInfo {
            project: ProjectId::parse("orchard").ok(),
            ..run(Some("/gone"), None)
        };
        assert_eq!(places.resolve_project(&named, &root), named.project);
    }

    #[test]
    fn a_persons_word_comes_first() {
        for named in [None, ProjectId::parse("p").ok()] {
            let places = ProjectResolver {
                named: Some(Scope {
                    project: named.clone(),
                    ..Scope::default()
                }),
                home: None,
                cache: RefCell::default(),
            };
            let project = places.resolve_project(&run(Some("/srv"), None), Path::new("/x"));
            assert_eq!(project, named);
        }
    }
}
