//! Which files of a client hardwon goes into, and what belongs in each.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    bundle::NAME,
    content::{Content, MARK},
    file::{self, Target},
    installer::takes_plugins,
    json::{self, Hook, Members, Part, Server},
    ours::hook_command,
    place::{Machine, Reach},
    plugin, toml,
};
use crate::{Client, hook::Timeout};

/// Longest time that Codex gives a hook at the end of a session.
const CODEX_END_SECONDS_MAX: u32 = 3;

/// What is to go into the settings.
#[derive(Debug, Clone)]
pub struct Wish {
    /// How hardwon is started.
    pub program: String,
    /// Whether the MCP server is registered.
    pub has_server: bool,
    /// The folder of the plugins, where clients that take plugins get one instead of entries in their
    /// settings.
    pub plugins: Option<PathBuf>,
}

impl Wish {
    /// Returns whether a client gets its hooks from a plugin.
    fn is_by_plugin(&self, client: Client) -> bool {
        self.plugins.is_some() && takes_plugins(client)
    }
}

/// Returns the files of a client that hardwon goes into, in the order in which they are changed.
#[must_use]
pub fn targets(machine: &Machine<'_>, client: Client, reach: &Reach, wish: &Wish) -> Vec<Target> {
    let site = Site::of(machine, client, reach);
    let mut found = Vec::new();
    let mut add = |path: PathBuf, content: Content| {
        let root = site.root.clone();
        found.push(Target {
            path,
            root,
            content,
        });
    };
    // Qwen Code takes no server from a plugin.
    let in_settings = !wish.is_by_plugin(client) || client == Client::QwenCode;
    let has_server = wish.has_server && in_settings;
    let server = |under, members| has_server.then_some(Server { under, members });
    let hooks = || hooks(client, wish);
    let folder = &site.folder;
    match client {
        Client::ClaudeCode => {
            let part = Part {
                hooks: hooks(),
                ..Part::default()
            };
            add(folder.join("settings.json"), Content::Json(part));
            let server = server("mcpServers", stdio(wish, Some("stdio")));
            add(site.servers.clone(), servers(server));
        }
        Client::Codex => {
            let place = codex_hooks(machine, reach);
            // What Codex noted about the hooks is found by them, so it goes before they do.
            let settings = folder.join("config.toml");
            let content = codex_settings(wish, has_server, &settings, &place);
            add(settings, content);
            let part = Part {
                hooks: hooks(),
                ..Part::default()
            };
            add(place, Content::Json(part));
        }
        Client::GeminiCli | Client::QwenCode => {
            let part = Part {
                hooks: hooks(),
                server: server("mcpServers", stdio(wish, None)),
                version: None,
            };
            add(folder.join("settings.json"), Content::Json(part));
        }
        Client::CopilotCli => {
            let part = Part {
                hooks: hooks(),
                server: None,
                version: Some(1),
            };
            add(folder.join("hooks/hardwon.json"), Content::Json(part));
            if *reach == Reach::User {
                let mut members = stdio(wish, Some("local"));
                members.push(("tools", json!(["*"])));
                add(site.servers.clone(), servers(server("mcpServers", members)));
            }
        }
        Client::OpenCode => {
            let text = plugin::opencode(&wish.program);
            add(folder.join("plugins/hardwon.js"), whole(text, false));
            let members = vec![
                ("type", json!("local")),
                ("command", json!([wish.program, "mcp"])),
            ];
            add(site.servers.clone(), servers(server("mcp", members)));
        }
        Client::Pi => {
            let text = plugin::pi(&wish.program);
            add(folder.join("extensions/hardwon.ts"), whole(text, false));
        }
        Client::Cline => {
            for event in client.row().events {
                let command = hook_command(&wish.program, client.name(), Some(event.name));
                let text = format!("#!/bin/sh\n# {MARK}.\nexec {command}\n");
                add(folder.join("hooks").join(event.name), whole(text, true));
            }
            if *reach == Reach::User {
                let server = server("mcpServers", stdio(wish, None));
                add(site.servers.clone(), servers(server));
            }
        }
        Client::Cursor => {
            let part = Part {
                hooks: hooks(),
                server: None,
                version: Some(1),
            };
            add(folder.join("hooks.json"), Content::Json(part));
            let server = server("mcpServers", stdio(wish, None));
            add(folder.join("mcp.json"), servers(server));
        }
        Client::Goose => {
            add(
                folder.join("plugin.json"),
                whole(plugin::goose_manifest(), false),
            );
            let part = Part {
                hooks: hooks(),
                ..Part::default()
            };
            add(folder.join("hooks/hooks.json"), Content::Json(part));
        }
    }
    found
}

/// Says what a client's user has to do by hand, where its settings cannot be added to safely.
#[must_use]
pub fn by_hand(client: Client) -> Option<&'static str> {
    match client {
        Client::Goose => Some(
            "add the MCP server with `goose configure`: a command-line extension, named lessons, \
             that runs `hardwon mcp`",
        ),
        _ => None,
    }
}

/// Returns Codex's file of hooks.
#[must_use]
pub fn codex_hooks(machine: &Machine<'_>, reach: &Reach) -> PathBuf {
    Site::of(machine, Client::Codex, reach)
        .folder
        .join("hooks.json")
}

/// Where a client's files lie, in one reach.
struct Site {
    folder: PathBuf,
    /// The folder that stays.
    root: PathBuf,
    /// The file of MCP servers, for clients that keep it elsewhere.
    servers: PathBuf,
}

impl Site {
    fn of(machine: &Machine<'_>, client: Client, reach: &Reach) -> Self {
        match reach {
            Reach::User => Self::of_user(machine, client),
            Reach::Project(project) => Self::of_project(client, project),
        }
    }

    fn of_user(machine: &Machine<'_>, client: Client) -> Self {
        let at = machine.folder(client);
        let (folder, root) = match client {
            // Its plugins do not lie with its settings.
            Client::Goose => (
                machine.home.join(".agents/plugins/hardwon"),
                machine.home.clone(),
            ),
            _ => (at.path, at.root),
        };
        let servers = match client {
            // Beside the folder by default, in it when it was moved.
            Client::ClaudeCode => root.join(".claude.json"),
            Client::CopilotCli => folder.join("mcp-config.json"),
            Client::OpenCode => servers_of_opencode(&folder),
            Client::Cline => machine
                .path("CLINE_MCP_SETTINGS_PATH")
                .unwrap_or_else(|| folder.join("data/settings/cline_mcp_settings.json")),
            _ => folder.clone(),
        };
        Self {
            folder,
            root,
            servers,
        }
    }

    fn of_project(client: Client, project: &Path) -> Self {
        let below = match client {
            Client::ClaudeCode => ".claude",
            Client::Codex => ".codex",
            Client::GeminiCli => ".gemini",
            Client::QwenCode => ".qwen",
            Client::CopilotCli => ".github",
            Client::OpenCode => ".opencode",
            Client::Pi => ".pi",
            Client::Cline => ".clinerules",
            Client::Cursor => ".cursor",
            Client::Goose => ".agents/plugins/hardwon",
        };
        let servers = match client {
            Client::OpenCode => servers_of_opencode(project),
            _ => project.join(".mcp.json"),
        };
        Self {
            folder: project.join(below),
            root: project.to_owned(),
            servers,
        }
    }
}

/// Returns which of the two files that opencode reads holds our server, else which is there.
fn servers_of_opencode(folder: &Path) -> PathBuf {
    let files = ["opencode.jsonc", "opencode.json"].map(|name| folder.join(name));
    let is_ours = |path: &&PathBuf| {
        let text = file::read(path).ok().flatten().unwrap_or_default();
        json::find(&text).is_ok_and(|found| found.server.is_some())
    };
    let found = files.iter().find(is_ours);
    let found = found.or_else(|| files.iter().find(|path| path.exists()));
    found.unwrap_or(&files[1]).clone()
}

fn servers(server: Option<Server>) -> Content {
    Content::Json(Part {
        server,
        ..Part::default()
    })
}

fn whole(text: String, is_program: bool) -> Content {
    Content::Whole { text, is_program }
}

fn stdio(wish: &Wish, kind: Option<&str>) -> Members {
    let kind = kind.map(|kind| ("type", json!(kind)));
    let command = [("command", json!(wish.program)), ("args", json!(["mcp"]))];
    kind.into_iter().chain(command).collect()
}

fn codex_settings(wish: &Wish, has_server: bool, settings: &Path, hooks: &Path) -> Content {
    Content::Toml {
        command: match has_server {
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

fn hooks(client: Client, wish: &Wish) -> Vec<Hook> {
    if wish.is_by_plugin(client) {
        return Vec::new();
    }
    let events = client.row().events.iter();
    events.map(|event| hook(client, event.name, wish)).collect()
}

/// Writes one hook as its client wants it.
fn hook(client: Client, event: &'static str, wish: &Wish) -> Hook {
    // Copilot CLI's payloads do not name their event.
    let named = (client == Client::CopilotCli).then_some(event);
    let command = hook_command(&wish.program, client.name(), named);
    let time: Value = match client.row().timeout {
        // Codex warns in every run about a longer one.
        Timeout::Seconds(time) if (client, event) == (Client::Codex, "SessionEnd") => {
            time.min(CODEX_END_SECONDS_MAX).into()
        }
        Timeout::Seconds(time) | Timeout::Milliseconds(time) => time.into(),
        Timeout::Fixed => Value::Null,
    };
    let of_type = ("type", json!("command"));
    let handler = match client {
        Client::CopilotCli => vec![
            of_type,
            ("bash", json!(command)),
            ("powershell", json!(command)),
            ("timeoutSec", time),
        ],
        Client::Cursor => vec![("command", json!(command)), ("timeout", time)],
        Client::GeminiCli | Client::QwenCode => vec![
            of_type,
            ("name", json!("hardwon")),
            ("command", json!(command)),
            ("timeout", time),
        ],
        _ => vec![of_type, ("command", json!(command)), ("timeout", time)],
    };
    Hook {
        event,
        command,
        handler,
        is_grouped: !matches!(client, Client::CopilotCli | Client::Cursor),
    }
}
