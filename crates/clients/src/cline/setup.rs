//! Cline's settings: a program for each hook, and its file of servers.

use crate::{
    client::Client,
    setup::{
        FileContent, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow, SetupScope,
        content::MARK,
        own_entries::hook_command,
        row::{server_alone, server_entry, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    home: SettingsHome::new(&[("CLINE_DIR", "")], ".cline", ".clinerules"),
    shell_marks: &["CLINE_ACTIVE"],
    ..SetupRow::plain(&super::HOOK_ROW, "Cline", &["cline"], settings_files)
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let hook = |event: &str| {
        let command = hook_command(&wish.program, Client::Cline.name(), Some(event));
        let program = FileContent::Whole {
            text: format!("#!/bin/sh\n# {MARK}.\nexec {command}\n"),
            is_program: true,
        };
        site.file_in_folder(&format!("hooks/{event}"), program)
    };
    let events = SETUP.hooks.events.iter();
    let mut targets: Vec<SettingsFile> = events.map(|event| hook(event.name)).collect();
    if *site.scope == SetupScope::User {
        let servers = site.machine.folder_variable("CLINE_MCP_SETTINGS_PATH");
        let servers =
            servers.unwrap_or_else(|| site.folder.join("data/settings/cline_mcp_settings.json"));
        let server = server_entry(wish, "mcpServers", stdio_server(wish, None));
        targets.push(site.settings_file(servers, server_alone(server)));
    }
    targets
}
