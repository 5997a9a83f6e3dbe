//! opencode's settings: our plugin in its folder of plugins, and its settings file for the server.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::setup::{
    FileContent, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow, SetupScope,
    file, json, plugin,
    row::{server_alone, server_entry},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("1.18.33"),
    home: SettingsHome::new(
        &[("OPENCODE_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "opencode")],
        ".config/opencode",
        ".opencode",
    ),
    plugin: Some(write_plugin),
    shell_marks: &["OPENCODE"],
    ..SetupRow::plain(&super::HOOK_ROW, "opencode", &["opencode"], settings_files)
};

/// Returns the text of the plugin, which starts this program.
pub(crate) fn write_plugin(program: &str) -> String {
    plugin::with_program(program, include_str!("plugin.js"))
}

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let servers = match site.scope {
        SetupScope::User => settings_file(&site.folder),
        SetupScope::Project(project) => settings_file(project),
    };
    let members = vec![
        ("type", json!("local")),
        ("command", json!([wish.program, "mcp"])),
    ];
    let server = server_entry(wish, "mcp", members);
    let plugin = FileContent::Whole {
        text: write_plugin(&wish.program),
        is_program: false,
    };
    vec![
        site.file_in_folder("plugins/hardwon.js", plugin),
        site.settings_file(servers, server_alone(server)),
    ]
}

/// Returns which of the two files that opencode reads holds our server, else which one exists.
fn settings_file(folder: &Path) -> PathBuf {
    let files = ["opencode.jsonc", "opencode.json"].map(|name| folder.join(name));
    let is_ours = |path: &&PathBuf| {
        let text = file::read_settings(path).ok().flatten().unwrap_or_default();
        json::find_own_entries(&text).is_ok_and(|found| found.server.is_some())
    };
    let file = files.iter().find(is_ours);
    let file = file.or_else(|| files.iter().find(|path| path.exists()));
    file.unwrap_or(&files[1]).clone()
}
