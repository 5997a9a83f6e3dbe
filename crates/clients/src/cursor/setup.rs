//! Cursor's settings: `hooks.json` and `mcp.json`.

use serde_json::json;

use crate::setup::{
    FileContent, HookForm, SettingsFile, SettingsHome, SettingsPart, SettingsSite, SetupOptions,
    SetupRow,
    row::{server_alone, stdio_server},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    home: SettingsHome {
        variables: &[],
        default: ".cursor",
        project: ".cursor",
    },
    ..SetupRow::plain(
        &super::HOOK_ROW,
        "Cursor",
        &["cursor-agent", "cursor"],
        settings_files,
    )
};

const HOOKS: HookForm = HookForm {
    is_grouped: false,
    names_event: false,
    handler: |_, command, time| vec![("command", json!(command)), ("timeout", time)],
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let part = SettingsPart {
        hooks: SETUP.hook_entries(wish, &HOOKS),
        server: None,
        version: Some(1),
    };
    let server = SETUP.server_entry(wish, "mcpServers", stdio_server(wish, None));
    vec![
        site.settings_file(site.folder.join("hooks.json"), FileContent::Json(part)),
        site.settings_file(site.folder.join("mcp.json"), server_alone(server)),
    ]
}
