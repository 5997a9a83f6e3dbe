//! Codex's settings: `config.toml` for the server and the trust in hooks, `hooks.json` for the hooks.

use std::path::{Path, PathBuf};

use crate::setup::{
    FileContent, HookForm, Machine, SettingsFile, SettingsHome, SettingsSite, SetupOptions,
    SetupRow, SetupScope, file, json,
    row::{GROUPED_HOOKS, hooks_alone},
};

/// Longest time that Codex gives a hook at the end of a session, in seconds. In every run it warns about a longer
/// setting.
const END_SECONDS_MAX: u64 = 3;

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("0.169.0"),
    home: SettingsHome::new(&[("CODEX_HOME", "")], ".codex", ".codex"),
    shell_marks: &["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_CI"],
    ..SetupRow::plain(&super::HOOK_ROW, "Codex", &["codex"], settings_files)
};

const HOOKS: HookForm = HookForm {
    handler: |event, command, time| {
        let is_end = event == "SessionEnd";
        let time = match time.as_u64() {
            Some(seconds) if is_end => seconds.min(END_SECONDS_MAX).into(),
            _ => time,
        };
        (GROUPED_HOOKS.handler)(event, command, time)
    },
    ..GROUPED_HOOKS
};

/// Returns the path of the hooks file.
pub fn hooks_file(machine: &Machine<'_>, reach: &SetupScope) -> PathBuf {
    let site = SETUP.home.locate_on(machine, reach);
    site.folder.join("hooks.json")
}

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let hooks_file = site.folder.join("hooks.json");
    // Codex's notes about the hooks are found by means of them, so the notes are removed first.
    let settings_file = site.folder.join("config.toml");
    let settings = settings_content(wish, &hooks_file);
    let hooks = SETUP.hook_entries(wish, &HOOKS);
    vec![
        site.settings_file(settings_file, settings),
        site.settings_file(hooks_file, hooks_alone(hooks)),
    ]
}

fn settings_content(wish: &SetupOptions, hooks: &Path) -> FileContent {
    FileContent::Toml {
        command: if wish.has_server {
            vec![wish.program.clone(), "mcp".to_owned()]
        } else {
            Vec::new()
        },
        trusted: trust_keys(hooks),
    }
}

/// Returns the keys under which Codex keeps the trust in our hooks of a file.
fn trust_keys(hooks: &Path) -> Vec<String> {
    let text = file::read_settings(hooks).unwrap_or_default();
    let text = text.unwrap_or_default();
    let places = json::handler_positions(&text).unwrap_or_default();
    let real = dunce::canonicalize(hooks).unwrap_or_else(|_| hooks.to_owned());
    let mut keys = Vec::new();
    for path in [hooks, &real] {
        for (event, group, handler) in &places {
            let event = to_snake_case(event);
            keys.push(format!("{}:{event}:{group}:{handler}", path.display()));
        }
    }
    keys.sort();
    keys.dedup();
    keys
}

/// Converts a name such as `PostToolUse` to `post_tool_use`.
fn to_snake_case(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}
