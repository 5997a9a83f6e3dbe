//! Codex: `$CODEX_HOME/sessions/Y/M/D/rollout-<time>-<session>.jsonl`.
//!
//! Lines are `{type, payload}`; in the first versions the payload was alone on its line. A message can appear twice, as
//! an item of the model's protocol and as an event for the screen. A command's exit code is in an event that may come
//! before its output. In code mode a call is a script that makes others; newer versions write an event for each command
//! in it, which then counts, and of older ones [`code_mode`](super::code_mode) reads what the script printed.

use hardwon_core::{RunId, shell::is_listed};
use serde::Deserialize;
use serde_json::Value;

use super::code_mode::{self, ScriptReport, ScriptState};
use crate::transcript::{
    FormatRow, Json, PendingCall, ReadResult, ReportedOutcome, SessionHome, Text,
    TranscriptSession, WireContent,
    call_report::{judge_json, judge_text},
    format::{has_text, text_at},
    to_text, tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[
        SessionHome::new(&[("CODEX_HOME", "sessions")], ".codex/sessions"),
        SessionHome::new(
            &[("CODEX_HOME", "archived_sessions")],
            ".codex/archived_sessions",
        ),
    ],
    is_line: is_codex,
    ..FormatRow::new("codex", Some("codex"), || Box::new(read_line))
};

fn is_codex(line: &Value) -> bool {
    const WRAPPED: &str = "session_meta response_item event_msg turn_context compacted";
    const BARE: &str = "message function_call function_call_output local_shell_call reasoning";
    let kind = text_at(line, "type");
    let is_wrapped = is_listed(WRAPPED, kind) && line.get("payload").is_some();
    let is_bare = is_listed(BARE, kind)
        && (line.get("call_id").is_some() || line.pointer("/content/0/type").is_some());
    let is_old_header = kind.is_empty()
        && has_text(line, "id")
        && has_text(line, "timestamp")
        && line.get("instructions").is_some();
    is_wrapped || is_bare || is_old_header
}

/// One line, exactly as Codex writes it. Old lines have no `payload`.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CodexLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    payload: Json<'a>,
}

/// The session's metadata, in the first line.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CodexMeta<'a> {
    id: Text<'a>,
    cwd: Text<'a>,
    git: Json<'a>,
    source: Json<'a>,
}

/// An item of the model's protocol.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CodexItem<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    role: Text<'a>,
    content: WireContent<'a>,
    call_id: Text<'a>,
    name: Text<'a>,
    namespace: Text<'a>,
    arguments: Json<'a>,
    input: Json<'a>,
    action: Json<'a>,
    output: Json<'a>,
    /// The sources of a message's parts, in newer versions.
    internal_chat_message_metadata_passthrough: Json<'a>,
}

/// The sources of a message's parts.
#[derive(Deserialize)]
struct PartSources {
    content_item_kinds: Option<Vec<String>>,
}

/// A failed result of old versions.
#[derive(Deserialize)]
struct OutputObject<'a> {
    #[serde(borrow)]
    content: Text<'a>,
    success: Option<bool>,
}

/// A result of old versions: JSON inside the text.
#[derive(Deserialize)]
struct WrappedOutput<'a> {
    /// Absent from other results that are JSON, as of a sub-agent's.
    #[serde(borrow, default)]
    output: Option<Text<'a>>,
    #[serde(default)]
    metadata: Json<'a>,
}

/// An event for the screen.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CodexEvent<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    message: Text<'a>,
    call_id: Text<'a>,
    success: Option<bool>,
    item: Option<CommandEnd<'a>>,
}

/// The end of a command; in older versions an event of its own.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CommandEnd<'a> {
    id: Text<'a>,
    call_id: Text<'a>,
    command: Json<'a>,
    exit_code: Option<i64>,
    status: Text<'a>,
    aggregated_output: Json<'a>,
}

fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: CodexLine<'_> = serde_json::from_str(json)?;
    let payload = line.payload.as_str();
    match line.kind.as_str() {
        // The first versions wrote payloads without a wrapper.
        "" if payload.is_empty() => read_meta(&serde_json::from_str(json)?, session),
        _ if payload.is_empty() => read_item(&serde_json::from_str(json)?, session),
        "session_meta" => read_meta(&serde_json::from_str(payload)?, session),
        "turn_context" => {
            let context: CodexMeta<'_> = serde_json::from_str(payload)?;
            session.set_folder(context.cwd.as_str());
        }
        "response_item" => read_item(&serde_json::from_str(payload)?, session),
        "event_msg" => read_event(payload, session)?,
        _ => {}
    }
    Ok(())
}

/// Opens the session. A forked one repeats the first lines of its parent; its own came first.
fn read_meta(meta: &CodexMeta<'_>, session: &mut TranscriptSession) {
    let id = meta.id.as_str();
    if !session.runs.is_empty() || RunId::parse(id).is_err() {
        return;
    }
    session.enter_run(id);
    session.set_folder(meta.cwd.as_str());
    session.set_remote(&meta.git.member("repository_url").to_text());
    session.current_run().delegated = meta.source.as_str().contains("subagent");
}

fn read_item(item: &CodexItem<'_>, session: &mut TranscriptSession) {
    let (call, name) = (item.call_id.as_str(), item.name.as_str());
    match item.kind.as_str() {
        "message" => read_message(item, session),
        "custom_tool_call" if name == SCRIPT_TOOL => {
            let source = item.input.to_text();
            session.add_call(call, SCRIPT_TOOL, tool::args_from_text(&source));
        }
        "function_call" if is_wait_for_script(item, session) => {}
        "function_call" | "custom_tool_call" => {
            let args = item.arguments.or(item.input).as_str();
            match item.namespace.as_str() {
                "" => session.add_json_call(call, name, args),
                space => session.add_json_call(call, &format!("{space}__{name}"), args),
            }
        }
        "local_shell_call" => session.add_json_call(call, "shell", item.action.as_str()),
        "web_search_call" => {
            let args = tool::args_from_json("web_search", item.action.as_str());
            let outcome = ReportedOutcome::UNSEEN;
            session.add_finished_call("web_search", args, outcome);
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = item.output.as_str();
            let pending = session.find_pending(call);
            let exit = pending.and_then(|pending| pending.exit);
            if pending.is_some_and(is_script) {
                read_script_output(call, output, session);
            } else if pending.is_some_and(|pending| pending.tool.expose() == "view_image") {
                // The picture is handed to the model apart from it.
                session.add_result(call, ReportedOutcome::UNSEEN);
            } else {
                session.add_result(call, judge_output(output, exit));
            }
        }
        _ => {}
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

/// Returns whether a call waits for a script that goes on; its result will be the script's.
fn is_wait_for_script(item: &CodexItem<'_>, session: &mut TranscriptSession) -> bool {
    #[derive(Deserialize)]
    struct WaitArgs {
        cell_id: String,
    }
    if item.name.as_str() != "wait" {
        return false;
    }
    let Ok(args) = serde_json::from_str::<WaitArgs>(&item.arguments.to_text()) else {
        return false;
    };
    session.rename_pending(&cell_name(&args.cell_id), item.call_id.as_str())
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
fn read_command_end(end: &CommandEnd<'_>, session: &mut TranscriptSession) {
    let id = end.id.or(&end.call_id).as_str();
    let Some(code) = end.exit_code else {
        return;
    };
    if end.command.is_empty() || !id.starts_with(IN_SCRIPT) {
        session.set_exit_code(id, code);
        return;
    }
    session.note_exit_codes(is_script, code);
    let args = format!("{{\"command\":{}}}", end.command.as_str());
    let args = tool::args_from_json("exec_command", &args);
    session.add_finished_call("exec_command", args, judge_completed(end));
}

/// Decides how a command ended by its completion.
fn judge_completed<'a>(end: &CommandEnd<'a>) -> ReportedOutcome<'a> {
    match end.status.as_str() {
        "declined" => ReportedOutcome::Rejected(None),
        status => judge_json(
            end.exit_code,
            Some(status == "failed"),
            end.aggregated_output.as_str(),
        ),
    }
}

fn read_message(item: &CodexItem<'_>, session: &mut TranscriptSession) {
    match item.role.as_str() {
        "user" if is_typed(item) => session.add_user_message(&item.content.joined_text()),
        "assistant" => session.add_agent_message(&item.content.joined_text()),
        _ => {}
    }
}

/// Returns whether a person typed the message: newer versions name the source of each part.
fn is_typed(item: &CodexItem<'_>) -> bool {
    let about = item.internal_chat_message_metadata_passthrough;
    // Sources of an unknown shape may be anybody's.
    about.is_empty()
        || about.to_plain().is_some_and(|sources: PartSources| {
            let kinds = sources.content_item_kinds;
            kinds.is_none_or(|kinds| kinds.iter().any(|kind| kind.starts_with("user.")))
        })
}

/// Decides how a call ended whose result is text, a list of parts, or an object.
fn judge_output(output: &str, exit: Option<i64>) -> ReportedOutcome<'_> {
    if output.starts_with('{')
        && let Ok(object) = serde_json::from_str::<OutputObject<'_>>(output)
    {
        let has_failed = object.success.map(|success| !success);
        return judge_text(exit, has_failed, object.content.as_str()).into_owned();
    }
    if output.starts_with("\"{")
        && let Ok(text) = serde_json::from_str::<Text<'_>>(output)
        && let Ok(wrapped) = serde_json::from_str::<WrappedOutput<'_>>(text.as_str())
        && let Some(output) = wrapped.output
    {
        let exit = exit.or(wrapped.metadata.member("exit_code").to_plain());
        return judge_text(exit, None, output.as_str()).into_owned();
    }
    judge_json(exit, None, output)
}

fn read_event(payload: &str, session: &mut TranscriptSession) -> ReadResult {
    let event: CodexEvent<'_> = serde_json::from_str(payload)?;
    let message = event.message.as_str();
    match event.kind.as_str() {
        "user_message" => session.add_user_message(message),
        "agent_message" => session.add_agent_message(message),
        "turn_aborted" => session.current_run().interrupted = true,
        "exec_command_end" => read_command_end(&serde_json::from_str(payload)?, session),
        "patch_apply_end" if event.success == Some(false) => {
            session.set_exit_code(event.call_id.as_str(), 1);
        }
        "item_completed" => {
            session.current_run().tail = Some(HAS_COMPLETIONS.to_owned());
            if let Some(item) = &event.item {
                read_command_end(item, session);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Finds how a call ended at the end of a rollout, if its completion is recorded there.
///
/// `PostToolUse` comes before the call's output is written but after its completion. The end of a file may begin in the
/// middle of a line; that line is skipped.
pub(super) fn find_end_in_tail(tail: &[u8], call: &str) -> Option<ReportedOutcome<'static>> {
    if call.is_empty() {
        return None;
    }
    to_text(tail)
        .rsplit('\n')
        .filter(|line| line.contains(call) && line.contains("item_completed"))
        .find_map(|line| read_completed(line, call))
}

fn read_completed(json: &str, call: &str) -> Option<ReportedOutcome<'static>> {
    let line: CodexLine<'_> = serde_json::from_str(json).ok()?;
    let event: CodexEvent<'_> = serde_json::from_str(line.payload.as_str()).ok()?;
    let item = event.item.filter(|item| item.id.as_str() == call)?;
    Some(judge_completed(&item).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::ReportedOutput;

    fn line(id: &str, rest: &str) -> String {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{"id":"{id}",{rest}}}}}}}"#
        )
    }

    fn failed(head: &str, printed: &'static str) -> ReportedOutcome<'static> {
        ReportedOutcome::Failed(head.to_owned(), ReportedOutput::Text(printed.into()))
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
            (
                "c2",
                Some(ReportedOutcome::Ok(ReportedOutput::Text(
                    "error: said c1".into(),
                ))),
            ),
            (
                "c3",
                Some(failed(
                    r#"npm error Missing script: "test""#,
                    "npm error Missing script: \"test\"\n",
                )),
            ),
            ("c4", Some(ReportedOutcome::Rejected(None))),
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
