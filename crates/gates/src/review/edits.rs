//! What a reviewer edited, held against what it says that it fixed.
//!
//! Every change is named by a fix, and every fix is shown by a change; whatever is not so is an objection, and a person
//! looks. Some things no reviewer may touch, whether it says so or not. What is in the files is for the leak gate.

use hardwon_core::{RawText, limits};
use hardwon_redact::clean_to_chars;

use super::{
    places::{DiffAnchor, DiffPlaces},
    verdict::{FinalReview, FinalVerdict, Finding},
};
use crate::leak::keeps_credentials;

/// What became of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditedKind {
    /// It is a file.
    File,
    /// It is a link, which leads there.
    Link(String),
    /// It is, or was, a commit of another repository.
    Submodule,
    /// It is not there any more.
    Gone,
}

/// A path that a reviewer changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedPath {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// What became of it.
    pub kind: EditedKind,
}

/// Names everything that was changed; `places` are those of the exact diff of the edits, without lines around them.
pub fn list_edits(edited: &[EditedPath], places: &DiffPlaces) -> Vec<String> {
    let changes = edited
        .iter()
        .flat_map(|edit| places.list_changes(&edit.path));
    changes.map(|change| change.to_string()).collect()
}

/// Finds what stands against taking the edits of a reviewer.
pub fn find_objections(
    edited: &[EditedPath],
    places: &DiffPlaces,
    fixes: &[Finding],
) -> Vec<Finding> {
    let anchors = fixes.iter().flat_map(read_anchors).collect::<Vec<_>>();
    let untouchable = edited.iter().filter_map(|edit| {
        let taboo = edit.find_taboo()?;
        let whole = DiffAnchor {
            path: edit.path.clone(),
            lines: 0..0,
        };
        Some(object(taboo, vec![whole]))
    });
    let strays = edited.iter().filter_map(|edit| {
        let missing = if edit.path.contains(char::REPLACEMENT_CHARACTER) {
            // Several paths may look like this one.
            places.list_changes(&edit.path)
        } else {
            places.list_unnamed(&edit.path, &anchors)
        };
        (!missing.is_empty()).then(|| object("it made an edit that no fix names", missing))
    });
    let unshown = fixes.iter().filter(|fix| !is_shown(fix, edited, places));
    let unshown = unshown.map(|fix| {
        let message = format!("it names a fix that no edit shows: {}", fix.what);
        object(&message, Vec::new())
    });
    untouchable.chain(strays).chain(unshown).collect()
}

/// Makes an objection to what a reviewer did.
pub fn object(what: &str, anchors: Vec<DiffAnchor>) -> Finding {
    Finding {
        what: clean_to_chars(&RawText::new(what), limits::REVIEW_ENTRY_CHARS),
        why: None,
        anchors: anchors.iter().map(DiffAnchor::to_string).collect(),
    }
}

impl FinalReview {
    /// Makes it block, for these reasons beside its own.
    pub fn block(&mut self, why: impl IntoIterator<Item = Finding>) {
        self.verdict = FinalVerdict::Blocked;
        self.blockers.extend(why);
    }
}

impl EditedPath {
    /// Says why no reviewer may touch it.
    fn find_taboo(&self) -> Option<&'static str> {
        let name = self
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let is_written = self.kind != EditedKind::Gone;
        match &self.kind {
            EditedKind::Submodule => Some("it changed a submodule"),
            EditedKind::Link(target) if leads_out(&self.path, target) => {
                Some("it made a link that leads out of the work tree")
            }
            _ if matches!(
                &*name,
                ".gitattributes" | ".gitmodules" | ".gitconfig" | ".lfsconfig"
            ) =>
            {
                Some("it changed what git is configured by")
            }
            _ if matches!(
                &*name,
                ".hardwonleaks.toml" | ".gitleaksignore" | ".gitleaks.toml"
            ) =>
            {
                Some("it changed what the leak gate is configured by")
            }
            _ if is_written && keeps_credentials(&self.path) => {
                Some("it wrote a file that credentials are kept in")
            }
            _ => None,
        }
    }
}

/// Returns whether a link leads out of the work tree, or to what git keeps for itself.
fn leads_out(path: &str, target: &str) -> bool {
    let is_absolute = target.starts_with(['/', '\\', '~']) || target.get(1..2) == Some(":");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut below = Vec::new();
    for part in folder.split('/').chain(target.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." if below.pop().is_none() => return true,
            ".." => {}
            part => below.push(part),
        }
    }
    is_absolute
        || target.is_empty()
        || below
            .first()
            .is_some_and(|part| part.eq_ignore_ascii_case(".git"))
}

fn read_anchors(fix: &Finding) -> impl Iterator<Item = DiffAnchor> {
    fix.anchors
        .iter()
        .filter_map(|anchor| DiffAnchor::parse(anchor))
}

/// Returns whether one of the edits is what a fix names.
fn is_shown(fix: &Finding, edited: &[EditedPath], places: &DiffPlaces) -> bool {
    read_anchors(fix).any(|anchor| {
        let is_edited = edited.iter().any(|edit| edit.path == anchor.path);
        is_edited && places.shows(&anchor)
    })
}
