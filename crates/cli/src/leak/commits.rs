//! Searches what commits, or the index, add: what is in a file afterwards and was not in it before.
//!
//! Both contents are searched whole, so that a secret counts where it came in, whatever lines moved, and also if a later
//! commit takes it out again: history ships with it.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use hardwon_gates::leak::{LeakScan, ValueDigest};
use hardwon_repo::{
    BlobReader, ChangeSet, FileKind, ObjectId, Repository, RepositoryError, TreeChange,
};

use super::files;
use crate::{LeakGate, LeakReport};

/// The path under which a commit's message is reported.
const MESSAGE_PATH: &str = "(commit message)";
/// How many contents are remembered, since what one commit adds the next one has before it.
const MEMORY_MAX: usize = 4096;

/// The search of changes, with what was searched already.
struct ChangeSearch<'g> {
    gate: &'g LeakGate,
    blobs: BlobReader,
    searched: HashMap<(ObjectId, String), Rc<LeakScan>>,
    report: LeakReport,
}

/// Searches what these changes add, which are in no commit yet.
///
/// # Errors
/// If git cannot be started; a single object that cannot be read is in the report.
pub fn scan_changes(
    gate: &LeakGate,
    repository: &Repository,
    changes: &[TreeChange],
) -> Result<LeakReport, RepositoryError> {
    let mut search = ChangeSearch::start(gate, repository)?;
    search.add_changes(changes, None);
    Ok(search.report)
}

/// Searches what these commits add, and their messages.
///
/// # Errors
/// If git cannot be started; a single object that cannot be read is in the report.
pub fn scan_commits(
    gate: &LeakGate,
    repository: &Repository,
    sets: &[ChangeSet],
) -> Result<LeakReport, RepositoryError> {
    let mut search = ChangeSearch::start(gate, repository)?;
    for set in sets {
        search.report.commits += 1;
        search.add_message(&set.commit);
        search.add_changes(&set.changes, Some(&set.commit));
    }
    Ok(search.report)
}

impl<'g> ChangeSearch<'g> {
    fn start(gate: &'g LeakGate, repository: &Repository) -> Result<Self, RepositoryError> {
        Ok(Self {
            gate,
            blobs: repository.read_blobs()?,
            searched: HashMap::new(),
            report: LeakReport::default(),
        })
    }

    fn add_changes(&mut self, changes: &[TreeChange], commit: Option<&ObjectId>) {
        let commit = commit.map(ObjectId::as_str);
        for change in changes {
            let path = files::to_text(&change.path);
            if change.kind == FileKind::Submodule {
                let shown_path = self.gate.scanner.redact_path(&path);
                let note = format!("{shown_path} is a repository of its own, and was not searched");
                self.report.notes.push(note);
                self.report.notes.dedup();
                continue;
            }
            self.report.files += 1;
            if change.old.is_empty() {
                let scan = self.gate.scanner.scan_path(&path);
                self.gate.add_scan(&mut self.report, &path, commit, scan);
            }
            match self.find_added(&path, change) {
                Ok(scan) => self.gate.add_scan(&mut self.report, &path, commit, scan),
                Err(error) => self
                    .gate
                    .add_unread(&mut self.report, &path, &error.to_string()),
            }
        }
    }

    /// Searches a file, and keeps what none of its former contents has.
    fn find_added(&mut self, path: &str, change: &TreeChange) -> Result<LeakScan, RepositoryError> {
        let new = self.search_object(path, &change.new)?;
        if new.findings.is_empty() {
            return Ok((*new).clone());
        }
        let mut old_values: HashSet<(&'static str, ValueDigest)> = HashSet::new();
        for old in &change.old {
            let old = self.search_object(path, old)?;
            old_values.extend(
                old.findings
                    .iter()
                    .map(|finding| (finding.rule_name, finding.value)),
            );
        }
        let mut new_hits = (*new).clone();
        new_hits
            .findings
            .retain(|finding| !old_values.contains(&(finding.rule_name, finding.value)));
        Ok(new_hits)
    }

    fn search_object(
        &mut self,
        path: &str,
        id: &ObjectId,
    ) -> Result<Rc<LeakScan>, RepositoryError> {
        let key = (id.clone(), path.to_owned());
        if let Some(scan) = self.searched.get(&key) {
            return Ok(scan.clone());
        }
        let scanner = &self.gate.scanner;
        let search = |from: &mut dyn std::io::Read| files::search_stream(scanner, path, from);
        let scan = Rc::new(self.blobs.read_object(id, search)?);
        if self.searched.len() >= MEMORY_MAX {
            self.searched.clear();
        }
        self.searched.insert(key, scan.clone());
        Ok(scan)
    }

    /// Searches what a commit says of itself: its message ships too.
    fn add_message(&mut self, commit: &ObjectId) {
        let mut text = Vec::new();
        let read = self
            .blobs
            .read_object(commit, |from| from.read_to_end(&mut text));
        if let Err(error) = read {
            return self
                .gate
                .add_unread(&mut self.report, MESSAGE_PATH, &error.to_string());
        }
        // Behind the header, whose author is public on purpose.
        let header = text.windows(2).position(|pair| pair == b"\n\n");
        let message = header.map_or(&[][..], |at| &text[at + 2..]);
        let message = String::from_utf8_lossy(message);
        let scan = self.gate.scanner.scan_text(MESSAGE_PATH, &message);
        let commit = Some(commit.as_str());
        self.gate
            .add_scan(&mut self.report, MESSAGE_PATH, commit, scan);
    }
}
