//! goose's settings: a plugin folder of our own, apart from its other settings.

use serde_json::json;

use crate::setup::{
    FileContent, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow,
    content::MARK,
    row::{GROUPED_HOOKS, hooks_alone},
};

/// The folder of the plugin.
const PLUGIN_HOME: SettingsHome =
    SettingsHome::new(&[], ".agents/plugins/hardwon", ".agents/plugins/hardwon");

pub(crate) static SETUP: SetupRow = SetupRow {
    by_hand: Some(
        "add the MCP server with `goose configure`: a command-line extension, named lessons, \
         that runs `hardwon mcp`",
    ),
    home: SettingsHome::new(
        &[("XDG_CONFIG_HOME", "goose")],
        ".config/goose",
        PLUGIN_HOME.project,
    ),
    shell_marks: &["GOOSE_TERMINAL"],
    ..SetupRow::plain(&super::HOOK_ROW, "goose", &["goose"], settings_files)
};

fn settings_files(settings: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let site = PLUGIN_HOME.locate_on(settings.machine, settings.scope);
    let manifest = FileContent::Whole {
        text: render_manifest(),
        is_program: false,
    };
    let hooks = SETUP.hook_entries(wish, &GROUPED_HOOKS);
    vec![
        site.file_in_folder("plugin.json", manifest),
        site.file_in_folder("hooks/hooks.json", hooks_alone(hooks)),
    ]
}

/// Returns the manifest of the plugin that holds our hooks.
fn render_manifest() -> String {
    let manifest = json!({
        "description": format!("Lessons your agents learn once. {MARK}."),
        "name": "hardwon",
        "version": env!("CARGO_PKG_VERSION"),
    });
    format!("{manifest:#}\n")
}
