//! What the leak gate takes from settings, from the environment and from the machine.

use std::{env, path::Path};

use super::home_folder;
use crate::SettingValues;

/// Names that must not be published, and those that may be.
#[derive(Debug, Default)]
pub struct LeakNames {
    /// Names that the settings keep private.
    pub configured: Vec<String>,
    /// Names that the settings allow.
    pub public: Vec<String>,
    /// What the account of this process is called.
    pub accounts: Vec<String>,
    /// The home folder of this account.
    pub home: Option<String>,
    /// What this machine is called.
    pub hosts: Vec<String>,
}

impl LeakNames {
    /// Gathers the names.
    pub fn from_values(values: &SettingValues) -> Self {
        let list = |name: &str| {
            let names = values.get(name).0.split(',').map(str::trim);
            names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        Self {
            configured: list("leak_names"),
            public: list("leak_public_names"),
            accounts: find_accounts(),
            home: home_folder().map(|home| home.to_string_lossy().into_owned()),
            hosts: find_hosts(),
        }
    }
}

fn find_accounts() -> Vec<String> {
    let accounts = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let accounts = accounts.filter_map(|name| env::var(name).ok());
    let home = home_folder();
    let folder = home.as_deref().and_then(Path::file_name);
    let folder = folder.map(|name| name.to_string_lossy().into_owned());
    accounts.chain(folder).collect()
}

#[cfg(unix)]
fn find_hosts() -> Vec<String> {
    let name = rustix::system::uname();
    vec![name.nodename().to_string_lossy().into_owned()]
}

#[cfg(not(unix))]
fn find_hosts() -> Vec<String> {
    env::var("COMPUTERNAME").ok().into_iter().collect()
}

/// What the program `pre-commit` says of a push, instead of git's own lines.
#[derive(Debug, PartialEq, Eq)]
pub enum PreCommitPush {
    /// From the first to the second of these commits.
    Range(String, String),
    /// All that a branch has, and the remote has not.
    Branch {
        /// The branch, or its commit.
        branch: String,
        /// The remote, by its name; `None` if that is not said.
        remote: Option<String>,
    },
}

impl PreCommitPush {
    /// Reads what `pre-commit` says; `None` if it did not start this process.
    pub fn from_environment() -> Option<Self> {
        let read = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        read("PRE_COMMIT")?;
        let ends = (read("PRE_COMMIT_FROM_REF"), read("PRE_COMMIT_TO_REF"));
        Some(match ends {
            (Some(from), Some(to)) => Self::Range(from, to),
            _ => Self::Branch {
                branch: read("PRE_COMMIT_LOCAL_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
                remote: read("PRE_COMMIT_REMOTE_NAME"),
            },
        })
    }
}
