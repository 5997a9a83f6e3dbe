//! Codex: `$CODEX_HOME/sessions/Y/M/D/rollout-<time>-<session>.jsonl`.
//!
//! Lines are `{type, payload}`; in the first versions the payload was alone on its line. A message can appear twice, as
//! an item of the model's protocol and as an event for the screen. A command's exit code is in an event that may come
//! before its output. In code mode a call is a script that makes others; newer versions write an event for each command
//! in it, which then counts, and of older ones [`code_mode`](super::code_mode) reads what the script printed.

use hardwon_core::id::RunId;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::code_mode::{self, ScriptReport, ScriptState};
use crate::transcript::{
    BrokenRecord, FormatReader,
    call_end::CallEnd,
    call_report::{CallReport, ReportedOutcome, ReportedOutput, judge_json, judge_report},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    open_run::PendingCall,
    session::TranscriptSession,
    to_text, tool,
    wire::{PlainContent, Text, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 2] = [
    SessionHome {
        client: "codex",
        settings: &[("CODEX_HOME", "sessions")],
        default: ".codex/sessions",
    },
    SessionHome {
        client: "codex",
        settings: &[("CODEX_HOME", "archived_sessions")],
        default: ".codex/archived_sessions",
    },
];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_codex,
    ..FormatRow::new("codex", Some("codex"), || Box::new(CodexReader))
};

fn is_codex(line: &Value) -> bool {
    const WRAPPED: [&str; 5] = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    ];
    const BARE: [&str; 5] = [
        "message",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "reasoning",
    ];
    let kind = text_at(line, "type");
    let is_wrapped = WRAPPED.contains(&kind) && line.get("payload").is_some();
    let is_bare = BARE.contains(&kind)
        && (line.get("call_id").is_some() || line.pointer("/content/0/type").is_some());
    let is_old_header = kind.is_empty()
        && has_text(line, "id")
        && has_text(line, "timestamp")
        && line.get("instructions").is_some();
    is_wrapped || is_bare || is_old_header
}

/// One line, exactly as Codex writes it. Old lines have no `payload`.
#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

/// The session's metadata, in the first line.
#[derive(Deserialize)]
struct CodexMeta<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    git: Option<CodexGit<'a>>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CodexGit<'a> {
    #[serde(borrow, default)]
    repository_url: Option<Text<'a>>,
}

/// An item of the model's protocol.
#[derive(Deserialize)]
struct CodexItem<'a> {
    #[serde(rename = "type", default)]
    kind: CodexItemKind,
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    namespace: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    internal_chat_message_metadata_passthrough: Option<Passthrough<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum CodexItemKind {
    Message,
    FunctionCall,
    CustomToolCall,
    LocalShellCall,
    WebSearchCall,
    FunctionCallOutput,
    CustomToolCallOutput,
    #[default]
    #[serde(other)]
    Other,
}

/// The sources of a message's parts, in newer versions.
#[derive(Deserialize)]
struct Passthrough<'a> {
    #[serde(borrow, default)]
    content_item_kinds: Option<Vec<Text<'a>>>,
}

/// A failed result of old versions.
#[derive(Deserialize)]
struct OutputObject<'a> {
    #[serde(borrow)]
    content: Text<'a>,
    #[serde(default)]
    success: Option<bool>,
}

/// A result of old versions: JSON inside the text.
#[derive(Deserialize)]
struct WrappedOutput<'a> {
    #[serde(borrow)]
    output: Text<'a>,
    #[serde(default)]
    metadata: OutputMetadata,
}

#[derive(Deserialize, Default)]
struct OutputMetadata {
    #[serde(default)]
    exit_code: Option<i64>,
}

/// An event for the screen.
#[derive(Deserialize)]
struct CodexEvent<'a> {
    #[serde(rename = "type", default)]
    kind: CodexEventKind,
    #[serde(borrow, default)]
    message: Option<Text<'a>>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    command: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    aggregated_output: Option<&'a RawValue>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(borrow, default)]
    item: Option<CompletedItem<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum CodexEventKind {
    UserMessage,
    AgentMessage,
    ExecCommandEnd,
    PatchApplyEnd,
    TurnAborted,
    ItemCompleted,
    #[default]
    #[serde(other)]
    Other,
}

impl<'a> CodexEvent<'a> {
    /// Returns the end of a command, as older versions wrote it, in the form of newer ones.
    fn command_end(&self) -> CompletedItem<'a> {
        CompletedItem {
            id: self.call_id.clone(),
            command: self.command,
            exit_code: self.exit_code,
            status: self.status.clone(),
            aggregated_output: self.aggregated_output,
        }
    }
}

#[derive(Deserialize)]
struct CompletedItem<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    command: Option<&'a RawValue>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    aggregated_output: Option<&'a RawValue>,
}

struct CodexReader;

impl FormatReader for CodexReader {
    fn read_value(
        &mut self,
        _: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let line: CodexLine<'_> = serde_json::from_str(json)?;
        let Some(payload) = line.payload else {
            return read_old_line(&line, json, session);
        };
        match text_or_empty(line.kind.as_ref()) {
            "session_meta" => read_meta(&serde_json::from_str(payload.get())?, session),
            "turn_context" => {
                let context: CodexMeta<'_> = serde_json::from_str(payload.get())?;
                session.set_folder(text_or_empty(context.cwd.as_ref()));
            }
            "response_item" => read_item(&serde_json::from_str(payload.get())?, session),
            "event_msg" => read_event(&serde_json::from_str(payload.get())?, session),
            _ => {}
        }
        Ok(())
    }
}

/// Reads a line of the first versions, which wrote payloads without a wrapper.
fn read_old_line(
    line: &CodexLine<'_>,
    json: &str,
    session: &mut TranscriptSession,
) -> Result<(), BrokenRecord> {
    match &line.kind {
        Some(_) => read_item(&serde_json::from_str(json)?, session),
        None => read_meta(&serde_json::from_str(json)?, session),
    }
    Ok(())
}

/// Opens the session. A forked one repeats the first lines of its parent; its own came first.
fn read_meta(meta: &CodexMeta<'_>, session: &mut TranscriptSession) {
    let id = text_or_empty(meta.id.as_ref());
    if !session.runs.is_empty() || RunId::parse(id).is_err() {
        return;
    }
    session.enter_run(id);
    session.set_folder(text_or_empty(meta.cwd.as_ref()));
    let remote = meta
        .git
        .as_ref()
        .and_then(|git| git.repository_url.as_ref());
    session.set_remote(text_or_empty(remote));
    session.current_run().delegated = json_or_empty(meta.source).contains("subagent");
}

fn read_item(item: &CodexItem, session: &mut TranscriptSession) {
    let call = text_or_empty(item.call_id.as_ref());
    match item.kind {
        CodexItemKind::Message => read_message(item, session),
        CodexItemKind::CustomToolCall if text_or_empty(item.name.as_ref()) == SCRIPT_TOOL => {
            let source: Text<'_> =
                serde_json::from_str(json_or_empty(item.input)).unwrap_or_default();
            session.add_call(call, SCRIPT_TOOL, tool::args_from_text(source.as_str()));
        }
        CodexItemKind::FunctionCall if is_wait_for_script(item, session) => {}
        CodexItemKind::FunctionCall | CodexItemKind::CustomToolCall => {
            let name = match text_or_empty(item.namespace.as_ref()) {
                "" => text_or_empty(item.name.as_ref()).to_owned(),
                space => format!("{space}__{}", text_or_empty(item.name.as_ref())),
            };
            let args = tool::args_from_json(&name, json_or_empty(item.arguments.or(item.input)));
            session.add_call(call, &name, args);
        }
        CodexItemKind::LocalShellCall => {
            session.add_call(
                call,
                "shell",
                tool::args_from_json("shell", json_or_empty(item.action)),
            );
        }
        CodexItemKind::WebSearchCall => {
            let args = tool::args_from_json("web_search", json_or_empty(item.action));
            session.add_finished_call(
                "web_search",
                args,
                ReportedOutcome::Ok(ReportedOutput::Nothing),
            );
        }
        CodexItemKind::FunctionCallOutput | CodexItemKind::CustomToolCallOutput => {
            let output = json_or_empty(item.output);
            if session.find_pending_call(call).is_some_and(is_script) {
                read_script_output(call, output, session);
            } else {
                session.add_result(call, judge_output(output, session.exit_code_of(call)));
            }
        }
        CodexItemKind::Other => {}
    }
}

/// The tool that runs scripts.
const SCRIPT_TOOL: &str = "exec";

/// The beginning of the ids of calls that a script makes.
const IN_SCRIPT: &str = "exec-";

/// Marks a session whose completed commands are recorded, each with its status.
const HAS_COMPLETIONS: &str = "completions";

fn is_script(call: &PendingCall) -> bool {
    call.tool.expose() == SCRIPT_TOOL && call.args.expose().contains("(")
}

/// The argument of the tool that waits for a script.
#[derive(Deserialize)]
struct WaitArgs<'a> {
    #[serde(borrow)]
    cell_id: Text<'a>,
}

/// Returns whether a call waits for a script that goes on; its result will be the script's.
fn is_wait_for_script(item: &CodexItem<'_>, session: &mut TranscriptSession) -> bool {
    if text_or_empty(item.name.as_ref()) != "wait" {
        return false;
    }
    let arguments: Text<'_> =
        serde_json::from_str(json_or_empty(item.arguments)).unwrap_or_default();
    let Ok(args) = serde_json::from_str::<WaitArgs<'_>>(arguments.as_str()) else {
        return false;
    };
    session.rename_pending(
        &cell_name(args.cell_id.as_str()),
        text_or_empty(item.call_id.as_ref()),
    )
}

fn cell_name(cell: &str) -> String {
    format!("cell {cell}")
}

/// Reads what a script printed; other texts for it are notices on the way.
fn read_script_output(call: &str, output: &str, session: &mut TranscriptSession) {
    let Some(report) = ScriptReport::parse(output) else {
        return;
    };
    if let ScriptState::Running(cell) = &report.state {
        session.rename_pending(call, &cell_name(cell));
        return;
    }
    let Some(script) = session.take_pending(call) else {
        return;
    };
    let has_commands =
        script.exit.is_some() || session.current_run().tail.as_deref() == Some(HAS_COMPLETIONS);
    let source = script.args.expose();
    let steps = code_mode::find_steps(source, &report, has_commands);
    let is_told =
        steps.iter().any(|step| !step.outcome.is_ok()) || script.exit.is_some_and(|code| code != 0);
    for step in steps {
        session.add_finished_call(&step.tool, step.args, step.outcome);
    }
    if report.state == ScriptState::Failed && !is_told {
        session.add_finished_call(SCRIPT_TOOL, source.to_owned(), report.judge_error());
    }
}

/// Reads the end of a command: that of a call, or a whole call that a script made.
fn read_command_end(item: &CompletedItem<'_>, session: &mut TranscriptSession) {
    let id = text_or_empty(item.id.as_ref());
    let Some(code) = item.exit_code else {
        return;
    };
    let Some(command) = item.command.filter(|_| id.starts_with(IN_SCRIPT)) else {
        session.set_exit_code(id, code);
        return;
    };
    session.note_exit_codes(is_script, code);
    let args = format!("{{\"command\":{}}}", command.get());
    let args = tool::args_from_json("exec_command", &args);
    session.add_finished_call("exec_command", args, judge_completed(item));
}

/// Decides how a command ended by its completion.
fn judge_completed<'a>(item: &CompletedItem<'a>) -> ReportedOutcome<'a> {
    match text_or_empty(item.status.as_ref()) {
        "declined" => ReportedOutcome::Rejected(None),
        status => judge_json(
            item.exit_code,
            Some(status == "failed"),
            json_or_empty(item.aggregated_output),
        ),
    }
}

fn read_message(item: &CodexItem, session: &mut TranscriptSession) {
    match text_or_empty(item.role.as_ref()) {
        "user" if is_typed(item) => session.add_user_message(&item.content.joined_text()),
        "assistant" => session.add_agent_message(&item.content.joined_text()),
        _ => {}
    }
}

/// Returns whether a person typed the message: newer versions name the source of each part.
fn is_typed(item: &CodexItem) -> bool {
    let source = item.internal_chat_message_metadata_passthrough.as_ref();
    match source.and_then(|source| source.content_item_kinds.as_ref()) {
        Some(kinds) => kinds.iter().any(|kind| kind.as_str().starts_with("user.")),
        None => true,
    }
}

/// Decides how a call ended whose result is text, a list of parts, or an object.
fn judge_output(output: &str, exit: Option<i64>) -> ReportedOutcome<'_> {
    if output.starts_with('{')
        && let Ok(object) = serde_json::from_str::<OutputObject<'_>>(output)
    {
        return judge_report(CallReport {
            exit,
            failed: object.success.map(|success| !success),
            text: object.content.as_str(),
        })
        .into_owned();
    }
    if output.starts_with("\"{")
        && let Ok(text) = serde_json::from_str::<Text<'_>>(output)
        && let Ok(wrapped) = serde_json::from_str::<WrappedOutput<'_>>(text.as_str())
    {
        return judge_report(CallReport {
            exit: exit.or(wrapped.metadata.exit_code),
            failed: None,
            text: wrapped.output.as_str(),
        })
        .into_owned();
    }
    judge_json(exit, None, output)
}

fn read_event(event: &CodexEvent<'_>, session: &mut TranscriptSession) {
    let message = text_or_empty(event.message.as_ref());
    let call = text_or_empty(event.call_id.as_ref());
    match event.kind {
        CodexEventKind::UserMessage => session.add_user_message(message),
        CodexEventKind::AgentMessage => session.add_agent_message(message),
        CodexEventKind::TurnAborted => session.current_run().interrupted = true,
        CodexEventKind::ExecCommandEnd => read_command_end(&event.command_end(), session),
        CodexEventKind::PatchApplyEnd => {
            if event.success == Some(false) {
                session.set_exit_code(call, 1);
            }
        }
        CodexEventKind::ItemCompleted => {
            session.current_run().tail = Some(HAS_COMPLETIONS.to_owned());
            if let Some(item) = &event.item {
                read_command_end(item, session);
            }
        }
        CodexEventKind::Other => {}
    }
}

/// Finds how a call ended at the end of a rollout, if its completion is recorded there.
///
/// `PostToolUse` comes before the call's output is written but after its completion. The end of a file may begin in the
/// middle of a line; that line is skipped.
pub(super) fn find_end_in_tail(tail: &[u8], call: &str) -> Option<CallEnd> {
    if call.is_empty() {
        return None;
    }
    to_text(tail)
        .rsplit('\n')
        .filter(|line| line.contains(call) && line.contains("item_completed"))
        .find_map(|line| read_completed(line, call))
}

fn read_completed(json: &str, call: &str) -> Option<CallEnd> {
    let line: CodexLine<'_> = serde_json::from_str(json).ok()?;
    let event: CodexEvent<'_> = serde_json::from_str(line.payload?.get()).ok()?;
    let item = event.item?;
    if text_or_empty(item.id.as_ref()) != call {
        return None;
    }
    Some(judge_completed(&item).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, rest: &str) -> String {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{"id":"{id}",{rest}}}}}}}"#
        )
    }

    fn failed(head: &str, printed: &str) -> CallEnd {
        CallEnd::Failed {
            head: head.into(),
            printed: printed.into(),
        }
    }

    #[test]
    fn the_end_of_a_rollout_tells_how_a_call_ended() {
        let tail = [
            r#"half a line","exit_code":1}}}"#.to_owned(),
            line("c1", r#""status":"failed","exit_code":7,"aggregated_output":"""#),
            line(
                "c2",
                r#""status":"completed","exit_code":0,"aggregated_output":"error: said c1""#,
            ),
            line(
                "c3",
                r#""status":"failed","exit_code":1,"aggregated_output":"npm error Missing script: \"test\"\n""#,
            ),
            line("c4", r#""status":"declined""#),
            line("c5", r#""status":"failed""#),
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c6"}}"#
                .to_owned(),
            r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"id":"c7""#.to_owned(),
        ]
        .join("\n");
        for (call, expected) in [
            ("c1", Some(failed("exit code 7", ""))),
            ("c2", Some(CallEnd::Ok("error: said c1".to_owned()))),
            (
                "c3",
                Some(failed(
                    r#"npm error Missing script: "test""#,
                    "npm error Missing script: \"test\"\n",
                )),
            ),
            ("c4", Some(CallEnd::Refused)),
            ("c5", Some(failed("failed without output", ""))),
            ("c6", None),
            ("c7", None),
            ("c8", None),
            ("", None),
        ] {
            assert_eq!(find_end_in_tail(tail.as_bytes(), call), expected, "{call}");
        }
    }
}
