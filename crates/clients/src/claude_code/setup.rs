//! Claude Code's settings: `settings.json` for the hooks, `.claude.json` or `.mcp.json` for the server.

use crate::{
    client::Client,
    setup::{
        file::{self, SettingsFile},
        place::{Machine, SettingsFolder, SetupReach},
        row::{GROUPED, Installer, SetupRow, Wish, hooks_alone, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::ClaudeCode,
    label: "Claude Code",
    programs: &["claude"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: Some(INSTALLER),
    plugin: None,
};

pub(crate) const INSTALLER: Installer = Installer {
    install: &[
        &["plugin", "marketplace", "add", "{claude}"],
        &["plugin", "install", "hardwon@hardwon"],
    ],
    remove: &[
        &["plugin", "uninstall", "hardwon@hardwon"],
        &["plugin", "marketplace", "remove", "hardwon"],
    ],
    is_installed: |folder| {
        file::contains(&folder.join("settings.json"), "\"hardwon@hardwon\": true")
    },
    brings_server: true,
};

fn user_folder(machine: &Machine<'_>) -> SettingsFolder {
    machine.moved("CLAUDE_CONFIG_DIR", "", ".claude")
}

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(user_folder(machine), ".claude");
    let servers = match reach {
        // Beside the folder by default, in it when it was moved.
        SetupReach::User => at.root.join(".claude.json"),
        SetupReach::Project(project) => project.join(".mcp.json"),
    };
    let hooks = SETUP.hooks(wish, &GROUPED);
    let server = SETUP.server(wish, "mcpServers", stdio_server(wish, Some("stdio")));
    vec![
        at.target(at.path.join("settings.json"), hooks_alone(hooks)),
        at.target(servers, server_alone(server)),
    ]
}
