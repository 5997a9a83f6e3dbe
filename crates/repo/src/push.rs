//! What git tells a pre-push hook: which refs are about to become what.

use crate::ObjectId;

/// A ref that is about to be pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedRef {
    /// What it will be; zero where the ref is to be deleted.
    pub local: ObjectId,
    /// What the other side has; zero where the ref is new there.
    pub remote: ObjectId,
}

impl PushedRef {
    /// Returns what it means to push a commit to a ref that is new on the other side.
    pub fn new_there(local: ObjectId) -> Self {
        let remote = local.to_zero();
        Self { local, remote }
    }
}

/// Parses the lines `<local ref> <local oid> <remote ref> <remote oid>`; an error is the number of a line that is none.
///
/// # Errors
/// The number, from 1, of the first line that is not one of these.
pub fn parse_pushed_refs(text: &str) -> Result<Vec<PushedRef>, usize> {
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, local, _, remote] = fields[..] else {
            return None;
        };
        Some(PushedRef {
            local: ObjectId::parse(local)?,
            remote: ObjectId::parse(remote)?,
        })
    };
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| parse(line.trim_end()).ok_or(number + 1))
        .collect()
}
