//! Cursor's payloads, as documented.
//!
//! A result comes as JSON inside a string. A command that exits with 7 is a success with an exit code; a tool that
//! could not do its work has an event of its own.

use crate::{
    claude_code,
    hook::{Fields, HookEventKind, PayloadForm},
    transcript::{ReportedOutcome, call_report::judge_text, wire},
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

fn read_call_end<'a>(fields: &Fields<'a>) -> ReportedOutcome<'a> {
    let text = wire::text_from_json(fields.json(&["tool_output"]));
    let Ok(output) = serde_json::from_str::<Fields<'_>>(&text) else {
        return judge_text(None, Some(false), &text).into_owned();
    };
    let streams = ["stdout", "output", "stderr"];
    let texts = streams.iter().filter_map(|name| output.text(&[name]));
    let text = texts.collect::<Vec<_>>().join("\n");
    let exit = output.read(&["exitCode", "exit_code"]);
    judge_text(exit, Some(false), &text).into_owned()
}

fn read_failed_end<'a>(fields: &Fields<'a>) -> Option<ReportedOutcome<'a>> {
    if fields.is_true("is_interrupt") {
        return None;
    }
    if fields.text(&["failure_type"]).as_deref() == Some("permission_denied") {
        return Some(ReportedOutcome::Rejected(None));
    }
    let error = fields.text(&["error_message"]).unwrap_or_default();
    Some(judge_text(None, Some(true), &error).into_owned())
}
