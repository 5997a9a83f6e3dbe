//! Which project a folder belongs to: clones and worktrees of one repository are one project.
//!
//! The name is the normalised URL of the remote `origin` (`github.com/owner/repo`), else the
//! path of the repository's common git folder. A folder in no repository has no project. Files
//! are read as they are; `git` is not started, because a hook has milliseconds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::id::ProjectId;
use hardwon_engine::regular;

/// Finds the project of a folder, looking upwards for its repository.
#[must_use]
pub fn of_folder(folder: &Path) -> Option<ProjectId> {
    let git = folder.ancestors().find_map(git_folder)?;
    let common = common_folder(&git);
    let name = origin_url(&common)
        .and_then(|url| normalise(&url))
        .unwrap_or_else(|| {
            fs::canonicalize(&common)
                .unwrap_or(common)
                .display()
                .to_string()
        });
    ProjectId::parse(&name).ok()
}

/// Finds the root of the work tree that a folder is in.
#[must_use]
pub fn root_of(folder: &Path) -> Option<PathBuf> {
    let mut all = folder.ancestors();
    all.find(|it| git_folder(it).is_some()).map(Path::to_owned)
}

/// Returns the project of a remote's URL.
#[must_use]
pub fn of_remote(url: &str) -> Option<ProjectId> {
    ProjectId::parse(&normalise(url)?).ok()
}

/// Returns the git folder of a work tree: `.git`, or where a worktree's `.git` file points.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = regular::read_to_string(&dot_git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(root.join(target))
}

/// Follows `commondir`, by which a worktree's git folder names the repository's.
fn common_folder(git: &Path) -> PathBuf {
    match regular::read_to_string(&git.join("commondir")) {
        Ok(text) => git.join(text.trim()),
        Err(_) => git.to_owned(),
    }
}

fn origin_url(git: &Path) -> Option<String> {
    let config = regular::read_to_string(&git.join("config")).ok()?;
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line == r#"[remote "origin"]"#;
        } else if in_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "url"
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

/// Makes one name of the ways to write a remote: `git@host:a/b.git`, `https://me@host/a/b`.
///
/// Credentials, ports and queries go, the host is lower-cased. A path on this machine stays a path.
fn normalise(url: &str) -> Option<String> {
    let (host, path) = match url.trim().split_once("://") {
        Some(("file", path)) => return Some(trimmed(path).to_owned()),
        Some((_, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or(rest);
            without_user(rest).split_once('/')?
        }
        None => match without_login(url.trim()).split_once(':') {
            Some((host, path)) if !host.contains('/') => {
                (host.rsplit('@').next().unwrap_or(host), path)
            }
            _ => return Some(trimmed(url.trim()).to_owned()),
        },
    };
    let path = trimmed(path);
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    Some(format!("{host}/{}", path.trim_start_matches('/')))
}

fn trimmed(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git").unwrap_or(path)
}

/// Drops the user and the password before a URL's host. A slash in a password, which nobody escaped,
/// leaves what looks like a port and is no number; then all up to the last `@` goes.
fn without_user(rest: &str) -> &str {
    let authority = rest.split('/').next().unwrap_or(rest);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let halved = authority
        .split_once(':')
        .is_some_and(|(_, port)| !authority.contains('@') && !is_port(port));
    let within = if halved { rest } else { authority };
    within.rfind('@').map_or(rest, |at| &rest[at + 1..])
}

/// Drops the user before the host of `git@host:a/b`, and a password, which has no place there.
fn without_login(url: &str) -> &str {
    match url.split_once(':') {
        Some((_, path)) => match path.split_once('@') {
            Some((_, host)) if host.contains(':') => host,
            _ => url,
        },
        None => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_of_one_repository_have_one_name() {
        for url in [
            "git@github.com:owner/repo.git",
            "https://github.com/owner/repo",
            "https://user:secret@GitHub.com/owner/repo.git/",
            "ssh://git@github.com:22/owner/repo.git",
            "https://user:s@cret@github.com/owner/repo.git",
            "https://github.com/owner/repo?access_token=secret",
            "https://user:se/cr@github.com/owner/repo",
            "user:secret@github.com:owner/repo.git",
        ] {
            assert_eq!(
                normalise(url).as_deref(),
                Some("github.com/owner/repo"),
                "{url}"
            );
        }
        assert_eq!(
            normalise("/srv/git/repo.git").as_deref(),
            Some("/srv/git/repo")
        );
        assert_eq!(normalise("git@h:a@b/c.git").as_deref(), Some("h/a@b/c"));
    }

    #[test]
    fn clones_and_worktrees_are_one_project() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main");
        let tree = dir.path().join("tree");
        fs::create_dir_all(main.join(".git/worktrees/tree")).unwrap();
        fs::create_dir_all(main.join("src/deep")).unwrap();
        fs::create_dir_all(&tree).unwrap();
        let gitdir = main.join(".git/worktrees/tree");
        fs::write(tree.join(".git"), format!("gitdir: {}\n", gitdir.display())).unwrap();
        fs::write(gitdir.join("commondir"), "../..\n").unwrap();

        let by_folder = of_folder(&main).unwrap();
        assert_eq!(of_folder(&tree), Some(by_folder.clone()));
        assert_eq!(of_folder(&main.join("src/deep")), Some(by_folder));

        let remote = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h:a/b.git\n";
        fs::write(main.join(".git/config"), remote).unwrap();
        assert_eq!(of_folder(&tree).unwrap().as_str(), "h/a/b");
    }
}
