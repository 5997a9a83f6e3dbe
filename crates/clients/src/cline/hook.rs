//! Cline's payloads: those of its command line program, and those of its editor extension, which
//! put the same under a key named after the event.
//!
//! A tool of the command line program may do several things at once, such as run several commands;
//! each is an event of its own here, because each fails on its own.

use hardwon_core::limits;
use hardwon_engine::attend::{Happened, Start};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    hook::{
        call::PayloadCall,
        incoming::{HookPayload, PayloadError, PayloadPlace, one, prompted, stopped},
        table::{Dialect, EventKey, HookRow, Means},
    },
    transcript::{
        live::{self, CallEnd},
        tool,
    },
};

/// How the payloads are read.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookName,
    read,
};

/// A payload, exactly as Cline sends it.
#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(rename = "hookName")]
    hook_name: Option<String>,
    #[serde(rename = "taskId")]
    task_id: Option<String>,
    #[serde(rename = "workspaceRoots")]
    workspace_roots: Option<Vec<String>>,
    /// What the command line program is about to do.
    #[serde(borrow)]
    tool_call: Option<ToolCall<'a>>,
    /// What the command line program did.
    #[serde(borrow)]
    tool_result: Option<ToolResult<'a>>,
    #[serde(borrow, rename = "preToolUse")]
    pre_tool_use: Option<ToolUse<'a>>,
    #[serde(borrow, rename = "postToolUse")]
    post_tool_use: Option<ToolUse<'a>>,
    #[serde(rename = "userPromptSubmit")]
    user_prompt_submit: Option<UserPrompt>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// One thing that a tool did.
#[derive(Deserialize)]
struct Done<'a> {
    query: Option<String>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    success: Option<bool>,
}

/// The commands of a tool that runs several.
#[derive(Deserialize)]
struct Commands {
    commands: Vec<String>,
}

/// A call as the editor extension tells of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    tool_name: Option<String>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct UserPrompt {
    prompt: Option<String>,
}

/// The parameters of the tool through which the editor extension reaches other servers.
#[derive(Deserialize)]
struct Remote {
    server_name: String,
    tool_name: String,
}

fn read(row: &HookRow, hint: Option<&str>, json: &str) -> Result<HookPayload, PayloadError> {
    let payload: Payload<'_> = serde_json::from_str(json)?;
    let event = payload
        .hook_name
        .as_deref()
        .or(hint)
        .and_then(|name| row.event(name));
    let root = payload.workspace_roots.as_ref().and_then(|it| it.first());
    let place = PayloadPlace {
        session: payload.task_id.as_deref(),
        cwd: root.map(String::as_str),
        transcript: None,
        in_subagent: false,
        is_typed: None,
    };
    place.into_payload(event.map_or_else(Vec::new, |event| {
        happened(event.name, event.means, &payload)
    }))
}

fn happened(name: &str, means: Means, payload: &Payload<'_>) -> Vec<Happened> {
    match means {
        Means::Start if name == "TaskResume" => vec![Happened::Started(Start::Resumed)],
        Means::Start => vec![Happened::Started(Start::Fresh)],
        Means::Prompt => {
            let prompt = payload.user_prompt_submit.as_ref();
            prompted(prompt.and_then(|prompt| prompt.prompt.as_deref()))
        }
        Means::Calling => calling(payload),
        Means::Called | Means::Failed => called(payload),
        Means::Stop => stopped(None, false),
        Means::Compact => vec![Happened::Compacting],
        Means::End => vec![Happened::Ended],
        Means::SubagentStart | Means::SubagentStop | Means::Batch => Vec::new(),
    }
}

fn calling(payload: &Payload<'_>) -> Vec<Happened> {
    if let Some(used) = &payload.pre_tool_use {
        return one(used.call(&used.tool()).calling());
    }
    let Some(told) = &payload.tool_call else {
        return Vec::new();
    };
    let tool = told.name.as_deref().unwrap_or_default();
    let args = told.input.map_or("", RawValue::get);
    match serde_json::from_str::<Commands>(args) {
        Ok(several) if tool::is_shell(tool) => {
            let commands = several.commands.iter().take(limits::BATCH_CALLS);
            let lines = commands.enumerate();
            lines
                .filter_map(|(at, line)| {
                    let (id, args) = (part(told.id.as_deref(), at), quoted(line));
                    command(tool, &id, &args).calling()
                })
                .collect()
        }
        _ => one(PayloadCall {
            id: told.id.as_deref(),
            tool,
            args,
            is_remote: false,
        }
        .calling()),
    }
}

fn called(payload: &Payload<'_>) -> Vec<Happened> {
    if let Some(used) = &payload.post_tool_use {
        return one(used.call(&used.tool()).called(used.ended()));
    }
    let Some(told) = &payload.tool_result else {
        return Vec::new();
    };
    let tool = told.name.as_deref().unwrap_or_default();
    let output = told.output.map_or("", RawValue::get);
    let done: Vec<Done<'_>> = serde_json::from_str(output).unwrap_or_default();
    if tool::is_shell(tool) && !done.is_empty() {
        let parts = done.iter().take(limits::BATCH_CALLS).enumerate();
        return parts
            .filter_map(|(at, done)| {
                let line = done.query.as_deref().unwrap_or_default();
                let (id, args) = (part(told.id.as_deref(), at), quoted(line));
                command(tool, &id, &args).called(done.ended())
            })
            .collect();
    }
    let call = PayloadCall {
        id: told.id.as_deref(),
        tool,
        args: told.input.map_or("", RawValue::get),
        is_remote: false,
    };
    one(call.called(told.ended(&done, output)))
}

/// Names one command of a call that runs several.
fn part(call: Option<&str>, at: usize) -> String {
    match (call, at) {
        (None, _) => String::new(),
        (Some(call), 0) => call.to_owned(),
        (Some(call), at) => format!("{call}#{at}"),
    }
}

fn quoted(line: &str) -> String {
    serde_json::json!({ "command": line }).to_string()
}

fn command<'c>(tool: &'c str, id: &'c str, args: &'c str) -> PayloadCall<'c> {
    PayloadCall {
        id: Some(id),
        tool,
        args,
        is_remote: false,
    }
}

impl Done<'_> {
    /// Tells how it ended; what it printed names the trouble better than the client's word for it.
    fn ended(&self) -> CallEnd {
        let result = self.result.map_or("", RawValue::get);
        let error = live::error_message(self.error.map_or("", RawValue::get));
        if error.is_empty() {
            return live::judge_json(None, Some(self.success == Some(false)), result);
        }
        let printed = live::text_in(result);
        live::judge_text(None, Some(true), format!("{printed}\n{error}").trim())
    }
}

impl ToolResult<'_> {
    /// Tells how a call ended by its own error, else by the first part that failed.
    fn ended(&self, done: &[Done<'_>], output: &str) -> CallEnd {
        let error = live::error_message(self.error.map_or("", RawValue::get));
        if !error.is_empty() {
            return live::judge_text(None, Some(true), &error);
        }
        if done.is_empty() {
            return live::judge_json(None, Some(false), output);
        }
        let mut ends = done.iter().map(Done::ended);
        ends.find(|ended| !matches!(ended, CallEnd::Ok(_) | CallEnd::Unseen))
            .unwrap_or(CallEnd::Unseen)
    }
}

impl ToolUse<'_> {
    /// Returns the tool, under the name other clients give it where it is another server's.
    fn tool(&self) -> String {
        let name = self.tool_name.as_deref().unwrap_or_default();
        let args = self.parameters.map_or("", RawValue::get);
        match serde_json::from_str::<Remote>(args) {
            Ok(remote) if name == "use_mcp_tool" => {
                format!("mcp__{}__{}", remote.server_name, remote.tool_name)
            }
            _ => name.to_owned(),
        }
    }

    fn call<'c>(&'c self, tool: &'c str) -> PayloadCall<'c> {
        PayloadCall {
            id: None,
            tool,
            args: self.parameters.map_or("", RawValue::get),
            is_remote: false,
        }
    }

    fn ended(&self) -> CallEnd {
        let failed = Some(self.success == Some(false));
        live::judge_json(None, failed, self.result.map_or("", RawValue::get))
    }
}
