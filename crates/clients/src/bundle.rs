//! The plugin folders: for clients that install hooks, server, skill and commands as one thing.
//!
//! One folder in Claude Code's format serves Claude Code, Codex, Copilot CLI and Qwen Code as it is; its hooks do not
//! name their client, which the hook command finds out. Gemini CLI has a format of its own. The common format of Agent
//! Plugins 1.0 knows skills and servers only. Its manifest must not be in the first folder: Codex and Copilot CLI would
//! read it instead, and run no hooks. The same version of hardwon always makes the same bytes.

mod start;

use serde_json::{Value, json};

use self::start::write_plain_command;
pub use self::start::write_start_command;
pub use crate::setup::{
    installer::{CLAUDE_FOLDER, GEMINI_FOLDER},
    own_entries::PLUGIN_NAME,
};
use crate::{
    client::Client, opencode::setup::write_plugin, pi::setup::write_extension,
    setup::own_entries::SERVER_NAME,
};

/// A file of a plugin: its path below the folder, and its text.
pub type PluginFile = (String, String);

/// The folder in the format of Agent Plugins 1.0.
pub const COMMON_FOLDER: &str = "agent-plugins";

const SCHEMAS_URL: &str = "https://agent-plugins.org/schemas/1.0.0";
const DESCRIPTION: &str =
    "Lessons your agents learn once: what failed before, at the moment it matters.";
/// What the registry of MCP servers is told, before the version is filled in.
const REGISTRY_ENTRY: &str = include_str!("bundle/server.json");
const SKILL: &str = include_str!("bundle/SKILL.md");

/// Returns every file of every plugin, sorted by path.
pub fn plugin_files(program: &str) -> Vec<PluginFile> {
    let below = |folder: &str, files: Vec<PluginFile>| -> Vec<PluginFile> {
        let files = files
            .into_iter()
            .map(|(path, text)| (format!("{folder}/{path}"), text));
        files.collect()
    };
    let mut all = below(CLAUDE_FOLDER, claude_files(program));
    all.extend(below(GEMINI_FOLDER, gemini_files(program)));
    all.extend(below(COMMON_FOLDER, common_files(program)));
    all.push(("opencode/hardwon.js".to_owned(), write_plugin(program)));
    all.push(("pi/hardwon.ts".to_owned(), write_extension(program)));
    let entry = REGISTRY_ENTRY.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    all.push(("server.json".to_owned(), entry));
    all.sort();
    all
}

fn plugin_metadata() -> Value {
    json!({
        "name": PLUGIN_NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "author": {"name": "The hardwon authors"},
        "license": "MIT OR Apache-2.0",
    })
}

fn mcp_servers(program: &str) -> Value {
    json!({"mcpServers": {SERVER_NAME: {"command": program, "args": ["mcp"]}}})
}

fn common_files(program: &str) -> Vec<PluginFile> {
    let mut about = plugin_metadata();
    about["$schema"] = json!(format!("{SCHEMAS_URL}/plugin.schema.json"));
    let servers = json!({
        "$schema": format!("{SCHEMAS_URL}/mcp.schema.json"),
        "mcpServers": {SERVER_NAME: {"type": "stdio", "command": program, "args": ["mcp"]}},
    });
    vec![
        json_file("plugin.json", &about),
        json_file("mcp.json", &servers),
        skill_file(),
    ]
}

fn skill_file() -> PluginFile {
    ("skills/hardwon/SKILL.md".to_owned(), SKILL.to_owned())
}

fn claude_files(program: &str) -> Vec<PluginFile> {
    let about = plugin_metadata();
    let version = &about["version"];
    let market = json!({
        "name": PLUGIN_NAME,
        "description": DESCRIPTION,
        "owner": {"name": PLUGIN_NAME},
        "plugins": [{"name": PLUGIN_NAME, "source": "./", "description": DESCRIPTION, "version": version}],
    });
    let mut files = vec![
        json_file(".claude-plugin/plugin.json", &about),
        json_file(".claude-plugin/marketplace.json", &market),
        json_file("hooks/hooks.json", &claude_hooks(program)),
        json_file(".mcp.json", &mcp_servers(program)),
        skill_file(),
    ];
    for command in COMMANDS {
        files.push((
            format!("commands/{}.md", command.name),
            command.to_markdown(),
        ));
    }
    files
}

/// Returns the hooks of all clients that take this format; each client fires the events it knows.
fn claude_hooks(program: &str) -> Value {
    let clients = [Client::ClaudeCode, Client::Codex, Client::QwenCode];
    let events = clients.iter().flat_map(|client| client.hook_row().events);
    let hook = json!([{"hooks": [{
        "type": "command",
        "command": write_start_command(program, None),
        // Codex's word for the shell of Windows; the others start hooks by one of Unix there, too.
        "commandWindows": write_plain_command(program, None),
        "timeout": 10,
    }]}]);
    let hooks: Value = events
        .map(|event| (event.name.to_owned(), hook.clone()))
        .collect();
    json!({"hooks": hooks})
}

fn gemini_files(program: &str) -> Vec<PluginFile> {
    let about = json!({
        "name": PLUGIN_NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "mcpServers": mcp_servers(program)["mcpServers"],
    });
    let row = Client::GeminiCli.hook_row();
    let command = write_start_command(program, Some(row.client));
    let time = row.timeout.number();
    let handler =
        json!({"name": PLUGIN_NAME, "type": "command", "command": command, "timeout": time});
    let hook = json!([{"hooks": [handler]}]);
    let events = row.events.iter();
    let hooks: Value = events
        .map(|event| (event.name.to_owned(), hook.clone()))
        .collect();
    let mut files = vec![
        json_file("gemini-extension.json", &about),
        json_file("hooks/hooks.json", &json!({"hooks": hooks})),
        skill_file(),
    ];
    for command in COMMANDS {
        files.push((format!("commands/{}.toml", command.name), command.to_toml()));
    }
    files
}

fn json_file(path: &str, value: &Value) -> PluginFile {
    (path.to_owned(), format!("{value:#}\n"))
}

/// A slash command that a person types.
struct SlashCommand {
    name: &'static str,
    about: &'static str,
    hint: &'static str,
    /// The instruction to the agent; `@` stands for the text after the command.
    prompt: &'static str,
}

const COMMANDS: [SlashCommand; 3] = [
    SlashCommand {
        name: "lesson",
        about: "Record a lesson",
        hint: "<what calls for it>: <what to do or avoid>",
        prompt: "Record this lesson word for word, with the tool `record` of the MCP server `lessons`. Without \
                 that tool, run `hardwon writ` and give it the line on stdin. Do nothing else, and answer with the \
                 number that the lesson got.\n\n/lesson @",
    },
    SlashCommand {
        name: "reflect",
        about: "Record what this session taught",
        hint: "[what to look at]",
        prompt: "Look back at this session: what failed before it worked, and where you were corrected. Record \
                 what will matter again as lessons, at most three, with the tool `record` of the MCP server \
                 `lessons`, or without it by running `hardwon reflect \"<the lesson>\"`. One or two sentences each: what \
                 calls for it, and what to do or avoid. No secrets, no names, nothing that holds only today. If \
                 there is nothing, say so and record nothing.\n\n@",
    },
    SlashCommand {
        name: "lessons",
        about: "Show the lessons about something",
        hint: "[words to look for]",
        prompt: "Show the lessons that hold these words, with the tool `search` of the MCP server `lessons`, or \
                 without it by running `hardwon lesson search`. Without words, list the latest, with the tool `list` \
                 or `hardwon lesson list`. One line each, with its number. Do nothing about them.\n\n@",
    },
];

impl SlashCommand {
    fn to_markdown(&self) -> String {
        let prompt = self.prompt.replace('@', "$ARGUMENTS");
        format!(
            "---\ndescription: {}\nargument-hint: {}\n---\n\n{prompt}\n",
            json!(self.about),
            json!(self.hint)
        )
    }

    fn to_toml(&self) -> String {
        let prompt = self.prompt.replace('@', "{{args}}");
        let mut table = toml_edit::DocumentMut::new();
        table["description"] = toml_edit::value(self.about);
        table["prompt"] = toml_edit::value(prompt);
        table.to_string()
    }
}
