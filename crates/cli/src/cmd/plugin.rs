//! `hardwon plugin`: writes the plugin folders, for those who install or publish them by hand.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::bundle::{self, CLAUDE_FOLDER, GEMINI_FOLDER, PLUGIN_NAME};

use crate::{CliError, Result, output};

pub(super) fn run(folder: Option<PathBuf>, program: &str) -> Result<()> {
    let folder = folder.unwrap_or_else(|| PathBuf::from("hardwon-plugin"));
    let is_others = folder
        .read_dir()
        .is_ok_and(|mut entry| entry.next().is_some())
        && !folder
            .join(CLAUDE_FOLDER)
            .join(".claude-plugin/plugin.json")
            .exists();
    if is_others {
        return Err(bad_input!("{} is not empty", folder.display())
            .with_hint("name a folder that is not there yet"));
    }
    write_plugins(&folder, program)?;
    // A bare name would be taken for one on the network.
    let folder = dunce::canonicalize(folder)?;
    output::print(&render_instructions(&folder))
}

/// Writes every plugin below a folder.
pub(super) fn write_plugins(folder: &Path, program: &str) -> Result<()> {
    for (path, text) in bundle::plugin_files(program) {
        let path = folder.join(path);
        let above = path.parent().expect("it lies below the folder");
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&path, text))
            .map_err(CliError::own_file("writing", &path))?;
    }
    Ok(())
}

fn render_instructions(folder: &Path) -> String {
    let claude = folder.join(CLAUDE_FOLDER).display().to_string();
    let gemini = folder.join(GEMINI_FOLDER).display().to_string();
    let id = format!("{PLUGIN_NAME}@{PLUGIN_NAME}");
    format!(
        "wrote {}; to install it:\n\
         \x20 Claude Code  claude plugin marketplace add {claude} && claude plugin install {id}\n\
         \x20 Codex        codex plugin marketplace add {claude} && codex plugin add {id}\n\
         \x20 Copilot CLI  copilot plugin marketplace add {claude} && copilot plugin install {id}\n\
         \x20 Qwen Code    qwen extensions install {claude}:{PLUGIN_NAME}\n\
         \x20 Gemini CLI   gemini extensions install {gemini}\n\
         \x20 opencode     copy opencode/hardwon.js to ~/.config/opencode/plugins/\n\
         \x20 pi           copy pi/hardwon.ts to ~/.pi/agent/extensions/\n",
        folder.display()
    )
}
