//! Cursor's settings: `hooks.json` and `mcp.json`.

use serde_json::json;

use crate::{
    client::Client,
    setup::{
        content::FileContent,
        file::SettingsFile,
        json::SettingsPart,
        place::{Machine, SettingsFolder, SetupReach},
        row::{HookForm, SetupRow, Wish, server_alone, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Cursor,
    label: "Cursor",
    programs: &["cursor-agent", "cursor"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: None,
    plugin: None,
};

const HOOKS: HookForm = HookForm {
    is_grouped: false,
    names_event: false,
    handler: |_, command, time| vec![("command", json!(command)), ("timeout", time)],
};

fn user_folder(machine: &Machine<'_>) -> SettingsFolder {
    machine.moved("", "", ".cursor")
}

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(user_folder(machine), ".cursor");
    let part = SettingsPart {
        hooks: SETUP.hooks(wish, &HOOKS),
        server: None,
        version: Some(1),
    };
    let server = SETUP.server(wish, "mcpServers", stdio_server(wish, None));
    vec![
        at.target(at.path.join("hooks.json"), FileContent::Json(part)),
        at.target(at.path.join("mcp.json"), server_alone(server)),
    ]
}
