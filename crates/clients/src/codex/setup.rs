//! Codex's settings: `config.toml` for the server, `hooks.json` for the hooks.

use crate::setup::{
    FileContent, HookForm, SettingsFile, SettingsHome, SettingsSite, SetupOptions, SetupRow,
    row::{GROUPED_HOOKS, hooks_alone},
};

/// Longest time that Codex gives a hook at the end of a session, in seconds. In every run it warns about a longer
/// setting.
const END_SECONDS_MAX: u64 = 3;

pub(crate) static SETUP: SetupRow = SetupRow {
    seen_version: Some("0.169.0"),
    by_hand: Some(
        "start codex, type `/hooks` and trust hardwon's hooks; it does not run them before",
    ),
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

fn settings_files(site: &SettingsSite<'_>, wish: &SetupOptions) -> Vec<SettingsFile> {
    let server = FileContent::Toml {
        command: if wish.has_server {
            vec![wish.program.clone(), "mcp".to_owned()]
        } else {
            Vec::new()
        },
    };
    let hooks = SETUP.hook_entries(wish, &HOOKS);
    vec![
        site.file_in_folder("config.toml", server),
        site.file_in_folder("hooks.json", hooks_alone(hooks)),
    ]
}
