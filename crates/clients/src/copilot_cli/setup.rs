//! Copilot CLI's settings: a file of our own for the hooks, and its file of servers.

use serde_json::json;

use crate::setup::{
    HookForm, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow, SetupScope,
    row::{server_alone, server_entry, stdio_server, versioned_hooks},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("1.0.102"),
    home: SettingsHome::new(&[("COPILOT_HOME", "")], ".copilot", ".github"),
    shell_marks: &["COPILOT_CLI"],
    ..SetupRow::plain(
        &super::HOOK_ROW,
        "Copilot CLI",
        &["copilot"],
        settings_files,
    )
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

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let hooks = versioned_hooks(SETUP.hook_entries(wish, &HOOKS));
    let mut targets = vec![site.file_in_folder("hooks/hardwon.json", hooks)];
    if *site.scope == SetupScope::User {
        let mut members = stdio_server(wish, Some("local"));
        members.push(("tools", json!(["*"])));
        let server = server_entry(wish, "mcpServers", members);
        targets.push(site.file_in_folder("mcp-config.json", server_alone(server)));
    }
    targets
}
