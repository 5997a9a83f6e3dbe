//! The row of a client's settings: where they are, and what goes into them.
//!
//! Each client's row is in its folder. The functions here write what most clients take alike.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    FileContent, Machine, SettingsFile, SettingsHome, SettingsPart, SettingsSite, SetupScope,
    json::{HookEntry, Members, ServerEntry},
    own_entries::hook_command,
};
use crate::hook::HookRow;

/// What to set up.
#[derive(Debug, Clone)]
pub struct SetupOptions {
    /// The command that starts hardwon.
    pub program: String,
    /// Whether to register the MCP server.
    pub has_server: bool,
}

/// The settings of one client, as data.
pub struct SetupRow {
    /// Its name for people.
    pub label: &'static str,
    /// The names of its program.
    pub programs: &'static [&'static str],
    /// The newest version whose sessions and hooks are among the tests; `None` where none could be recorded.
    pub seen_version: Option<&'static str>,
    /// What its user has to do by hand, where settings cannot be edited safely or are not enough.
    pub by_hand: Option<&'static str>,
    /// The variables that it sets for the commands that its agent runs, and that nothing else sets.
    pub(crate) shell_marks: &'static [&'static str],
    pub(crate) hooks: &'static HookRow,
    pub(crate) home: SettingsHome,
    /// Returns the files to edit, in order.
    pub(crate) files: fn(&SettingsSite<'_>, &SetupOptions) -> Vec<SettingsFile>,
    /// Returns the text of our plugin, which starts this program, if the plugin is one file.
    pub(crate) plugin: Option<fn(program: &str) -> String>,
}

/// How a client writes a hook.
pub(crate) struct HookForm {
    /// Whether handlers are in a group's list, `{"hooks": […]}`, or by themselves.
    pub(crate) is_grouped: bool,
    /// Whether the command names the event, because payloads do not.
    pub(crate) names_event: bool,
    /// Makes the handler of an event from its command and time limit.
    pub(crate) handler: fn(event: &str, command: &str, time: Value) -> Members,
}

impl SetupRow {
    /// Makes the row of a client as most are.
    pub(crate) const fn plain(
        hooks: &'static HookRow,
        label: &'static str,
        programs: &'static [&'static str],
        files: fn(&SettingsSite<'_>, &SetupOptions) -> Vec<SettingsFile>,
    ) -> Self {
        Self {
            label,
            programs,
            seen_version: None,
            by_hand: None,
            shell_marks: &[],
            hooks,
            home: SettingsHome::new(&[], "", ""),
            files,
            plugin: None,
        }
    }

    /// Finds the client's program on the search path.
    pub fn find_program(&self, machine: &Machine<'_>) -> Option<PathBuf> {
        let mut names = self.programs.iter();
        names.find_map(|name| machine.find_program(name))
    }

    /// Returns whether the client is on the machine: its program, or settings that it left.
    pub fn is_on(&self, machine: &Machine<'_>) -> bool {
        let holds_something = |folder: &Path| {
            let entries = folder.read_dir();
            entries.is_ok_and(|mut entries| entries.next().is_some())
        };
        let home = self.home.locate_on(machine, &SetupScope::User);
        self.find_program(machine).is_some() || holds_something(&home.folder)
    }

    /// Returns the files to edit, in order.
    pub(crate) fn files(
        &self,
        machine: &Machine<'_>,
        reach: &SetupScope,
        wish: &SetupOptions,
    ) -> Vec<SettingsFile> {
        (self.files)(&self.home.locate_on(machine, reach), wish)
    }

    /// Makes a hook for each event.
    pub(crate) fn hook_entries(&self, wish: &SetupOptions, form: &HookForm) -> Vec<HookEntry> {
        let hook = |event: &'static str| {
            let event_name = form.names_event.then_some(event);
            let command = hook_command(&wish.program, self.hooks.client.name(), event_name);
            let time = json!(self.hooks.timeout.number());
            HookEntry {
                event,
                handler: (form.handler)(event, &command, time),
                command,
                is_grouped: form.is_grouped,
            }
        };
        let events = self.hooks.events.iter();
        events.map(|event| hook(event.name)).collect()
    }
}

/// Makes the MCP server's entry in an object of that name, if one is wanted.
pub(crate) fn server_entry(
    wish: &SetupOptions,
    under: &'static str,
    members: Members,
) -> Option<ServerEntry> {
    (wish.has_server).then_some(ServerEntry { under, members })
}

/// A hook in a group, as Claude Code has them.
pub(crate) const GROUPED_HOOKS: HookForm = HookForm {
    is_grouped: true,
    names_event: false,
    handler: |_, command, time| {
        vec![
            ("type", json!("command")),
            ("command", json!(command)),
            ("timeout", time),
        ]
    },
};

/// Returns JSON settings with hooks alone.
pub(crate) fn hooks_alone(hooks: Vec<HookEntry>) -> FileContent {
    FileContent::Json(SettingsPart {
        hooks,
        ..SettingsPart::default()
    })
}

/// Returns JSON settings with hooks alone, in a file that has a version.
pub(crate) fn versioned_hooks(hooks: Vec<HookEntry>) -> FileContent {
    FileContent::Json(SettingsPart {
        hooks,
        version: Some(1),
        ..SettingsPart::default()
    })
}

/// Returns JSON settings with an MCP server alone.
pub(crate) fn server_alone(server: Option<ServerEntry>) -> FileContent {
    FileContent::Json(SettingsPart {
        server,
        ..SettingsPart::default()
    })
}

/// Returns the members of an MCP server's entry that runs a command, with a type where a client requires one.
pub(crate) fn stdio_server(wish: &SetupOptions, kind: Option<&str>) -> Members {
    let kind = kind.map(|kind| ("type", json!(kind)));
    let command = [("command", json!(wish.program)), ("args", json!(["mcp"]))];
    kind.into_iter().chain(command).collect()
}
