//! pi: `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`.
//!
//! A header line, then entries that form a tree by `id` and `parentId`; they are read in the order in which they were
//! written, because an attempt that was taken back was made all the same.

use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    BrokenRecord, FormatRow, ReadResult, SessionHome, Text, TranscriptSession, WireContent,
    call_report::judge_text,
    format::{has_text, text_at},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[SessionHome::new(
        &[("PI_CODING_AGENT_DIR", "sessions")],
        ".pi/agent/sessions",
    )],
    is_line: is_pi,
    ..FormatRow::new("pi", Some("pi"), || Box::new(read_line))
};

fn is_pi(line: &Value) -> bool {
    let is_header =
        text_at(line, "type") == "session" && has_text(line, "cwd") && has_text(line, "id");
    let is_message = text_at(line, "type") == "message" && line.pointer("/message/role").is_some();
    is_header || is_message
}

/// One line, exactly as pi writes it.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct PiLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    id: Text<'a>,
    cwd: Text<'a>,
    message: Option<PiMessage<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct PiMessage<'a> {
    role: Text<'a>,
    content: WireContent<'a>,
    tool_call_id: Text<'a>,
    is_error: Option<bool>,
    stop_reason: Text<'a>,
}

fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: PiLine<'_> = serde_json::from_str(json)?;
    match line.kind.as_str() {
        "session" => {
            session.enter_run(line.id.as_str());
            session.set_folder(line.cwd.as_str());
        }
        "message" => read_message(line.message.as_ref().ok_or(BrokenRecord)?, session),
        _ => {}
    }
    Ok(())
}

fn read_message(message: &PiMessage<'_>, session: &mut TranscriptSession) {
    let text = message.content.joined_text();
    match message.role.as_str() {
        "user" => session.add_user_message(&text),
        "assistant" => {
            session.add_agent_message(&text);
            let blocks = message.content.blocks().iter();
            for call in blocks.filter(|block| block.is_of_kind("toolCall")) {
                session.add_block_call(call);
            }
            if message.stop_reason.as_str() == "aborted" {
                session.current_run().interrupted = true;
            }
        }
        "toolResult" => {
            let outcome = judge_text(None, Some(message.is_error == Some(true)), &text);
            session.add_result(message.tool_call_id.as_str(), outcome);
        }
        _ => {}
    }
}
