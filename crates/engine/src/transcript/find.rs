//! Finds transcripts: where the agents of this machine keep their sessions, and the files in a
//! folder.
//!
//! Nothing here reads the environment or a file's content; settings come in as a function, and
//! whether a file is a transcript is for [`recognise`](super::recognise) to say.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// A folder in which a client keeps its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The client.
    pub client: &'static str,
    /// The folder; it exists.
    pub path: PathBuf,
}

/// Where a client keeps its sessions.
struct Place {
    client: &'static str,
    /// The setting that moves the client's folder.
    setting: Option<&'static str>,
    /// The client's folder when the setting is absent, below the home folder.
    folder: &'static str,
    /// The sessions below the client's folder.
    sessions: &'static str,
}

const PLACES: &[Place] = &[
    Place {
        client: "claude-code",
        setting: Some("CLAUDE_CONFIG_DIR"),
        folder: ".claude",
        sessions: "projects",
    },
    Place {
        client: "claude-code",
        setting: None,
        folder: ".config/claude",
        sessions: "projects",
    },
    Place {
        client: "codex",
        setting: Some("CODEX_HOME"),
        folder: ".codex",
        sessions: "sessions",
    },
    Place {
        client: "codex",
        setting: Some("CODEX_HOME"),
        folder: ".codex",
        sessions: "archived_sessions",
    },
    Place {
        client: "gemini-cli",
        setting: Some("GEMINI_DIR"),
        folder: ".gemini",
        sessions: "tmp",
    },
    Place {
        client: "qwen-code",
        setting: Some("QWEN_HOME"),
        folder: ".qwen",
        sessions: "projects",
    },
    Place {
        client: "copilot-cli",
        setting: Some("COPILOT_HOME"),
        folder: ".copilot",
        sessions: "session-state",
    },
    Place {
        client: "pi",
        setting: Some("PI_CODING_AGENT_DIR"),
        folder: ".pi/agent",
        sessions: "sessions",
    },
    Place {
        client: "cline",
        setting: None,
        folder: ".cline/data",
        sessions: "sessions",
    },
    Place {
        client: "openhands",
        setting: None,
        folder: ".openhands",
        sessions: "sessions",
    },
];

/// Returns the folders under `home` in which agents keep sessions.
///
/// `setting` answers what the environment would: pass `|name| std::env::var_os(name)`.
pub fn locate(home: &Path, setting: &dyn Fn(&str) -> Option<OsString>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for place in PLACES {
        let moved = place
            .setting
            .and_then(setting)
            .filter(|dir| !dir.is_empty());
        let folder = moved.map_or_else(|| home.join(place.folder), PathBuf::from);
        let path = folder.join(place.sessions);
        if path.is_dir() && !found.iter().any(|before| before.path == path) {
            found.push(Found {
                client: place.client,
                path,
            });
        }
    }
    found
}

/// A file to look at, or a path that could not be.
#[derive(Debug)]
pub enum Source {
    /// A regular file.
    File(PathBuf),
    /// A path that could not be read, and why.
    Unreadable(PathBuf, io::Error),
}

/// Returns the regular files at and below `paths`, folders in the order of their names.
///
/// A path that is named may be a link; below it, links to folders are not followed, so a loop of
/// links ends. Version control and package folders are passed over.
pub fn sources(paths: impl IntoIterator<Item = PathBuf>) -> impl Iterator<Item = Source> {
    let mut waiting: VecDeque<(PathBuf, bool)> =
        paths.into_iter().map(|path| (path, true)).collect();
    std::iter::from_fn(move || {
        while let Some((path, named)) = waiting.pop_front() {
            match look(&path, named) {
                Ok(Seen::File) => return Some(Source::File(path)),
                Ok(Seen::Folder(inside)) => {
                    for path in inside.into_iter().rev() {
                        waiting.push_front((path, false));
                    }
                }
                Ok(Seen::Nothing) => {}
                Err(error) => return Some(Source::Unreadable(path, error)),
            }
        }
        None
    })
}

enum Seen {
    File,
    Folder(Vec<PathBuf>),
    Nothing,
}

fn look(path: &Path, named: bool) -> io::Result<Seen> {
    let is_link = fs::symlink_metadata(path)?.is_symlink();
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        return Ok(Seen::File);
    }
    if !metadata.is_dir() || (!named && (is_link || is_passed_over(path))) {
        return Ok(Seen::Nothing);
    }
    let mut inside = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    inside.sort();
    Ok(Seen::Folder(inside))
}

fn is_passed_over(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == ".git" || name == "node_modules")
}
