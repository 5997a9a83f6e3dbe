//! Qwen Code's settings: `settings.json` for hooks and server. It takes no server from a plugin.

use crate::{
    client::Client,
    gemini_cli::setup::settings_file,
    setup::{
        file::SettingsFile,
        place::{SettingsHome, SettingsSite},
        row::{Installer, SetupRow, Wish},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::QwenCode,
    label: "Qwen Code",
    programs: &["qwen"],
    by_hand: None,
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("QWEN_HOME", "")],
        default: ".qwen",
        project: ".qwen",
    },
    files,
    installer: Some(Installer {
        install: &[&["extensions", "install", "{claude}:hardwon", "--consent"]],
        remove: &[&["extensions", "uninstall", "hardwon"]],
        is_installed: |folder| folder.join("extensions/hardwon").exists(),
        brings_server: false,
    }),
    plugin: None,
};

fn files(site: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    vec![settings_file(&SETUP, site, wish)]
}
