//! goose's settings: a plugin folder of our own, which lies elsewhere than its settings.

use serde_json::json;

use crate::{
    client::Client,
    setup::{
        content::{FileContent, MARK},
        file::SettingsFile,
        place::{SettingsHome, SettingsSite},
        row::{GROUPED, SetupRow, Wish, hooks_alone},
    },
};

/// The folder of the plugin.
const PLUGIN_HOME: SettingsHome = SettingsHome {
    variables: &[],
    default: ".agents/plugins/hardwon",
    project: ".agents/plugins/hardwon",
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Goose,
    label: "goose",
    programs: &["goose"],
    by_hand: Some(
        "add the MCP server with `goose configure`: a command-line extension, named lessons, \
         that runs `hardwon mcp`",
    ),
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("XDG_CONFIG_HOME", "goose")],
        default: ".config/goose",
        project: PLUGIN_HOME.project,
    },
    files,
    installer: None,
    plugin: None,
};

fn files(settings: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    let site = PLUGIN_HOME.on(settings.machine, settings.reach);
    let manifest = FileContent::Whole {
        text: manifest(),
        is_program: false,
    };
    let hooks = SETUP.hooks(wish, &GROUPED);
    vec![
        site.file(site.folder.join("plugin.json"), manifest),
        site.file(site.folder.join("hooks/hooks.json"), hooks_alone(hooks)),
    ]
}

/// Writes what goose reads about the plugin that holds its hooks.
fn manifest() -> String {
    let manifest = json!({
        "description": format!("Lessons your agents learn once. {MARK}."),
        "name": "hardwon",
        "version": env!("CARGO_PKG_VERSION"),
    });
    format!("{manifest:#}\n")
}
