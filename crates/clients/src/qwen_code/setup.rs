//! Qwen Code's settings: `settings.json` for hooks and server.

use crate::{
    gemini_cli::setup::settings_file,
    setup::{SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow},
};

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("0.24.4"),
    home: SettingsHome::new(&[("QWEN_HOME", "")], ".qwen", ".qwen"),
    shell_marks: &["QWEN_CODE"],
    ..SetupRow::plain(&super::HOOK_ROW, "Qwen Code", &["qwen"], settings_files)
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    vec![settings_file(&SETUP, site, wish)]
}
