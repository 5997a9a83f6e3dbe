//! Cline's payloads: those of its command line program, and those of its editor extension, which have the same content
//! under a key named after the event.
//!
//! A tool of the command line program may do several things at once, such as run several commands; each is an event of
//! its own here, because each fails on its own.

use hardwon_core::limits;
use hardwon_engine::{SessionEventKind, attend::SessionStartKind};
use serde::Deserialize;

use crate::{
    claude_code,
    hook::{
        Fields, HookEvent, HookEventKind, PayloadCall, PayloadForm,
        incoming::{prompt_events, zero_or_one},
    },
    transcript::{
        ReportedOutcome,
        call_report::{error_message, judge_json, judge_text},
        tool, wire,
    },
};

/// The form of these payloads.
pub(super) const FORM: PayloadForm = PayloadForm {
    event: &["hookName"],
    session: &["taskId"],
    agent: &[],
    cwd: &[],
    folders: &["workspaceRoots"],
    transcript: &[],
    message: &[],
    continued: &[],
    own_events: read_own_events,
    ..claude_code::hook::FORM
};

/// The commands of a tool that runs several.
#[derive(Deserialize)]
struct ClineCommands {
    commands: Vec<String>,
}

/// The parameters of the editor extension's tool that calls other servers' tools.
#[derive(Deserialize)]
struct RemoteTool {
    server_name: String,
    tool_name: String,
}

fn read_own_events(event: &HookEvent, fields: &Fields<'_>) -> Option<Vec<SessionEventKind>> {
    Some(match event.kind {
        HookEventKind::Start => vec![SessionEventKind::Started(match event.name {
            "TaskResume" => SessionStartKind::Resumed,
            _ => SessionStartKind::Fresh,
        })],
        HookEventKind::Prompt => {
            let prompt = fields.object(&["userPromptSubmit"]).text(&["prompt"]);
            prompt_events(prompt.as_deref())
        }
        HookEventKind::Calling => read_calling(fields),
        HookEventKind::Called | HookEventKind::Failed => read_called(fields),
        _ => return None,
    })
}

fn read_calling(fields: &Fields<'_>) -> Vec<SessionEventKind> {
    let begin = |call: PayloadCall<'_>| call.calling_event();
    if fields.has("preToolUse") {
        return zero_or_one(with_extension_call(&fields.object(&["preToolUse"]), begin));
    }
    let call = fields.object(&["tool_call"]);
    let tool = call.text(&["name"]).unwrap_or_default();
    let id = call.text(&["id"]);
    match call.read::<ClineCommands>(&["input"]) {
        Some(several) if tool::is_shell(&tool) => {
            let commands = several.commands.iter().take(limits::BATCH_CALLS);
            let lines = commands.enumerate();
            lines
                .filter_map(|(at, line)| with_command(&tool, id.as_deref(), at, line, begin))
                .collect()
        }
        _ => zero_or_one(begin(PayloadCall::new(
            id.as_deref(),
            &tool,
            call.json(&["input"]),
        ))),
    }
}

fn read_called(fields: &Fields<'_>) -> Vec<SessionEventKind> {
    if fields.has("postToolUse") {
        let call = fields.object(&["postToolUse"]);
        let call_end = judge_part(&call);
        return zero_or_one(with_extension_call(&call, |call| {
            call.called_event(call_end)
        }));
    }
    let result = fields.object(&["tool_result"]);
    let tool = result.text(&["name"]).unwrap_or_default();
    let id = result.text(&["id"]);
    let parts: Vec<Fields<'_>> = result.read(&["output"]).unwrap_or_default();
    if tool::is_shell(&tool) && !parts.is_empty() {
        let parts = parts.iter().take(limits::BATCH_CALLS).enumerate();
        return parts
            .filter_map(|(at, part)| {
                let line = part.text(&["query"]).unwrap_or_default();
                let end = |call: PayloadCall<'_>| call.called_event(judge_part(part));
                with_command(&tool, id.as_deref(), at, &line, end)
            })
            .collect();
    }
    let call = PayloadCall::new(id.as_deref(), &tool, result.json(&["input"]));
    zero_or_one(call.called_event(judge_result(&result, &parts)))
}

/// Makes the event of one command of a call that runs several.
fn with_command(
    tool: &str,
    call: Option<&str>,
    at: usize,
    line: &str,
    make_event: impl Fn(PayloadCall<'_>) -> Option<SessionEventKind>,
) -> Option<SessionEventKind> {
    let id = call.map(|call| match at {
        0 => call.to_owned(),
        at => format!("{call}#{at}"),
    });
    make_event(PayloadCall::new(
        id.as_deref(),
        tool,
        &serde_json::json!({ "command": line }).to_string(),
    ))
}

/// Makes the event of a call as the editor extension reports it. Another server's tool has the name that other clients
/// give it.
fn with_extension_call(
    call: &Fields<'_>,
    make_event: impl FnOnce(PayloadCall<'_>) -> Option<SessionEventKind>,
) -> Option<SessionEventKind> {
    let name = call.text(&["toolName"]).unwrap_or_default();
    let tool = match call.read::<RemoteTool>(&["parameters"]) {
        Some(remote) if name == "use_mcp_tool" => {
            format!("mcp__{}__{}", remote.server_name, remote.tool_name)
        }
        _ => name,
    };
    make_event(PayloadCall::new(None, &tool, call.json(&["parameters"])))
}

/// Decides how a call, or a part of it, ended; its output names the failure better than the client's own message.
fn judge_part<'a>(part: &Fields<'a>) -> ReportedOutcome<'a> {
    let result = part.json(&["result"]);
    let error = error_message(part.json(&["error"]));
    if error.is_empty() {
        let has_failed = part.json(&["success"]) == "false";
        return judge_json(None, Some(has_failed), result);
    }
    let output = wire::text_from_json(result);
    judge_text(None, Some(true), format!("{output}\n{error}").trim()).into_owned()
}

/// Decides how a call ended: by its own error, else by the first part that failed.
fn judge_result<'a>(result: &Fields<'a>, parts: &[Fields<'a>]) -> ReportedOutcome<'a> {
    let error = error_message(result.json(&["error"]));
    if !error.is_empty() {
        return judge_text(None, Some(true), &error).into_owned();
    }
    if parts.is_empty() {
        return judge_json(None, Some(false), result.json(&["output"]));
    }
    let mut ends = parts.iter().map(judge_part);
    ends.find(|end| !end.is_ok())
        .unwrap_or(ReportedOutcome::UNSEEN)
}
