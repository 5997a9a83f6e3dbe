//! Tells which format a file has, from its first bytes; its name is only a hint.
//!
//! Each format is one row of [`DIALECTS`] with a test of its own on a line, or on what a document
//! begins with. The first line that any row knows decides. A file that no row knows is not a
//! transcript, which is an answer and no error.

use std::{io::BufReader, ops::ControlFlow, path::Path};

use hardwon_core::{id::AgentId, limits};
use serde_json::Value;

use super::{
    Reader, claude, messages, plain,
    record::{Record, split},
};

/// A format that can be read, as [`recognise`] found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    dialect: &'static Dialect,
    layout: Layout,
}

/// How a file is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One JSON value a line.
    Lines,
    /// One JSON document, or several after each other.
    Document,
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
}

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

    /// Whether a file of this format that has grown can be read on from where it was.
    #[must_use]
    pub fn is_resumable(self) -> bool {
        self.layout == Layout::Lines
    }

    pub(super) fn is_lines(self) -> bool {
        self.layout == Layout::Lines
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
        document: |_| false,
    },
    Dialect {
        name: "claude-code",
        agent: Some("claude-code"),
        reader: || Box::new(claude::Claude),
        line: is_claude,
        document: |_| false,
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
    },
];

/// Returns the format of a file from its first bytes, or `None` if it is no transcript.
///
/// `head` is the beginning of the file, best [`limits::RECOGNISE_BYTES`] long; more is not looked
/// at. The path is only a hint where the content leaves a doubt.
#[must_use]
pub fn recognise(_path: &Path, head: &[u8]) -> Option<Format> {
    let head = &head[..head.len().min(limits::RECOGNISE_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[' | b'"')) {
        return None;
    }
    by_lines(head).or_else(|| by_document(head))
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
    let mut source = BufReader::new(head);
    let cut = split(&mut source, &mut |record| {
        if let Record::Value { key, json } = record
            && let Ok(value) = serde_json::from_slice(json)
        {
            parts.push((key.to_owned(), value));
        }
        if parts.len() < PARTS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    cut.expect("reading from memory does not fail");
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
