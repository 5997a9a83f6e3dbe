//! Runs an engine, and the tests, in a copy of the repository.
//!
//! The copy has no remote, and what is run there gets no agent that holds keys, no token but of models, and none of git's
//! own settings, where helpers for passwords are named ([`withheld`](super::withheld)). That keeps an engine from delivering by mistake. It is no
//! wall: it runs as the same user, with the network, because it needs its model and its key.

use std::{env, fs, time::Duration};

use hardwon_adapters::{CommandTask, TaskEnd};
use hardwon_engine::ModelError;
use hardwon_repo::Workspace;

use super::withheld::is_withheld;
use crate::config::PAUSED_VARIABLE;

/// Runs a command line in the copy.
///
/// # Errors
/// If it cannot be started, or does not end in time.
pub fn run_inside(
    workspace: &Workspace,
    line: &str,
    input: &str,
    seconds: u32,
) -> Result<TaskEnd, ModelError> {
    let nothing = workspace.aside().join("gh");
    fs::create_dir_all(&nothing)
        .map_err(|error| ModelError::Unusable(format!("making a folder: {error}")))?;
    let variables = [
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_SSH_COMMAND", "false".into()),
        ("GH_CONFIG_DIR", nothing.into_os_string()),
        // Otherwise our own hooks would learn from the reviewer's session.
        (PAUSED_VARIABLE, "1".into()),
    ];
    let withheld_variables = env::vars_os().filter_map(|(name, value)| {
        let is_withheld = is_withheld(&name.to_string_lossy(), &value.to_string_lossy(), line);
        is_withheld.then_some(name)
    });
    let task = CommandTask {
        line: line.to_owned(),
        folder: workspace.root(),
        timeout: Duration::from_secs(seconds.into()),
        removed_variables: withheld_variables.collect(),
        variables: variables.to_vec(),
    };
    task.run(input)
}
