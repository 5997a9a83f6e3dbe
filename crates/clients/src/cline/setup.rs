//! Cline's settings: a program for each hook, and its file of servers.

use crate::{
    client::Client,
    setup::{
        content::{FileContent, MARK},
        file::SettingsFile,
        ours::hook_command,
        place::{Machine, SettingsFolder, SetupReach},
        row::{SetupRow, Wish, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Cline,
    label: "Cline",
    programs: &["cline"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: None,
    plugin: None,
};

fn user_folder(machine: &Machine<'_>) -> SettingsFolder {
    machine.moved("CLINE_DIR", "", ".cline")
}

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(user_folder(machine), ".clinerules");
    let hook = |event: &str| {
        let command = hook_command(&wish.program, SETUP.client.name(), Some(event));
        let program = FileContent::Whole {
            text: format!("#!/bin/sh\n# {MARK}.\nexec {command}\n"),
            is_program: true,
        };
        at.target(at.path.join("hooks").join(event), program)
    };
    let events = SETUP.hooks.events.iter();
    let mut targets: Vec<SettingsFile> = events.map(|event| hook(event.name)).collect();
    if *reach == SetupReach::User {
        let servers = machine.path("CLINE_MCP_SETTINGS_PATH");
        let servers =
            servers.unwrap_or_else(|| at.path.join("data/settings/cline_mcp_settings.json"));
        let server = SETUP.server(wish, "mcpServers", stdio_server(wish, None));
        targets.push(at.target(servers, server_alone(server)));
    }
    targets
}
