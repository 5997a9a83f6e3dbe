//! goose's settings: a plugin folder of our own, which lies elsewhere than its settings.

use serde_json::json;

use crate::{
    client::Client,
    setup::{
        content::{FileContent, MARK},
        file::SettingsFile,
        place::{Machine, SetupReach},
        row::{GROUPED, SetupRow, Wish, hooks_alone},
    },
};

/// The folder of the plugin, below the home folder or a project.
const PLUGIN: &str = ".agents/plugins/hardwon";

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Goose,
    label: "goose",
    programs: &["goose"],
    by_hand: Some(
        "add the MCP server with `goose configure`: a command-line extension, named lessons, \
         that runs `hardwon mcp`",
    ),
    hooks: &super::ROW,
    user_folder: |machine| machine.moved("XDG_CONFIG_HOME", "goose", ".config/goose"),
    targets,
    installer: None,
    plugin: None,
};

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(machine.moved("", "", PLUGIN), PLUGIN);
    let manifest = FileContent::Whole {
        text: manifest(),
        is_program: false,
    };
    let hooks = SETUP.hooks(wish, &GROUPED);
    vec![
        at.target(at.path.join("plugin.json"), manifest),
        at.target(at.path.join("hooks/hooks.json"), hooks_alone(hooks)),
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
