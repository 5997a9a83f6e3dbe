//! A git repository with a work tree, and the questions that are put to it.

use std::path::{Path, PathBuf};

use crate::{
    ObjectId, RepositoryError, Result, TreeChange,
    blobs::BlobReader,
    changes::{self, ChangeSet},
    files::{self, ShippedFile},
    git,
    push::PushedRef,
};

/// A git repository with a work tree.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) root: PathBuf,
}

impl Repository {
    /// Finds the repository that a folder is in.
    ///
    /// # Errors
    /// If there is none, git is not there, or git does not trust its owner.
    pub fn find(folder: &Path) -> Result<Self> {
        let args = ["rev-parse", "--show-toplevel"];
        match git::run(folder, "finding the repository", args) {
            Ok(output) => Ok(Self {
                root: git::to_path(trim_line(&output)),
            }),
            Err(RepositoryError::Failed { said, .. }) => Err(RepositoryError::NotRepository {
                folder: folder.to_owned(),
                said,
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns the root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lists the files that could ship: those that git tracks, and those that it neither tracks nor ignores.
    ///
    /// # Errors
    /// If git fails.
    pub fn list_shippable(&self) -> Result<Vec<ShippedFile>> {
        let doing = "listing the files that git tracks";
        let tracked_files = git::run(&self.root, doing, ["ls-files", "--stage", "-z"])?;
        let mut files = files::parse_tracked(&tracked_files, doing)?;
        let doing = "listing the files that git would add";
        let args = ["ls-files", "--others", "--exclude-standard", "-z"];
        let untracked_files = git::run(&self.root, doing, args)?;
        files.extend(files::parse_untracked(&untracked_files));
        Ok(files)
    }

    /// Lists what the index changes of the latest commit; of everything, if there is none yet.
    ///
    /// # Errors
    /// If git fails, or a path of the index is in conflict.
    pub fn list_staged(&self) -> Result<Vec<TreeChange>> {
        let doing = "listing what is staged";
        let head = ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"];
        let base = match git::run(&self.root, doing, head) {
            Ok(output) => trim_line(&output).to_vec(),
            Err(RepositoryError::Failed { .. }) => self.hash_empty_tree()?,
            Err(error) => return Err(error),
        };
        let base = String::from_utf8_lossy(&base).into_owned();
        let options = "diff-index --cached --raw -z --no-abbrev --no-renames --no-ext-diff";
        let args = options.split(' ').chain([base.as_str(), "--"]);
        let output = git::run(&self.root, doing, args)?;
        let changes = changes::parse_changes(&output, doing)?;
        match changes.iter().find(|change| change.new.is_zero()) {
            Some(change) => {
                let path = change.path.display();
                let message = format!("{path} is not merged, or not added whole");
                Err(RepositoryError::failed(doing, message))
            }
            None => Ok(changes),
        }
    }

    /// Lists the changes of the commits in a range such as `main..topic`, oldest first.
    ///
    /// # Errors
    /// If git knows no such range.
    pub fn list_range(&self, range: &str) -> Result<Vec<ChangeSet>> {
        let doing = "listing the commits of the range";
        let commits = self.list_commits(doing, &["--end-of-options", range])?;
        self.list_changes(commits)
    }

    /// Lists the changes of the commits that a push brings to a remote, oldest first: those that nothing there has yet,
    /// as far as this repository knows. Of a remote without a name here nothing is known; without a remote, what any has
    /// counts as there.
    ///
    /// # Errors
    /// If git fails.
    pub fn list_pushed(&self, refs: &[PushedRef], remote: Option<&str>) -> Result<Vec<ChangeSet>> {
        let doing = "listing the commits to be pushed";
        let remotes = match remote {
            Some(name) if self.has_remote(name) => vec![format!("--remotes={}", escape_glob(name))],
            Some(_) => Vec::new(),
            None => vec!["--remotes".to_owned()],
        };
        let mut known_commits = std::collections::HashSet::new();
        let mut all = Vec::new();
        for pushed in refs.iter().filter(|pushed| !pushed.local.is_zero()) {
            let mut args = vec![pushed.local.as_str(), "--not"];
            args.extend(remotes.iter().map(String::as_str));
            // What the other side has may not be known here.
            if !pushed.remote.is_zero() && self.resolve_commit(pushed.remote.as_str()).is_some() {
                args.push(pushed.remote.as_str());
            }
            let commits = self.list_commits(doing, &args)?;
            let commits = commits
                .into_iter()
                .filter(|commit| known_commits.insert(commit.clone()));
            all.extend(commits.collect::<Vec<_>>());
        }
        self.list_changes(all)
    }

    /// Resolves a name to the commit that it means; `None` if there is none.
    pub fn resolve_commit(&self, name: &str) -> Option<ObjectId> {
        let name = format!("{name}^{{commit}}");
        let args = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        let output = git::run(&self.root, "resolving a name", args).ok()?;
        ObjectId::parse(&String::from_utf8_lossy(trim_line(&output)))
    }

    /// Lists the files that differ between a revision and the commit that is checked out, as paths within the root.
    ///
    /// # Errors
    /// If git fails, or there is no such revision.
    pub fn list_differing(&self, revision: &str) -> Result<Vec<String>> {
        let args = ["diff", "--name-only", "-z", revision, "HEAD", "--"];
        let output = git::run(&self.root, "comparing two commits", args)?;
        let paths = output.split(|byte| *byte == 0);
        let paths = paths.filter(|path| !path.is_empty());
        Ok(paths
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect())
    }

    /// Starts a process that reads objects.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn read_blobs(&self) -> Result<BlobReader> {
        BlobReader::start(&self.root)
    }

    /// Returns the folder of the hooks that git runs here, as `core.hooksPath` has it.
    ///
    /// # Errors
    /// If git fails.
    pub fn hooks_folder(&self) -> Result<PathBuf> {
        let doing = "finding the folder of the hooks";
        let output = git::configured_git_in(&self.root)
            .args(["rev-parse", "--git-path", "hooks"])
            .output()
            .map_err(RepositoryError::NoGit)?;
        if output.status.success() {
            Ok(self.root.join(git::to_path(trim_line(&output.stdout))))
        } else {
            Err(RepositoryError::Unexpected { doing })
        }
    }

    /// Returns the folder in which git keeps what is common to all work trees of the repository.
    ///
    /// # Errors
    /// If git fails.
    pub fn git_folder(&self) -> Result<PathBuf> {
        let doing = "finding the git folder";
        let output = git::run(&self.root, doing, ["rev-parse", "--git-common-dir"])?;
        Ok(self.root.join(git::to_path(trim_line(&output))))
    }

    pub(crate) fn hash_empty_tree(&self) -> Result<Vec<u8>> {
        let args = ["hash-object", "-t", "tree", "--stdin"];
        let output = git::run(&self.root, "naming the empty tree", args)?;
        Ok(trim_line(&output).to_vec())
    }

    fn has_remote(&self, name: &str) -> bool {
        let remotes = git::run(&self.root, "listing the remotes", ["remote"]);
        remotes.is_ok_and(|output| git::split_lines(&output).any(|line| line == name.as_bytes()))
    }

    fn list_commits(&self, doing: &'static str, revisions: &[&str]) -> Result<Vec<ObjectId>> {
        let options = ["rev-list", "--reverse", "--topo-order"];
        let args = options.iter().chain(revisions).chain(&["--"]);
        let output = git::run(&self.root, doing, args)?;
        let parse = |line: &[u8]| {
            let id = ObjectId::parse(&String::from_utf8_lossy(line));
            id.ok_or(RepositoryError::Unexpected { doing })
        };
        git::split_lines(&output).map(parse).collect()
    }

    fn list_changes(&self, commits: Vec<ObjectId>) -> Result<Vec<ChangeSet>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let doing = "listing the changes of commits";
        let args = "diff-tree --stdin -r -c --root --raw --always -z --no-abbrev --no-renames \
            --no-ext-diff --no-textconv";
        let input: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let output = git::run_with(&self.root, doing, args.split(' '), input.into_bytes())?;
        changes::parse_history(&output, doing)
    }
}

pub(crate) fn trim_line(output: &[u8]) -> &[u8] {
    output.strip_suffix(b"\n").unwrap_or(output)
}

/// Returns a name in which nothing is a pattern.
fn escape_glob(name: &str) -> String {
    let is_special = |c: &char| "*?[\\".contains(*c);
    let escape = |c: char| is_special(&c).then_some('\\').into_iter().chain([c]);
    name.chars().flat_map(escape).collect()
}
