//! What a branch would deliver: from where it left its base to the work tree as it is, committed or not.

use crate::{
    ObjectId, Repository, RepositoryError, Result, TreeChange, changes, git, repository::trim_line,
    work_tree::parse_id,
};

/// The branches that a base is looked for in, where nobody names one.
const USUAL_BASES: [&str; 5] = [
    "origin/HEAD",
    "origin/main",
    "main",
    "origin/master",
    "master",
];

/// What would be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewDelivery {
    /// What the base is called.
    pub base_name: String,
    /// The commit at which the branch left its base.
    pub base: ObjectId,
    /// The latest commit.
    pub head: ObjectId,
    /// The tree of the latest commit.
    pub head_tree: ObjectId,
    /// The tree of the work tree.
    pub tree: ObjectId,
    /// The name of the branch, if one is checked out.
    pub branch: Option<String>,
}

/// What a patch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// To be read, with lines around each change.
    Readable,
    /// To know which lines changed: without others.
    Exact,
    /// To be applied, with what binary files need.
    Whole,
}

impl Repository {
    /// Finds out what would be delivered to a base: the branch that is named, else the usual one.
    ///
    /// # Errors
    /// If there is no such base, it has nothing in common with the latest commit, or there is none yet.
    pub fn find_delivery(&self, base: Option<&str>) -> Result<ReviewDelivery> {
        let doing = "finding where the branch left its base";
        let fail = |said: &str| RepositoryError::failed(doing, said);
        let head = self.resolve_commit("HEAD");
        let head = head.ok_or_else(|| fail("there is no commit yet"))?;
        let base_name = match base {
            Some(name) => Some(name),
            None => USUAL_BASES
                .into_iter()
                .find(|name| self.resolve_commit(name).is_some()),
        };
        let base_name = base_name.ok_or_else(|| fail("there is no branch main or master"))?;
        let tip = self.resolve_commit(base_name);
        let tip = tip.ok_or_else(|| fail(&format!("there is no commit {base_name}")))?;
        let args = ["merge-base", tip.as_str(), head.as_str()];
        Ok(ReviewDelivery {
            base_name: base_name.to_owned(),
            base: parse_id(&git::run(&self.root, doing, args)?, doing)?,
            head_tree: self.tree_of(&head)?,
            head,
            tree: self.snapshot_tree()?,
            branch: self.current_branch(),
        })
    }

    /// Returns the tree of a commit.
    ///
    /// # Errors
    /// If there is no such commit.
    pub fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId> {
        let doing = "finding the tree of a commit";
        let name = format!("{commit}^{{tree}}");
        let output = git::run(&self.root, doing, ["rev-parse", "--verify", &name])?;
        parse_id(&output, doing)
    }

    /// Returns the difference of two commits or trees as a patch.
    ///
    /// # Errors
    /// If git fails.
    pub fn diff_text(&self, from: &ObjectId, to: &ObjectId, form: PatchForm) -> Result<Vec<u8>> {
        let options = "diff-tree -p --no-color --no-ext-diff --no-textconv --no-renames";
        let own: &[&str] = match form {
            PatchForm::Readable => &[],
            PatchForm::Exact => &["--unified=0"],
            PatchForm::Whole => &["--binary", "--full-index"],
        };
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
        let states = [from.as_str(), to.as_str(), "--"];
        let args = options.split(' ').chain(own.iter().copied());
        let args = args.chain(prefixes).chain(states);
        git::run(&self.root, "comparing two states", args)
    }

    /// Returns the paths that differ between two commits or trees, also those that are gone.
    ///
    /// # Errors
    /// If git fails.
    pub fn paths_between(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<Vec<u8>>> {
        let raw = self.raw_between(from, to)?;
        let paths = git::split_zeros(&raw).skip(1).step_by(2);
        Ok(paths.map(<[u8]>::to_vec).collect())
    }

    /// Lists what is in a tree and is not so in another, which nobody has committed.
    ///
    /// # Errors
    /// If git fails.
    pub fn changes_between(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<TreeChange>> {
        changes::parse_changes(&self.raw_between(from, to)?, "listing what differs")
    }

    pub(crate) fn raw_between(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<u8>> {
        let options = "diff-tree -r --raw -z --no-abbrev --no-renames".split(' ');
        let args = options.chain([from.as_str(), to.as_str(), "--"]);
        git::run(&self.root, "listing what differs", args)
    }

    /// Returns the subjects of the commits since the base, oldest first.
    ///
    /// # Errors
    /// If git fails.
    pub fn list_subjects(&self, delivery: &ReviewDelivery) -> Result<Vec<String>> {
        let range = format!("{}..{}", delivery.base, delivery.head);
        let options = "log --reverse --max-count=200 --format=%s".split(' ');
        let args = options.chain([range.as_str(), "--"]);
        let output = git::run(&self.root, "listing commits", args)?;
        let lines = git::split_lines(&output).map(String::from_utf8_lossy);
        Ok(lines.map(std::borrow::Cow::into_owned).collect())
    }

    /// Returns the branch that is checked out; `None` if none is.
    pub fn current_branch(&self) -> Option<String> {
        let args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
        let output = git::run(&self.root, "naming the branch", args).ok()?;
        Some(String::from_utf8_lossy(trim_line(&output)).into_owned())
    }
}
