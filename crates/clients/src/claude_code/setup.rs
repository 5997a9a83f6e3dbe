//! Claude Code's settings: `settings.json` for the hooks, `.claude.json` or `.mcp.json` for the server.

use crate::setup::{
    SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow, SetupScope,
    row::{GROUPED_HOOKS, hooks_alone, server_alone, server_entry, stdio_server},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("2.1.329"),
    home: SettingsHome::new(&[("CLAUDE_CONFIG_DIR", "")], ".claude", ".claude"),
    shell_marks: &["CLAUDECODE"],
    ..SetupRow::plain(&super::HOOK_ROW, "Claude Code", &["claude"], settings_files)
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let servers = match site.scope {
        // Beside the folder by default, in it when it was moved.
        SetupScope::User => site.kept_folder.join(".claude.json"),
        SetupScope::Project(project) => project.join(".mcp.json"),
    };
    let hooks = SETUP.hook_entries(wish, &GROUPED_HOOKS);
    let server = server_entry(wish, "mcpServers", stdio_server(wish, Some("stdio")));
    vec![
        site.file_in_folder("settings.json", hooks_alone(hooks)),
        site.settings_file(servers, server_alone(server)),
    ]
}
