//! Tells which format a file has, from its first bytes. Its name counts only for text, because
//! programs and documents quote traces that are text.
//!
//! Each format is one row of [`DIALECTS`] with a test of its own on a line, or on what a document
//! begins with. The first line that any row knows decides. A file that no row knows is not a
//! transcript, which is an answer and no error.

use std::path::Path;

use hardwon_core::{id::AgentId, limits};
use serde_json::Value;

use super::{
    Reader, aider, claude, codex, copilot, gemini, intercode, messages, opencode, openhands, pi,
    plain, qwen, react,
    record::{Cutter, Record},
    swe_agent,
};

/// A format that can be read, as [`recognise`] found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    dialect: &'static Dialect,
    layout: Layout,
}

/// How a file is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// One JSON value a line.
    Lines,
    /// One JSON document, or several after each other.
    Document,
    /// Lines of text.
    Text,
}

/// One client's format.
struct Dialect {
    /// What the format is called in output.
    name: &'static str,
    /// The agent that wrote it, when the format belongs to one.
    agent: Option<&'static str>,
    reader: fn() -> Box<dyn Reader>,
    line: fn(&Value) -> bool,
    document: fn(&Opening) -> bool,
    text: fn(extension: &str, text: &str) -> bool,
}

/// A format that no test knows; each row overrides the tests that it passes.
const NONE: Dialect = Dialect {
    name: "",
    agent: None,
    reader: || Box::new(plain::Plain),
    line: |_| false,
    document: |_| false,
    text: |_, _| false,
};

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Dialect {}

impl Format {
    /// What the format is called, e.g. `claude-code`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.dialect.name
    }

    /// Returns the format of a session that lies in a client's database: what the client exports.
    pub(crate) fn of_stored() -> Self {
        let dialect = DIALECTS.iter().find(|dialect| dialect.name == "opencode");
        Self {
            dialect: dialect.expect("the table has it"),
            layout: Layout::Document,
        }
    }

    /// Whether a file of this format that has grown can be read on from where it was.
    #[must_use]
    pub fn is_resumable(self) -> bool {
        self.layout == Layout::Lines
    }

    pub(super) fn layout(self) -> Layout {
        self.layout
    }

    pub(super) fn agent(self) -> Option<AgentId> {
        let name = self.dialect.agent?;
        Some(AgentId::parse(name).expect("the table holds valid names"))
    }

    pub(super) fn reader(self) -> Box<dyn Reader> {
        (self.dialect.reader)()
    }
}

/// What a document begins with: each part that is whole, with the member it belongs to.
struct Opening {
    parts: Vec<(String, Value)>,
}

impl Opening {
    /// Whether a part of one of these members (`""` for a top-level array) passes the test.
    fn any(&self, keys: &[&str], test: impl Fn(&Value) -> bool) -> bool {
        self.parts
            .iter()
            .any(|(key, value)| keys.contains(&key.as_str()) && test(value))
    }
}

/// The formats, in the order in which they are asked.
static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "plain-trace",
        agent: None,
        reader: || Box::new(plain::Plain),
        line: is_plain,
        ..NONE
    },
    Dialect {
        name: "claude-code",
        agent: Some("claude-code"),
        reader: || Box::new(claude::Claude),
        line: is_claude,
        ..NONE
    },
    Dialect {
        name: "codex",
        agent: Some("codex"),
        reader: || Box::new(codex::Codex),
        line: is_codex,
        ..NONE
    },
    Dialect {
        name: "gemini-cli",
        agent: Some("gemini-cli"),
        reader: || Box::new(gemini::Gemini),
        line: is_gemini,
        document: |opening| {
            opening.any(&["sessionId"], Value::is_string)
                && opening.any(&["projectHash"], Value::is_string)
        },
        ..NONE
    },
    Dialect {
        name: "qwen-code",
        agent: Some("qwen-code"),
        reader: || Box::new(qwen::Qwen),
        line: is_qwen,
        ..NONE
    },
    Dialect {
        name: "copilot-cli",
        agent: Some("copilot-cli"),
        reader: || Box::new(copilot::Copilot),
        line: is_copilot,
        ..NONE
    },
    Dialect {
        name: "pi",
        agent: Some("pi"),
        reader: || Box::new(pi::Pi),
        line: is_pi,
        ..NONE
    },
    Dialect {
        name: "opencode",
        agent: Some("opencode"),
        reader: || Box::new(opencode::OpenCode),
        line: |line| has_text(line, "sessionID") && line.get("part").is_some(),
        document: |opening| {
            opening.any(&["info"], |info| has_text(info, "directory"))
                || opening.any(&["messages"], |m| {
                    m.get("info").is_some() && m.get("parts").is_some()
                })
        },
        ..NONE
    },
    Dialect {
        name: "swe-agent",
        agent: Some("swe-agent"),
        reader: || Box::new(swe_agent::SweAgent::default()),
        document: |opening| {
            opening.any(&["trajectory"], |step| {
                step.get("action").is_some_and(Value::is_string)
                    && step.get("observation").is_some()
            })
        },
        ..NONE
    },
    Dialect {
        name: "openhands",
        agent: Some("openhands"),
        reader: || Box::new(openhands::OpenHands),
        document: |opening| opening.any(&openhands::EVENT_KEYS, is_openhands),
        ..NONE
    },
    Dialect {
        name: "intercode",
        reader: || Box::new(intercode::InterCode::default()),
        document: |opening| {
            opening.any(&["turn_history"], |turns| turns.get("actions").is_some())
                || opening
                    .parts
                    .iter()
                    .any(|(_, value)| intercode::is_task(value))
        },
        ..NONE
    },
    Dialect {
        name: "aider",
        agent: Some("aider"),
        reader: || Box::new(aider::Aider::default()),
        text: |extension, text| matches!(extension, "" | "md" | "txt") && aider::is_history(text),
        ..NONE
    },
    Dialect {
        name: "react",
        reader: || Box::new(react::React::default()),
        // Programs and documents quote such traces.
        text: |extension, text| {
            matches!(extension, "" | "txt" | "log" | "trace" | "out") && react::is_trace(text)
        },
        ..NONE
    },
    Dialect {
        name: "messages",
        agent: None,
        reader: || Box::new(messages::Messages::default()),
        line: is_message,
        document: |opening| {
            opening.any(&[""], |v| is_message(v) || is_conversation(v))
                || opening.any(&messages::MESSAGE_KEYS, is_message)
        },
        ..NONE
    },
];

/// Returns the format of a file from its first bytes, or `None` if it is no transcript.
///
/// `head` is the beginning of the file, best [`limits::RECOGNISE_BYTES`] long; more is not looked
/// at. The path's extension counts only for formats that are text.
#[must_use]
pub fn recognise(path: &Path, head: &[u8]) -> Option<Format> {
    let head = &head[..head.len().min(limits::RECOGNISE_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match head.trim_ascii_start().first() {
        Some(b'{' | b'[') => by_lines(head).or_else(|| by_document(head)),
        // A transcript may begin with a broken line.
        Some(_) => by_text(path, head).or_else(|| by_lines(head)),
        None => None,
    }
}

fn by_text(path: &Path, head: &[u8]) -> Option<Format> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    let text = String::from_utf8_lossy(head);
    let dialect = DIALECTS
        .iter()
        .find(|dialect| (dialect.text)(&extension, &text))?;
    Some(Format {
        dialect,
        layout: Layout::Text,
    })
}

fn by_lines(head: &[u8]) -> Option<Format> {
    const LINES: usize = 100;
    head.split(|&byte| byte == b'\n')
        .take(LINES)
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .find_map(|value| DIALECTS.iter().find(|dialect| (dialect.line)(&value)))
        .map(|dialect| Format {
            dialect,
            layout: Layout::Lines,
        })
}

fn by_document(head: &[u8]) -> Option<Format> {
    const PARTS: usize = 200;
    let mut parts = Vec::new();
    let mut cutter = Cutter::new(head);
    while parts.len() < PARTS
        // Reading from memory does not fail.
        && let Ok(Some(record)) = cutter.next_record()
    {
        if let Record::Value { key, json } = record
            && let Ok(value) = serde_json::from_slice(json)
        {
            parts.push((key.to_owned(), value));
        }
    }
    let opening = Opening { parts };
    let dialect = DIALECTS
        .iter()
        .find(|dialect| (dialect.document)(&opening))?;
    Some(Format {
        dialect,
        layout: Layout::Document,
    })
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn has_text(value: &Value, key: &str) -> bool {
    !text(value, key).is_empty()
}

fn is_plain(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    match text(line, "type") {
        "run" => has("run"),
        "tool" => has("tool") && has("status"),
        "message" => has("role") && has("text"),
        "signal" => has("kind") && line.get("detail").is_some(),
        "end" => has("status"),
        _ => false,
    }
}

fn is_claude(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    match text(line, "type") {
        "user" | "assistant" => {
            (has("sessionId") || has("session_id") || has("uuid"))
                && line.pointer("/message/content").is_some()
        }
        "summary" => has("leafUuid"),
        "system" => text(line, "subtype") == "init" && has("session_id"),
        "attachment" => has("sessionId") && line.get("attachment").is_some(),
        _ => false,
    }
}

fn is_codex(line: &Value) -> bool {
    const WRAPPED: [&str; 5] = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    ];
    const BARE: [&str; 5] = [
        "message",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "reasoning",
    ];
    let kind = text(line, "type");
    let is_wrapped = WRAPPED.contains(&kind) && line.get("payload").is_some();
    let is_bare = BARE.contains(&kind)
        && (line.get("call_id").is_some() || line.pointer("/content/0/type").is_some());
    let is_old_header = kind.is_empty()
        && has_text(line, "id")
        && has_text(line, "timestamp")
        && line.get("instructions").is_some();
    is_wrapped || is_bare || is_old_header
}

fn is_gemini(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    has("sessionId") && has("projectHash") && has("startTime") && line.get("messages").is_none()
}

fn is_qwen(line: &Value) -> bool {
    has_text(line, "sessionId") && line.pointer("/message/parts").is_some()
}

fn is_copilot(line: &Value) -> bool {
    let known = ["session.", "user.", "assistant.", "tool."];
    line.get("data").is_some_and(Value::is_object)
        && known
            .iter()
            .any(|start| text(line, "type").starts_with(start))
}

fn is_pi(line: &Value) -> bool {
    let is_header =
        text(line, "type") == "session" && has_text(line, "cwd") && has_text(line, "id");
    let is_message = text(line, "type") == "message" && line.pointer("/message/role").is_some();
    is_header || is_message
}

fn is_openhands(event: &Value) -> bool {
    let is_classic = has_text(event, "source")
        && (event.get("action").is_some_and(Value::is_string) && event.get("args").is_some()
            || event.get("observation").is_some_and(Value::is_string)
                && event.get("content").is_some());
    let is_kinded = [
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "SystemPromptEvent",
    ]
    .contains(&text(event, "kind"));
    is_classic || is_kinded
}

fn is_message(value: &Value) -> bool {
    const ROLES: [&str; 8] = [
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
        "human",
        "ai",
    ];
    ROLES.contains(&text(value, "role"))
        && ["content", "tool_calls", "function_call"]
            .iter()
            .any(|key| value.get(key).is_some())
}

fn is_conversation(value: &Value) -> bool {
    messages::MESSAGE_KEYS
        .iter()
        .filter_map(|key| value.get(key)?.as_array()?.first())
        .any(is_message)
}
