//! A folder of lessons on disk: read within bounds, written a whole file at a time.
//!
//! A link is never followed, for reading or for writing, so a repository cannot make its reader
//! read or write elsewhere. A file is replaced by renaming a new one over it, so a reader sees the
//! old one or the new one. Nothing is deleted but what the caller says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    Error, FindingCode, LessonFile, ParsedLessonFile, Result,
    lesson_md::{ARCHIVE, INDEX, LessonFolder},
    private_file, regular_file,
};
use hardwon_core::{Slug, digest, limits};
use serde::Serialize;

/// How often a folder that somebody else works on is tried, and how long is waited in between.
const LOCK_TRIES: u32 = 250;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What the name of a conflict's other side ends with.
const CONFLICT_SUFFIX: &str = ".conflict";

/// A file that was passed over, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    /// Its name.
    pub name: String,
    /// Why.
    #[serde(rename = "why")]
    pub reason: String,
}

/// A folder of lessons.
#[derive(Debug, Clone)]
pub(super) struct LessonDirectory {
    path: PathBuf,
}

/// One file.
#[derive(Debug, Clone)]
pub(super) struct FolderFile {
    /// A short name for its bytes.
    pub(super) digest: String,
    /// What was read of it.
    pub(super) parsed: ParsedLessonFile,
    /// Whether it begins as a lesson does.
    looks_like_lesson: bool,
}

/// What a folder holds.
#[derive(Debug, Clone, Default)]
pub(super) struct FolderContents {
    /// The files that are lessons or mean to be, by the name without `.md`.
    pub(super) files: BTreeMap<String, FolderFile>,
    /// The files that differ from the file of a slug only by capitals, which not every system tells apart: the digest of
    /// each by that slug.
    pub(super) in_capitals: BTreeMap<Slug, String>,
    /// The lessons whose other side waits in a file beside them.
    pub(super) conflicts: BTreeSet<Slug>,
    /// The slugs in the archive.
    pub(super) archived: BTreeSet<Slug>,
    /// What was passed over.
    pub(super) skipped: Vec<SkippedFile>,
}

impl FolderContents {
    /// Reads one file, whatever it is called. A file that is called after the format says nothing by
    /// its name.
    pub(super) fn from_file(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".md").unwrap_or(&name);
        let stem_due = Some(stem).filter(|stem| *stem != "LESSON");
        let about = fs::metadata(path).map_err(|error| files_error("reading", path, error))?;
        if !about.is_file() {
            let other = io::Error::other("it is neither a file nor a folder");
            return Err(files_error("reading", path, other));
        }
        let file = read_file(stem_due, path);
        Ok(Self {
            files: BTreeMap::from([(stem.to_owned(), file)]),
            ..Self::default()
        })
    }

    /// Returns the slugs that no new file may have, because a file that is spelled with capitals is the same where a
    /// system does not tell them apart. A file that has such a name already keeps it.
    pub(super) fn blocked_slugs(&self) -> impl Iterator<Item = &Slug> {
        let slugs = self.in_capitals.keys();
        slugs.filter(|slug| !self.files.contains_key(slug.as_str()))
    }

    /// Returns the files whose names are slugs.
    pub(super) fn named_files(&self) -> impl Iterator<Item = (Slug, &FolderFile)> {
        let files = self.files.iter();
        files.filter_map(|(stem, held)| Some((Slug::parse(stem)?, held)))
    }

    pub(super) fn to_lesson_folder(&self) -> LessonFolder {
        let files = self.files.iter();
        LessonFolder {
            files: files
                .map(|(stem, held)| (format!("{stem}.md"), held.parsed.clone()))
                .collect(),
            archived: self.archived.clone(),
        }
    }
}

/// Returns a short name for some bytes.
pub(super) fn hash_bytes(bytes: &[u8]) -> String {
    digest::to_hex(&digest::hash_parts([bytes])[..16])
}

impl LessonDirectory {
    pub(super) fn from_path(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder if it is not there.
    pub(super) fn create(&self) -> Result<()> {
        let result = fs::create_dir_all(&self.path);
        result.map_err(|error| files_error("making", &self.path, error))
    }

    /// Reads everything in the folder that may be a lesson, and the names in its archive.
    pub(super) fn read_contents(&self) -> Result<FolderContents> {
        let mut contents = FolderContents::default();
        let mut room = limits::LESSON_FOLDER_BYTES;
        for (name, path) in list_entries(&self.path, &mut contents.skipped)? {
            let in_capitals = find_slug_in_capitals(&name);
            let Some(stem) = name.strip_suffix(".md") else {
                contents
                    .in_capitals
                    .extend(in_capitals.map(|slug| (slug, String::new())));
                continue;
            };
            if let Some(slug) = stem.strip_suffix(CONFLICT_SUFFIX).and_then(Slug::parse) {
                contents.conflicts.insert(slug);
                continue;
            }
            let file = match path {
                Some(path) => {
                    room = room.saturating_sub(bounded_size(&path));
                    if room == 0 {
                        let most = limits::LESSON_FOLDER_BYTES;
                        let message = format!("its files have more than {most} bytes");
                        return Err(files_error(
                            "reading",
                            &self.path,
                            io::Error::other(message),
                        ));
                    }
                    read_file(Some(stem), &path)
                }
                None => FolderFile {
                    digest: String::new(),
                    parsed: ParsedLessonFile::unread(
                        FindingCode::Internal,
                        "a link is not followed",
                    ),
                    looks_like_lesson: false,
                },
            };
            contents
                .in_capitals
                .extend(in_capitals.map(|slug| (slug, file.digest.clone())));
            if Slug::parse(stem).is_some() || file.looks_like_lesson {
                contents.files.insert(stem.to_owned(), file);
            }
        }
        let archive = self.path.join(ARCHIVE);
        if is_folder(&archive) {
            let entries = list_entries(&archive, &mut contents.skipped)?;
            let slugs = entries
                .keys()
                .filter_map(|name| Slug::parse(name.strip_suffix(".md")?));
            contents.archived = slugs.collect();
        }
        Ok(contents)
    }

    /// Writes a lesson's file, whole or not at all.
    pub(super) fn write_lesson(&self, slug: &Slug, text: &str) -> Result<()> {
        self.replace_file(&format!("{slug}.md"), text)
    }

    /// Writes the list of lessons. One that says the same already is left alone.
    pub(super) fn write_index(&self, text: &str) -> Result<()> {
        if fs::read(self.path.join(INDEX)).is_ok_and(|there| there == text.as_bytes()) {
            return Ok(());
        }
        self.replace_file(INDEX, text)
    }

    /// Writes the other side of a conflict beside a lesson's file.
    pub(super) fn write_conflict(&self, slug: &Slug, text: &str) -> Result<()> {
        self.replace_file(&format!("{slug}{CONFLICT_SUFFIX}.md"), text)
    }

    fn replace_file(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        let new = self
            .path
            .join(format!(".{name}.{}.new", std::process::id()));
        let result = write_new(&new, text).and_then(|()| fs::rename(&new, &path));
        result.map_err(|error| {
            drop(fs::remove_file(&new));
            files_error("writing", &path, error)
        })
    }

    /// Moves a lesson's file to the archive, beside whatever has its name there.
    pub(super) fn archive_file(&self, slug: &Slug) -> Result<()> {
        let folder = self.path.join(ARCHIVE);
        let from = self.path.join(format!("{slug}.md"));
        let moving = |error| files_error("moving", &from, error);
        if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(moving(io::Error::other("the archive is a link")));
        }
        fs::create_dir_all(&folder).map_err(moving)?;
        let place = |slug: &Slug| folder.join(format!("{slug}.md"));
        let bytes = fs::read(&from).map_err(moving)?;
        let is_free = |slug: &Slug| match fs::read(place(slug)) {
            Ok(there) => there == bytes,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let candidates = (2_u32..).map(|number| slug.with_number(number));
        let mut names = std::iter::once(slug.clone()).chain(candidates);
        let to = names.find(is_free).map(|slug| place(&slug));
        fs::rename(&from, to.unwrap_or_else(|| from.clone())).map_err(moving)
    }

    /// Deletes a lesson's file.
    pub(super) fn remove_file(&self, slug: &Slug) -> Result<()> {
        let path = self.path.join(format!("{slug}.md"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(files_error("deleting", &path, error))
            }
            _ => Ok(()),
        }
    }

    /// Keeps others from changing the folder at the same time, until the value is dropped; waits for
    /// a few seconds if somebody is at it. Where folders cannot be locked, nothing is kept.
    pub(super) fn lock(&self) -> Result<Option<File>> {
        for _ in 0..LOCK_TRIES {
            match try_lock_folder(&self.path) {
                Ok(folder) => return Ok(Some(folder)),
                Err(fs::TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
                Err(fs::TryLockError::Error(_)) => return Ok(None),
            }
        }
        let busy = io::Error::other("another process is at it; try again");
        Err(files_error("locking", &self.path, busy))
    }
}

/// Locks a folder as long as the file lives.
#[cfg(unix)]
fn try_lock_folder(path: &Path) -> Result<File, fs::TryLockError> {
    let folder = File::open(path).map_err(fs::TryLockError::Error)?;
    folder.try_lock()?;
    Ok(folder)
}

/// Locks a folder as long as the file lives: a file in it that one process at a time can have open. The system deletes it when
/// that process closes it or ends.
#[cfg(windows)]
fn try_lock_folder(path: &Path) -> Result<File, fs::TryLockError> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    options.share_mode(0).custom_flags(FLAG_DELETE_ON_CLOSE);
    options
        .open(path.join(".hardwon.lock"))
        .map_err(|error| match error.raw_os_error() {
            Some(SHARING_VIOLATION) => fs::TryLockError::WouldBlock,
            _ => fs::TryLockError::Error(error),
        })
}

/// Returns the slug whose file a name is where capitals make no difference; `None` of a name without capitals.
fn find_slug_in_capitals(name: &str) -> Option<Slug> {
    let small = name.to_lowercase();
    let stem = small.strip_suffix(".md").filter(|_| small != name)?;
    Slug::parse(stem)
}

/// Returns the Markdown files of a folder by name; a link that is called so has no path.
fn list_entries(
    folder: &Path,
    skipped: &mut Vec<SkippedFile>,
) -> Result<BTreeMap<String, Option<PathBuf>>> {
    let reading = |error| files_error("reading", folder, error);
    let mut files = BTreeMap::new();
    for (number, entry) in fs::read_dir(folder).map_err(reading)?.enumerate() {
        if number == limits::LESSON_FILES {
            let message = format!("it holds more than {} files", limits::LESSON_FILES);
            return Err(reading(io::Error::other(message)));
        }
        let entry = entry.map_err(reading)?;
        let kind = entry.file_type().map_err(reading)?;
        match entry.file_name().into_string() {
            Err(name) => skipped.push(SkippedFile {
                name: name.to_string_lossy().into_owned(),
                reason: "its name is not text".to_owned(),
            }),
            Ok(name) if name.starts_with(['.', '_']) || !is_markdown(&name) => {}
            Ok(name) if kind.is_symlink() => drop(files.insert(name, None)),
            Ok(name) if kind.is_file() => drop(files.insert(name, Some(entry.path()))),
            Ok(_) => {}
        }
    }
    Ok(files)
}

/// Returns whether a name ends with `.md`, in capitals or not.
fn is_markdown(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".md")
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    // What a killed process of the same number left behind.
    drop(fs::remove_file(path));
    // Lessons may be anybody's private matter; who shares the folder says so.
    let mut file = private_file::open(OpenOptions::new().write(true).create_new(true), path)?;
    file.write_all(text.as_bytes())
}

/// Reads one file. `stem` is what its slug must be.
fn read_file(stem: Option<&str>, path: &Path) -> FolderFile {
    match read_bytes(path) {
        Ok(bytes) => parse_file(stem, &bytes),
        Err(error) => FolderFile {
            parsed: ParsedLessonFile::unread(FindingCode::Internal, error.to_string()),
            ..parse_file(stem, &[])
        },
    }
}

/// Parses the bytes of one file. `stem` is what its slug must be.
fn parse_file(stem: Option<&str>, bytes: &[u8]) -> FolderFile {
    let file = match std::str::from_utf8(bytes) {
        Ok(text) => LessonFile::parse(stem, text),
        Err(_) => ParsedLessonFile::unread(FindingCode::LessonInvalid, "it is not UTF-8 text"),
    };
    let begins = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    FolderFile {
        digest: hash_bytes(bytes),
        looks_like_lesson: begins.starts_with(b"---"),
        parsed: file,
    }
}

/// Returns how much is read of a file.
fn bounded_size(path: &Path) -> u64 {
    let most = u64::try_from(limits::LESSON_FILE_BYTES).unwrap_or(u64::MAX);
    fs::metadata(path).map_or(0, |about| about.len()).min(most)
}

/// Reads a file, as much of it as shows that it is too long.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limits::LESSON_FILE_BYTES).unwrap_or(u64::MAX) + 1;
    regular_file::open(path)?
        .take(most)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

pub(super) fn files_error(doing: &'static str, path: &Path, source: io::Error) -> Error {
    Error::LessonFiles {
        doing,
        path: path.to_owned(),
        source,
    }
}
