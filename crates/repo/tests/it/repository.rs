//! What is listed and read, and that nothing that a repository configures runs.

use std::{fs, path::Path, process::Command};

use hardwon_repo::{
    ChangeSet, ObjectId, PushedRef, Repository, RepositoryError, parse_pushed_refs,
};
#[cfg(unix)]
use hardwon_repo::{FileKind, ShippedPlace};
use tempfile::TempDir;

/// A repository of its own, away from the settings of whoever runs the tests.
pub(crate) struct TestRepo {
    folder: TempDir,
}

impl TestRepo {
    pub(crate) fn new() -> Self {
        let repo = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything, and returns the commit.
    pub(crate) fn commit(&self) -> ObjectId {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.head()
    }

    pub(crate) fn head(&self) -> ObjectId {
        ObjectId::parse(&self.git(&["rev-parse", "HEAD"])).unwrap()
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::find(self.path()).unwrap()
    }

    /// Returns the paths of each commit's changes with their new content.
    fn contents(&self, sets: &[ChangeSet]) -> Vec<Vec<(String, String)>> {
        let mut reader = self.open().read_blobs().unwrap();
        let mut read = |id: &ObjectId| {
            let mut text = String::new();
            reader
                .read_object(id, |from| from.read_to_string(&mut text))
                .unwrap();
            text
        };
        let mut pairs = |set: &ChangeSet| {
            let changes = set.changes.iter();
            changes
                .map(|it| (it.path.to_string_lossy().into_owned(), read(&it.new)))
                .collect()
        };
        sets.iter().map(&mut pairs).collect()
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    pairs.iter().map(owned).collect()
}

#[cfg(unix)]
#[test]
fn tracked_and_untracked_files_are_listed_and_ignored_ones_are_not() {
    let repo = TestRepo::new();
    repo.write(".gitignore", "*.log\n");
    repo.write("odd name\nwith \"quotes\" é.txt", "x");
    repo.write("gone.txt", "x");
    std::os::unix::fs::symlink("/home/somebody", repo.path().join("link")).unwrap();
    repo.commit();
    repo.write("new/file.txt", "x");
    repo.write("a.log", "x");
    fs::remove_file(repo.path().join("gone.txt")).unwrap();
    repo.write("nested/x", "x");
    let nested = repo.path().join("nested");
    let init = Command::new("git")
        .args(["init", "-q"])
        .current_dir(&nested)
        .status();
    assert!(init.unwrap().success());
    repo.write("sub/deep.txt", "x");

    let from_below = Repository::find(&repo.path().join("sub")).unwrap();
    let listed = from_below.list_shippable().unwrap();
    let shown: Vec<_> = listed
        .iter()
        .map(|file| {
            let is_tracked = matches!(file.place, ShippedPlace::Tracked(_));
            (file.path.to_str().unwrap(), file.kind, is_tracked)
        })
        .collect();
    assert_eq!(
        shown,
        [
            (".gitignore", FileKind::Regular, true),
            ("gone.txt", FileKind::Regular, true),
            ("link", FileKind::Symlink, true),
            ("odd name\nwith \"quotes\" é.txt", FileKind::Regular, true),
            ("nested", FileKind::Submodule, false),
            ("new/file.txt", FileKind::Regular, false),
            ("sub/deep.txt", FileKind::Regular, false),
        ]
    );
}

#[test]
fn what_is_staged_is_what_the_index_has() {
    let repo = TestRepo::new();
    repo.write("a.txt", "first");
    repo.git(&["add", "-A"]);
    let staged = repo.open().list_staged().unwrap();
    assert_eq!(
        (staged.len(), staged[0].old.len()),
        (1, 0),
        "before the first commit"
    );
    repo.commit();
    repo.write("a.txt", "staged");
    repo.write("b.txt", "new");
    repo.git(&["add", "-A"]);
    repo.write("a.txt", "work tree");
    let staged = repo.open().list_staged().unwrap();
    let set = ChangeSet {
        commit: repo.head(),
        changes: staged,
    };
    let expected = pairs(&[("a.txt", "staged"), ("b.txt", "new")]);
    assert_eq!(repo.contents(std::slice::from_ref(&set)), [expected]);
    assert_eq!(set.changes[0].old.len(), 1);
}

#[test]
fn a_conflict_in_the_index_is_an_error() {
    let repo = TestRepo::new();
    repo.write("a.txt", "base");
    repo.commit();
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("a.txt", "other");
    repo.commit();
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "main");
    repo.commit();
    let merge = Command::new("git")
        .args(["merge", "-q", "other"])
        .current_dir(repo.path())
        .output();
    assert!(!merge.unwrap().status.success());
    let error = repo.open().list_staged().unwrap_err();
    assert!(error.to_string().contains("a.txt is not merged"), "{error}");
}

#[test]
fn each_commit_of_a_range_has_its_own_changes() {
    let repo = TestRepo::new();
    repo.write("a.txt", "1");
    let first = repo.commit();
    repo.write("a.txt", "2");
    repo.commit();
    fs::remove_file(repo.path().join("a.txt")).unwrap();
    repo.commit();
    let open = repo.open();
    let since = open.list_range(&format!("{first}..HEAD")).unwrap();
    assert_eq!(
        repo.contents(&since),
        [pairs(&[("a.txt", "2")]), pairs(&[])]
    );
    let all = open.list_range("HEAD").unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(repo.contents(&all[..1]), [pairs(&[("a.txt", "1")])]);
    for wrong in ["nowhere..HEAD", "--all", "-x"] {
        let failed = open.list_range(wrong);
        assert!(
            matches!(failed, Err(RepositoryError::Failed { .. })),
            "{wrong}"
        );
    }
}

#[test]
fn a_merge_has_what_no_parent_has() {
    let repo = TestRepo::new();
    repo.write("a.txt", "base");
    let base = repo.commit();
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("b.txt", "other");
    repo.commit();
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "main");
    repo.commit();
    repo.git(&["merge", "-q", "--no-commit", "--no-ff", "other"]);
    repo.write("b.txt", "other and more");
    repo.commit();
    let sets = repo.open().list_range(&format!("{base}..HEAD")).unwrap();
    let contents = repo.contents(&sets);
    // One parent has another `b.txt`, the other none; `a.txt` is one parent's.
    let own = pairs(&[("b.txt", "other and more")]);
    assert_eq!(contents.last().unwrap(), &own);
    repo.write("evil.txt", "of nobody");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--amend", "-m", "x"]);
    let sets = repo.open().list_range(&format!("{base}..HEAD")).unwrap();
    let last = repo.contents(&sets).pop().unwrap();
    assert!(
        last.contains(&("evil.txt".to_owned(), "of nobody".to_owned())),
        "{last:?}"
    );
}

#[test]
fn a_push_brings_what_the_remote_has_not() {
    let repo = TestRepo::new();
    let remote = tempfile::tempdir().unwrap();
    let url = remote.path().to_str().unwrap();
    let init = Command::new("git")
        .args(["init", "-q", "--bare", url])
        .status();
    assert!(init.unwrap().success());
    repo.git(&["remote", "add", "origin", url]);
    repo.write("a.txt", "1");
    let first = repo.commit();
    repo.git(&["push", "-q", "origin", "main"]);
    repo.write("a.txt", "2");
    let second = repo.commit();
    let zero = ObjectId::parse(&"0".repeat(40)).unwrap();
    let unknown = ObjectId::parse(&"1".repeat(40)).unwrap();
    let open = repo.open();
    for (local, other, known, unknown_remote) in [
        (&second, &first, 1, 1),
        (&second, &zero, 1, 2),
        (&second, &unknown, 1, 2),
        (&first, &zero, 0, 1),
        (&zero, &first, 0, 0),
    ] {
        let pushed = PushedRef {
            local: local.clone(),
            remote: other.clone(),
        };
        for (name, expected) in [
            (Some("origin"), known),
            (Some("a url"), unknown_remote),
            (None, known),
        ] {
            let sets = open.list_pushed(&[pushed.clone(), pushed.clone()], name);
            assert_eq!(sets.unwrap().len(), expected, "{local} {other} {name:?}");
        }
    }
    assert_eq!(PushedRef::new_there(second.clone()).remote, zero);
}

#[test]
fn what_git_tells_a_hook() {
    let (a, zero) = ("a".repeat(40), "0".repeat(40));
    let parsed = parse_pushed_refs(&format!("refs/heads/x {a} refs/heads/x {zero}\n\n")).unwrap();
    assert_eq!((parsed.len(), parsed[0].remote.is_zero()), (1, true));
    assert_eq!(parse_pushed_refs(""), Ok(vec![]));
    let odd = format!("(delete) {zero} refs/heads/x {a}\nrefs/heads/x short refs/heads/x {a}\n");
    assert_eq!(parse_pushed_refs(&odd), Err(2));
}

#[cfg(unix)]
#[test]
fn nothing_that_the_repository_configures_runs() {
    let repo = TestRepo::new();
    repo.write("a.txt", "1");
    let first = repo.commit();
    let ran = repo.path().join("ran");
    let script = repo.path().join(".git/evil");
    fs::write(
        &script,
        format!("#!/bin/sh\necho ran >> '{}'\ncat\n", ran.display()),
    )
    .unwrap();
    let make_runnable = |path: &Path| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, mode).unwrap();
    };
    make_runnable(&script);
    for hook in ["post-index-change", "pre-commit", "reference-transaction"] {
        let path = repo.path().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(&script, &path).unwrap();
        make_runnable(&path);
    }
    repo.write(".gitattributes", "* diff=evil filter=evil\n");
    repo.write("a.txt", "2");
    repo.git(&["-c", "core.hooksPath=/dev/null", "add", "-A"]);
    let tree = repo.git(&["write-tree"]);
    let second = repo.git(&[
        "-c",
        "core.hooksPath=/dev/null",
        "commit-tree",
        "-p",
        first.as_str(),
        "-m",
        "x",
        &tree,
    ]);
    let program = script.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.smudge",
        "filter.evil.clean",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
    ] {
        repo.git(&["config", key, program]);
    }
    drop(fs::remove_file(&ran));
    let open = repo.open();
    open.list_shippable().unwrap();
    open.list_staged().unwrap();
    let sets = open.list_range(&format!("{first}..{second}")).unwrap();
    assert_eq!(repo.contents(&sets)[0][1].1, "2");
    open.hooks_folder().unwrap();
    assert!(!ran.exists(), "something ran");
}

#[test]
fn hooks_are_where_the_repository_has_them() {
    let repo = TestRepo::new();
    let open = repo.open();
    assert!(open.hooks_folder().unwrap().ends_with(".git/hooks"));
    repo.git(&["config", "core.hooksPath", "tools/hooks"]);
    assert_eq!(
        open.hooks_folder().unwrap(),
        open.root().join("tools/hooks")
    );
}

#[test]
fn no_repository_and_no_object_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let found = Repository::find(folder.path());
    assert!(
        matches!(found, Err(RepositoryError::NotRepository { .. })),
        "{found:?}"
    );
    let repo = TestRepo::new();
    let mut reader = repo.open().read_blobs().unwrap();
    let unknown = ObjectId::parse(&"1".repeat(40)).unwrap();
    let read = reader.read_object(&unknown, |_| Ok(()));
    assert!(
        matches!(read, Err(RepositoryError::Failed { .. })),
        "{read:?}"
    );
    // The reader goes on.
    repo.write("a", "content");
    let id = ObjectId::parse(&repo.git(&["hash-object", "-w", "a"])).unwrap();
    let mut first = [0; 3];
    reader
        .read_object(&id, |from| from.read_exact(&mut first))
        .unwrap();
    let whole = reader.read_object(&id, |from| std::io::read_to_string(from));
    assert_eq!((&first, &*whole.unwrap()), (b"con", "content"));
}
