//! Names the state of a work tree, committed or not, by the tree that a commit of everything would have.
//!
//! Works on a copy of the index, so the user's own is as it was. What is not committed yet becomes objects that nothing
//! refers to, as `git stash create` makes them; git removes them after some weeks. No filter that is configured runs: a
//! file that has changed is taken as it is.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{ObjectId, Repository, RepositoryError, Result, git, repository::trim_line};

const NAMING: &str = "naming the state of the work tree";

impl Repository {
    /// Returns the tree of what a commit of everything would hold: what git tracks or would add, as it is now.
    ///
    /// # Errors
    /// If git fails, or a file cannot be read.
    pub fn snapshot_tree(&self) -> Result<ObjectId> {
        let index = TempIndex::copy_from(self)?;
        index.add_all(self, &self.root)
    }

    /// Returns the tree of the index.
    ///
    /// # Errors
    /// If git fails, or a path is in conflict.
    pub fn index_tree(&self) -> Result<ObjectId> {
        let index = TempIndex::copy_from(self)?;
        index.write_tree(self)
    }

    /// Returns the git folder of this very work tree.
    pub(crate) fn own_git_folder(&self) -> Result<PathBuf> {
        let doing = "finding the git folder";
        let output = git::run(&self.root, doing, ["rev-parse", "--absolute-git-dir"])?;
        Ok(git::to_path(trim_line(&output)))
    }

    /// Builds a call of git on this repository that runs no filter, whatever folder it works in.
    pub(crate) fn unfiltered_git(&self, work_tree: &Path) -> Result<Command> {
        let mut command = git::git_in(work_tree);
        command.args(self.switch_filters_off()?);
        command.env("GIT_DIR", self.own_git_folder()?);
        command.env("GIT_WORK_TREE", work_tree);
        command.env("GIT_LFS_SKIP_SMUDGE", "1");
        Ok(command)
    }

    /// Returns options that switch every configured filter off.
    fn switch_filters_off(&self) -> Result<Vec<String>> {
        let args = ["config", "--name-only", "-z", "--get-regexp", r"^filter\."];
        let output = match git::run(&self.root, "listing filters", args) {
            Ok(output) => output,
            // There are none.
            Err(RepositoryError::Failed { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names =
            git::split_zeros(&output).map(|name| String::from_utf8_lossy(name).into_owned());
        let off = |name: String| {
            let value = if name.ends_with(".required") {
                "false"
            } else {
                ""
            };
            ["-c".to_owned(), format!("{name}={value}")]
        };
        Ok(names.flat_map(off).collect())
    }
}

/// An index of our own, in a folder that goes with it.
pub(crate) struct TempIndex {
    folder: TempDir,
}

impl TempIndex {
    /// Makes an empty one.
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::tempdir().map_err(RepositoryError::io(NAMING))?;
        Ok(Self { folder })
    }

    /// Copies the user's: what it knows of unchanged files saves reading them.
    fn copy_from(repository: &Repository) -> Result<Self> {
        let index = Self::new()?;
        let args = ["rev-parse", "--git-path", "index"];
        let output = git::run(&repository.root, NAMING, args)?;
        let from = repository.root.join(git::to_path(trim_line(&output)));
        match index.fill(&from) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(RepositoryError::io(NAMING)(error))
            }
            _ => Ok(index),
        }
    }

    /// Copies an index with its time: by that, git knows which files to read again although they look the same.
    fn fill(&self, from: &Path) -> io::Result<()> {
        let time = fs::metadata(from)?.modified()?;
        fs::copy(from, self.path())?;
        fs::File::options()
            .write(true)
            .open(self.path())?
            .set_modified(time)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Runs git on this index, and returns what it prints.
    pub(crate) fn run(
        &self,
        repository: &Repository,
        work_tree: &Path,
        doing: &'static str,
        args: &[&str],
        input: Vec<u8>,
    ) -> Result<Vec<u8>> {
        let mut command = repository.unfiltered_git(work_tree)?;
        command.env("GIT_INDEX_FILE", self.path()).args(args);
        git::run_command(command, doing, input)
    }

    /// Adds everything in a work tree, and returns the tree.
    pub(crate) fn add_all(&self, repository: &Repository, work_tree: &Path) -> Result<ObjectId> {
        // The advice would be on stderr, where it helps nobody.
        let args = [
            "-c",
            "advice.addEmbeddedRepo=false",
            "add",
            "--all",
            "--",
            ".",
        ];
        self.run(repository, work_tree, NAMING, &args, Vec::new())?;
        self.write_tree(repository)
    }

    /// Writes the index as a tree.
    pub(crate) fn write_tree(&self, repository: &Repository) -> Result<ObjectId> {
        let args = &["write-tree"];
        let output = self.run(repository, &repository.root, NAMING, args, Vec::new())?;
        parse_id(&output, NAMING)
    }
}

/// Parses the one id that git printed.
pub(crate) fn parse_id(output: &[u8], doing: &'static str) -> Result<ObjectId> {
    let id = ObjectId::parse(&String::from_utf8_lossy(trim_line(output)));
    id.ok_or(RepositoryError::Unexpected { doing })
}
