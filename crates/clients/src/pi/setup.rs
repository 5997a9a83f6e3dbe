//! pi's settings: our extension in its folder of extensions.

use crate::{
    client::Client,
    setup::{
        content::FileContent,
        file::SettingsFile,
        place::{Machine, SettingsFolder, SetupReach},
        plugin,
        row::{SetupRow, Wish},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Pi,
    label: "pi",
    programs: &["pi"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: None,
    plugin: Some(write_extension),
};

/// Writes the extension, which starts this program.
pub(crate) fn write_extension(program: &str) -> String {
    plugin::starting(program, include_str!("extension.ts"))
}

fn user_folder(machine: &Machine<'_>) -> SettingsFolder {
    machine.moved("PI_CODING_AGENT_DIR", "", ".pi/agent")
}

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(user_folder(machine), ".pi");
    let extension = FileContent::Whole {
        text: write_extension(&wish.program),
        is_program: false,
    };
    vec![at.target(at.path.join("extensions/hardwon.ts"), extension)]
}
