//! The coding agents that call the hook command, and their names.

use std::fmt;

/// A coding agent that calls the hook command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Qwen Code.
    QwenCode,
    /// GitHub Copilot CLI.
    CopilotCli,
    /// opencode, through our own plugin.
    OpenCode,
    /// pi, through our own extension.
    Pi,
    /// Cline.
    Cline,
    /// Cursor.
    Cursor,
    /// goose.
    Goose,
}

impl Client {
    /// All clients, in display order.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::QwenCode,
        Self::CopilotCli,
        Self::OpenCode,
        Self::Pi,
        Self::Cline,
        Self::Cursor,
        Self::Goose,
    ];

    /// Returns the name on the command line, in settings, in the store and as a transcript format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::QwenCode => "qwen-code",
            Self::CopilotCli => "copilot-cli",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
            Self::Cline => "cline",
            Self::Cursor => "cursor",
            Self::Goose => "goose",
        }
    }

    /// Returns the client of this name; `None` if there is no such client.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
