//! One local commit of a few files, which touches nothing else.
//!
//! It is made by plumbing: the objects first, which nobody sees; then, once the caller has written the files, the index
//! for these paths alone, and last the branch, if it is still where it was. So whoever is killed in between leaves files
//! that are written or staged, and never a branch without them. Nothing is committed in the middle of a merge or a
//! rebase, without a branch, or where something else is staged. Hooks do not run: they are programs of the repository,
//! for who commits by hand, and what they check is checked again when a person pushes.

use std::path::{Path, PathBuf};

use crate::{ObjectId, Repository, RepositoryError, Result, TempIndex, git, repository::trim_line};

/// What is in the git folder while something is going on, and what that is.
#[rustfmt::skip]
const UNDER_WAY: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge is not done"), ("rebase-merge", "a rebase is not done"), ("rebase-apply", "a rebase is not done"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is not done"), ("REVERT_HEAD", "a revert is not done"),
    ("sequencer", "a cherry-pick or a revert is not done"), ("BISECT_LOG", "a bisection is not done"),
    ("index.lock", "another git is at work, or was killed (index.lock)"),
];

/// What a file is to be in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// Its path from the root.
    pub path: PathBuf,
    /// What is in it; `None` if it is deleted.
    pub content: Option<Vec<u8>>,
}

/// An entry of the index, as git reads it: the mode and the object.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StagedEntry {
    path: PathBuf,
    state: Option<(String, String)>,
}

/// A commit that is made, and that no branch has yet.
#[derive(Debug, Clone)]
pub struct PreparedCommit {
    id: String,
    head: String,
    old: Vec<StagedEntry>,
    new: Vec<StagedEntry>,
}

impl Repository {
    /// Makes a commit of these files on top of the current branch, which does not have it before
    /// [`finish_commit`](Self::finish_commit).
    ///
    /// # Errors
    ///
    /// `NotReady` if nothing is to be committed here now.
    pub fn prepare_commit(&self, files: &[FileVersion], message: &str) -> Result<PreparedCommit> {
        let head = self.find_head()?;
        self.check_is_calm()?;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for file in files {
            let entry = self.find_committed(&file.path)?;
            new.push(self.store_version(file, &entry)?);
            old.push(entry);
        }
        self.check_is_unstaged(&new)?;
        let tree = self.write_tree(&head, &new)?;
        let args = ["commit-tree", &tree, "-p", &head, "-F", "-"];
        let doing = "making the commit";
        let id = git::run_with(self.root(), doing, args, message.as_bytes().to_vec())?;
        Ok(PreparedCommit {
            id: to_text(&id),
            head,
            old,
            new,
        })
    }

    /// Puts a commit on the branch, if that is still where it was, and its files into the index.
    ///
    /// # Errors
    ///
    /// If git fails; then the index is as it was.
    pub fn finish_commit(&self, commit: &PreparedCommit) -> Result<String> {
        self.set_index(&commit.new)?;
        let args = [
            "update-ref",
            "-m",
            "hardwon place",
            "HEAD",
            &commit.id,
            &commit.head,
        ];
        match git::run(self.root(), "moving the branch", args) {
            Ok(_) => Ok(commit.id.clone()),
            Err(error) => {
                self.set_index(&commit.old)?;
                Err(error)
            }
        }
    }

    /// Reads a file as the latest commit has it; `None` if it does not have it.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn read_committed(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let doing = "reading the latest commit";
        match self.find_committed(path)?.state {
            Some((_, object)) => {
                git::run(self.root(), doing, ["cat-file", "blob", &object]).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Returns whether git ignores a file, and does not track it.
    pub fn is_ignored(&self, path: &Path) -> bool {
        // This question takes no literal paths: one that begins as a pattern does begins with a dot instead.
        let path = Path::new(".").join(path);
        let args = ["--no-literal-pathspecs", "check-ignore", "-q", "--"];
        let args = args.into_iter().map(Path::new).chain([path.as_path()]);
        git::run(self.root(), "asking what is ignored", args).is_ok()
    }

    fn find_head(&self) -> Result<String> {
        let doing = "finding the branch";
        if git::run(self.root(), doing, ["symbolic-ref", "-q", "HEAD"]).is_err() {
            return Err(RepositoryError::NotReady(
                "no branch is checked out".to_owned(),
            ));
        }
        let head = self.resolve_commit("HEAD");
        let head =
            head.ok_or_else(|| RepositoryError::NotReady("there is no commit yet".to_owned()))?;
        Ok(head.as_str().to_owned())
    }

    fn check_is_calm(&self) -> Result<()> {
        let folder = self.own_git_folder()?;
        match UNDER_WAY
            .iter()
            .find(|(name, _)| folder.join(name).exists())
        {
            Some((_, what)) => Err(RepositoryError::NotReady((*what).to_owned())),
            None => Ok(()),
        }
    }

    /// Checks that nothing is staged but what is to be committed, which a process may have left that was killed.
    fn check_is_unstaged(&self, new: &[StagedEntry]) -> Result<()> {
        for staged in self.list_staged()? {
            let is_own = new.iter().any(|new| {
                new.path == staged.path
                    && new.state.as_ref().map(|(_, object)| object.as_str())
                        == Some(staged.new.as_str())
            });
            if !is_own {
                let message = format!("{} is staged", staged.path.display());
                return Err(RepositoryError::NotReady(message));
            }
        }
        Ok(())
    }

    fn find_committed(&self, path: &Path) -> Result<StagedEntry> {
        let doing = "reading the latest commit";
        let options = ["ls-tree", "-z", "--full-tree", "HEAD", "--"].map(Path::new);
        let output = git::run(self.root(), doing, options.into_iter().chain([path]))?;
        let Some(row) = git::split_zeros(&output).next() else {
            let path = path.to_owned();
            return Ok(StagedEntry { path, state: None });
        };
        let row = String::from_utf8_lossy(row);
        let mut words = row.split([' ', '\t']);
        match (words.next(), words.next(), words.next()) {
            (Some(mode), Some("blob"), Some(object)) => Ok(StagedEntry {
                path: path.to_owned(),
                state: Some((mode.to_owned(), object.to_owned())),
            }),
            _ => Err(RepositoryError::Unexpected { doing }),
        }
    }

    /// Stores what is in a file, in the form that git keeps it in.
    fn store_version(&self, file: &FileVersion, old: &StagedEntry) -> Result<StagedEntry> {
        let path = file.path.clone();
        let Some(content) = &file.content else {
            return Ok(StagedEntry { path, state: None });
        };
        self.check_is_unfiltered(&path)?;
        let path_text = path.to_string_lossy();
        let args = ["hash-object", "-w", "--stdin", "--path", &*path_text];
        let object = git::run_with(self.root(), "storing a file", args, content.clone())?;
        let mode = old.state.as_ref().map_or("100644", |(mode, _)| mode);
        let state = Some((mode.to_owned(), to_text(&object)));
        Ok(StagedEntry { path, state })
    }

    /// Checks that no program of the repository would have to run to store a file.
    fn check_is_unfiltered(&self, path: &Path) -> Result<()> {
        let options = ["check-attr", "-z", "filter", "--"].map(Path::new);
        let doing = "reading the attributes of a file";
        let output = git::run(self.root(), doing, options.into_iter().chain([path]))?;
        match git::split_zeros(&output).last() {
            Some(b"unspecified" | b"unset") => Ok(()),
            _ => Err(RepositoryError::NotReady(format!(
                "{} goes through a filter, which is a program",
                path.display()
            ))),
        }
    }

    fn write_tree(&self, head: &str, entries: &[StagedEntry]) -> Result<String> {
        let doing = "making the tree of the commit";
        let index = TempIndex::new()?;
        let run = |args: &[&str], input| index.run(self, self.root(), doing, args, input);
        run(&["read-tree", head], Vec::new())?;
        run(
            &["update-index", "-z", "--index-info"],
            render_entries(entries),
        )?;
        let tree = run(&["write-tree"], Vec::new());
        Ok(to_text(&tree?))
    }

    fn set_index(&self, entries: &[StagedEntry]) -> Result<()> {
        let args = ["update-index", "-z", "--index-info"];
        let doing = "updating the index";
        git::run_with(self.root(), doing, args, render_entries(entries)).map(drop)
    }
}

/// Renders entries as `git update-index --index-info` reads them.
fn render_entries(entries: &[StagedEntry]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        let (mode, object) = match &entry.state {
            Some((mode, object)) => (mode.as_str(), object.clone()),
            None => ("0", "0".repeat(40)),
        };
        out.extend_from_slice(format!("{mode} {object}\t").as_bytes());
        out.extend_from_slice(entry.path.as_os_str().as_encoded_bytes());
        out.push(0);
    }
    out
}

fn to_text(output: &[u8]) -> String {
    String::from_utf8_lossy(trim_line(output)).into_owned()
}

impl PreparedCommit {
    /// Returns its id.
    pub fn id(&self) -> Option<ObjectId> {
        ObjectId::parse(&self.id)
    }
}
