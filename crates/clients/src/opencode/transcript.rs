//! opencode: the output of `opencode export` (one document), and of `opencode run --format json` (a part a line).
//!
//! A command that exits with 7 is completed, with the exit code in its metadata; a tool that threw has the status
//! `error`.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::judge_json,
    format::{FormatRow, has_text},
    home::SessionHome,
    session::TranscriptSession,
    tool,
    wire::{Text, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "opencode",
    settings: &[
        ("OPENCODE_DB", ""),
        ("XDG_DATA_HOME", "opencode/opencode.db"),
    ],
    default: ".local/share/opencode/opencode.db",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: |line| has_text(line, "sessionID") && line.get("part").is_some(),
    is_document: |opening| {
        opening.any_part(&["info"], |info| has_text(info, "directory"))
            || opening.any_part(&["messages"], |m| {
                m.get("info").is_some() && m.get("parts").is_some()
            })
    },
    ..FormatRow::new("opencode", Some("opencode"), || Box::new(OpenCodeReader))
};

/// The `info` of a session or of a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenCodeInfo<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    directory: Option<Text<'a>>,
    #[serde(borrow, rename = "parentID", default)]
    parent: Option<Text<'a>>,
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    error: Option<OpenCodeError<'a>>,
}

#[derive(Deserialize)]
struct OpenCodeError<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
}

/// A message of an export, or a line of the stream, which has one part.
#[derive(Deserialize)]
struct OpenCodeMessage<'a> {
    #[serde(borrow, default)]
    info: Option<OpenCodeInfo<'a>>,
    #[serde(borrow, default)]
    parts: Vec<OpenCodePart<'a>>,
    #[serde(borrow, rename = "sessionID", default)]
    session: Option<Text<'a>>,
    #[serde(borrow, default)]
    part: Option<OpenCodePart<'a>>,
}

#[derive(Deserialize)]
struct OpenCodePart<'a> {
    #[serde(rename = "type", default)]
    kind: OpenCodePartKind,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    /// Whether the client wrote the text.
    #[serde(default)]
    synthetic: Option<bool>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool: Option<Text<'a>>,
    #[serde(borrow, rename = "callID", default)]
    call: Option<Text<'a>>,
    #[serde(borrow, default)]
    state: Option<OpenCodeToolState<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum OpenCodePartKind {
    Text,
    Tool,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct OpenCodeToolState<'a> {
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default)]
    metadata: Option<OpenCodeMetadata>,
}

#[derive(Deserialize)]
struct OpenCodeMetadata {
    #[serde(default)]
    exit: Option<i64>,
}

struct OpenCodeReader;

impl FormatReader for OpenCodeReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        match key {
            "info" => {
                let info: OpenCodeInfo<'_> = serde_json::from_str(json)?;
                session.enter_run(text_or_empty(info.id.as_ref()));
                session.set_folder(text_or_empty(info.directory.as_ref()));
                session.current_run().delegated = info.parent.is_some();
            }
            "" | "messages" => read_message(&serde_json::from_str(json)?, session),
            _ => {}
        }
        Ok(())
    }

    fn end_document(&mut self, session: &mut TranscriptSession) {
        session.close_run();
    }
}

fn read_message(message: &OpenCodeMessage<'_>, session: &mut TranscriptSession) {
    if let Some(id) = &message.session {
        session.enter_run(id.as_str());
    }
    let role = message.info.as_ref().and_then(|info| info.role.as_ref());
    let is_user = text_or_empty(role) == "user";
    for part in message.parts.iter().chain(&message.part) {
        match part.kind {
            OpenCodePartKind::Text if part.synthetic == Some(true) => {}
            OpenCodePartKind::Text if is_user => {
                session.add_user_message(strip_quotes(text_or_empty(part.text.as_ref())));
            }
            OpenCodePartKind::Text => session.add_agent_message(text_or_empty(part.text.as_ref())),
            OpenCodePartKind::Tool => read_tool_part(part, session),
            OpenCodePartKind::Other => {}
        }
    }
    let error = message.info.as_ref().and_then(|info| info.error.as_ref());
    if error.is_some_and(|error| text_or_empty(error.name.as_ref()) == "MessageAbortedError") {
        session.current_run().interrupted = true;
    }
}

/// Strips the quotes that `opencode run` puts around the prompt of its command line.
pub(super) fn strip_quotes(text: &str) -> &str {
    let inner = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn read_tool_part(part: &OpenCodePart<'_>, session: &mut TranscriptSession) {
    let Some(state) = &part.state else {
        return;
    };
    let name = text_or_empty(part.tool.as_ref());
    // The model's id of a call need not be its own.
    let call = text_or_empty(part.id.as_ref().or(part.call.as_ref()));
    session.add_call_once(
        call,
        name,
        tool::args_from_json(name, json_or_empty(state.input)),
    );
    let has_failed = match text_or_empty(state.status.as_ref()) {
        "completed" => false,
        "error" => true,
        _ => return,
    };
    let exit = state.metadata.as_ref().and_then(|metadata| metadata.exit);
    let output = json_or_empty(state.error.or(state.output));
    session.add_result(call, judge_json(exit, Some(has_failed), output));
}
