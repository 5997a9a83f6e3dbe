//! pi's settings: our extension in its folder of extensions.

use crate::{
    client::Client,
    setup::{
        content::Content,
        file::Target,
        place::{Folder, Machine, Reach},
        plugin,
        row::{Setup, Wish},
    },
};

pub(crate) static SETUP: Setup = Setup {
    client: Client::Pi,
    label: "pi",
    programs: &["pi"],
    by_hand: None,
    hooks: &super::ROW,
    user_folder,
    targets,
    installer: None,
    plugin: Some(write_extension),
};

/// Writes the extension, which starts this program.
pub(crate) fn write_extension(program: &str) -> String {
    plugin::starting(program, include_str!("extension.ts"))
}

fn user_folder(machine: &Machine<'_>) -> Folder {
    machine.moved("PI_CODING_AGENT_DIR", "", ".pi/agent")
}

fn targets(machine: &Machine<'_>, reach: &Reach, wish: &Wish) -> Vec<Target> {
    let at = reach.folder(user_folder(machine), ".pi");
    let extension = Content::Whole {
        text: write_extension(&wish.program),
        is_program: false,
    };
    vec![at.target(at.path.join("extensions/hardwon.ts"), extension)]
}
