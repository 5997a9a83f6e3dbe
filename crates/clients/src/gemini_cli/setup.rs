//! Gemini CLI's settings: `settings.json` for hooks and server.

use serde_json::json;

use crate::{
    client::Client,
    setup::{
        content::FileContent,
        file::SettingsFile,
        json::SettingsPart,
        place::{SettingsHome, SettingsSite},
        row::{GROUPED, HookForm, Installer, SetupRow, Wish, stdio_server},
    },
};

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::GeminiCli,
    label: "Gemini CLI",
    programs: &["gemini"],
    by_hand: None,
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("GEMINI_CLI_HOME", ".gemini")],
        default: ".gemini",
        project: ".gemini",
    },
    files,
    installer: Some(Installer {
        install: &[&["extensions", "install", "{gemini}", "--consent"]],
        remove: &[&["extensions", "uninstall", "hardwon"]],
        is_installed: |folder| folder.join("extensions/hardwon").exists(),
        brings_server: true,
    }),
    plugin: None,
};

fn files(site: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    vec![settings_file(&SETUP, site, wish)]
}

/// The one file of a client that keeps its settings as Gemini CLI does.
pub(crate) fn settings_file(
    setup: &SetupRow,
    site: &SettingsSite<'_>,
    wish: &Wish,
) -> SettingsFile {
    let part = SettingsPart {
        hooks: setup.hooks(wish, &NAMED),
        server: setup.server(wish, "mcpServers", stdio_server(wish, None)),
        version: None,
    };
    site.file(site.folder.join("settings.json"), FileContent::Json(part))
}

/// Writes a hook in a group, with a name.
const NAMED: HookForm = HookForm {
    handler: |_, command, time| {
        vec![
            ("type", json!("command")),
            ("name", json!("hardwon")),
            ("command", json!(command)),
            ("timeout", time),
        ]
    },
    ..GROUPED
};
