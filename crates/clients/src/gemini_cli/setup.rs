//! Gemini CLI's settings: `settings.json` for hooks and server.

use serde_json::json;

use crate::setup::{
    FileContent, HookForm, SettingsFile, SettingsHome, SettingsPart, SettingsSite, SetupOptions,
    SetupRow,
    row::{GROUPED_HOOKS, server_entry, stdio_server},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("0.61.0"),
    home: SettingsHome::new(&[("GEMINI_CLI_HOME", ".gemini")], ".gemini", ".gemini"),
    shell_marks: &["GEMINI_CLI"],
    ..SetupRow::plain(&super::HOOK_ROW, "Gemini CLI", &["gemini"], settings_files)
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    vec![settings_file(&SETUP, site, wish)]
}

/// Returns the one settings file of a client that keeps its settings as Gemini CLI does.
pub(crate) fn settings_file(
    setup: &SetupRow,
    site: &SettingsSite<'_>,
    wish: &SetupOptions,
) -> SettingsFile {
    let part = SettingsPart {
        hooks: setup.hook_entries(wish, &NAMED_GROUP),
        server: server_entry(wish, "mcpServers", stdio_server(wish, None)),
        version: None,
    };
    site.file_in_folder("settings.json", FileContent::Json(part))
}

/// A hook in a group, with a name.
const NAMED_GROUP: HookForm = HookForm {
    handler: |_, command, time| {
        vec![
            ("type", json!("command")),
            ("name", json!("hardwon")),
            ("command", json!(command)),
            ("timeout", time),
        ]
    },
    ..GROUPED_HOOKS
};
