//! How this hardwon was installed, by where it lies and what packages leave beside it.
//!
//! Every mark is looked for at its place relative to the program, so a package in another root is known as well. What is
//! found names the command that upgrades it; nothing is run here, and no network is asked.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use hardwon_clients::setup::own_entries::quote_program;
use hardwon_engine::regular_file;

/// Most bytes of a mark that are read.
const MARK_BYTES_MAX: u64 = 256 * 1024;

/// How a hardwon came to where it lies: the ways that a release makes packages for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallMethod {
    /// `npm install --global`.
    Npm,
    /// `uv tool install`.
    UvTool,
    /// `pipx install`.
    Pipx,
    /// pip, with this Python.
    Pip(String),
    /// The Debian package.
    Debian,
    /// Homebrew.
    Homebrew,
    /// `cargo install`.
    Cargo,
    /// `cargo binstall`.
    Binstall,
    /// `install.sh`.
    Script {
        /// The address of the releases, as the script wrote it down.
        releases: String,
        /// The folder that it installs below.
        prefix: PathBuf,
    },
    /// Nothing tells, or another way.
    Unknown,
}

/// What to say of a way to install.
#[derive(Debug)]
pub struct InstallWords {
    /// How it was installed, as the end of a sentence.
    pub how: &'static str,
    /// The command that upgrades it.
    pub upgrade: String,
    /// The command that removes it.
    pub removal: String,
    /// What has to be known beside the command that upgrades it, where there is something.
    pub note: Option<&'static str>,
}

/// Finds out how a program was installed.
pub fn find_install_method(program: &Path) -> InstallMethod {
    let method = find_in_path(program).or_else(|| {
        let bin = program.parent()?;
        let prefix = bin.parent()?;
        find_python(bin, prefix)
            .or_else(|| find_cargo(prefix))
            .or_else(|| find_script(prefix))
            .or_else(|| find_debian(prefix))
    });
    method.unwrap_or(InstallMethod::Unknown)
}

/// Returns whether a program is to be started by its path, where this one has its name on the search path: a wrapper of npm,
/// which starts Node.js first and takes many times as long.
///
/// Only npm keeps the path through upgrades; others have the version in it.
pub fn is_behind_wrapper(program: &Path, on_path: &Path) -> bool {
    // On Windows npm puts a file for `cmd` on the search path, which starts the wrapper.
    let is_wrapper =
        (on_path.file_name()).is_some_and(|name| name == "hardwon.js" || name == "hardwon.cmd");
    is_wrapper && find_install_method(program) == InstallMethod::Npm
}

/// Finds what the names of the folders above a program tell.
fn find_in_path(program: &Path) -> Option<InstallMethod> {
    let names = || program.components().map(|part| part.as_os_str());
    if names().any(|name| name == "node_modules") {
        let folder: PathBuf = names().take_while(|name| *name != "node_modules").collect();
        return Some(if is_npm_global(&folder, program) {
            InstallMethod::Npm
        } else {
            InstallMethod::Unknown
        });
    }
    let is_of_brew = names().any(|name| name == "Cellar");
    is_of_brew.then_some(InstallMethod::Homebrew)
}

/// Returns whether `node_modules` in a folder is npm's for the whole machine: not that of a project, of one run, or of
/// another package manager of Node.js.
fn is_npm_global(folder: &Path, program: &Path) -> bool {
    let above = folder.to_string_lossy().replace('\\', "/");
    let whole = program.to_string_lossy().replace('\\', "/");
    let of_others = [
        "/_npx/",
        "/pnpm/global/",
        "/.bun/install/global/",
        "/yarn/global/",
    ];
    let is_of_others = of_others.iter().any(|of_other| {
        whole.contains(of_other) || above.ends_with(of_other.trim_end_matches('/'))
    });
    !is_of_others && !folder.join("package.json").is_file()
}

/// Finds an environment of Python that has the package.
fn find_python(bin: &Path, prefix: &Path) -> Option<InstallMethod> {
    if prefix.join("uv-receipt.toml").is_file() {
        return Some(InstallMethod::UvTool);
    }
    if prefix.join("pipx_metadata.json").is_file() {
        return Some(InstallMethod::Pipx);
    }
    let versions = list_folder(&prefix.join("lib"));
    let libraries = versions
        .iter()
        .flat_map(|version| ["site-packages", "dist-packages"].map(|name| version.join(name)));
    let mut libraries = libraries.chain([prefix.join("Lib/site-packages")]);
    let is_about_us = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("hardwon-") && name.ends_with(".dist-info")
    };
    libraries.find(|library| list_folder(library).iter().any(is_about_us))?;
    let is_environment = prefix.join("pyvenv.cfg").is_file();
    let own = ["python3", "python", "python.exe"].map(|name| bin.join(name));
    let own = own
        .iter()
        .find(|own| own.is_file())
        .filter(|_| is_environment);
    let python = own.and_then(|own| own.to_str()).unwrap_or("python3");
    Some(InstallMethod::Pip(python.to_owned()))
}

fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Finds what cargo noted about the programs in its folder.
fn find_cargo(prefix: &Path) -> Option<InstallMethod> {
    let marks = read_mark(&prefix.join(".crates.toml"))?;
    let ours = marks.lines().find(|line| line.starts_with("\"hardwon "))?;
    let binstall_marks = read_mark(&prefix.join("binstall/crates-v1.json"));
    if binstall_marks.is_some_and(|binstall_mark| binstall_mark.contains("\"name\":\"hardwon\"")) {
        return Some(InstallMethod::Binstall);
    }
    ours.contains("(registry+").then_some(InstallMethod::Cargo)
}

/// Finds the list that `install.sh` keeps of what it installed.
fn find_script(prefix: &Path) -> Option<InstallMethod> {
    let list = read_mark(&prefix.join("share/doc/hardwon/installed.txt"))?;
    let releases = list.lines().find_map(|line| line.strip_prefix("from "))?;
    Some(InstallMethod::Script {
        releases: releases.to_owned(),
        prefix: prefix.to_owned(),
    })
}

/// Finds what dpkg noted, in the root that the program's folder `usr` is in.
fn find_debian(prefix: &Path) -> Option<InstallMethod> {
    let list = prefix.parent()?.join("var/lib/dpkg/info/hardwon.list");
    list.is_file().then_some(InstallMethod::Debian)
}

fn read_mark(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = regular_file::open(path).ok()?;
    file.take(MARK_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

impl InstallMethod {
    /// Returns what to say of it; `None` if nothing tells.
    pub fn words(&self) -> Option<InstallWords> {
        let words = |how, upgrade: &str, removal: &str| InstallWords {
            how,
            upgrade: upgrade.to_owned(),
            removal: removal.to_owned(),
            note: None,
        };
        Some(match self {
            Self::Npm => words(
                "installed by npm",
                "npm install --global hardwon@latest",
                "npm uninstall --global hardwon",
            ),
            Self::UvTool => words(
                "installed by uv",
                "uv tool upgrade hardwon",
                "uv tool uninstall hardwon",
            ),
            Self::Pipx => words(
                "installed by pipx",
                "pipx upgrade hardwon",
                "pipx uninstall hardwon",
            ),
            Self::Pip(python) => {
                let pip = format!("{} -m pip", quote_program(python));
                words(
                    "installed by pip",
                    &format!("{pip} install --upgrade hardwon"),
                    &format!("{pip} uninstall hardwon"),
                )
            }
            Self::Debian => InstallWords {
                note: Some("with the package of the newest release in the current folder"),
                ..words(
                    "installed as a Debian package",
                    "sudo apt-get install ./hardwon_*.deb",
                    "sudo apt-get remove hardwon",
                )
            },
            Self::Homebrew => words(
                "installed by Homebrew",
                "brew upgrade hardwon",
                "brew uninstall hardwon",
            ),
            Self::Cargo => words(
                "installed by cargo",
                "cargo install --locked hardwon",
                "cargo uninstall hardwon",
            ),
            Self::Binstall => words(
                "installed by cargo binstall",
                "cargo binstall hardwon",
                "cargo uninstall hardwon",
            ),
            Self::Script { releases, prefix } => {
                let command = script_command(releases, prefix);
                words(
                    "installed by install.sh",
                    &command,
                    &format!("{command} --uninstall"),
                )
            }
            Self::Unknown => return None,
        })
    }
}

/// Returns the command that fetches the newest `install.sh` of some releases, and runs it for the same folder.
fn script_command(releases: &str, prefix: &Path) -> String {
    // What the file says is printed for a shell, so it is an address or nothing.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ":/._~%+@-".contains(c);
    let is_address = releases.starts_with("http") && releases.chars().all(is_plain);
    let prefix = quote_program(&prefix.to_string_lossy());
    match releases.strip_suffix("/download").filter(|_| is_address) {
        Some(all) => {
            format!("curl -fsSL {all}/latest/download/install.sh | sh -s -- --prefix {prefix}")
        }
        None => format!("sh install.sh --prefix {prefix}"),
    }
}

#[cfg(test)]
mod tests;
