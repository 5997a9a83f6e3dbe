//! What is known of a client's settings: where they are, what goes into them, and who installs plugins.
//!
//! The row of each client stands in its folder. The functions here write what most clients take alike.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    content::FileContent,
    file::SettingsFile,
    json::{HookEntry, Members, ServerEntry, SettingsPart},
    machine::{Machine, SettingsHome, SettingsSite, SetupScope},
    own_entries::hook_command,
};
use crate::{client::Client, hook::HookRow};

/// What is to go into the settings.
#[derive(Debug, Clone)]
pub struct SetupOptions {
    /// How hardwon is started.
    pub program: String,
    /// Whether the MCP server is registered.
    pub has_server: bool,
    /// The folder of the plugins, where clients that take plugins get one instead of entries in their
    /// settings.
    pub plugins: Option<PathBuf>,
}

/// What is known of one client's settings.
pub struct SetupRow {
    /// Which client.
    pub client: Client,
    /// What people call it.
    pub label: &'static str,
    /// The names of its program.
    pub programs: &'static [&'static str],
    /// What its user has to do by hand, where its settings cannot be added to safely.
    pub by_hand: Option<&'static str>,
    pub(crate) hooks: &'static HookRow,
    pub(crate) home: SettingsHome,
    /// Returns the files that hardwon goes into, in the order in which they are changed.
    pub(crate) files: fn(&SettingsSite<'_>, &SetupOptions) -> Vec<SettingsFile>,
    /// The commands by which it installs plugins, if it has some.
    pub(crate) installer: Option<Installer>,
    /// Writes our plugin, which starts this program, where that is one file.
    pub(crate) plugin: Option<fn(program: &str) -> String>,
}

/// How a client installs the plugin by its own command.
pub(crate) struct Installer {
    /// What its program is given to install it, one command after the other. `{claude}` and `{gemini}`
    /// stand for the plugin's folder in either format.
    pub(crate) install: &'static [&'static [&'static str]],
    /// The same to remove it.
    pub(crate) remove: &'static [&'static [&'static str]],
    /// Returns whether it is installed, by what the client notes in the folder of its settings.
    pub(crate) is_installed: fn(&Path) -> bool,
    /// Whether the plugin brings the MCP server, too.
    pub(crate) brings_server: bool,
}

/// How a client writes a hook.
pub(crate) struct HookForm {
    /// Whether handlers stand in a group's list, `{"hooks": […]}`, or by themselves.
    pub(crate) is_grouped: bool,
    /// Whether the command says the event, because payloads do not.
    pub(crate) names_event: bool,
    /// Writes the handler of an event from its command and time limit.
    pub(crate) handler: fn(event: &str, command: &str, time: Value) -> Members,
}

impl SetupRow {
    /// Finds the client's program on the search path.
    #[must_use]
    pub fn find_program(&self, machine: &Machine<'_>) -> Option<PathBuf> {
        let mut names = self.programs.iter();
        names.find_map(|name| machine.find_program(name))
    }

    /// Returns whether the client is there: its program, or settings that it left.
    #[must_use]
    pub fn is_on(&self, machine: &Machine<'_>) -> bool {
        let holds_something = |folder: &Path| {
            let entries = folder.read_dir();
            entries.is_ok_and(|mut entries| entries.next().is_some())
        };
        self.find_program(machine).is_some() || holds_something(&self.user_folder(machine))
    }

    /// Returns whether the client has a plugin of ours installed.
    #[must_use]
    pub fn has_plugin(&self, machine: &Machine<'_>) -> bool {
        let installer = self.installer.as_ref();
        installer.is_some_and(|it| (it.is_installed)(&self.user_folder(machine)))
    }

    /// Returns the files that hardwon goes into, in the order in which they are changed.
    pub(crate) fn files(
        &self,
        machine: &Machine<'_>,
        reach: &SetupScope,
        wish: &SetupOptions,
    ) -> Vec<SettingsFile> {
        (self.files)(&self.home.locate_on(machine, reach), wish)
    }

    fn user_folder(&self, machine: &Machine<'_>) -> PathBuf {
        self.home.locate_on(machine, &SetupScope::User).folder
    }

    /// Writes a hook for each event; none where a plugin brings them.
    pub(crate) fn hook_entries(&self, wish: &SetupOptions, form: &HookForm) -> Vec<HookEntry> {
        if wish.plugins.is_some() && self.installer.is_some() {
            return Vec::new();
        }
        let hook = |event: &'static str| {
            let named = form.names_event.then_some(event);
            let command = hook_command(&wish.program, self.client.name(), named);
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

    /// Returns whether the MCP server goes into the settings.
    pub(crate) fn has_server(&self, wish: &SetupOptions) -> bool {
        let installer = self.installer.as_ref().filter(|_| wish.plugins.is_some());
        wish.has_server && !installer.is_some_and(|it| it.brings_server)
    }

    /// Writes the MCP server into an object of that name, if it goes into the settings.
    pub(crate) fn server_entry(
        &self,
        wish: &SetupOptions,
        under: &'static str,
        members: Members,
    ) -> Option<ServerEntry> {
        let has_server = self.has_server(wish);
        has_server.then_some(ServerEntry { under, members })
    }
}

/// Writes a hook in a group, as Claude Code has them.
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

/// Settings that get hooks alone.
pub(crate) fn hooks_alone(hooks: Vec<HookEntry>) -> FileContent {
    FileContent::Json(SettingsPart {
        hooks,
        ..SettingsPart::default()
    })
}

/// Settings that get an MCP server alone.
pub(crate) fn server_alone(server: Option<ServerEntry>) -> FileContent {
    FileContent::Json(SettingsPart {
        server,
        ..SettingsPart::default()
    })
}

/// The members of an MCP server that is started as a command, with its type where a client wants one.
pub(crate) fn stdio_server(wish: &SetupOptions, kind: Option<&str>) -> Members {
    let kind = kind.map(|kind| ("type", json!(kind)));
    let command = [("command", json!(wish.program)), ("args", json!(["mcp"]))];
    kind.into_iter().chain(command).collect()
}
