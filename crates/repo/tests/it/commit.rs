//! One local commit of a few files: that it touches nothing else, and where none is made.

#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::{fs, path::Path};

use hardwon_repo::{FileVersion, RepositoryError, replace_whole};

use crate::repository::TestRepo;

fn version(path: &str, content: &str) -> FileVersion {
    FileVersion {
        path: path.into(),
        content: Some(content.into()),
    }
}

fn started() -> TestRepo {
    let repo = TestRepo::new();
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo.write("AGENTS.md", "# A\n");
    repo.write("src/a.rs", "fn a() {}\n");
    repo.commit();
    repo
}

/// Commits a version of a file as a caller does: prepared, written, finished.
fn place(repo: &TestRepo, path: &str, content: &str) -> Result<String, RepositoryError> {
    let opened = repo.open();
    let prepared =
        opened.prepare_commit(&[version(path, content)], "Place it\n\nHardwon-Place: 0f\n")?;
    replace_whole(&repo.path().join(path), content.as_bytes()).unwrap();
    opened.finish_commit(&prepared)
}

#[test]
fn a_commit_is_of_its_files_alone() {
    let repo = started();
    repo.write("src/a.rs", "fn b() {}\n");
    repo.write("new.txt", "x");
    let id = place(&repo, "AGENTS.md", "# A\n\nmore\n").unwrap();
    assert_eq!(repo.head().as_str(), id);
    assert_eq!(
        repo.git(&["show", "--name-only", "--format=%s|%(trailers:only)"]),
        "Place it|Hardwon-Place: 0f\n\n\nAGENTS.md"
    );
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "M src/a.rs\n?? new.txt"
    );
    assert_eq!(repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    let left = fs::read_dir(repo.path().join(".git")).unwrap();
    let left = left.filter(|it| {
        it.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("hardwon")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn files_are_made_and_deleted() {
    let repo = started();
    place(&repo, "made.md", "x\n").unwrap();
    let opened = repo.open();
    let gone = FileVersion {
        path: "AGENTS.md".into(),
        content: None,
    };
    let prepared = opened.prepare_commit(&[gone], "x").unwrap();
    fs::remove_file(repo.path().join("AGENTS.md")).unwrap();
    opened.finish_commit(&prepared).unwrap();
    assert_eq!(repo.git(&["ls-files"]), "made.md\nsrc/a.rs");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_git_ignores_is_known() {
    let repo = started();
    repo.write(".gitignore", "/made\n:odd.md\n");
    let opened = repo.open();
    let ignored = ["made/a.md", ":odd.md", "AGENTS.md", "gone/a.md"]
        .map(|path| opened.is_ignored(Path::new(path)));
    assert_eq!(ignored, [true, true, false, false]);
}

#[test]
fn what_a_killed_process_staged_is_taken_up() {
    let repo = started();
    repo.write("AGENTS.md", "# B\n");
    repo.git(&["add", "AGENTS.md"]);
    assert!(matches!(
        place(&repo, "AGENTS.md", "# C\n"),
        Err(RepositoryError::NotReady(_))
    ));
    place(&repo, "AGENTS.md", "# B\n").unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_moved_keeps_the_index_as_it_was() {
    let repo = started();
    let opened = repo.open();
    let prepared = opened
        .prepare_commit(&[version("AGENTS.md", "# B\n")], "x")
        .unwrap();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "y"]);
    let head = repo.head();
    assert!(opened.finish_commit(&prepared).is_err());
    assert_eq!(repo.head(), head);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn nothing_is_committed_in_the_middle_of_something() {
    let check = |prepare: fn(&TestRepo), expected: &str| {
        let repo = started();
        prepare(&repo);
        let before = repo.git(&["rev-parse", "HEAD"]);
        let error = repo
            .open()
            .prepare_commit(&[version("AGENTS.md", "# B\n")], "x")
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("nothing is committed here: {expected}")
        );
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
    };
    check(
        |repo| {
            repo.write("src/a.rs", "fn c() {}\n");
            repo.git(&["add", "-A"]);
        },
        "src/a.rs is staged",
    );
    check(
        |repo| {
            repo.git(&["checkout", "-q", "--detach"]);
        },
        "no branch is checked out",
    );
    check(
        |repo| {
            repo.git(&["checkout", "-q", "-b", "topic"]);
            repo.write("b", "1");
            repo.commit();
            repo.git(&["checkout", "-q", "main"]);
            repo.git(&["merge", "-q", "--no-commit", "--no-ff", "topic"]);
        },
        "a merge is not done",
    );
    check(
        |repo| fs::create_dir(repo.path().join(".git/rebase-merge")).unwrap(),
        "a rebase is not done",
    );
    check(
        |repo| repo.write(".git/index.lock", ""),
        "another git is at work, or was killed (index.lock)",
    );
    check(
        |repo| {
            repo.write(".git/info/attributes", "AGENTS.md filter=evil\n");
        },
        "AGENTS.md goes through a filter, which is a program",
    );
}

#[cfg(unix)]
#[test]
fn no_program_of_the_repository_runs() {
    let repo = started();
    let hooks = repo.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
    ] {
        let path = hooks.join(hook);
        fs::write(&path, "#!/bin/sh\ntouch ran\nexit 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    repo.git(&["config", "commit.gpgsign", "true"]);
    repo.git(&["config", "gpg.program", "/nowhere/touch"]);
    place(&repo, "AGENTS.md", "# B\n").unwrap();
    assert!(!repo.path().join("ran").exists());
}

#[test]
fn line_breaks_are_kept_as_git_keeps_them() {
    let repo = started();
    repo.git(&["config", "core.autocrlf", "true"]);
    place(&repo, "AGENTS.md", "# B\r\n").unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let committed = repo.open().read_committed(Path::new("AGENTS.md")).unwrap();
    assert_eq!(committed.unwrap(), b"# B\n");
}

#[cfg(unix)]
#[test]
fn a_file_is_found_through_links_and_only_inside() {
    let repo = started();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "x").unwrap();
    let find = |name: &str| repo.open().locate_file(name);
    assert_eq!(find("AGENTS.md").unwrap(), Path::new("AGENTS.md"));
    assert_eq!(find("missing.md").unwrap(), Path::new("missing.md"));
    symlink("AGENTS.md", repo.path().join("CLAUDE.md")).unwrap();
    assert_eq!(find("CLAUDE.md").unwrap(), Path::new("AGENTS.md"));
    symlink(outside.path().join("x"), repo.path().join("far.md")).unwrap();
    assert!(matches!(
        find("far.md"),
        Err(RepositoryError::Outside { .. })
    ));
    symlink(".git/config", repo.path().join("git.md")).unwrap();
    assert!(matches!(
        find("git.md"),
        Err(RepositoryError::Outside { .. })
    ));
    symlink("nowhere", repo.path().join("dangling.md")).unwrap();
    assert!(find("dangling.md").is_err());
    assert!(find("src").is_err());
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions() {
    let repo = started();
    let path = repo.path().join("AGENTS.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // What a killed process left, or somebody put there.
    symlink("src/a.rs", repo.path().join(".AGENTS.md.hardwon-new")).unwrap();
    replace_whole(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(
        fs::read(repo.path().join("src/a.rs")).unwrap(),
        b"fn a() {}\n"
    );
    assert!(!repo.path().join(".AGENTS.md.hardwon-new").exists());
}
