//! Searches files where they are: those of a repository that could ship, or all below a folder.
//!
//! A link is not followed: where it leads is what would ship. Nor is a folder on the way that is one, since what is
//! behind it is no part of the tree.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use hardwon_gates::leak::{FileScan, LeakScan, LeakScanner};
use hardwon_repo::{FileKind, Repository, RepositoryError, ShippedFile, ShippedPlace};

use crate::{LeakGate, LeakReport};

/// Most threads that read files.
const THREADS_MAX: usize = 8;
/// How much of a file is read at once, in bytes: at first, and at most. Most files are short.
const READ_BYTES: (usize, usize) = (16 << 10, 256 << 10);

/// What came of looking at a file.
enum FileOutcome {
    Searched(LeakScan),
    /// It is not there any more.
    Gone,
    /// It is a repository of its own.
    Submodule,
    Unreadable(String),
}

/// Searches all files of a repository that could ship.
///
/// # Errors
/// If git fails; a single file that cannot be read is in the report.
pub fn scan_repository(
    gate: &LeakGate,
    repository: &Repository,
) -> Result<LeakReport, RepositoryError> {
    let files = repository.list_shippable()?;
    let paths: Vec<(PathBuf, FileKind)> = (files.iter())
        .map(|file| (file.path.clone(), file.kind))
        .collect();
    let mut report = LeakReport::default();
    let mut missing_files: Vec<&ShippedFile> = Vec::new();
    for (index, outcome) in search_all(&gate.scanner, repository.root(), &paths) {
        match (&files[index].place, outcome) {
            (ShippedPlace::Tracked(_), FileOutcome::Gone) => missing_files.push(&files[index]),
            // It was deleted since git listed it.
            (ShippedPlace::Untracked, FileOutcome::Gone) => {}
            (_, outcome) => add_outcome(gate, &mut report, &files[index].path, outcome),
        }
    }
    search_index(gate, repository, &missing_files, &mut report)?;
    Ok(report)
}

/// Searches what the index has of files that the work tree has no more.
fn search_index(
    gate: &LeakGate,
    repository: &Repository,
    gone: &[&ShippedFile],
    report: &mut LeakReport,
) -> Result<(), RepositoryError> {
    if gone.is_empty() {
        return Ok(());
    }
    let mut blobs = repository.read_blobs()?;
    for file in gone {
        let ShippedPlace::Tracked(id) = &file.place else {
            continue;
        };
        let path = to_text(&file.path);
        let result = blobs.read_object(id, |from| search_stream(&gate.scanner, &path, from));
        let outcome = match result {
            Ok(scan) => FileOutcome::Searched(scan),
            Err(error) => FileOutcome::Unreadable(error.to_string()),
        };
        add_outcome(gate, report, &file.path, outcome);
    }
    Ok(())
}

/// Searches all files below a folder.
pub fn scan_tree(gate: &LeakGate, root: &Path) -> LeakReport {
    let mut report = LeakReport::default();
    let mut paths = Vec::new();
    list_tree(gate, root, Path::new(""), &mut paths, &mut report);
    paths.sort();
    let paths: Vec<(PathBuf, FileKind)> = (paths.into_iter())
        .map(|path| (path, FileKind::Regular))
        .collect();
    for (index, outcome) in search_all(&gate.scanner, root, &paths) {
        let path = &paths[index].0;
        let outcome = match outcome {
            FileOutcome::Gone => FileOutcome::Unreadable("it is not there any more".to_owned()),
            outcome => outcome,
        };
        add_outcome(gate, &mut report, path, outcome);
    }
    report
}

fn list_tree(
    gate: &LeakGate,
    root: &Path,
    below: &Path,
    paths: &mut Vec<PathBuf>,
    report: &mut LeakReport,
) {
    let entries = match fs::read_dir(root.join(below)) {
        Ok(entries) => entries,
        Err(error) => return gate.add_unread(report, &to_text(below), &error.to_string()),
    };
    for entry in entries {
        match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
            // What git keeps for itself does not ship as a file.
            Ok((name, _)) if name == ".git" => {}
            Ok((name, kind)) if kind.is_dir() => {
                list_tree(gate, root, &below.join(name), paths, report);
            }
            Ok((name, _)) => paths.push(below.join(name)),
            Err(error) => gate.add_unread(report, &to_text(below), &error.to_string()),
        }
    }
}

/// Searches a text that is read from somewhere else.
///
/// # Errors
/// If it cannot be read.
pub fn search_stream(
    scanner: &LeakScanner,
    path: &str,
    from: &mut dyn Read,
) -> io::Result<LeakScan> {
    let mut scan = FileScan::new(scanner, path);
    let mut buffer = vec![0; READ_BYTES.0];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(scan.finish()),
            Ok(length) => {
                scan.feed(&buffer[..length]);
                if length == buffer.len() && length < READ_BYTES.1 {
                    buffer.resize(2 * length, 0);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn add_outcome(gate: &LeakGate, report: &mut LeakReport, path: &Path, outcome: FileOutcome) {
    let path = to_text(path);
    match outcome {
        FileOutcome::Searched(scan) => {
            report.files += 1;
            gate.add_scan(report, &path, None, gate.scanner.scan_path(&path));
            gate.add_scan(report, &path, None, scan);
        }
        FileOutcome::Submodule => {
            let path = gate.scanner.redact_path(&path);
            report.notes.push(format!(
                "{path} is a repository of its own, and was not searched"
            ));
        }
        FileOutcome::Unreadable(why) => gate.add_unread(report, &path, &why),
        FileOutcome::Gone => {}
    }
}

/// Searches the files, several at once, and returns what came of each in their order.
fn search_all(
    scanner: &LeakScanner,
    root: &Path,
    paths: &[(PathBuf, FileKind)],
) -> Vec<(usize, FileOutcome)> {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut folders = HashMap::new();
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, kind)) = paths.get(index) else {
                return results;
            };
            results.push((index, search_file(scanner, root, path, *kind, &mut folders)));
        }
    };
    let mut outcomes: Vec<(usize, FileOutcome)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(THREADS_MAX))
            .map(|_| scope.spawn(work))
            .collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .flat_map(|done| done.expect("a search does not panic"))
            .collect()
    });
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes
}

fn search_file(
    scanner: &LeakScanner,
    root: &Path,
    path: &Path,
    kind: FileKind,
    folders: &mut HashMap<PathBuf, bool>,
) -> FileOutcome {
    if kind == FileKind::Submodule {
        return FileOutcome::Submodule;
    }
    if !is_in_tree(root, path.parent().unwrap_or(Path::new("")), folders) {
        return FileOutcome::Gone;
    }
    let name = to_text(path);
    let result = open_file(&root.join(path)).and_then(|opened| match opened {
        OpenedFile::Link(target) => search_stream(scanner, &name, &mut to_text(&target).as_bytes()),
        OpenedFile::Regular(mut file) => search_stream(scanner, &name, &mut file),
    });
    match result {
        Ok(scan) => FileOutcome::Searched(scan),
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileOutcome::Gone,
        // A folder has taken the file's place.
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => FileOutcome::Gone,
        Err(error) => FileOutcome::Unreadable(error.to_string()),
    }
}

enum OpenedFile {
    Regular(File),
    Link(PathBuf),
}

fn open_file(path: &Path) -> io::Result<OpenedFile> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_symlink() {
        return fs::read_link(path).map(OpenedFile::Link);
    }
    if kind.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        hardwon_engine::regular_file::open(path).map(OpenedFile::Regular)
    }
}

/// Returns whether no folder on the way is a link.
fn is_in_tree(root: &Path, folder: &Path, known: &mut HashMap<PathBuf, bool>) -> bool {
    if folder.as_os_str().is_empty() {
        return true;
    }
    if let Some(known) = known.get(folder) {
        return *known;
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    let is_link = || {
        let metadata = fs::symlink_metadata(root.join(folder));
        metadata.is_ok_and(|metadata| metadata.file_type().is_symlink())
    };
    let is_in = is_in_tree(root, above, known) && !is_link();
    known.insert(folder.to_owned(), is_in);
    is_in
}

/// Writes a path as text, with `/` between its parts.
pub fn to_text(path: &Path) -> String {
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => text.into_owned(),
        separator => text.replace(separator, "/"),
    }
}
