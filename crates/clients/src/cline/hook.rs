//! Cline's payloads: those of its command line program, and those of its editor extension, which have the same content
//! under a key named after the event.
//!
//! A tool of the command line program may do several things at once, such as run several commands; each is an event of
//! its own here, because each fails on its own.

use hardwon_core::limits;
use hardwon_engine::attend::{SessionEventKind, SessionStartKind};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    hook::{
        call::PayloadCall,
        incoming::{
            HookPayload, PayloadContext, PayloadError, prompt_events, stop_events, zero_or_one,
        },
        table::{Dialect, EventKey, HookEventKind, HookRow},
    },
    transcript::{
        live::{self, CallEnd},
        tool,
    },
};

/// The parser of these payloads.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookName,
    read: read_payload,
};

/// A payload, exactly as Cline sends it.
#[derive(Deserialize)]
struct ClinePayload<'a> {
    #[serde(rename = "hookName")]
    hook_name: Option<String>,
    #[serde(rename = "taskId")]
    task_id: Option<String>,
    #[serde(rename = "workspaceRoots")]
    workspace_roots: Option<Vec<String>>,
    /// A call that the command line program is about to make.
    #[serde(borrow)]
    tool_call: Option<ClineToolCall<'a>>,
    /// A call that the command line program made.
    #[serde(borrow)]
    tool_result: Option<ClineToolResult<'a>>,
    #[serde(borrow, rename = "preToolUse")]
    pre_tool_use: Option<ClineToolUse<'a>>,
    #[serde(borrow, rename = "postToolUse")]
    post_tool_use: Option<ClineToolUse<'a>>,
    #[serde(rename = "userPromptSubmit")]
    user_prompt_submit: Option<ClineUserPrompt>,
}

#[derive(Deserialize)]
struct ClineToolCall<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ClineToolResult<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// The result of one part of a tool's work.
#[derive(Deserialize)]
struct ClineToolOutput<'a> {
    query: Option<String>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    success: Option<bool>,
}

/// The commands of a tool that runs several.
#[derive(Deserialize)]
struct ClineCommands {
    commands: Vec<String>,
}

/// A call as the editor extension reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClineToolUse<'a> {
    tool_name: Option<String>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct ClineUserPrompt {
    prompt: Option<String>,
}

/// The parameters of the editor extension's tool that calls other servers' tools.
#[derive(Deserialize)]
struct RemoteTool {
    server_name: String,
    tool_name: String,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: ClinePayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.hook_name.as_deref(), hint);
    let root = payload
        .workspace_roots
        .as_ref()
        .and_then(|workspace_root| workspace_root.first());
    let place = PayloadContext {
        session: payload.task_id.as_deref(),
        cwd: root.map(String::as_str),
        transcript: None,
        ..PayloadContext::default()
    };
    place.into_payload(event.map_or_else(Vec::new, |event| {
        read_events(event.name, event.kind, &payload)
    }))
}

fn read_events(
    name: &str,
    means: HookEventKind,
    payload: &ClinePayload<'_>,
) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start if name == "TaskResume" => {
            vec![SessionEventKind::Started(SessionStartKind::Resumed)]
        }
        HookEventKind::Start => vec![SessionEventKind::Started(SessionStartKind::Fresh)],
        HookEventKind::Prompt => {
            let prompt = payload.user_prompt_submit.as_ref();
            prompt_events(prompt.and_then(|prompt| prompt.prompt.as_deref()))
        }
        HookEventKind::Calling => read_calling(payload),
        HookEventKind::Called | HookEventKind::Failed => read_called(payload),
        HookEventKind::Stop => stop_events(None, false),
        other => other.plain_events(),
    }
}

fn read_calling(payload: &ClinePayload<'_>) -> Vec<SessionEventKind> {
    if let Some(used) = &payload.pre_tool_use {
        return zero_or_one(used.payload_call(&used.tool_name()).calling_event());
    }
    let Some(told) = &payload.tool_call else {
        return Vec::new();
    };
    let tool = told.name.as_deref().unwrap_or_default();
    let args = told.input.map_or("", RawValue::get);
    match serde_json::from_str::<ClineCommands>(args) {
        Ok(several) if tool::is_shell(tool) => {
            let commands = several.commands.iter().take(limits::BATCH_CALLS);
            let lines = commands.enumerate();
            lines
                .filter_map(|(at, line)| {
                    let (id, args) = (command_id(told.id.as_deref(), at), command_args(line));
                    command_call(tool, &id, &args).calling_event()
                })
                .collect()
        }
        _ => zero_or_one(
            PayloadCall {
                id: told.id.as_deref(),
                tool,
                args,
                is_remote: false,
            }
            .calling_event(),
        ),
    }
}

fn read_called(payload: &ClinePayload<'_>) -> Vec<SessionEventKind> {
    if let Some(used) = &payload.post_tool_use {
        return zero_or_one(
            used.payload_call(&used.tool_name())
                .called_event(used.call_end()),
        );
    }
    let Some(told) = &payload.tool_result else {
        return Vec::new();
    };
    let tool = told.name.as_deref().unwrap_or_default();
    let output = told.output.map_or("", RawValue::get);
    let outputs: Vec<ClineToolOutput<'_>> = serde_json::from_str(output).unwrap_or_default();
    if tool::is_shell(tool) && !outputs.is_empty() {
        let parts = outputs.iter().take(limits::BATCH_CALLS).enumerate();
        return parts
            .filter_map(|(at, outputs)| {
                let line = outputs.query.as_deref().unwrap_or_default();
                let (id, args) = (command_id(told.id.as_deref(), at), command_args(line));
                command_call(tool, &id, &args).called_event(outputs.call_end())
            })
            .collect();
    }
    let call = PayloadCall {
        id: told.id.as_deref(),
        tool,
        args: told.input.map_or("", RawValue::get),
        is_remote: false,
    };
    zero_or_one(call.called_event(told.call_end(&outputs, output)))
}

/// Returns the id of one command of a call that runs several.
fn command_id(call: Option<&str>, at: usize) -> String {
    match (call, at) {
        (None, _) => String::new(),
        (Some(call), 0) => call.to_owned(),
        (Some(call), at) => format!("{call}#{at}"),
    }
}

fn command_args(line: &str) -> String {
    serde_json::json!({ "command": line }).to_string()
}

fn command_call<'c>(tool: &'c str, id: &'c str, args: &'c str) -> PayloadCall<'c> {
    PayloadCall {
        id: Some(id),
        tool,
        args,
        is_remote: false,
    }
}

impl ClineToolOutput<'_> {
    /// Decides how the call ended; its output names the failure better than the client's own message.
    fn call_end(&self) -> CallEnd {
        let result = self.result.map_or("", RawValue::get);
        let error = live::error_message(self.error.map_or("", RawValue::get));
        if error.is_empty() {
            return live::judge_json(None, Some(self.success == Some(false)), result);
        }
        let output = live::text_in(result);
        live::judge_text(None, Some(true), format!("{output}\n{error}").trim())
    }
}

impl ClineToolResult<'_> {
    /// Decides how a call ended: by its own error, else by the first part that failed.
    fn call_end(&self, done: &[ClineToolOutput<'_>], output: &str) -> CallEnd {
        let error = live::error_message(self.error.map_or("", RawValue::get));
        if !error.is_empty() {
            return live::judge_text(None, Some(true), &error);
        }
        if done.is_empty() {
            return live::judge_json(None, Some(false), output);
        }
        let mut ends = done.iter().map(ClineToolOutput::call_end);
        ends.find(|ended| !matches!(ended, CallEnd::Ok(_) | CallEnd::Unseen))
            .unwrap_or(CallEnd::Unseen)
    }
}

impl ClineToolUse<'_> {
    /// Returns the tool's name; for another server's tool the name that other clients give it.
    fn tool_name(&self) -> String {
        let name = self.tool_name.as_deref().unwrap_or_default();
        let args = self.parameters.map_or("", RawValue::get);
        match serde_json::from_str::<RemoteTool>(args) {
            Ok(remote) if name == "use_mcp_tool" => {
                format!("mcp__{}__{}", remote.server_name, remote.tool_name)
            }
            _ => name.to_owned(),
        }
    }

    fn payload_call<'c>(&'c self, tool: &'c str) -> PayloadCall<'c> {
        PayloadCall {
            id: None,
            tool,
            args: self.parameters.map_or("", RawValue::get),
            is_remote: false,
        }
    }

    fn call_end(&self) -> CallEnd {
        let has_failed = Some(self.success == Some(false));
        live::judge_json(None, has_failed, self.result.map_or("", RawValue::get))
    }
}
