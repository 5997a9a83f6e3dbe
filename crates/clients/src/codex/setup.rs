//! Codex's settings: `config.toml` for the server and the trust in hooks, `hooks.json` for the hooks.

use std::path::{Path, PathBuf};

use crate::{
    client::Client,
    setup::{
        content::FileContent,
        file::{self, SettingsFile},
        json,
        ours::NAME,
        place::{Machine, SettingsHome, SettingsSite, SetupReach},
        row::{GROUPED, HookForm, Installer, SetupRow, Wish, hooks_alone},
        toml,
    },
};

/// Longest time that Codex gives a hook at the end of a session, in seconds. It warns in every run about
/// a longer one.
const END_SECONDS_MAX: u64 = 3;

pub(crate) static SETUP: SetupRow = SetupRow {
    client: Client::Codex,
    label: "Codex",
    programs: &["codex"],
    by_hand: None,
    hooks: &super::ROW,
    home: SettingsHome {
        variables: &[("CODEX_HOME", "")],
        default: ".codex",
        project: ".codex",
    },
    files,
    installer: Some(Installer {
        install: &[
            &["plugin", "marketplace", "add", "{claude}"],
            &["plugin", "add", "hardwon@hardwon"],
        ],
        remove: &[
            &["plugin", "remove", "hardwon@hardwon"],
            &["plugin", "marketplace", "remove", "hardwon"],
        ],
        is_installed: |folder| {
            file::contains(&folder.join("config.toml"), "[plugins.\"hardwon@hardwon\"]")
        },
        brings_server: true,
    }),
    plugin: None,
};

const HOOKS: HookForm = HookForm {
    handler: |event, command, time| {
        let is_end = event == "SessionEnd";
        let time = match time.as_u64() {
            Some(seconds) if is_end => seconds.min(END_SECONDS_MAX).into(),
            _ => time,
        };
        (GROUPED.handler)(event, command, time)
    },
    ..GROUPED
};

/// Returns the file of hooks.
#[must_use]
pub fn hooks_file(machine: &Machine<'_>, reach: &SetupReach) -> PathBuf {
    let site = SETUP.home.on(machine, reach);
    site.folder.join("hooks.json")
}

fn files(site: &SettingsSite<'_>, wish: &Wish) -> Vec<SettingsFile> {
    let hooks_file = site.folder.join("hooks.json");
    // What Codex noted about the hooks is found by them, so it goes before they do.
    let settings_file = site.folder.join("config.toml");
    let settings = settings(wish, &settings_file, &hooks_file);
    let hooks = SETUP.hooks(wish, &HOOKS);
    vec![
        site.file(settings_file, settings),
        site.file(hooks_file, hooks_alone(hooks)),
    ]
}

fn settings(wish: &Wish, settings: &Path, hooks: &Path) -> FileContent {
    FileContent::Toml {
        command: match SETUP.has_server(wish) {
            true => vec![wish.program.clone(), "mcp".to_owned()],
            false => Vec::new(),
        },
        trusted: {
            let text = file::read(settings).ok().flatten().unwrap_or_default();
            let of_plugin = toml::trusted(&text, &format!("{NAME}@{NAME}:"));
            trust_keys(hooks).into_iter().chain(of_plugin).collect()
        },
    }
}

/// Returns the names under which Codex keeps the trust in our hooks of a file.
fn trust_keys(hooks: &Path) -> Vec<String> {
    let text = file::read(hooks).ok().flatten().unwrap_or_default();
    let places = json::places(&text).unwrap_or_default();
    let real = hooks.canonicalize().unwrap_or_else(|_| hooks.to_owned());
    let mut keys = Vec::new();
    for path in [hooks, &real] {
        for (event, group, handler) in &places {
            let event = snake(event);
            keys.push(format!("{}:{event}:{group}:{handler}", path.display()));
        }
    }
    keys.sort();
    keys.dedup();
    keys
}

/// Returns `post_tool_use` of `PostToolUse`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}
