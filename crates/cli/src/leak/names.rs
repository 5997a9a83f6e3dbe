//! Gathers the names that must not ship: of this account and machine, from the settings, and of other projects.

use std::{fs, path::Path};

use hardwon_core::ProjectId;
use hardwon_engine::regular_file;
use hardwon_gates::leak::{PrivateName, PrivateNames};

use crate::{CliError, Result, config::leak::LeakNames};

/// Files at the root of a repository that name the packages which it uses.
#[rustfmt::skip]
const DEPENDENCY_FILES: &[&str] = &[
    "Cargo.toml", "Cargo.lock", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.mod",
    "requirements.txt", "pyproject.toml", "uv.lock", "poetry.lock", "Pipfile", "Gemfile", "Gemfile.lock", "composer.json",
    "composer.lock", "mix.exs", "build.gradle", "pom.xml",
];
/// The longest dependency file that is read, in bytes.
const DEPENDENCY_BYTES: u64 = 16 << 20;

/// Puts the names together; `own` is the project whose files are searched, and `root` where they are.
///
/// # Errors
/// If a dependency file cannot be read.
pub fn gather_names(
    found: &LeakNames,
    extra: &[String],
    projects: &[ProjectId],
    own: Option<&ProjectId>,
    root: Option<&Path>,
) -> Result<PrivateNames> {
    let own = own.map(ProjectId::as_str);
    // What this repository is called is public with it, and its owner as well.
    let is_own =
        |name: &str| own.is_some_and(|own| own.to_lowercase().contains(&name.to_lowercase()));
    let is_public = |name: &PrivateName| {
        found
            .public
            .iter()
            .any(|public| public.eq_ignore_ascii_case(&name.text))
    };
    let names = found.configured.iter().chain(extra);
    let names = names.filter_map(|name| PrivateName::from_setting(name));
    let accounts = found.accounts.iter().filter(|name| !is_own(name));
    let accounts = accounts.filter_map(|name| PrivateName::from_account(name));
    let home = found
        .home
        .iter()
        .filter_map(|home| PrivateName::from_home(home));
    let hosts = found.hosts.iter().filter(|name| !is_own(name));
    let hosts = hosts.filter_map(|name| PrivateName::from_host(name));
    let others = projects
        .iter()
        .map(ProjectId::as_str)
        .filter(|text| Some(*text) != own);
    let others = others.flat_map(|project| PrivateName::from_project(project, own));
    let all = names.chain(accounts).chain(home).chain(hosts).chain(others);
    let names = PrivateNames::new(all.filter(|name| !is_public(name)));
    match root {
        Some(root) => Ok(names.without_published(&read_dependency_files(root)?)),
        None => Ok(names),
    }
}

fn read_dependency_files(root: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for name in DEPENDENCY_FILES {
        let path = root.join(name);
        let is_short = |path: &Path| {
            fs::symlink_metadata(path)
                .map(|metadata| metadata.is_file() && metadata.len() <= DEPENDENCY_BYTES)
        };
        let bytes =
            is_short(&path).and_then(|is_short| is_short.then(|| fs::read(&path)).transpose());
        let bytes = regular_file::if_there(bytes).map_err(CliError::bad_file("reading", &path))?;
        texts.extend(
            bytes
                .flatten()
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        );
    }
    Ok(texts)
}
