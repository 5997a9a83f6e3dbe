//! pi's settings: our extension in its folder of extensions.

use crate::setup::{
    FileContent, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow, plugin,
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("0.74.2"),
    home: SettingsHome::new(&[("PI_CODING_AGENT_DIR", "")], ".pi/agent", ".pi"),
    plugin: Some(write_extension),
    shell_marks: &["PI_CODING_AGENT"],
    ..SetupRow::plain(&super::HOOK_ROW, "pi", &["pi"], settings_files)
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
    vec![site.file_in_folder("extensions/hardwon.ts", extension)]
}
