//! pi's settings: our extension in its folder of extensions.

use crate::{
    client::Client,
    setup::{
        content::FileContent,
        file::SettingsFile,
        machine::{SettingsHome, SettingsSite},
        plugin,
        row::{SetupOptions, SetupRow},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Pi,
    label: "pi",
    programs: &["pi"],
    seen_version: Some("0.74.2"),
    by_hand: None,
    hooks: &super::HOOK_ROW,
    home: SettingsHome {
        variables: &[("PI_CODING_AGENT_DIR", "")],
        default: ".pi/agent",
        project: ".pi",
    },
    files: settings_files,
    installer: None,
    plugin: Some(write_extension),
};

/// Returns the text of the extension, which starts this program.
pub(crate) fn write_extension(program: &str) -> String {
    plugin::with_program(program, include_str!("extension.ts"))
}

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let extension = FileContent::Whole {
        text: write_extension(&wish.program),
        is_program: false,
    };
    vec![site.settings_file(site.folder.join("extensions/hardwon.ts"), extension)]
}
