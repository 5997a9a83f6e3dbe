//! Claude Code's settings: `settings.json` for the hooks, `.claude.json` or `.mcp.json` for the server.

use crate::{
    client::Client,
    setup::{
        file::{self, SettingsFile},
        place::{SettingsHome, SettingsSite, SetupReach},
        row::{GROUPED, Installer, SetupRow, Wish, hooks_alone, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::ClaudeCode,
    label: "Claude Code",
    programs: &["claude"],
    by_hand: None,
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("CLAUDE_CONFIG_DIR", "")],
        default: ".claude",
        project: ".claude",
    },
    files,
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

fn files(site: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    let servers = match site.reach {
        // Beside the folder by default, in it when it was moved.
        SetupReach::User => site.root.join(".claude.json"),
        SetupReach::Project(project) => project.join(".mcp.json"),
    };
    let hooks = SETUP.hooks(wish, &GROUPED);
    let server = SETUP.server(wish, "mcpServers", stdio_server(wish, Some("stdio")));
    vec![
        site.file(site.folder.join("settings.json"), hooks_alone(hooks)),
        site.file(servers, server_alone(server)),
    ]
}
