//! A work tree is named, copied and taken edits back into, and is otherwise left as it was.

use std::fs;

use hardwon_repo::{ReviewDelivery, TakeBackRefusal, TakenBack, Workspace};

use crate::repository::TestRepo;

/// A repository with a branch, and work on it that is not committed.
fn new_branch() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a", "1\n");
    repo.write("gone", "1\n");
    repo.write(".gitignore", "*.log\n");
    repo.commit();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("a", "2\n");
    repo.commit();
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo
}

fn list(repo: &TestRepo, tree: &str) -> String {
    repo.git(&["ls-tree", "-r", "--name-only", tree])
        .replace('\n', " ")
}

#[test]
fn the_state_of_a_work_tree_has_a_name() {
    let repo = new_branch();
    repo.write("dir/new", "x\n");
    repo.write("out.log", "x\n");
    fs::remove_file(repo.path().join("gone")).unwrap();
    let before = repo.git(&["status", "--porcelain"]);
    let opened = repo.open();
    let tree = opened.snapshot_tree().unwrap();
    assert_eq!(list(&repo, tree.as_str()), ".gitignore a dir/new");
    assert_eq!(repo.git(&["status", "--porcelain"]), before);
    assert_eq!(opened.snapshot_tree().unwrap(), tree);
    // Of the same size, within the same second.
    repo.write("a", "3\n");
    let other = opened.snapshot_tree().unwrap();
    assert_eq!(repo.git(&["show", &format!("{other}:a")]), "3");
    repo.git(&["add", "-A"]);
    assert_eq!(opened.index_tree().unwrap(), other);
    repo.git(&["commit", "-q", "-m", "x"]);
    let delivery = opened.find_delivery(None).unwrap();
    assert_eq!((&delivery.head_tree, &delivery.tree), (&other, &other));
    assert_eq!(delivery.branch.as_deref(), Some("topic"));
    assert_eq!(delivery.base.as_str(), repo.git(&["rev-parse", "main"]));
}

/// A filter that is configured is a program of somebody's.
#[test]
fn no_filter_runs() {
    let repo = new_branch();
    let ran = repo.path().join("ran.log");
    for (name, value) in [("clean", "cat"), ("smudge", "cat"), ("process", "cat")] {
        let line = format!("touch '{}'; {value}", ran.display());
        repo.git(&["config", &format!("filter.x.{name}"), &line]);
    }
    repo.git(&["config", "filter.x.required", "true"]);
    repo.write(".gitattributes", "a filter=x\n");
    repo.write("a", "3\n");
    let opened = repo.open();
    let delivery = opened.find_delivery(None).unwrap();
    let copy = Workspace::create(&opened, &delivery).unwrap();
    assert_eq!(fs::read_to_string(copy.root().join("a")).unwrap(), "3\n");
    assert_eq!(copy.read_back(&opened).unwrap(), delivery.tree);
    assert!(!ran.exists());
}

#[test]
fn a_copy_has_everything_but_a_way_back() {
    let repo = new_branch();
    repo.git(&["remote", "add", "origin", "https://example.com/x.git"]);
    repo.write("new", "x\n");
    let opened = repo.open();
    let delivery = opened.find_delivery(Some("main")).unwrap();
    let copy = Workspace::create(&opened, &delivery).unwrap();
    let config = fs::read_to_string(copy.root().join(".git/config")).unwrap();
    assert!(!config.contains("remote"), "{config}");
    assert!(!copy.root().join(".git/objects/info/alternates").exists());
    assert_eq!(copy.read_back(&opened).unwrap(), delivery.tree);
    fs::write(copy.root().join("a"), "9\n").unwrap();
    fs::write(copy.root().join("junk"), "9\n").unwrap();
    let edited = copy.read_back(&opened).unwrap();
    assert_eq!(
        opened.paths_between(&delivery.tree, &edited).unwrap(),
        [b"a".to_vec(), b"junk".to_vec()]
    );
    // Another copy has what was edited, and nothing that git does not see.
    fs::write(copy.root().join("out.log"), "9\n").unwrap();
    let next = ReviewDelivery {
        tree: edited.clone(),
        ..delivery
    };
    let next = Workspace::create(&opened, &next).unwrap();
    assert_eq!(next.read_back(&opened).unwrap(), edited);
    assert!(!next.root().join("out.log").exists());
}

#[test]
fn edits_become_one_commit_beside_other_work() {
    let repo = new_branch();
    repo.write("mine", "x\n");
    fs::remove_file(repo.path().join(".gitignore")).unwrap();
    let opened = repo.open();
    let delivery = opened.find_delivery(None).unwrap();
    let copy = Workspace::create(&opened, &delivery).unwrap();
    fs::write(copy.root().join("a"), "9\n").unwrap();
    fs::remove_file(copy.root().join("gone")).unwrap();
    let edited = copy.read_back(&opened).unwrap();
    let taken = opened.take_back(&delivery, &edited, "fixes\n").unwrap();
    let TakenBack::Committed(commit) = taken else {
        panic!("{taken:?}");
    };
    assert_eq!(repo.head(), commit);
    assert_eq!(list(&repo, "HEAD"), ".gitignore a");
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "D .gitignore\n?? mine"
    );
    assert_eq!(opened.snapshot_tree().unwrap(), edited);
}

/// What a process leaves that was killed after the edits were checked out, and before the branch had them.
#[test]
fn edits_that_were_half_taken_back_are_finished() {
    const TAKING: &str = "refs/worktree/hardwon/taking";
    let begin = |is_checked_out: bool| {
        let repo = new_branch();
        repo.write("mine", "x\n");
        let opened = repo.open();
        let delivery = opened.find_delivery(None).unwrap();
        let copy = Workspace::create(&opened, &delivery).unwrap();
        fs::write(copy.root().join("a"), "9\n").unwrap();
        let edited = copy.read_back(&opened).unwrap();
        let taken = opened.take_back(&delivery, &edited, "fixes\n").unwrap();
        let TakenBack::Committed(commit) = taken else {
            panic!("{taken:?}");
        };
        assert_eq!(repo.git(&["for-each-ref", "refs/worktree"]), "");
        repo.git(&["update-ref", TAKING, commit.as_str()]);
        let how = if is_checked_out { "--soft" } else { "--keep" };
        repo.git(&["reset", "-q", how, "HEAD^"]);
        (repo, commit)
    };
    let (repo, commit) = begin(true);
    assert_eq!(
        repo.open().finish_taking_back().unwrap(),
        Some(commit.clone())
    );
    assert_eq!(repo.head(), commit);
    let (repo, commit) = begin(false);
    assert_eq!(repo.open().finish_taking_back().unwrap(), None);
    assert_ne!(repo.head(), commit);
    // Somebody staged something else meanwhile.
    let (other, commit) = begin(true);
    other.git(&["add", "mine"]);
    assert_eq!(other.open().finish_taking_back().unwrap(), None);
    assert_ne!(other.head(), commit);
    for repo in [repo, other] {
        assert_eq!(repo.git(&["for-each-ref", "refs/worktree"]), "");
        assert_eq!(repo.open().finish_taking_back().unwrap(), None);
    }
}

#[test]
fn edits_are_not_taken_where_work_could_be_lost() {
    let check = |change: &dyn Fn(&TestRepo), expected: TakeBackRefusal, is_before: bool| {
        let repo = new_branch();
        if is_before {
            change(&repo);
        }
        let opened = repo.open();
        let delivery = opened.find_delivery(None).unwrap();
        let copy = Workspace::create(&opened, &delivery).unwrap();
        fs::write(copy.root().join("a"), "9\n").unwrap();
        fs::write(copy.root().join("dir"), "9\n").unwrap_or_default();
        let edited = copy.read_back(&opened).unwrap();
        if !is_before {
            change(&repo);
        }
        let before = (
            repo.head(),
            repo.git(&["status", "--porcelain"]),
            repo.git(&["diff"]),
        );
        let taken = opened.take_back(&delivery, &edited, "fixes\n").unwrap();
        assert_eq!(taken, TakenBack::Refused(expected));
        let after = (
            repo.head(),
            repo.git(&["status", "--porcelain"]),
            repo.git(&["diff"]),
        );
        assert_eq!(after, before);
    };
    check(
        &|repo| repo.write("a", "mine\n"),
        TakeBackRefusal::Overlapping,
        true,
    );
    check(
        &|repo| repo.write("a", "mine\n"),
        TakeBackRefusal::Moved,
        false,
    );
    let stage = |repo: &TestRepo| {
        repo.write("b", "mine\n");
        repo.git(&["add", "b"]);
    };
    check(&stage, TakeBackRefusal::Staged, true);
    let commit = |repo: &TestRepo| drop(repo.git(&["commit", "-q", "--allow-empty", "-m", "y"]));
    check(&commit, TakeBackRefusal::Moved, false);
}
