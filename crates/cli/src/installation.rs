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

/// How a hardwon came to where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallMethod {
    /// A package of Node.js for the whole machine, by this program (`npm`, `pnpm`, `yarn`, `bun`).
    NodeGlobal(&'static str),
    /// A package of Node.js in a project's folder.
    NodeProject(&'static str, PathBuf),
    /// Fetched for one run, by this command.
    OneRun(&'static str),
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
    /// `cargo install`, from the registry.
    Cargo,
    /// `cargo install` from a folder or a repository.
    CargoSource,
    /// A build that lies in its checkout.
    Source,
    /// `cargo binstall`.
    Binstall,
    /// `install.sh`.
    Script {
        /// The address of the releases, as the script wrote it down.
        releases: String,
        /// The folder that it installs below.
        prefix: PathBuf,
    },
    /// A container's image.
    Image,
    /// Nothing tells.
    Unknown,
}

/// Finds out how a program was installed.
#[must_use]
pub fn find_install_method(program: &Path) -> InstallMethod {
    if program == Path::new("/hardwon") {
        return InstallMethod::Image;
    }
    let found = find_in_path(program).or_else(|| {
        let bin = program.parent()?;
        let prefix = bin.parent()?;
        find_python(bin, prefix)
            .or_else(|| find_cargo(prefix))
            .or_else(|| find_script(prefix))
            .or_else(|| find_debian(prefix))
    });
    found.unwrap_or(InstallMethod::Unknown)
}

/// Returns whether a program is to be started by its path, where this one has its name on the search path: a wrapper of npm,
/// which starts Node.js first and takes many times as long.
///
/// Only npm keeps the path through upgrades; others have the version in it.
#[must_use]
pub fn is_behind_wrapper(program: &Path, on_path: &Path) -> bool {
    // On Windows npm puts a file for `cmd` on the search path, which starts the wrapper.
    let is_wrapper =
        (on_path.file_name()).is_some_and(|it| it == "hardwon.js" || it == "hardwon.cmd");
    is_wrapper && find_install_method(program) == InstallMethod::NodeGlobal("npm")
}

/// Finds what the names of the folders above a program tell.
fn find_in_path(program: &Path) -> Option<InstallMethod> {
    let names = || program.components().map(|part| part.as_os_str());
    let has = |name: &str| names().any(|it| it == name);
    if has("_npx") {
        return Some(InstallMethod::OneRun("npx hardwon@latest"));
    }
    let is_archive = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("archive-v");
    if has("uv") && names().any(is_archive) {
        return Some(InstallMethod::OneRun("uvx hardwon@latest"));
    }
    if has("node_modules") {
        let folder: PathBuf = names().take_while(|it| *it != "node_modules").collect();
        return Some(find_node(&folder, program));
    }
    if has("Cellar") {
        return Some(InstallMethod::Homebrew);
    }
    let checkout = program.ancestors().find(|it| it.ends_with("target"));
    let checkout = checkout.and_then(Path::parent);
    checkout
        .filter(|it| it.join("crates/cli/Cargo.toml").is_file())
        .map(|_| InstallMethod::Source)
}

/// Tells the package managers of Node.js apart, by the folder that has `node_modules` in it.
fn find_node(folder: &Path, program: &Path) -> InstallMethod {
    let above = folder.to_string_lossy().replace('\\', "/");
    let is_below = |part: &str| program.to_string_lossy().replace('\\', "/").contains(part);
    if is_below("/pnpm/global/") {
        return InstallMethod::NodeGlobal("pnpm");
    }
    if above.ends_with("/.bun/install/global") {
        return InstallMethod::NodeGlobal("bun");
    }
    if above.ends_with("/yarn/global") {
        return InstallMethod::NodeGlobal("yarn");
    }
    if !folder.join("package.json").is_file() {
        return InstallMethod::NodeGlobal("npm");
    }
    let locks = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
    ];
    let lock = locks.iter().find(|(file, _)| folder.join(file).is_file());
    InstallMethod::NodeProject(lock.map_or("npm", |(_, tool)| tool), folder.to_owned())
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
        .flat_map(|it| ["site-packages", "dist-packages"].map(|name| it.join(name)));
    let mut libraries = libraries.chain([prefix.join("Lib/site-packages")]);
    let is_about_us = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("hardwon-") && name.ends_with(".dist-info")
    };
    libraries.find(|it| list_folder(it).iter().any(is_about_us))?;
    let is_environment = prefix.join("pyvenv.cfg").is_file();
    let own = ["python3", "python", "python.exe"].map(|name| bin.join(name));
    let own = own
        .iter()
        .find(|it| it.is_file())
        .filter(|_| is_environment);
    let python = own.and_then(|it| it.to_str()).unwrap_or("python3");
    Some(InstallMethod::Pip(python.to_owned()))
}

fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Finds what cargo noted about the programs in its folder.
fn find_cargo(prefix: &Path) -> Option<InstallMethod> {
    let installed = read_mark(&prefix.join(".crates.toml"))?;
    let ours = installed
        .lines()
        .find(|line| line.starts_with("\"hardwon "))?;
    let fetched = read_mark(&prefix.join("binstall/crates-v1.json"));
    let is_fetched = fetched.is_some_and(|it| it.contains("\"name\":\"hardwon\""));
    Some(match (is_fetched, ours.contains("(registry+")) {
        (true, _) => InstallMethod::Binstall,
        (false, true) => InstallMethod::Cargo,
        (false, false) => InstallMethod::CargoSource,
    })
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
    /// Returns how it was installed, as the end of a sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::NodeGlobal(tool) => format!("installed by {tool}"),
            Self::NodeProject(tool, folder) => {
                format!("installed by {tool} in {}", folder.display())
            }
            Self::OneRun(_) => "fetched for one run".to_owned(),
            Self::UvTool => "installed by uv".to_owned(),
            Self::Pipx => "installed by pipx".to_owned(),
            Self::Pip(_) => "installed by pip".to_owned(),
            Self::Debian => "installed as a Debian package".to_owned(),
            Self::Homebrew => "installed by Homebrew".to_owned(),
            Self::Cargo => "installed by cargo".to_owned(),
            Self::CargoSource | Self::Source => "built from source".to_owned(),
            Self::Binstall => "installed by cargo binstall".to_owned(),
            Self::Script { .. } => "installed by install.sh".to_owned(),
            Self::Image => "part of an image".to_owned(),
            Self::Unknown => "installed in a way that left no mark".to_owned(),
        }
    }

    /// Returns the command that upgrades it; `None` if nothing tells.
    #[must_use]
    pub fn upgrade_command(&self) -> Option<String> {
        Some(match self {
            Self::NodeGlobal("npm") => "npm install --global hardwon@latest".to_owned(),
            Self::NodeGlobal("yarn") => "yarn global add hardwon@latest".to_owned(),
            Self::NodeGlobal(tool) => format!("{tool} add --global hardwon@latest"),
            Self::NodeProject(tool, folder) => {
                let verb = if *tool == "npm" { "install" } else { "add" };
                let folder = quote_program(&folder.to_string_lossy());
                format!("cd {folder} && {tool} {verb} hardwon@latest")
            }
            Self::OneRun(command) => (*command).to_owned(),
            Self::UvTool => "uv tool upgrade hardwon".to_owned(),
            Self::Pipx => "pipx upgrade hardwon".to_owned(),
            Self::Pip(python) => {
                format!("{} -m pip install --upgrade hardwon", quote_program(python))
            }
            Self::Debian => "sudo apt-get install ./hardwon_*.deb".to_owned(),
            Self::Homebrew => "brew upgrade hardwon".to_owned(),
            Self::Cargo => "cargo install --locked hardwon".to_owned(),
            Self::CargoSource | Self::Source => {
                "git pull && cargo install --locked --path crates/cli".to_owned()
            }
            Self::Binstall => "cargo binstall hardwon".to_owned(),
            Self::Script { releases, prefix } => script_command(releases, prefix),
            Self::Image => "docker pull IMAGE".to_owned(),
            Self::Unknown => return None,
        })
    }

    /// Returns the command that removes the program; `None` if nothing tells, or there is none.
    #[must_use]
    pub fn removal_command(&self) -> Option<String> {
        Some(match self {
            Self::NodeGlobal("npm") => "npm uninstall --global hardwon".to_owned(),
            Self::NodeGlobal("yarn") => "yarn global remove hardwon".to_owned(),
            Self::NodeGlobal(tool) => format!("{tool} remove --global hardwon"),
            Self::NodeProject(tool, folder) => {
                let verb = if *tool == "npm" {
                    "uninstall"
                } else {
                    "remove"
                };
                let folder = quote_program(&folder.to_string_lossy());
                format!("cd {folder} && {tool} {verb} hardwon")
            }
            Self::UvTool => "uv tool uninstall hardwon".to_owned(),
            Self::Pipx => "pipx uninstall hardwon".to_owned(),
            Self::Pip(python) => format!("{} -m pip uninstall hardwon", quote_program(python)),
            Self::Debian => "sudo apt-get remove hardwon".to_owned(),
            Self::Homebrew => "brew uninstall hardwon".to_owned(),
            Self::Cargo | Self::CargoSource | Self::Binstall => {
                "cargo uninstall hardwon".to_owned()
            }
            Self::Script { releases, prefix } => script_command(releases, prefix) + " --uninstall",
            Self::OneRun(_) | Self::Source | Self::Image | Self::Unknown => return None,
        })
    }

    /// Returns what has to be known beside the command, where there is something.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        match self {
            Self::Debian => Some("with the package of the newest release in the current folder"),
            Self::CargoSource | Self::Source => Some("in the checkout that it was built from"),
            Self::Image => Some("with the name of the image that this container was started from"),
            _ => None,
        }
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
