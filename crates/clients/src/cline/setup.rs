//! Cline's settings: a program for each hook, and its file of servers.

use crate::{
    client::Client,
    setup::{
        content::{Content, MARK},
        file::Target,
        ours::hook_command,
        place::{Folder, Machine, Reach},
        row::{Setup, Wish, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: Setup = Setup {
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

fn user_folder(machine: &Machine<'_>) -> Folder {
    machine.moved("CLINE_DIR", "", ".cline")
}

fn targets(machine: &Machine<'_>, reach: &Reach, wish: &Wish) -> Vec<Target> {
    let at = reach.folder(user_folder(machine), ".clinerules");
    let hook = |event: &str| {
        let command = hook_command(&wish.program, SETUP.client.name(), Some(event));
        let program = Content::Whole {
            text: format!("#!/bin/sh\n# {MARK}.\nexec {command}\n"),
            is_program: true,
        };
        at.target(at.path.join("hooks").join(event), program)
    };
    let events = SETUP.hooks.events.iter();
    let mut targets: Vec<Target> = events.map(|event| hook(event.name)).collect();
    if *reach == Reach::User {
        let servers = machine.path("CLINE_MCP_SETTINGS_PATH");
        let servers =
            servers.unwrap_or_else(|| at.path.join("data/settings/cline_mcp_settings.json"));
        let server = SETUP.server(wish, "mcpServers", stdio_server(wish, None));
        targets.push(at.target(servers, server_alone(server)));
    }
    targets
}
