//! The coding agents that call the hook command, and their names.

use std::fmt;

hardwon_core::named_enum! {
    /// A coding agent that calls the hook command.
    ///
    /// The name is that on the command line, in settings, in the store and of its transcript format.
    Client {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        GeminiCli = "gemini-cli",
        /// Qwen Code.
        QwenCode = "qwen-code",
        /// GitHub Copilot CLI.
        CopilotCli = "copilot-cli",
        /// opencode, through our own plugin.
        OpenCode = "opencode",
        /// pi, through our own extension.
        Pi = "pi",
        /// Cline.
        Cline = "cline",
        /// Cursor.
        Cursor = "cursor",
        /// goose.
        Goose = "goose",
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
