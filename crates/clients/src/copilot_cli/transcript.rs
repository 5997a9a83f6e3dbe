//! Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.
//!
//! One event a line, `{type, data}`. A command that exits with 7 is a success with an exit code; a tool that could not
//! do its work has an error, which with the code `denied` comes from a person or their settings. `content` of a user
//! message is what was typed, `transformedContent` what the model got.

use hardwon_core::text::RawText;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, ReportedOutcome, judge_json, judge_report},
    format::{FormatRow, text_at},
    home::SessionHome,
    session::TranscriptSession,
    to_text, tool,
    wire::{Text, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 2] = [
    SessionHome {
        client: "copilot-cli",
        settings: &[("COPILOT_HOME", "session-state")],
        default: ".copilot/session-state",
    },
    SessionHome {
        client: "copilot-cli",
        settings: &[("COPILOT_HOME", "history-session-state")],
        default: ".copilot/history-session-state",
    },
];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_copilot,
    ..FormatRow::new("copilot-cli", Some("copilot-cli"), || {
        Box::new(CopilotReader)
    })
};

fn is_copilot(line: &Value) -> bool {
    let prefixes = ["session.", "user.", "assistant.", "tool."];
    line.get("data").is_some_and(Value::is_object)
        && prefixes
            .iter()
            .any(|start| text_at(line, "type").starts_with(start))
}

/// One line, exactly as Copilot CLI writes it.
#[derive(Deserialize)]
struct CopilotLine<'a> {
    #[serde(rename = "type", default)]
    kind: CopilotLineKind,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
enum CopilotLineKind {
    #[serde(rename = "session.start")]
    Start,
    #[serde(rename = "session.resume")]
    Resume,
    #[serde(rename = "user.message")]
    User,
    #[serde(rename = "assistant.message")]
    Assistant,
    #[serde(rename = "tool.execution_start")]
    ToolStart,
    #[serde(rename = "tool.execution_complete")]
    ToolComplete,
    #[serde(rename = "abort")]
    Abort,
    #[default]
    #[serde(other)]
    Other,
}

/// The fields of every type of event that matters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotData<'a> {
    #[serde(borrow, default)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    context: Option<CopilotContext<'a>>,
    #[serde(borrow, default)]
    content: Option<Text<'a>>,
    #[serde(borrow, default)]
    source: Option<Text<'a>>,
    #[serde(borrow, default)]
    parent_tool_call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(borrow, default)]
    result: Option<CopilotToolResult<'a>>,
    #[serde(borrow, default)]
    error: Option<CopilotToolError<'a>>,
    #[serde(default)]
    shell_execution: Option<ShellExecution>,
}

/// Where a session works; a repository on a forge is given by its owner and its name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotContext<'a> {
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    git_root: Option<Text<'a>>,
    #[serde(borrow, default)]
    repository: Option<Text<'a>>,
    #[serde(borrow, default)]
    host_type: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct CopilotToolResult<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CopilotToolError<'a> {
    #[serde(borrow, default)]
    message: Option<Text<'a>>,
    #[serde(borrow, default)]
    code: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShellExecution {
    #[serde(default)]
    exit_code: Option<i64>,
}

struct CopilotReader;

impl FormatReader for CopilotReader {
    fn read_value(
        &mut self,
        _: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let line: CopilotLine<'_> = serde_json::from_str(json)?;
        if line.kind != CopilotLineKind::Other {
            let data: CopilotData<'_> = serde_json::from_str(json_or_empty(line.data))?;
            read_event(line.kind, &data, session);
        }
        Ok(())
    }
}

fn read_context(context: &CopilotContext<'_>, session: &mut TranscriptSession) {
    let folder = context.git_root.as_ref().or(context.cwd.as_ref());
    session.set_folder(text_or_empty(folder));
    match (
        text_or_empty(context.repository.as_ref()),
        text_or_empty(context.host_type.as_ref()),
    ) {
        (name, "github" | "") if name.matches('/').count() == 1 => {
            session.set_remote(&format!("https://github.com/{name}"));
        }
        // On other hosts the name alone does not identify the repository.
        (url, _) if url.contains("://") => session.set_remote(url),
        _ => {}
    }
}

fn read_event(kind: CopilotLineKind, data: &CopilotData<'_>, session: &mut TranscriptSession) {
    enter_run(kind, data, session);
    match kind {
        CopilotLineKind::Start | CopilotLineKind::Resume => {
            if let Some(context) = &data.context {
                read_context(context, session);
            }
        }
        // A message with a source was written by the client or an extension.
        CopilotLineKind::User if data.source.is_some() => {}
        CopilotLineKind::User => session.add_user_message(text_or_empty(data.content.as_ref())),
        CopilotLineKind::Assistant => {
            session.add_agent_message(text_or_empty(data.content.as_ref()));
        }
        CopilotLineKind::ToolStart => {
            let name = text_or_empty(data.tool_name.as_ref());
            let args = tool::args_from_json(name, json_or_empty(data.arguments));
            session.add_call(text_or_empty(data.tool_call_id.as_ref()), name, args);
        }
        CopilotLineKind::ToolComplete => session.add_result(
            text_or_empty(data.tool_call_id.as_ref()),
            judge_result(data),
        ),
        CopilotLineKind::Abort => session.current_run().interrupted = true,
        CopilotLineKind::Other => {}
    }
}

/// Makes the run of the event the current one: the session's, or a subagent's, which is named after the call that began
/// it.
fn enter_run(kind: CopilotLineKind, data: &CopilotData<'_>, session: &mut TranscriptSession) {
    if kind == CopilotLineKind::Start {
        session.enter_run(text_or_empty(data.session_id.as_ref()));
        return;
    }
    let Some(main) = session
        .runs
        .first()
        .map(|run| run.info.id.as_str().to_owned())
    else {
        return;
    };
    match &data.parent_tool_call_id {
        Some(parent) => {
            session.enter_run(&format!("{main}/{}", parent.as_str()));
            session.current_run().delegated = true;
        }
        None => session.enter_run(&main),
    }
}

fn judge_result<'d>(data: &'d CopilotData<'_>) -> ReportedOutcome<'d> {
    let error = data.error.as_ref();
    if error.is_some_and(|error| text_or_empty(error.code.as_ref()) == "denied") {
        return ReportedOutcome::Rejected(None);
    }
    let shell = data.shell_execution.as_ref();
    let exit = shell.and_then(|shell| shell.exit_code);
    let has_failed = Some(data.success == Some(false));
    match error {
        Some(error) => judge_report(CallReport {
            exit,
            failed: has_failed,
            text: text_or_empty(error.message.as_ref()),
        }),
        None => {
            let content = data.result.as_ref().and_then(|result| result.content);
            judge_json(exit, has_failed, json_or_empty(content))
        }
    }
}

/// Returns the agent's last message at the end of a session's events.
///
/// The end of a file may begin in the middle of a line; that line is skipped.
pub(super) fn find_last_message(tail: &[u8]) -> Option<RawText> {
    to_text(tail)
        .rsplit('\n')
        .filter(|line| line.contains("assistant.message"))
        .find_map(read_agent_text)
}

/// Returns whether a session's events include the hook that runs now, at the end of a turn.
///
/// The last events show that such a hook began, and not yet that it ended. The hook after a continuation (`is_asked`)
/// follows another one so soon that the end of that one may not be there either.
pub(super) fn has_reached_stop_hook(tail: &[u8], is_asked: bool) -> bool {
    let text = to_text(tail);
    let mut lines = text.rsplit('\n');
    let latest = lines.find(|line| line.contains(r#""hookType":"agentStop""#));
    latest.is_some_and(|line| {
        let begins = line.starts_with(r#"{"type":"hook.start""#);
        begins && line.contains(r#""stop_hook_active":true"#) == is_asked
    })
}

fn read_agent_text(json: &str) -> Option<RawText> {
    let line: CopilotLine<'_> = serde_json::from_str(json).ok()?;
    let data: CopilotData<'_> = serde_json::from_str(json_or_empty(line.data)).ok()?;
    let is_main = line.kind == CopilotLineKind::Assistant && data.parent_tool_call_id.is_none();
    is_main.then(|| RawText::from(text_or_empty(data.content.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_reach_the_hook_that_runs() {
        let hook = |kind: &str, of: &str, more: &str| {
            format!(r#"{{"type":"hook.{kind}","data":{{"hookType":"{of}"{more}}}}}"#)
        };
        let start = hook(
            "start",
            "agentStop",
            r#","input":{"stop_hook_active":false}"#,
        );
        let again = hook(
            "start",
            "agentStop",
            r#","input":{"stop_hook_active":true}"#,
        );
        let end = hook("end", "agentStop", "");
        let tool = hook("start", "postToolUse", "");
        for (lines, first, second) in [
            (vec![], false, false),
            (vec![&tool], false, false),
            (vec![&start], true, false),
            (vec![&start, &tool], true, false),
            (vec![&start, &end], false, false),
            (vec![&start, &end, &again], false, true),
            (vec![&again, &end, &start], true, false),
        ] {
            let tail: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
            let reached = |is_asked| has_reached_stop_hook(tail.join("\n").as_bytes(), is_asked);
            assert_eq!(
                (reached(false), reached(true)),
                (first, second),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn the_last_word_is_the_agents_own() {
        let said = |text: &str, more: &str| {
            format!(r#"{{"type":"assistant.message","data":{{"content":"{text}"{more}}}}}"#)
        };
        let other = r#"{"type":"user.message","data":{"content":"assistant.message"}}"#;
        for (lines, expected) in [
            (
                vec![said("one", ""), said("two", ""), other.into()],
                Some("two"),
            ),
            (
                vec![said("one", ""), said("deep", r#","parentToolCallId":"c1""#)],
                Some("one"),
            ),
            (vec![r#"t":"assistant.message""#.into(), other.into()], None),
            (vec![], None),
        ] {
            let found = find_last_message(lines.join("\n").as_bytes());
            assert_eq!(found.as_ref().map(RawText::expose), expected);
        }
    }
}
