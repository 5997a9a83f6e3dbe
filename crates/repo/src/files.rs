//! The files of a work tree that could ship: those that git tracks, and those it would add.

use std::path::PathBuf;

use crate::{ObjectId, RepositoryError, Result, changes::FileKind, git};

/// Where the content of a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShippedPlace {
    /// Git tracks it; the object is what the index has, for when the work tree has it no more.
    Tracked(ObjectId),
    /// Git does not track it yet, and does not ignore it.
    Untracked,
}

/// A file that could ship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedFile {
    /// The path from the root of the work tree.
    pub path: PathBuf,
    /// What it is, as far as the index knows; a file until it is looked at.
    pub kind: FileKind,
    /// Where its content is.
    pub place: ShippedPlace,
}

/// Parses `ls-files --stage -z`: `mode id stage\tpath`.
pub(crate) fn parse_tracked(output: &[u8], doing: &'static str) -> Result<Vec<ShippedFile>> {
    let parse = |entry| parse_staged_entry(entry).ok_or(RepositoryError::Unexpected { doing });
    let mut files: Vec<ShippedFile> = git::split_zeros(output).map(parse).collect::<Result<_>>()?;
    // A path in conflict is listed once for each side.
    files.dedup_by(|next, kept| next.path == kept.path);
    Ok(files)
}

fn parse_staged_entry(entry: &[u8]) -> Option<ShippedFile> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let mut fields = entry[..tab].split(|byte| *byte == b' ');
    let kind = FileKind::from_mode(fields.next()?)?;
    let id = std::str::from_utf8(fields.next()?).ok()?;
    Some(ShippedFile {
        path: git::to_path(&entry[tab + 1..]),
        kind,
        place: ShippedPlace::Tracked(ObjectId::parse(id)?),
    })
}

/// Parses `ls-files --others -z`. A folder that is a repository of its own ends with a slash.
pub(crate) fn parse_untracked(output: &[u8]) -> impl Iterator<Item = ShippedFile> {
    git::split_zeros(output).map(|path| {
        let folder = path.strip_suffix(b"/");
        ShippedFile {
            path: git::to_path(folder.unwrap_or(path)),
            kind: folder.map_or(FileKind::Regular, |_| FileKind::Submodule),
            place: ShippedPlace::Untracked,
        }
    })
}
