//! Cursor's settings: `hooks.json` and `mcp.json`.

use serde_json::json;

use crate::setup::{
    HookForm, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow,
    row::{server_alone, server_entry, stdio_server, versioned_hooks},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    home: SettingsHome::new(&[], ".cursor", ".cursor"),
    shell_marks: &["CURSOR_AGENT"],
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
    let hooks = versioned_hooks(SETUP.hook_entries(wish, &HOOKS));
    let server = server_entry(wish, "mcpServers", stdio_server(wish, None));
    vec![
        site.file_in_folder("hooks.json", hooks),
        site.file_in_folder("mcp.json", server_alone(server)),
    ]
}
