//! Whose the items of a file are, by where the file is.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::{MemoryFormat, MemoryOwner, find::read_bounded};

/// Folders of a home in which clients keep what holds for every project.
const CLIENT_FOLDERS: &[&str] = &[
    ".claude", ".codex", ".gemini", ".qwen", ".copilot", ".cursor", ".config", ".cline", ".pi",
    ".local",
];
/// Folders below the root of a project in which its files of these forms are.
const PROJECT_FOLDERS: &[&str] = &[
    "docs/solutions",
    ".cursor/rules",
    ".github",
    ".claude",
    ".cursor",
];
/// Folders that are looked into, to find the one that a name stands for.
const LOOKED_INTO: usize = 2000;

/// Finds whose the items of a file are; `home` is the home folder of whoever reads it.
#[must_use]
pub fn find_owner(format: MemoryFormat, file: &Path, home: Option<&Path>) -> MemoryOwner {
    let whole = dunce::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let home = home.map(|it| dunce::canonicalize(it).unwrap_or_else(|_| it.to_owned()));
    if format == MemoryFormat::Copilot {
        return find_workspace(&whole).map_or(MemoryOwner::Reader, MemoryOwner::Folder);
    }
    if let Some(slug) = find_slug_folder(&whole) {
        return resolve_slug(&slug).map_or(MemoryOwner::Unsaid, MemoryOwner::Folder);
    }
    let below_home = home.as_ref().and_then(|home| whole.strip_prefix(home).ok());
    let first = below_home.and_then(|it| it.components().next());
    let first = first.map(|it| it.as_os_str().to_string_lossy().into_owned());
    let is_in_home = below_home.is_some_and(|it| it.components().count() == 1);
    let is_client_folder = first.is_some_and(|it| CLIENT_FOLDERS.contains(&&*it));
    if is_client_folder || is_in_home || format == MemoryFormat::Codex {
        return MemoryOwner::Unsaid;
    }
    MemoryOwner::Folder(project_folder(&whole))
}

/// Returns the folder that a file belongs to, without the folders in which files of its form are.
fn project_folder(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let root = folder.ancestors().find_map(|above| {
        let kind = PROJECT_FOLDERS.iter().find(|it| above.ends_with(it))?;
        above.ancestors().nth(Path::new(kind).components().count())
    });
    root.unwrap_or(folder).to_owned()
}

/// Returns the folder `projects/SLUG` of a file in `projects/SLUG/memory`.
fn find_slug_folder(file: &Path) -> Option<PathBuf> {
    let mut above = file.ancestors().skip(1);
    let memory = above.find(|it| it.file_name().is_some_and(|name| name == "memory"))?;
    let slug = memory.parent()?;
    let is_project = slug.parent()?.file_name()? == "projects";
    is_project.then(|| slug.to_owned())
}

/// Finds the folder that the name of another one stands for: its path, with everything but letters and digits as a dash.
fn resolve_slug(slug_folder: &Path) -> Option<PathBuf> {
    let slug = slug_folder.file_name()?.to_str()?;
    let mut left = LOOKED_INTO;
    search_slug(Path::new("/"), slug.strip_prefix('-')?, &mut left)
}

fn search_slug(folder: &Path, rest: &str, left: &mut usize) -> Option<PathBuf> {
    *left = left.checked_sub(1)?;
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut names: Vec<String> = entries
        .filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|it| it.file_name().into_string().ok())
        .collect();
    names.sort();
    names.into_iter().find_map(|name| {
        let after = rest.strip_prefix(&*encode_name(&name))?;
        let path = folder.join(&name);
        match after.strip_prefix('-') {
            _ if after.is_empty() => Some(path),
            Some(after) => search_slug(&path, after, left),
            None => None,
        }
    })
}

fn encode_name(name: &str) -> String {
    let encode = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(encode).collect()
}

/// Finds the folder of the workspace of an editor in whose storage a file is.
fn find_workspace(file: &Path) -> Option<PathBuf> {
    let noted = file
        .ancestors()
        .skip(1)
        .take(6)
        .map(|it| it.join("workspace.json"));
    let text = noted.filter_map(|it| read_bounded(&it).ok()).next()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let folder = PathBuf::from(value.get("folder")?.as_str()?.strip_prefix("file://")?);
    let is_plain = |it: Component<'_>| matches!(it, Component::RootDir | Component::Normal(_));
    (folder.is_absolute() && folder.components().all(is_plain)).then_some(folder)
}
