//! How this hardwon was installed, by where it lies and what packages leave beside it.
//!
//! Every mark is looked for at its place relative to the program, so a package in another root is known as well. What is
//! found names the command that upgrades it; nothing is run here, and no network is asked.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use hardwon_clients::setup::own_entries::quote_program;
use hardwon_engine::regular_file;

/// Most bytes of a mark that are read.
const MARK_BYTES_MAX: u64 = 256 * 1024;

/// How a hardwon was installed, and what is typed about that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// How, as the end of a sentence.
    pub how: &'static str,
    /// The command that upgrades it.
    pub upgrade: String,
    /// The command that removes it.
    pub removal: String,
    /// What has to be known beside the command that upgrades it, where there is something.
    pub note: Option<&'static str>,
}

impl Installation {
    fn new(how: &'static str, upgrade: &str, removal: &str) -> Self {
        Self {
            how,
            upgrade: upgrade.to_owned(),
            removal: removal.to_owned(),
            note: None,
        }
    }
}

/// Finds out how a program was installed; `None` if that left no mark.
pub fn find_installation(program: &Path) -> Option<Installation> {
    if has_folder(program, "node_modules") {
        return is_npm_global(program).then(|| {
            Installation::new(
                "installed by npm",
                "npm install --global hardwon@latest",
                "npm uninstall --global hardwon",
            )
        });
    }
    if has_folder(program, "Cellar") {
        return Some(Installation::new(
            "installed by Homebrew",
            "brew upgrade hardwon",
            "brew uninstall hardwon",
        ));
    }
    let bin = program.parent()?;
    let prefix = bin.parent()?;
    find_python(bin, prefix)
        .or_else(|| find_cargo(prefix))
        .or_else(|| find_script(prefix))
        .or_else(|| find_debian(prefix))
}

/// Returns whether a program is to be started by its path, where this one has its name on the search path: a wrapper of npm,
/// which starts Node.js first and takes many times as long.
///
/// Only npm keeps the path through upgrades; others have the version in it.
pub fn is_behind_wrapper(program: &Path, on_path: &Path) -> bool {
    // On Windows npm puts a file for `cmd` on the search path, which starts the wrapper.
    let is_wrapper =
        (on_path.file_name()).is_some_and(|name| name == "hardwon.js" || name == "hardwon.cmd");
    is_wrapper && has_folder(program, "node_modules") && is_npm_global(program)
}

fn has_folder(program: &Path, name: &str) -> bool {
    program.components().any(|part| part.as_os_str() == name)
}

/// Returns whether the `node_modules` of a program is npm's for the whole machine: not that of a project, of one run, or of
/// another package manager of Node.js.
fn is_npm_global(program: &Path) -> bool {
    let names = program.components().map(|part| part.as_os_str());
    let folder: PathBuf = names.take_while(|name| *name != "node_modules").collect();
    let path = program.to_string_lossy().replace('\\', "/");
    let of_others = [
        "/_npx/",
        "/pnpm/global/",
        "/.bun/install/global/",
        "/yarn/global/",
    ];
    !of_others.iter().any(|part| path.contains(part)) && !folder.join("package.json").is_file()
}

/// Finds an environment of Python that has the package.
fn find_python(bin: &Path, prefix: &Path) -> Option<Installation> {
    if prefix.join("uv-receipt.toml").is_file() {
        let (upgrade, removal) = ("uv tool upgrade hardwon", "uv tool uninstall hardwon");
        return Some(Installation::new("installed by uv", upgrade, removal));
    }
    if prefix.join("pipx_metadata.json").is_file() {
        let (upgrade, removal) = ("pipx upgrade hardwon", "pipx uninstall hardwon");
        return Some(Installation::new("installed by pipx", upgrade, removal));
    }
    let list = |folder: &Path| regular_file::list_folder(folder).unwrap_or_default();
    let versions = list(&prefix.join("lib"));
    let libraries = versions
        .iter()
        .flat_map(|version| ["site-packages", "dist-packages"].map(|name| version.join(name)));
    let mut libraries = libraries.chain([prefix.join("Lib/site-packages")]);
    let is_about_us = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("hardwon-") && name.ends_with(".dist-info")
    };
    libraries.find(|library| list(library).iter().any(is_about_us))?;
    let is_environment = prefix.join("pyvenv.cfg").is_file();
    let own = ["python3", "python", "python.exe"].map(|name| bin.join(name));
    let own = own
        .iter()
        .find(|own| own.is_file())
        .filter(|_| is_environment);
    let python = own.and_then(|own| own.to_str()).unwrap_or("python3");
    let pip = format!("{} -m pip", quote_program(python));
    Some(Installation::new(
        "installed by pip",
        &format!("{pip} install --upgrade hardwon"),
        &format!("{pip} uninstall hardwon"),
    ))
}

/// Finds the list of what cargo installed; what it built from a folder is not upgraded from a registry.
fn find_cargo(prefix: &Path) -> Option<Installation> {
    let removal = "cargo uninstall hardwon";
    let marks = read_mark(&prefix.join(".crates.toml"))?;
    let ours = marks.lines().find(|line| line.starts_with("\"hardwon "))?;
    let fetch_list = read_mark(&prefix.join("binstall/crates-v1.json"));
    if fetch_list.is_some_and(|list| list.contains("\"name\":\"hardwon\"")) {
        let (how, upgrade) = ("installed by cargo binstall", "cargo binstall hardwon");
        return Some(Installation::new(how, upgrade, removal));
    }
    let upgrade = "cargo install --locked hardwon";
    (ours.contains("(registry+")).then(|| Installation::new("installed by cargo", upgrade, removal))
}

/// Finds the list that `install.sh` leaves.
fn find_script(prefix: &Path) -> Option<Installation> {
    let list = read_mark(&prefix.join("share/doc/hardwon/installed.txt"))?;
    let releases = list.lines().find_map(|line| line.strip_prefix("from "))?;
    let command = script_command(releases, prefix);
    let removal = format!("{command} --uninstall");
    Some(Installation::new(
        "installed by install.sh",
        &command,
        &removal,
    ))
}

fn find_debian(prefix: &Path) -> Option<Installation> {
    let list = prefix.parent()?.join("var/lib/dpkg/info/hardwon.list");
    list.is_file().then(|| Installation {
        note: Some("with the package of the newest release in the current folder"),
        ..Installation::new(
            "installed as a Debian package",
            "sudo apt-get install ./hardwon_*.deb",
            "sudo apt-get remove hardwon",
        )
    })
}

fn read_mark(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = regular_file::open(path).ok()?;
    file.take(MARK_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
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
