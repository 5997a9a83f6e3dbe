//! What commits, or the index, change: the objects before and after, path by path.
//!
//! Git's raw format, which names objects and runs nothing: what changed inside of a file is found by reading both.

use std::{fmt, path::PathBuf};

use crate::{RepositoryError, Result, git};

/// The id of an object, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(String);

impl ObjectId {
    /// Parses an id, of SHA-1 or SHA-256, in full.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_whole = matches!(text.len(), 40 | 64);
        (is_hex && is_whole).then(|| Self(text.to_ascii_lowercase()))
    }

    /// Returns the id of the same length that stands for no object.
    pub(crate) fn to_zero(&self) -> Self {
        Self("0".repeat(self.0.len()))
    }

    /// Returns whether it stands for no object.
    pub fn is_zero(&self) -> bool {
        self.0.bytes().all(|byte| byte == b'0')
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an entry of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    Regular,
    /// A symbolic link; its content is where it leads.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

impl FileKind {
    /// Parses a mode; `None` for one that is not there, or a folder.
    pub(crate) fn from_mode(mode: &[u8]) -> Option<Self> {
        match mode {
            b"120000" => Some(Self::Symlink),
            b"160000" => Some(Self::Submodule),
            [b'1', b'0', b'0', ..] => Some(Self::Regular),
            _ => None,
        }
    }
}

/// A path that has another content afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// The path from the root of the work tree.
    pub path: PathBuf,
    /// What it is afterwards.
    pub kind: FileKind,
    /// The object afterwards.
    pub new: ObjectId,
    /// The objects before, one for each parent that had the path.
    pub old: Vec<ObjectId>,
}

/// The changes of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSet {
    /// The commit.
    pub commit: ObjectId,
    /// Its changes; of a merge, what is in no parent.
    pub changes: Vec<TreeChange>,
}

/// Parses the output of `diff-tree --stdin -z -c --raw`, oldest commit first.
pub(crate) fn parse_history(output: &[u8], doing: &'static str) -> Result<Vec<ChangeSet>> {
    let bad_form = || RepositoryError::Unexpected { doing };
    let mut sets: Vec<ChangeSet> = Vec::new();
    let mut fields = git::split_zeros(output);
    while let Some(field) = fields.next() {
        if field.starts_with(b":") {
            let path = fields.next().ok_or_else(bad_form)?;
            let set = sets.last_mut().ok_or_else(bad_form)?;
            set.changes.extend(parse_entry(field, path, doing)?);
        } else {
            let commit = std::str::from_utf8(field).ok().map(str::trim);
            let commit = commit.and_then(ObjectId::parse).ok_or_else(bad_form)?;
            let changes = Vec::new();
            sets.push(ChangeSet { commit, changes });
        }
    }
    Ok(sets)
}

/// Parses the output of `diff-index -z`.
pub(crate) fn parse_changes(output: &[u8], doing: &'static str) -> Result<Vec<TreeChange>> {
    let bad_form = || RepositoryError::Unexpected { doing };
    let mut changes = Vec::new();
    let mut fields = git::split_zeros(output);
    while let Some(field) = fields.next() {
        let path = fields.next().ok_or_else(bad_form)?;
        changes.extend(parse_entry(field, path, doing)?);
    }
    Ok(changes)
}

/// Parses `:mode… mode id… id status` of a path, with one colon for each parent; nothing for a path that is gone.
fn parse_entry(entry: &[u8], path: &[u8], doing: &'static str) -> Result<Option<TreeChange>> {
    let bad_form = || RepositoryError::Unexpected { doing };
    let parents = entry.iter().take_while(|byte| **byte == b':').count();
    let fields: Vec<&[u8]> = entry[parents..].split(|byte| *byte == b' ').collect();
    let (modes, rest) = fields.split_at_checked(parents + 1).ok_or_else(bad_form)?;
    let (ids, status) = rest.split_at_checked(parents + 1).ok_or_else(bad_form)?;
    let [status] = status else {
        return Err(bad_form());
    };
    let parse_id = |field: &[u8]| {
        let text = std::str::from_utf8(field).ok();
        text.and_then(ObjectId::parse).ok_or_else(bad_form)
    };
    // A path in conflict has no mode; its object is zero.
    let kind_if_unmerged = status.starts_with(b"U").then_some(FileKind::Regular);
    let Some(kind) = FileKind::from_mode(modes[parents]).or(kind_if_unmerged) else {
        return Ok(None);
    };
    let mut old = Vec::new();
    for (mode, id) in modes.iter().zip(&ids[..parents]) {
        let id = parse_id(id)?;
        if !id.is_zero() && FileKind::from_mode(mode) != Some(FileKind::Submodule) {
            old.push(id);
        }
    }
    Ok(Some(TreeChange {
        path: git::to_path(path),
        kind,
        new: parse_id(ids[parents])?,
        old,
    }))
}
