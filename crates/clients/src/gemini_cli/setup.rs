//! Gemini CLI's settings: `settings.json` for hooks and server.

use crate::{
    client::Client,
    setup::{
        content::Content,
        file::Target,
        json::Part,
        place::{Folder, Machine, Reach},
        row::{Installer, NAMED, Setup, Wish, stdio_server},
    },
};

pub(crate) static SETUP: Setup = Setup {
    client: Client::GeminiCli,
    label: "Gemini CLI",
    programs: &["gemini"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: Some(Installer {
        install: &[&["extensions", "install", "{gemini}", "--consent"]],
        remove: &[&["extensions", "uninstall", "hardwon"]],
        is_installed: |folder| folder.join("extensions/hardwon").exists(),
        brings_server: true,
    }),
    plugin: None,
};

fn user_folder(machine: &Machine<'_>) -> Folder {
    machine.moved("GEMINI_CLI_HOME", ".gemini", ".gemini")
}

fn targets(machine: &Machine<'_>, reach: &Reach, wish: &Wish) -> Vec<Target> {
    let at = reach.folder(user_folder(machine), ".gemini");
    let part = Part {
        hooks: SETUP.hooks(wish, &NAMED),
        server: SETUP.server(wish, "mcpServers", stdio_server(wish, None)),
        version: None,
    };
    vec![at.target(at.path.join("settings.json"), Content::Json(part))]
}
