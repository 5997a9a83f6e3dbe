//! Runs an engine, and the tests, in a copy of the repository.
//!
//! The copy has no remote, and what is run there gets no agent that holds keys, no token of git or of a code host, and none
//! of git's own settings, where helpers for passwords are named. That keeps an engine from delivering by mistake. It is no
//! wall: it runs as the same user, with the network, because it needs its model and its key.

use std::{fs, time::Duration};

use hardwon_adapters::{CommandTask, TaskEnd};
use hardwon_engine::model::ModelError;
use hardwon_repo::Workspace;

use crate::config::PAUSED_VARIABLE;

/// What would let it sign, log in or find the user's repository.
const REMOVED_VARIABLES: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "GNUPGHOME",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GH_HOST",
    "GITLAB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "GLAB_TOKEN",
    "CI_JOB_TOKEN",
    "GITEA_TOKEN",
    "BITBUCKET_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "GIT_ASKPASS",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_SSH",
    "GIT_TOKEN",
    "OLDPWD",
];

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
    let task = CommandTask {
        line: line.to_owned(),
        folder: workspace.root(),
        timeout: Duration::from_secs(seconds.into()),
        removed_variables: REMOVED_VARIABLES.to_vec(),
        variables: variables.to_vec(),
    };
    task.run(input)
}
