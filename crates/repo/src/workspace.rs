//! A copy of a repository for somebody who may edit and run it but not deliver from it.
//!
//! It has the history and the state of the work tree, and no remote. It does not say where it was copied from, shares no
//! objects with it, and what is configured in it later is never followed: its files are read by the git folder of the
//! original, so that nothing that an engine puts into the copy runs here.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    ObjectId, Repository, RepositoryError, Result, ReviewDelivery, TempIndex,
    copy_folder::CopyFolder, git, work_tree::parse_id,
};

const COPYING: &str = "copying the repository";

/// The variables that say who commits in a copy.
const COPY_IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "hardwon"),
    ("GIT_AUTHOR_EMAIL", "hardwon@localhost"),
    ("GIT_COMMITTER_NAME", "hardwon"),
    ("GIT_COMMITTER_EMAIL", "hardwon@localhost"),
];

/// A copy of a repository, in a folder that goes with it.
#[derive(Debug)]
pub struct Workspace {
    folder: CopyFolder,
    tree: ObjectId,
}

impl Workspace {
    /// Copies what would be delivered: the branch `base`, and the branch `delivery` with everything, committed or not.
    ///
    /// # Errors
    /// If git fails, or there is no room.
    pub fn create(repository: &Repository, delivery: &ReviewDelivery) -> Result<Self> {
        let fail = RepositoryError::io(COPYING);
        let folder = CopyFolder::create().map_err(fail)?;
        let workspace = Self {
            folder,
            tree: delivery.tree.clone(),
        };
        fs::create_dir(workspace.root()).map_err(fail)?;
        workspace.run("init --quiet --template= --initial-branch=delivery".split(' '))?;
        workspace.copy_objects(repository, delivery)?;
        workspace.check_out(delivery)?;
        Ok(workspace)
    }

    /// Returns the root of its work tree.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns a folder beside the work tree, for what is no part of the copy.
    pub fn aside(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the tree of its files as they are now, as an object of the original.
    ///
    /// # Errors
    /// If git fails, or a file cannot be read.
    pub fn read_back(&self, repository: &Repository) -> Result<ObjectId> {
        let index = TempIndex::new()?;
        let doing = "reading what was edited";
        let args = ["read-tree", self.tree.as_str()];
        index.run(repository, &self.root(), doing, &args, Vec::new())?;
        index.add_all(repository, &self.root())
    }

    /// Brings the objects over, without a connection that stays.
    fn copy_objects(&self, repository: &Repository, delivery: &ReviewDelivery) -> Result<()> {
        let fail = RepositoryError::io(COPYING);
        let shallow = repository.git_folder()?.join("shallow");
        if shallow.is_file() {
            fs::copy(shallow, self.root().join(".git/shallow")).map_err(fail)?;
        }
        let mut packer = git::git_in(&repository.root)
            .args("pack-objects --quiet --revs --stdout --delta-base-offset".split(' '))
            .stdin(Stdio::piped())
            .spawn()
            .map_err(RepositoryError::NoGit)?;
        let revisions = format!("{}\n{}\n{}\n", delivery.head, delivery.base, delivery.tree);
        if let Some(mut stdin) = packer.stdin.take() {
            std::io::Write::write_all(&mut stdin, revisions.as_bytes()).map_err(fail)?;
        }
        let pack = packer.stdout.take().map_or_else(Stdio::null, Stdio::from);
        let index_run = (self.git())
            .args(["index-pack", "--stdin"])
            .stdin(pack)
            .output()
            .map_err(RepositoryError::NoGit)?;
        let message = git::read_complaint(&mut packer);
        let pack_status = packer.wait().map_err(fail)?;
        if pack_status.success() && index_run.status.success() {
            Ok(())
        } else {
            Err(RepositoryError::failed(COPYING, message))
        }
    }

    fn check_out(&self, delivery: &ReviewDelivery) -> Result<()> {
        let commit = if delivery.tree == delivery.head_tree {
            delivery.head.clone()
        } else {
            let (tree, parent) = (delivery.tree.as_str(), delivery.head.as_str());
            let message = "what is not committed yet";
            let commit = self.run(["commit-tree", tree, "-p", parent, "-m", message])?;
            parse_id(&commit, COPYING)?
        };
        self.run(["update-ref", "refs/heads/base", delivery.base.as_str()])?;
        self.run(["update-ref", "refs/heads/delivery", commit.as_str()])?;
        self.run(["read-tree", "-m", "-u", commit.as_str()])?;
        Ok(())
    }

    /// Runs git in the copy, which nobody has edited yet.
    fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>> {
        let mut command = self.git();
        command.args(args);
        git::run_command(command, COPYING, Vec::new())
    }

    fn git(&self) -> Command {
        let mut command = git::git_in(&self.root());
        // A caller that git started, such as a hook, names its own repository.
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
        ] {
            command.env_remove(name);
        }
        command.envs(COPY_IDENTITY).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
    }
}
