//! Takes edits from a copy back as one commit of their own, on the branch that is checked out.
//!
//! The user's uncommitted work is neither lost nor mixed in: nothing is done while something is staged, or where an
//! edit is in a file with uncommitted work, or when the work tree or the branch is no longer what was copied. No hook
//! runs. The branch moves last. Whoever is killed before leaves at most staged edits, and a ref by which the next one
//! goes on.

use std::collections::HashSet;

use crate::{
    ObjectId, Repository, RepositoryError, Result, ReviewDelivery, TempIndex, git,
    work_tree::parse_id,
};

const TAKING: &str = "committing the fixes";
/// The commit of the edits, of this work tree alone, until the branch has it.
const TAKING_REF: &str = "refs/worktree/hardwon/taking";

/// What became of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// They are this commit.
    Committed(ObjectId),
    /// They were left alone, and so was everything else.
    Refused(TakeBackRefusal),
}

/// Why edits are not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeBackRefusal {
    /// The work tree or the branch changed meanwhile.
    Moved,
    /// Something is staged.
    Staged,
    /// An edit is in a file with uncommitted work.
    Overlapping,
}

impl TakeBackRefusal {
    /// Says why.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Moved => "the work tree or the branch changed during the review",
            Self::Staged => "something is staged",
            Self::Overlapping => "they are in files with uncommitted work",
        }
    }
}

impl Repository {
    /// Commits the difference between what was copied and `edited` on the branch that is checked out.
    ///
    /// # Errors
    /// If git fails, or does not know who commits.
    pub fn take_back(
        &self,
        delivery: &ReviewDelivery,
        edited: &ObjectId,
        message: &str,
    ) -> Result<TakenBack> {
        if let Some(why) = self.refuse_take_back(delivery, edited)? {
            return Ok(TakenBack::Refused(why));
        }
        let tree = self.graft(delivery, edited)?;
        let args = ["commit-tree", tree.as_str(), "-p", delivery.head.as_str()];
        let output = git::run_with(&self.root, TAKING, args, message.as_bytes().to_vec())?;
        let commit = parse_id(&output, TAKING)?;
        git::run(
            &self.root,
            TAKING,
            ["update-ref", TAKING_REF, commit.as_str()],
        )?;
        let result = self
            .check_out(&delivery.head, &commit)
            .and_then(|()| self.move_branch(&delivery.head, &commit));
        match result {
            Ok(()) => Ok(TakenBack::Committed(commit)),
            Err(error) => {
                self.forget_taking()?;
                Err(error)
            }
        }
    }

    /// Ends what a killed process began: edits that are checked out whole, and not committed yet, get their commit.
    ///
    /// # Errors
    /// If git fails.
    pub fn finish_taking_back(&self) -> Result<Option<ObjectId>> {
        let Some(commit) = self.resolve_commit(TAKING_REF) else {
            return Ok(None);
        };
        let parent = self.resolve_commit(&format!("{commit}^"));
        let parent = parent.filter(|folder| self.resolve_commit("HEAD").as_ref() == Some(folder));
        let is_staged = self.index_tree().ok() == Some(self.tree_of(&commit)?);
        match parent {
            Some(parent) if is_staged => {
                self.move_branch(&parent, &commit)?;
                Ok(Some(commit))
            }
            // Nothing was done yet, or somebody went on with it in another way.
            _ => self.forget_taking().map(|()| None),
        }
    }

    /// Brings the work tree and the index from one commit to another; refuses to overwrite what is not committed.
    fn check_out(&self, old: &ObjectId, new: &ObjectId) -> Result<()> {
        let mut command = self.unfiltered_git(&self.root)?;
        command.args(["read-tree", "-m", "-u", old.as_str(), new.as_str()]);
        git::run_command(command, TAKING, Vec::new()).map(drop)
    }

    /// Moves the branch, if it is still where it was, and drops the ref with it.
    fn move_branch(&self, old: &ObjectId, new: &ObjectId) -> Result<()> {
        let steps = format!("update HEAD {new} {old}\ndelete {TAKING_REF} {new}\n");
        let args = ["update-ref", "-m", "hardwon review", "--stdin"];
        git::run_with(&self.root, TAKING, args, steps.into_bytes()).map(drop)
    }

    fn forget_taking(&self) -> Result<()> {
        git::run(&self.root, TAKING, ["update-ref", "-d", TAKING_REF]).map(drop)
    }

    fn refuse_take_back(
        &self,
        delivery: &ReviewDelivery,
        edited: &ObjectId,
    ) -> Result<Option<TakeBackRefusal>> {
        let is_same = self.resolve_commit("HEAD").as_ref() == Some(&delivery.head)
            && self.snapshot_tree()? == delivery.tree;
        if !is_same {
            return Ok(Some(TakeBackRefusal::Moved));
        }
        if self.index_tree()? != delivery.head_tree {
            return Ok(Some(TakeBackRefusal::Staged));
        }
        let open_paths = self.paths_between(&delivery.head_tree, &delivery.tree)?;
        let open_paths: HashSet<Vec<u8>> = open_paths.into_iter().collect();
        let new_paths = self.paths_between(&delivery.tree, edited)?;
        let is_mixed = |path: &Vec<u8>| {
            open_paths.iter().any(|open_path| {
                open_path == path || is_below(open_path, path) || is_below(path, open_path)
            })
        };
        Ok(new_paths
            .iter()
            .any(is_mixed)
            .then_some(TakeBackRefusal::Overlapping))
    }

    /// Returns the tree of the latest commit with the edits in it.
    fn graft(&self, delivery: &ReviewDelivery, edited: &ObjectId) -> Result<ObjectId> {
        let bad_form = || RepositoryError::Unexpected { doing: TAKING };
        let index = TempIndex::new()?;
        let run = |args: &[&str], input| index.run(self, &self.root, TAKING, args, input);
        run(&["read-tree", delivery.head_tree.as_str()], Vec::new())?;
        let raw = self.raw_between(&delivery.tree, edited)?;
        let mut entries = Vec::new();
        let mut fields = git::split_zeros(&raw);
        while let (Some(entry), Some(path)) = (fields.next(), fields.next()) {
            // `:mode mode id id status`
            let mut words = entry.split(|byte| *byte == b' ').skip(1);
            let mode = words.next().ok_or_else(bad_form)?;
            let id = words.nth(1).ok_or_else(bad_form)?;
            entries.extend([mode, b" ", id, b"\t", path, b"\0"].concat());
        }
        run(&["update-index", "-z", "--index-info"], entries)?;
        index.write_tree(self)
    }
}

/// Returns whether a path is inside of another.
fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with(b"/"))
}
