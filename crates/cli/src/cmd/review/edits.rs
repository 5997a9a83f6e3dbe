//! Looks at what a reviewer edited before any of it is taken: whether its fixes name it, and by the leak gate.
//!
//! What counts against it is decided in `gates::review`. A comment that allows a secret on its line does not count here: the
//! reviewer could have written it.

use std::io::Read;

use hardwon_gates::{
    json::leak::LeakFindingDto,
    review::{
        DiffAnchor, DiffPlaces, EditedKind, EditedPath, FinalReview, Finding, find_objections,
        list_edits, object,
    },
};
use hardwon_repo::{FileKind, ObjectId, PatchForm, Repository, TreeChange};

use super::super::leak::prepare_gate;
use crate::{
    GlobalArgs, Result,
    leak::{commits, files::to_text},
    review::material::read_patch,
};

/// How much of where a link leads is looked at, in bytes.
const LINK_BYTES: u64 = 4096;

/// What a reviewer edited: from one tree to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReviewEdits<'a> {
    pub(super) repository: &'a Repository,
    pub(super) before: &'a ObjectId,
    pub(super) after: &'a ObjectId,
}

impl ReviewEdits<'_> {
    /// Lists the edits in a review that claims fixes, and returns whether all of them may be taken; else it blocks.
    pub(super) fn check(self, global: &GlobalArgs, review: &mut FinalReview) -> Result<bool> {
        let (repository, before, after) = (self.repository, self.before, self.after);
        let patch = read_patch(repository, before, after, PatchForm::Exact)?;
        let places = DiffPlaces::from_patch(&patch);
        let changes = repository.changes_between(before, after)?;
        let paths = self.list_paths(&changes)?;
        review.edits = list_edits(&paths, &places);
        let mut objections = find_objections(&paths, &places, &review.fixes);
        objections.extend(self.find_leaks(global, &changes, review));
        let is_taken = objections.is_empty();
        if !is_taken {
            review.block(objections);
        }
        Ok(is_taken)
    }

    fn list_paths(self, changes: &[TreeChange]) -> Result<Vec<EditedPath>> {
        let mut blobs = self.repository.read_blobs()?;
        let mut paths = Vec::new();
        for path in self.repository.paths_between(self.before, self.after)? {
            let path = String::from_utf8_lossy(&path).into_owned();
            let change = changes.iter().find(|change| to_text(&change.path) == path);
            let kind = match change.map(|change| (change.kind, &change.new)) {
                None => EditedKind::Gone,
                Some((FileKind::Regular, _)) => EditedKind::File,
                Some((FileKind::Submodule, _)) => EditedKind::Submodule,
                Some((FileKind::Symlink, id)) => {
                    EditedKind::Link(blobs.read_object(id, |from| {
                        let mut target = Vec::new();
                        Read::take(from, LINK_BYTES).read_to_end(&mut target)?;
                        Ok(String::from_utf8_lossy(&target).into_owned())
                    })?)
                }
            };
            paths.push(EditedPath { path, kind });
        }
        Ok(paths)
    }

    /// Has the leak gate look at what the edits add, and at what would be said of them.
    fn find_leaks(
        self,
        global: &GlobalArgs,
        changes: &[TreeChange],
        review: &FinalReview,
    ) -> Vec<Finding> {
        let repository = self.repository;
        let scan = prepare_gate(global, Some(repository.root())).and_then(|mut gate| {
            gate.scanner.is_strict = true;
            gate.scanner.ignores_comments = true;
            let mut report = commits::scan_changes(&gate, repository, changes)?;
            let message = super::render_fixes(&review.fixes);
            let scan = gate.scanner.scan_text("", &message);
            gate.add_scan(&mut report, "the message of the commit", None, scan);
            Ok(report)
        });
        match scan {
            Ok(report) => {
                let unread = report.unread.iter();
                let unread =
                    unread.map(|file| format!("{} cannot be read: {}", file.path, file.reason));
                let unread = unread.map(|what| object(&what, Vec::new()));
                report
                    .hits
                    .iter()
                    .map(describe_leak)
                    .chain(unread)
                    .collect()
            }
            Err(error) => vec![object(
                &format!("the leak gate could not look: {error}"),
                Vec::new(),
            )],
        }
    }
}

fn describe_leak(hit: &LeakFindingDto) -> Finding {
    let (rule, message) = (hit.rule, hit.message);
    let reason = format!("it wrote what must not be published: {rule} {message}");
    let lines = match hit.line {
        0 => 0..0,
        line => line..line + 1,
    };
    let path = hit.path.clone();
    object(&reason, vec![DiffAnchor { path, lines }])
}
