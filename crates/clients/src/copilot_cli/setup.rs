//! Copilot CLI's settings: a file of our own for the hooks, and its file of servers.

use serde_json::json;

use crate::{
    client::Client,
    setup::{
        content::Content,
        file::{self, Target},
        json::Part,
        place::{Folder, Machine, Reach},
        row::{HookForm, Installer, Setup, Wish, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: Setup = Setup {
    client: Client::CopilotCli,
    label: "Copilot CLI",
    programs: &["copilot"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: Some(Installer {
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
    }),
    plugin: None,
};

const HOOKS: HookForm = HookForm {
    is_grouped: false,
    names_event: true,
    handler: |_, command, time| {
        vec![
            ("type", json!("command")),
            ("bash", json!(command)),
            ("powershell", json!(command)),
            ("timeoutSec", time),
        ]
    },
};

fn user_folder(machine: &Machine<'_>) -> Folder {
    machine.moved("COPILOT_HOME", "", ".copilot")
}

fn targets(machine: &Machine<'_>, reach: &Reach, wish: &Wish) -> Vec<Target> {
    let at = reach.folder(user_folder(machine), ".github");
    let part = Part {
        hooks: SETUP.hooks(wish, &HOOKS),
        server: None,
        version: Some(1),
    };
    let mut targets = vec![at.target(at.path.join("hooks/hardwon.json"), Content::Json(part))];
    if *reach == Reach::User {
        let mut members = stdio_server(wish, Some("local"));
        members.push(("tools", json!(["*"])));
        let server = SETUP.server(wish, "mcpServers", members);
        targets.push(at.target(at.path.join("mcp-config.json"), server_alone(server)));
    }
    targets
}
