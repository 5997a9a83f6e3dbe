//! Qwen Code's settings: `settings.json` for hooks and server. It takes no server from a plugin.

use crate::{
    client::Client,
    gemini_cli::setup::settings_file,
    setup::{
        file::SettingsFile,
        machine::{SettingsHome, SettingsSite},
        row::{Installer, SetupOptions, SetupRow},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::QwenCode,
    label: "Qwen Code",
    programs: &["qwen"],
    seen_version: Some("0.24.4"),
    by_hand: None,
    hooks: &super::HOOK_ROW,
    home: SettingsHome {
        variables: &[("QWEN_HOME", "")],
        default: ".qwen",
        project: ".qwen",
    },
    files: settings_files,
    installer: Some(Installer {
        install: &[&["extensions", "install", "{claude}:hardwon", "--consent"]],
        remove: &[&["extensions", "uninstall", "hardwon"]],
        is_installed: |folder| folder.join("extensions/hardwon").exists(),
        brings_server: false,
    }),
    plugin: None,
};

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    vec![settings_file(&SETUP, site, wish)]
}
