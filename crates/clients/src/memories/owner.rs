//! Of which project the items of a file are, by where the file is.

use std::path::{Path, PathBuf};

/// Folders of a home in which clients keep what holds for every project.
const CLIENT_FOLDERS: &[&str] = &[
    ".claude", ".codex", ".gemini", ".qwen", ".copilot", ".cursor", ".config", ".cline", ".pi",
    ".local",
];
/// Folders below the root of a project in which such files are.
const PROJECT_FOLDERS: &[&str] = &[
    "docs/solutions",
    ".cursor/rules",
    ".github",
    ".claude",
    ".cursor",
];

/// Finds the folder of the project that the items of a file are of.
///
/// `home` is the home folder of whoever reads it, and
/// `projects` are folders that are known there, of which one may have given its name to the folder of a client. `None` if
/// nobody says: the items hold for many projects, or for one that is not named.
pub fn find_owner(file: &Path, home: Option<&Path>, projects: &[PathBuf]) -> Option<PathBuf> {
    let whole = dunce::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if let Some(slug) = find_slug(&whole) {
        let project = projects.iter().find(|folder| encode_path(folder) == slug);
        return project.cloned();
    }
    let home = home.map(|home| dunce::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    let below = home.as_ref().and_then(|home| whole.strip_prefix(home).ok());
    let first = below.and_then(|path| path.iter().next());
    let is_general = first.is_some_and(|name| CLIENT_FOLDERS.iter().any(|folder| name == *folder));
    let is_in_home = below.is_some_and(|path| path.iter().count() == 1);
    (!is_general && !is_in_home).then(|| project_folder(&whole))
}

/// Returns the folder that a file belongs to, without the folders in which files of its form are.
fn project_folder(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let root = folder.ancestors().find_map(|above| {
        let kind = PROJECT_FOLDERS
            .iter()
            .find(|folder| above.ends_with(folder))?;
        above.ancestors().nth(Path::new(kind).components().count())
    });
    root.unwrap_or(folder).to_owned()
}

/// Returns `SLUG` of a file in `projects/SLUG/memory`, as Claude Code names a folder after a path.
fn find_slug(file: &Path) -> Option<String> {
    let mut above = file.ancestors().skip(1);
    let memory = above.find(|folder| folder.ends_with("memory"))?;
    let slug = memory.parent()?;
    let is_project = slug.parent()?.ends_with("projects");
    is_project.then(|| {
        slug.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    })
}

/// Returns a path with everything but letters and digits as a dash.
fn encode_path(path: &Path) -> String {
    let encode = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    path.to_string_lossy().chars().map(encode).collect()
}
