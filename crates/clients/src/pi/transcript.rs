//! pi: `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`.
//!
//! A header line, then entries that form a tree by `id` and `parentId`; they are read in the order in which they were
//! written, because an attempt that was taken back was made all the same.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, judge_report},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    session::TranscriptSession,
    tool,
    wire::{Text, WireContent, join_lines, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "pi",
    settings: &[("PI_CODING_AGENT_DIR", "sessions")],
    default: ".pi/agent/sessions",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_pi,
    ..FormatRow::new("pi", Some("pi"), || Box::new(PiReader))
};

fn is_pi(line: &Value) -> bool {
    let is_header =
        text_at(line, "type") == "session" && has_text(line, "cwd") && has_text(line, "id");
    let is_message = text_at(line, "type") == "message" && line.pointer("/message/role").is_some();
    is_header || is_message
}

/// One line, exactly as pi writes it.
#[derive(Deserialize)]
struct PiLine<'a> {
    #[serde(rename = "type", default)]
    kind: PiLineKind,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    message: Option<PiMessage<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum PiLineKind {
    Session,
    Message,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PiMessage<'a> {
    #[serde(default)]
    role: PiRole,
    #[serde(borrow, default)]
    content: WireContent<'a, PiBlock<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    stop_reason: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
enum PiRole {
    User,
    Assistant,
    ToolResult,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct PiBlock<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

struct PiReader;

impl FormatReader for PiReader {
    fn read_value(
        &mut self,
        _: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let line: PiLine<'_> = serde_json::from_str(json)?;
        match line.kind {
            PiLineKind::Session => {
                session.enter_run(text_or_empty(line.id.as_ref()));
                session.set_folder(text_or_empty(line.cwd.as_ref()));
            }
            PiLineKind::Message => {
                read_message(line.message.as_ref().ok_or(BrokenRecord)?, session);
            }
            PiLineKind::Other => {}
        }
        Ok(())
    }
}

fn read_message(message: &PiMessage<'_>, session: &mut TranscriptSession) {
    match message.role {
        PiRole::User => session.add_user_message(&text_from_blocks(&message.content)),
        PiRole::Assistant => {
            session.add_agent_message(&text_from_blocks(&message.content));
            read_calls(&message.content, session);
            if text_or_empty(message.stop_reason.as_ref()) == "aborted" {
                session.current_run().interrupted = true;
            }
        }
        PiRole::ToolResult => {
            let text = text_from_blocks(&message.content);
            let outcome = judge_report(CallReport {
                exit: None,
                failed: Some(message.is_error == Some(true)),
                text: &text,
            });
            session.add_result(text_or_empty(message.tool_call_id.as_ref()), outcome);
        }
        PiRole::Other => {}
    }
}

fn read_calls(content: &WireContent<'_, PiBlock<'_>>, session: &mut TranscriptSession) {
    let WireContent::Blocks(blocks) = content else {
        return;
    };
    for block in blocks
        .iter()
        .filter(|b| text_or_empty(b.kind.as_ref()) == "toolCall")
    {
        let name = text_or_empty(block.name.as_ref());
        let args = tool::args_from_json(name, json_or_empty(block.arguments));
        session.add_call(text_or_empty(block.id.as_ref()), name, args);
    }
}

fn text_from_blocks<'t>(content: &'t WireContent<'_, PiBlock<'_>>) -> std::borrow::Cow<'t, str> {
    match content {
        WireContent::Text(text) => text.as_str().into(),
        WireContent::Other => "".into(),
        WireContent::Blocks(blocks) => join_lines(
            blocks
                .iter()
                .filter_map(|block| block.text.as_ref())
                .map(Text::as_str),
        ),
    }
}
