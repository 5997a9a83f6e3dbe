//! Where the clients of a machine keep their settings, and which of them are there.
//!
//! The environment comes in as a function, so that a test can be another machine. Each client's own
//! variables are honoured as the client itself does.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::Client;

/// A machine, as far as settings go.
pub struct Machine<'a> {
    /// The user's home folder.
    pub home: PathBuf,
    /// Answers what the environment would.
    pub setting: &'a dyn Fn(&str) -> Option<OsString>,
}

/// Whose settings are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The user's, in every project.
    User,
    /// One project's, in this folder.
    Project(PathBuf),
}

/// A folder of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The folder.
    pub path: PathBuf,
    /// The folder above it, or itself, that is not hardwon's to remove.
    pub root: PathBuf,
}

/// Returns what people call a client.
#[must_use]
pub fn label(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode => "Claude Code",
        Client::Codex => "Codex",
        Client::GeminiCli => "Gemini CLI",
        Client::QwenCode => "Qwen Code",
        Client::CopilotCli => "Copilot CLI",
        Client::OpenCode => "opencode",
        Client::Pi => "pi",
        Client::Cline => "Cline",
        Client::Cursor => "Cursor",
        Client::Goose => "goose",
    }
}

/// Returns the names of a client's program.
#[must_use]
pub fn programs(client: Client) -> &'static [&'static str] {
    match client {
        Client::ClaudeCode => &["claude"],
        Client::Codex => &["codex"],
        Client::GeminiCli => &["gemini"],
        Client::QwenCode => &["qwen"],
        Client::CopilotCli => &["copilot"],
        Client::OpenCode => &["opencode"],
        Client::Pi => &["pi"],
        Client::Cline => &["cline"],
        Client::Cursor => &["cursor-agent", "cursor"],
        Client::Goose => &["goose"],
    }
}

impl Machine<'_> {
    /// Returns the folder of the user's settings for a client.
    #[must_use]
    pub fn folder(&self, client: Client) -> Folder {
        match client {
            Client::ClaudeCode => self.moved("CLAUDE_CONFIG_DIR", "", ".claude"),
            Client::Codex => self.moved("CODEX_HOME", "", ".codex"),
            Client::GeminiCli => self.moved("GEMINI_CLI_HOME", ".gemini", ".gemini"),
            Client::QwenCode => self.moved("QWEN_HOME", "", ".qwen"),
            Client::CopilotCli => self.moved("COPILOT_HOME", "", ".copilot"),
            Client::OpenCode => match self.path("OPENCODE_CONFIG_DIR") {
                Some(path) => Folder {
                    root: path.clone(),
                    path,
                },
                None => self.moved("XDG_CONFIG_HOME", "opencode", ".config/opencode"),
            },
            Client::Pi => self.moved("PI_CODING_AGENT_DIR", "", ".pi/agent"),
            Client::Cline => self.moved("CLINE_DIR", "", ".cline"),
            Client::Cursor => self.moved("", "", ".cursor"),
            Client::Goose => self.moved("XDG_CONFIG_HOME", "goose", ".config/goose"),
        }
    }

    /// Returns a folder below the one that a variable names, else one below the home folder.
    fn moved(&self, variable: &str, below: &str, default: &str) -> Folder {
        match self.path(variable) {
            Some(root) => Folder {
                path: root.join(below),
                root,
            },
            None => Folder {
                path: self.home.join(default),
                root: self.home.clone(),
            },
        }
    }

    /// Returns the folder that a variable names.
    #[must_use]
    pub fn path(&self, variable: &str) -> Option<PathBuf> {
        let value = (self.setting)(variable).filter(|value| !value.is_empty())?;
        let path = PathBuf::from(value);
        match path.strip_prefix("~") {
            Ok(rest) => Some(self.home.join(rest)),
            Err(_) => Some(path),
        }
    }

    /// Finds a program on the search path.
    #[must_use]
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders = (self.setting)("PATH")?;
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        let mut places = env::split_paths(&folders).map(|folder| folder.join(&name));
        places.find(|place| place.is_absolute() && is_program(place))
    }

    /// Finds a client's program on the search path.
    #[must_use]
    pub fn program(&self, client: Client) -> Option<PathBuf> {
        programs(client)
            .iter()
            .find_map(|name| self.find_program(name))
    }

    /// Returns whether a client is there: its program, or settings that it left.
    #[must_use]
    pub fn has(&self, client: Client) -> bool {
        self.program(client).is_some() || holds_something(&self.folder(client).path)
    }

    /// Returns the clients that are there.
    #[must_use]
    pub fn clients(&self) -> Vec<Client> {
        Client::ALL
            .into_iter()
            .filter(|client| self.has(*client))
            .collect()
    }

    /// Returns a path as people write it, `~` for the home folder.
    #[must_use]
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) => Path::new("~").join(rest).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}

fn holds_something(folder: &Path) -> bool {
    folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Returns the folder whose settings are a project's: that of its repository, else the folder itself.
#[must_use]
pub fn project_folder(folder: &Path) -> PathBuf {
    let mut above = folder.ancestors();
    above
        .find(|it| it.join(".git").exists())
        .unwrap_or(folder)
        .to_owned()
}
