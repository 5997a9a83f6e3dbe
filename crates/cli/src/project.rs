//! Finds the project of a folder: clones and worktrees of one repository are one project, and a folder in no repository
//! is a project of its own.
//!
//! A repository's name is the normalised URL of its remote `origin` (`github.com/owner/repo`), else the path of its
//! common git folder; of any other folder it is its path. So every lesson belongs to a project, and holds everywhere
//! only where a person says so. Files are read as they are; `git` is not started, because a hook has milliseconds.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use hardwon_core::{InvalidName, ProjectId, digest, limits};
use hardwon_engine::regular_file;

/// Finds the project of a folder, which need not exist any more: that of the repository it is in, else the folder
/// itself.
pub fn project_of_folder(folder: &Path) -> ProjectId {
    project_of_repository(folder).unwrap_or_else(|| project_of_path(&resolve_links(folder)))
}

/// Finds the project of the repository that a folder is in, searching upwards; `None` if there is none.
pub fn project_of_repository(folder: &Path) -> Option<ProjectId> {
    folder
        .ancestors()
        .find_map(find_common_folder)
        .map(|common| project_of_git_folder(&common))
}

/// Returns the project of a repository whose common git folder this is.
pub(crate) fn project_of_git_folder(common: &Path) -> ProjectId {
    let remote = read_origin_url(common).and_then(|url| project_of_remote(&url));
    let path = || dunce::canonicalize(common).unwrap_or_else(|_| common.to_owned());
    remote.unwrap_or_else(|| project_of_path(&path()))
}

/// Returns whether a person names a project by the path of its folder, which is there.
pub(crate) fn is_folder(name: &str) -> bool {
    let path = Path::new(name);
    (path.is_absolute() || name.starts_with('.')) && path.is_dir()
}

/// Parses a project that a person names: a name, or the path of its folder.
pub fn parse_project(name: &str) -> Result<ProjectId, InvalidName> {
    match dunce::canonicalize(name) {
        Ok(folder) if is_folder(name) => Ok(project_of_folder(&folder)),
        _ => ProjectId::parse(name),
    }
}

/// Returns the project of a path. A path that is not a valid name keeps its end, with a hash that tells it from others.
pub(crate) fn project_of_path(path: &Path) -> ProjectId {
    let name = path.to_string_lossy();
    // One spelling of a folder, with the slashes of all other names.
    #[cfg(windows)]
    let name: Cow<'_, str> = name.replace('\\', "/").into();
    let name: Cow<'_, str> = if name.chars().any(char::is_control) {
        name.escape_debug().to_string().into()
    } else {
        name
    };
    ProjectId::parse(&name).unwrap_or_else(|_| {
        let print = digest::to_hex(&digest::hash_parts([name.as_bytes()])[..8]);
        let room = limits::NAME_CHARS / 2;
        let tail: String = name
            .chars()
            .skip(name.chars().count().saturating_sub(room))
            .collect();
        let name = format!("{print}:{}", tail.trim());
        ProjectId::parse(&name).expect("a short name without control characters")
    })
}

/// Resolves the links in a path, as far as it exists.
pub(crate) fn resolve_links(folder: &Path) -> PathBuf {
    let there = |it: &Path| {
        Some((
            dunce::canonicalize(it).ok()?,
            folder.strip_prefix(it).ok()?.to_owned(),
        ))
    };
    match folder.ancestors().find_map(there) {
        Some((there, gone)) if gone.as_os_str().is_empty() => there,
        Some((there, gone)) => there.join(gone),
        None => folder.to_owned(),
    }
}

/// Returns the path of a `file:` address without its scheme and machine; on Windows `/C:/a` is the path `C:/a`.
pub(crate) fn path_of_address(path: &str) -> &str {
    match path.strip_prefix('/') {
        Some(rest) if cfg!(windows) && rest.as_bytes().get(1) == Some(&b':') => rest,
        _ => path,
    }
}

/// Finds the root of the work tree that a folder is in.
pub fn find_root(folder: &Path) -> Option<PathBuf> {
    let mut all = folder.ancestors();
    all.find(|folder| git_folder(folder).is_some())
        .map(Path::to_owned)
}

/// Returns the project of a remote's URL; `None` if the URL is invalid.
pub fn project_of_remote(url: &str) -> Option<ProjectId> {
    ProjectId::parse(&normalise_remote(url)?).ok()
}

/// Returns the git folder of a work tree: `.git`, or where a worktree's `.git` file points.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = regular_file::read_to_string(&dot_git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(root.join(target))
}

/// Returns the branch that is checked out where a folder lies, as git's own file `HEAD` names it: a hook at a session's start
/// asks, and a process of git's costs more than the rest of it.
pub fn read_branch(folder: &Path) -> Option<String> {
    let git = git_folder(&find_root(folder)?)?;
    let head = regular_file::read_to_string(&git.join("HEAD")).ok()?;
    let branch = head.strip_prefix("ref:")?.trim();
    Some(branch.strip_prefix("refs/heads/")?.to_owned())
}

/// Returns the common git folder of a repository or a worktree of it, if this is the root of one.
pub fn find_common_folder(root: &Path) -> Option<PathBuf> {
    let git = git_folder(root)?;
    Some(match regular_file::read_to_string(&git.join("commondir")) {
        Ok(text) => git.join(text.trim()),
        Err(_) => git,
    })
}

fn read_origin_url(git: &Path) -> Option<String> {
    let config = regular_file::read_to_string(&git.join("config")).ok()?;
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

/// Normalises the ways to write a remote: `git@host:a/b.git`, `https://me@host/a/b`.
///
/// Credentials, ports and queries are dropped, the host is lower-cased. A path on this machine stays a path.
fn normalise_remote(url: &str) -> Option<String> {
    let (host, path) = match url.trim().split_once("://") {
        Some(("file", path)) => return Some(trim_git_suffix(path).to_owned()),
        Some((_, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or(rest);
            strip_user(rest).split_once('/')?
        }
        None => match strip_login(url.trim()).split_once(':') {
            Some((host, path)) if !host.contains('/') => {
                (host.rsplit('@').next().unwrap_or(host), path)
            }
            _ => return Some(trim_git_suffix(url.trim()).to_owned()),
        },
    };
    let path = trim_git_suffix(path);
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    Some(format!("{host}/{}", path.trim_start_matches('/')))
}

fn trim_git_suffix(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git").unwrap_or(path)
}

/// Drops the user and the password before a URL's host. An unescaped slash in a password leaves what looks like a port
/// and is no number; then everything up to the last `@` is dropped.
fn strip_user(rest: &str) -> &str {
    let authority = rest.split('/').next().unwrap_or(rest);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_split = authority
        .split_once(':')
        .is_some_and(|(_, port)| !authority.contains('@') && !is_port(port));
    let within = if is_split { rest } else { authority };
    within.rfind('@').map_or(rest, |at| &rest[at + 1..])
}

/// Drops the user before the host of `git@host:a/b`, and a password, which does not belong there.
fn strip_login(url: &str) -> &str {
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
    use std::fs;

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
                normalise_remote(url).as_deref(),
                Some("github.com/owner/repo"),
                "{url}"
            );
        }
        assert_eq!(
            normalise_remote("/srv/git/repo.git").as_deref(),
            Some("/srv/git/repo")
        );
        assert_eq!(
            normalise_remote("git@h:a@b/c.git").as_deref(),
            Some("h/a@b/c")
        );
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

        let by_folder = project_of_folder(&main);
        assert_eq!(project_of_folder(&tree), by_folder);
        assert_eq!(project_of_folder(&main.join("src/deep")), by_folder);
        let root = dunce::canonicalize(&main).unwrap();
        let slashed = root.to_str().unwrap().replace('\\', "/");
        assert_eq!(by_folder.display_name(), slashed);
        assert_eq!(parse_project(root.to_str().unwrap()), Ok(by_folder));

        let remote = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h:a/b.git\n";
        fs::write(main.join(".git/config"), remote).unwrap();
        assert_eq!(project_of_folder(&tree).as_str(), "h/a/b");

        fs::write(main.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(gitdir.join("HEAD"), "ref: refs/heads/a/b\n").unwrap();
        assert_eq!(read_branch(&main.join("src/deep")).unwrap(), "main");
        assert_eq!(read_branch(&tree).unwrap(), "a/b");
        fs::write(gitdir.join("HEAD"), "a11ce0\n").unwrap();
        assert_eq!(read_branch(&tree), None);
    }

    // On Windows not everybody may make links.
    #[cfg(unix)]
    #[test]
    fn a_folder_in_no_repository_is_a_project() {
        let dir = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(dir.path()).unwrap();
        fs::create_dir(root.join("scripts")).unwrap();
        std::os::unix::fs::symlink(root.join("scripts"), root.join("link")).unwrap();
        let long = format!("gone/{}", "deep/".repeat(100));
        for (folder, expected) in [
            ("scripts", root.join("scripts").display().to_string()),
            ("link", root.join("scripts").display().to_string()),
            ("link/gone", root.join("scripts/gone").display().to_string()),
            ("odd\nname", root.join("odd\\nname").display().to_string()),
        ] {
            assert_eq!(project_of_folder(&root.join(folder)).as_str(), expected);
        }
        // Paths that are not valid names stay distinct all the same.
        let other = format!("other/{}", "deep/".repeat(100));
        assert_ne!(
            project_of_folder(&root.join(long)),
            project_of_folder(&root.join(other))
        );
    }
}
