//! Claude Code's payloads, and those of Codex and Qwen Code, which adopted them.
//!
//! A failed call has an event of its own.
//!
//! The differences: Codex has no such event and does not say whether a command failed, and it names a sub-agent's own
//! session; Qwen Code sends an empty prompt after every batch of calls and has two ids for a call, of which
//! `tool_call_id` is the model's and the transcript's.

use hardwon_core::limits;
use hardwon_engine::SessionEventKind;

use crate::{
    hook::{EnvLookup, Fields, HookEventKind, PayloadCall, PayloadForm, SessionSigns},
    transcript::{
        call_report::{ReportedOutcome, ReportedOutput, judge_json, judge_text},
        tool, wire,
    },
};

/// The form of these payloads.
pub(crate) const FORM: PayloadForm = PayloadForm {
    version: None,
    event: &["hook_event_name"],
    session: &["session_id"],
    agent: &["agent_id"],
    is_agent_session: false,
    parent: &[],
    cwd: &["cwd"],
    folders: &[],
    transcript: &["transcript_path"],
    source: &["source"],
    prompt: &["prompt"],
    typed_part: |prompt| prompt,
    typed: &[],
    call: &["tool_call_id", "tool_use_id"],
    tool: &["tool_name"],
    args: &["tool_input"],
    message: &["last_assistant_message"],
    continued: &["stop_hook_active"],
    is_remote: |_, _| false,
    call_end: read_call_end,
    own_events: |event, fields| (event.kind == HookEventKind::Batch).then(|| read_batch(fields)),
};

pub(crate) fn read_call_end<'a>(
    kind: HookEventKind,
    fields: &Fields<'a>,
) -> Option<ReportedOutcome<'a>> {
    const RESPONSE: &[&str] = &["tool_response"];
    let json = fields.json(RESPONSE);
    let response = fields.object(RESPONSE);
    let is_cut = response.is_true("interrupted") && !reads_outside(fields);
    if fields.is_true("is_interrupt") || is_cut {
        return None;
    }
    if kind == HookEventKind::Failed {
        return Some(fields.stated_error());
    }
    let content = response.json(&["content"]);
    // An MCP server's tool reports that it failed.
    if response.is_true("isError") {
        return Some(judge_json(None, Some(true), content));
    }
    if json.is_empty() || response.is_true("isImage") || wire::has_picture(json) {
        return Some(ReportedOutcome::UNSEEN);
    }
    let output = if response.has("stdout") || response.has("stderr") {
        let streams = [
            response.json(&["stdout"]),
            response.json(&["stderr"]),
            content,
        ];
        let texts = streams.into_iter().filter(|json| !json.is_empty());
        texts
            .map(wire::text_from_json)
            .collect::<Vec<_>>()
            .join("\n")
            .into()
    } else if json.starts_with('{') {
        wire::strings_from_json(json).into()
    } else {
        wire::text_from_json(json)
    };
    let output = match response.text(&["backgroundTaskId", "taskId"]) {
        Some(task) => format!("{output}\nRunning in background with ID: {task}").into(),
        None => output,
    };
    let output = match response.text(&["persistedOutputPath"]) {
        Some(path) => format!("{output}\nOutput saved to {path}").into(),
        None => output,
    };
    Some(ReportedOutcome::Ok(ReportedOutput::Text(output)))
}

/// Returns whether a call reads content from outside: what it printed was read, even if it was interrupted then.
fn reads_outside(fields: &Fields<'_>) -> bool {
    let tool = fields.text(&["tool_name"]).unwrap_or_default();
    let args = tool::args_from_json(&tool, fields.json(&["tool_input"]));
    tool::is_outside_tool(&tool, &args, true)
}

/// Returns the calls of a batch that were rejected before they ran, and so had no event of their own: an edit whose old
/// text is not in the file, arguments that do not fit.
fn read_batch(fields: &Fields<'_>) -> Vec<SessionEventKind> {
    let calls: Vec<Fields<'_>> = fields.read(&["tool_calls"]).unwrap_or_default();
    let calls = calls.iter().take(limits::BATCH_CALLS);
    calls.filter_map(refused_event).collect()
}

fn refused_event(call: &Fields<'_>) -> Option<SessionEventKind> {
    const MARK: &str = "<tool_use_error>";
    let json = call.json(&["tool_response"]);
    if !json.contains(MARK) {
        return None;
    }
    let text = wire::text_from_json(json);
    if !text.trim_start().starts_with(MARK) {
        return None;
    }
    let id = call.text(&["tool_use_id"]);
    let tool = call.text(&["tool_name"]).unwrap_or_default();
    let refused_call = PayloadCall::new(id.as_deref(), &tool, call.json(&["tool_input"]));
    refused_call.called_event(judge_text(None, Some(true), &text))
}

/// Another agent, started from the client's shell, inherits the first variable, so the second must match too.
pub(super) fn is_interactive(signs: &SessionSigns<'_>, env: EnvLookup<'_>) -> Option<bool> {
    let is_own = env("CLAUDE_CODE_SESSION_ID").as_deref() == Some(signs.session);
    env("CLAUDE_CODE_SESSION_ATTENDED").map(|attended| attended == "1" && is_own)
}
