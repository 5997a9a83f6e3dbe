//! Qwen Code's settings: `settings.json` for hooks and server. It takes no server from a plugin.

use crate::{
    client::Client,
    gemini_cli::setup::settings_file,
    setup::{
        file::SettingsFile,
        place::{Machine, SettingsFolder, SetupReach},
        row::{Installer, SetupRow, Wish},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::QwenCode,
    label: "Qwen Code",
    programs: &["qwen"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: Some(Installer {
        install: &[&["extensions", "install", "{claude}:hardwon", "--consent"]],
        remove: &[&["extensions", "uninstall", "hardwon"]],
        is_installed: |folder| folder.join("extensions/hardwon").exists(),
        brings_server: false,
    }),
    plugin: None,
};

fn user_folder(machine: &Machine<'_>) -> SettingsFolder {
    machine.moved("QWEN_HOME", "", ".qwen")
}

fn targets(machine: &Machine<'_>, reach: &SetupReach, wish: &Wish) -> Vec<SettingsFile> {
    let at = reach.folder(user_folder(machine), ".qwen");
    vec![settings_file(&SETUP, &at, wish)]
}
