//! Finds transcripts: where the agents of this machine keep their sessions, and the files in a folder.
//!
//! Nothing here reads the environment, and of files only whether one is a client's database, which counts as a folder
//! of sessions. Settings come in as a function, and [`recognise_format`](super::recognise_format) decides whether a
//! file is a transcript.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_engine::regular_file;

use crate::{
    opencode::database::{self, StoredSession},
    registry::FORMATS,
    transcript::FormatRow,
};

/// A folder or a database in which a client keeps its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsFound {
    /// The client's name.
    pub client: &'static str,
    /// The path of the folder or database, which exists.
    pub path: PathBuf,
}

/// Returns the folders and databases under `home` in which agents keep sessions.
///
/// `setting` returns an environment variable: pass `|name| std::env::var_os(name)`.
pub fn locate_sessions(
    home: &Path,
    setting: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<SessionsFound> {
    let mut places: Vec<SessionsFound> = Vec::new();
    let homes_of = |row: &'static FormatRow| row.homes.iter().map(|home| (row.name, home));
    for (client, place) in FORMATS.into_iter().flat_map(homes_of) {
        let own_folder = place.settings.iter().find_map(|(name, below)| {
            let folder = setting(name).filter(|folder| !folder.is_empty())?;
            let folder = PathBuf::from(folder);
            if below.is_empty() {
                // A relative path is below the folder that another setting names.
                folder.is_absolute().then_some(folder)
            } else {
                Some(folder.join(below))
            }
        });
        let path = own_folder.unwrap_or_else(|| home.join(place.default));
        if path.exists() && !places.iter().any(|before| before.path == path) {
            places.push(SessionsFound { client, path });
        }
    }
    places
}

/// A file to read, or a path that could not be read.
#[derive(Debug)]
pub enum ArchiveEntry {
    /// A regular file, or a session in a client's database: the database's path followed by the session's name.
    File(PathBuf),
    /// A path that could not be read, and why.
    Unreadable(PathBuf, io::Error),
}

/// Lists the regular files at and below `paths`, folders in the order of their names.
///
/// A path that is passed in may be a link; below it, links to folders are not followed, so a loop of links ends.
/// Version control and package folders are skipped. A client's database is listed as its sessions, the oldest first.
pub fn list_entries(
    paths: impl IntoIterator<Item = PathBuf>,
) -> impl Iterator<Item = ArchiveEntry> {
    let mut waiting: VecDeque<(PathBuf, bool)> =
        paths.into_iter().map(|path| (path, true)).collect();
    std::iter::from_fn(move || {
        while let Some((path, named)) = waiting.pop_front() {
            match inspect_path(&path, named) {
                Ok(PathKind::File) => return Some(ArchiveEntry::File(path)),
                Ok(PathKind::Folder(inside)) => {
                    for path in inside.into_iter().rev() {
                        waiting.push_front((path, false));
                    }
                }
                Ok(PathKind::Nothing) => {}
                Err(error) => return Some(ArchiveEntry::Unreadable(path, error)),
            }
        }
        None
    })
}

enum PathKind {
    File,
    Folder(Vec<PathBuf>),
    Nothing,
}

/// Returns the size of a file or a session in bytes; 0 if it is not known.
pub fn entry_size(path: &Path) -> u64 {
    match StoredSession::open(path) {
        Ok(Some(session)) => session.bytes,
        Ok(None) => fs::metadata(path).map_or(0, |about| about.len()),
        Err(_) => 0,
    }
}

fn inspect_path(path: &Path, named: bool) -> io::Result<PathKind> {
    let mut metadata = match fs::symlink_metadata(path) {
        Err(_) if database::is_session(path) => return Ok(PathKind::File),
        found => found?,
    };
    let is_link = metadata.is_symlink();
    if is_link {
        metadata = fs::metadata(path)?;
    }
    if metadata.is_file() {
        return inspect_file(path, named);
    }
    if named && !metadata.is_dir() {
        return Err(regular_file::not_regular_error());
    }
    if !metadata.is_dir() || (!named && (is_link || is_ignored(path))) {
        return Ok(PathKind::Nothing);
    }
    let mut inside = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    inside.sort();
    Ok(PathKind::Folder(inside))
}

/// Tells a client's database from another file. A database of another form is an error only where its path was passed
/// in.
fn inspect_file(path: &Path, named: bool) -> io::Result<PathKind> {
    let may_be = named || path.extension().is_some_and(|extension| extension == "db");
    if !may_be || !database::is_database(path)? {
        return Ok(PathKind::File);
    }
    match database::sessions_in(path)? {
        Some(sessions) => Ok(PathKind::Folder(sessions)),
        None if named => Err(database::unknown_form_error()),
        None => Ok(PathKind::File),
    }
}

fn is_ignored(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == ".git" || name == "node_modules")
}
