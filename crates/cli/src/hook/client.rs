//! The coding agents that call the hook command, one table row each.
//!
//! A row says which events are registered with the client, what each means, in what form something
//! may be said back, how much of it, and how a failed call shows. Everything that differs between
//! clients and can be written as data stands here; what their payloads look like is
//! [`wire`](super::wire)'s business, and where their settings lie is the installer's.

mod detect;

use std::fmt;

use hardwon_core::limits;

pub use detect::Env;

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

/// What is known about one client.
#[derive(Debug)]
pub struct Row {
    /// Which client.
    pub client: Client,
    /// Its name on the command line, in settings and in the store.
    pub name: &'static str,
    /// The form of its payloads.
    pub dialect: Dialect,
    /// The events that are registered with it; others say nothing that is needed.
    pub events: &'static [Event],
    /// How long it waits for the hook command, as its settings file wants it.
    pub timeout: Timeout,
    /// Longest text that reaches the model whole, in bytes of UTF-8, which are never fewer than the
    /// characters or tokens that the client counts.
    pub context_bytes: usize,
    /// Where a call says that it failed.
    pub failure: Shows,
}

/// The form of a client's payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code's, also spoken by Codex and Qwen Code.
    Claude,
    /// Gemini CLI's.
    Gemini,
    /// Copilot CLI's, in its own spelling and in Claude Code's.
    Copilot,
    /// Our own, spoken by our plugins.
    Plugin,
    /// Cline's.
    Cline,
    /// Cursor's.
    Cursor,
    /// goose's.
    Goose,
}

/// One event of one client.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// The client's name for it: the key to register it under.
    pub name: &'static str,
    /// Another name under which the same client sends it.
    pub alias: Option<&'static str>,
    /// What it means.
    pub means: Means,
    /// What may be said back.
    pub answer: Answer,
}

/// What an event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// A session began or went on.
    Start,
    /// A sub-agent began.
    SubagentStart,
    /// A prompt is about to reach the agent.
    Prompt,
    /// A tool is about to be used.
    Calling,
    /// A tool was used; the payload says how it ended, as far as the client knows.
    Called,
    /// A tool was used and failed.
    Failed,
    /// Several tools were used at once.
    Batch,
    /// The agent came to the end of its turn.
    Stop,
    /// A sub-agent came to its end.
    SubagentStop,
    /// The conversation is about to be summed up.
    Compact,
    /// The session is over.
    End,
}

/// What may be said back at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the client would not pass it on.
    Nothing,
    /// Something that the model then knows.
    Context(ContextForm),
    /// A reason to go on instead of stopping.
    GoOn(GoOnForm),
}

/// The JSON in which a client takes something that the model should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextForm {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`.
    Nested,
    /// `{"additionalContext":…}`.
    Top,
    /// `{"additional_context":…}`.
    Snake,
    /// `{"cancel":false,"contextModification":…}`.
    Modification,
    /// `{"context":…}`, as our own plugins read it.
    Plain,
}

/// The JSON in which a client takes a reason to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOnForm {
    /// `{"decision":"block","reason":…}`.
    Block,
    /// `{"decision":"deny","reason":…}`.
    Deny,
    /// `{"followup_message":…}`.
    Followup,
    /// As something that the model should know: a client that goes on with it calls it no error.
    Nested,
    /// `{"goOn":…}`, as our own plugins read it.
    Plain,
}

/// How long a client waits for a hook, in the unit of its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// In seconds.
    Seconds(u32),
    /// In milliseconds.
    Milliseconds(u32),
    /// The client has no such setting.
    Fixed,
}

/// Where a client shows that a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// In an event of its own.
    Event,
    /// In the result's text; a tool that could not run at all may have an event or a field.
    Text,
    /// In a field of the payload.
    Field,
    /// Not in the payload: only in the transcript, where it is written down before the hook runs.
    Transcript,
}

impl Client {
    /// All clients, in the order in which they are shown.
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

    /// Returns what is known about the client.
    #[must_use]
    pub fn row(self) -> &'static Row {
        match self {
            Self::ClaudeCode => &CLAUDE_CODE,
            Self::Codex => &CODEX,
            Self::GeminiCli => &GEMINI_CLI,
            Self::QwenCode => &QWEN_CODE,
            Self::CopilotCli => &COPILOT_CLI,
            Self::OpenCode => &OPENCODE,
            Self::Pi => &PI,
            Self::Cline => &CLINE,
            Self::Cursor => &CURSOR,
            Self::Goose => &GOOSE,
        }
    }

    /// Returns its name: the one its transcripts are known by.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the client of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the registered event of this name, in either of its spellings.
    #[must_use]
    pub fn event(self, name: &str) -> Option<&'static Event> {
        let events = self.row().events.iter();
        let mut named = events.filter(|event| event.name == name || event.alias == Some(name));
        named.next()
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Longest text given to a client at once. The strictest known cut off at about 9,000 characters.
const CONTEXT_BYTES: usize = limits::PREAMBLE_BYTES;
/// Ample: the command ends itself long before.
const SECONDS: u32 = 10;

const NESTED: Answer = Answer::Context(ContextForm::Nested);
const TOP: Answer = Answer::Context(ContextForm::Top);
const SNAKE: Answer = Answer::Context(ContextForm::Snake);
const MODIFICATION: Answer = Answer::Context(ContextForm::Modification);
const PLAIN: Answer = Answer::Context(ContextForm::Plain);
const BLOCK: Answer = Answer::GoOn(GoOnForm::Block);
const NOTHING: Answer = Answer::Nothing;

const fn on(name: &'static str, means: Means, answer: Answer) -> Event {
    Event {
        name,
        alias: None,
        means,
        answer,
    }
}

const fn also(event: Event, alias: &'static str) -> Event {
    Event {
        alias: Some(alias),
        ..event
    }
}

static CLAUDE_CODE: Row = Row {
    client: Client::ClaudeCode,
    name: "claude-code",
    dialect: Dialect::Claude,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PreToolUse", Means::Calling, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("PostToolUseFailure", Means::Failed, NESTED),
        // An edit whose old text is not in the file shows nowhere else.
        on("PostToolBatch", Means::Batch, NESTED),
        // A decision would be shown as a problem, and given to the model twice.
        on("Stop", Means::Stop, Answer::GoOn(GoOnForm::Nested)),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Event,
};

/// Codex drops an answer whole that holds a key it does not know, and runs no hook until it is
/// trusted.
static CODEX: Row = Row {
    client: Client::Codex,
    name: "codex",
    dialect: Dialect::Claude,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PreToolUse", Means::Calling, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("Stop", Means::Stop, BLOCK),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Transcript,
};

/// Not registered: `BeforeTool`, which takes no context, and `PreCompress`, which fires before every
/// request to the model.
static GEMINI_CLI: Row = Row {
    client: Client::GeminiCli,
    name: "gemini-cli",
    dialect: Dialect::Gemini,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("BeforeAgent", Means::Prompt, NESTED),
        on("AfterTool", Means::Called, NESTED),
        on("AfterAgent", Means::Stop, Answer::GoOn(GoOnForm::Deny)),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Text,
};

/// Not registered: `PreToolUse`, whose addition the command line program drops, so that a lesson would
/// be spent there unread; and `PostToolBatch`, whose calls all had an event of their own.
static QWEN_CODE: Row = Row {
    client: Client::QwenCode,
    name: "qwen-code",
    dialect: Dialect::Claude,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("PostToolUseFailure", Means::Failed, NESTED),
        on("Stop", Means::Stop, BLOCK),
        // Its own loop detector ends a turn this way.
        on("StopFailure", Means::Stop, NOTHING),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    // Older versions read milliseconds; newer ones seconds, but from 1,000 on milliseconds still.
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Event,
};

/// Registered under Claude Code's names (by a plugin, or in `.claude/settings.json`), its payloads
/// are spelled another way.
static COPILOT_CLI: Row = Row {
    client: Client::CopilotCli,
    name: "copilot-cli",
    dialect: Dialect::Copilot,
    events: &[
        also(on("sessionStart", Means::Start, TOP), "SessionStart"),
        also(
            on("userPromptSubmitted", Means::Prompt, TOP),
            "UserPromptSubmit",
        ),
        also(on("preToolUse", Means::Calling, TOP), "PreToolUse"),
        also(on("postToolUse", Means::Called, TOP), "PostToolUse"),
        also(
            on("postToolUseFailure", Means::Failed, TOP),
            "PostToolUseFailure",
        ),
        also(on("agentStop", Means::Stop, BLOCK), "Stop"),
        also(on("preCompact", Means::Compact, NOTHING), "PreCompact"),
        also(on("sessionEnd", Means::End, NOTHING), "SessionEnd"),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Text,
};

/// What our own plugins forward, whatever the client behind them.
static PLUGIN_EVENTS: [Event; 7] = [
    on("start", Means::Start, PLAIN),
    on("prompt", Means::Prompt, PLAIN),
    on("calling", Means::Calling, PLAIN),
    on("called", Means::Called, PLAIN),
    on("stop", Means::Stop, Answer::GoOn(GoOnForm::Plain)),
    on("compact", Means::Compact, NOTHING),
    on("end", Means::End, NOTHING),
];

static OPENCODE: Row = Row {
    client: Client::OpenCode,
    name: "opencode",
    dialect: Dialect::Plugin,
    events: &PLUGIN_EVENTS,
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Field,
};

static PI: Row = Row {
    client: Client::Pi,
    name: "pi",
    dialect: Dialect::Plugin,
    events: &PLUGIN_EVENTS,
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Field,
};

/// Its command line program does not fire `UserPromptSubmit` and does not wait for `TaskStart`.
static CLINE: Row = Row {
    client: Client::Cline,
    name: "cline",
    dialect: Dialect::Cline,
    events: &[
        on("TaskStart", Means::Start, MODIFICATION),
        on("TaskResume", Means::Start, MODIFICATION),
        on("UserPromptSubmit", Means::Prompt, MODIFICATION),
        on("PreToolUse", Means::Calling, MODIFICATION),
        on("PostToolUse", Means::Called, MODIFICATION),
        on("TaskComplete", Means::Stop, NOTHING),
        on("TaskError", Means::Stop, NOTHING),
        on("TaskCancel", Means::End, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionShutdown", Means::End, NOTHING),
    ],
    timeout: Timeout::Fixed,
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Field,
};

/// Not registered: `preToolUse`, which tells the model something only by refusing the call.
static CURSOR: Row = Row {
    client: Client::Cursor,
    name: "cursor",
    dialect: Dialect::Cursor,
    events: &[
        on("sessionStart", Means::Start, SNAKE),
        on("beforeSubmitPrompt", Means::Prompt, NOTHING),
        on("postToolUse", Means::Called, SNAKE),
        on("postToolUseFailure", Means::Failed, NOTHING),
        on("stop", Means::Stop, Answer::GoOn(GoOnForm::Followup)),
        on("preCompact", Means::Compact, NOTHING),
        on("sessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Event,
};

/// It passes nothing on but a refusal, so `PreToolUse` is not registered.
static GOOSE: Row = Row {
    client: Client::Goose,
    name: "goose",
    dialect: Dialect::Goose,
    events: &[
        on("SessionStart", Means::Start, NOTHING),
        on("UserPromptSubmit", Means::Prompt, NOTHING),
        on("PostToolUse", Means::Called, NOTHING),
        on("PostToolUseFailure", Means::Failed, NOTHING),
        on("Stop", Means::Stop, BLOCK),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Event,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_its_row_and_its_name() {
        for client in Client::ALL {
            assert_eq!(client.row().client, client);
            assert_eq!(Client::from_name(client.name()), Some(client));
            assert_eq!(client.to_string(), client.name());
            assert!(client.row().context_bytes < 8_000);
        }
        assert_eq!(Client::from_name("Claude Code"), None);
    }

    #[test]
    fn an_event_has_one_row_in_either_spelling() {
        for client in Client::ALL {
            let events = client.row().events;
            for event in events {
                for name in [Some(event.name), event.alias].into_iter().flatten() {
                    let named = |it: &&Event| it.name == name || it.alias == Some(name);
                    assert_eq!(events.iter().filter(named).count(), 1, "{client} {name}");
                }
            }
        }
        let event = Client::CopilotCli.event("UserPromptSubmit").unwrap();
        assert_eq!(event.name, "userPromptSubmitted");
        assert!(Client::GeminiCli.event("PreCompress").is_none());
    }

    #[test]
    fn only_the_end_of_a_turn_can_be_put_off() {
        for client in Client::ALL {
            for event in client.row().events {
                if matches!(event.answer, Answer::GoOn(_)) {
                    assert_eq!(event.means, Means::Stop, "{client} {}", event.name);
                }
            }
        }
    }
}
