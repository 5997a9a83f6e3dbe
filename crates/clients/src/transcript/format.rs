//! The row of a format: its name, how a file of it is recognised, and its reader.
//!
//! Each format is one row with a test of its own on a line, on the beginning of a document, or on text. The list of
//! formats is elsewhere.

use hardwon_core::AgentId;
use serde_json::Value;

use super::{FormatReader, SessionHome};

/// A format that was recognised in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    pub(crate) row: &'static FormatRow,
    pub(crate) layout: RecordLayout,
}

/// How a file is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordLayout {
    /// One JSON value a line.
    Lines,
    /// One JSON document, or several after each other.
    Document,
    /// Lines of text.
    Text,
}

/// One format, as data.
pub(crate) struct FormatRow {
    /// The name of the format in output.
    pub(crate) name: &'static str,
    /// The agent that writes it, when the format belongs to one.
    pub(crate) agent: Option<&'static str>,
    /// Where the agent keeps its sessions.
    pub(crate) homes: &'static [SessionHome],
    pub(crate) reader: fn() -> Box<dyn FormatReader>,
    /// Returns whether a line is of this format.
    pub(crate) is_line: fn(&Value) -> bool,
    /// Returns whether a document is of this format, by its beginning.
    pub(crate) is_document: fn(&DocumentOpening) -> bool,
    /// Returns whether a text is of this format. Programs and documents quote traces, so the extension counts, too.
    pub(crate) is_text: fn(extension: &str, text: &str) -> bool,
}

impl FormatRow {
    /// Makes a row whose tests all fail: each format overrides the tests that its files pass.
    pub(crate) const fn new(
        name: &'static str,
        agent: Option<&'static str>,
        reader: fn() -> Box<dyn FormatReader>,
    ) -> Self {
        Self {
            name,
            agent,
            homes: &[],
            reader,
            is_line: |_| false,
            is_document: |_| false,
            is_text: |_, _| false,
        }
    }
}

impl std::fmt::Debug for FormatRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for FormatRow {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for FormatRow {}

impl Format {
    /// Returns the name of the format, e.g. `claude-code`.
    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// Returns whether a file of this format that has grown can be read on from a cursor.
    pub fn is_resumable(self) -> bool {
        self.layout == RecordLayout::Lines
    }

    pub(super) fn agent(self) -> Option<AgentId> {
        let name = self.row.agent?;
        Some(AgentId::parse(name).expect("the table holds valid names"))
    }
}

/// The beginning of a document: each complete part, with the member it belongs to.
pub(crate) struct DocumentOpening {
    pub(crate) parts: Vec<(String, Value)>,
}

impl DocumentOpening {
    /// Returns whether a part of one of these members (`""` for a top-level array) passes the test.
    pub(crate) fn any_part(&self, keys: &[&str], test: impl Fn(&Value) -> bool) -> bool {
        self.parts
            .iter()
            .any(|(key, value)| keys.contains(&key.as_str()) && test(value))
    }
}

/// Returns the text of a member; an empty one if it has none.
pub(crate) fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Returns whether a member is a text that is not empty.
pub(crate) fn has_text(value: &Value, key: &str) -> bool {
    !text_at(value, key).is_empty()
}
