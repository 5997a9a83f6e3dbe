//! Cline's settings: a program for each hook, and its file of servers.

use crate::{
    client::Client,
    setup::{
        content::{FileContent, MARK},
        file::SettingsFile,
        ours::hook_command,
        place::{SettingsHome, SettingsSite, SetupReach},
        row::{SetupRow, Wish, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Cline,
    label: "Cline",
    programs: &["cline"],
    by_hand: None,
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("CLINE_DIR", "")],
        default: ".cline",
        project: ".clinerules",
    },
    files,
    installer: None,
    plugin: None,
};

fn files(site: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    let hook = |event: &str| {
        let command = hook_command(&wish.program, SETUP.client.name(), Some(event));
        let program = FileContent::Whole {
            text: format!("#!/bin/sh\n# {MARK}.\nexec {command}\n"),
            is_program: true,
        };
        site.file(site.folder.join("hooks").join(event), program)
    };
    let events = SETUP.hooks.events.iter();
    let mut targets: Vec<SettingsFile> = events.map(|event| hook(event.name)).collect();
    if *site.reach == SetupReach::User {
        let servers = site.machine.path("CLINE_MCP_SETTINGS_PATH");
        let servers =
            servers.unwrap_or_else(|| site.folder.join("data/settings/cline_mcp_settings.json"));
        let server = SETUP.server(wish, "mcpServers", stdio_server(wish, None));
        targets.push(site.file(servers, server_alone(server)));
    }
    targets
}
