//! Cursor's payloads, as documented.
//!
//! A result comes as JSON inside a string. A command that exits with 7 is a success with an exit code; a tool that
//! could not do its work has an event of its own.

use crate::{
    claude_code,
    hook::{
        fields::Fields,
        table::{HookEventKind, PayloadForm},
    },
    transcript::live::{self, CallEnd},
};

/// The form of these payloads. It has no flag for a continuation, but counts them.
pub(super) const FORM: PayloadForm = PayloadForm {
    session: &["conversation_id", "session_id"],
    agent: &[],
    folders: &["workspace_roots"],
    source: &[],
    call: &["tool_use_id"],
    message: &[],
    continued: &["loop_count"],
    is_remote: |tool, _| tool.starts_with("MCP:"),
    call_end: |kind, fields| match kind {
        HookEventKind::Failed => read_failed_end(fields),
        _ => Some(read_call_end(fields)),
    },
    ..claude_code::hook::FORM
};

fn read_call_end(fields: &Fields<'_>) -> CallEnd {
    let text = live::text_in(fields.json(&["tool_output"]));
    let Ok(output) = serde_json::from_str::<Fields<'_>>(&text) else {
        return live::judge_text(None, Some(false), &text);
    };
    let streams = ["stdout", "output", "stderr"];
    let texts = streams.iter().filter_map(|name| output.text(&[name]));
    let text = texts.collect::<Vec<_>>().join("\n");
    live::judge_text(output.read(&["exitCode", "exit_code"]), Some(false), &text)
}

fn read_failed_end(fields: &Fields<'_>) -> Option<CallEnd> {
    if fields.is_true("is_interrupt") {
        return None;
    }
    if fields.text(&["failure_type"]).as_deref() == Some("permission_denied") {
        return Some(CallEnd::Refused);
    }
    let error = fields.text(&["error_message"]).unwrap_or_default();
    Some(live::judge_text(None, Some(true), &error))
}
