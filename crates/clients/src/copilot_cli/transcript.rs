//! Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.
//!
//! One event a line, `{type, data}`. A command that exits with 7 is a success with an exit code; a tool that could not
//! do its work has an error, which with the code `denied` comes from a person or their settings. `content` of a user
//! message is what was typed, `transformedContent` what the model got.

use hardwon_core::RawText;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    FormatRow, Json, ReadResult, ReportedOutcome, SessionHome, Text, TranscriptSession,
    call_report::{judge_json, judge_text},
    format::text_at,
    to_text,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[
        SessionHome::new(
            &[("COPILOT_HOME", "session-state")],
            ".copilot/session-state",
        ),
        SessionHome::new(
            &[("COPILOT_HOME", "history-session-state")],
            ".copilot/history-session-state",
        ),
    ],
    is_line: is_copilot,
    ..FormatRow::new("copilot-cli", Some("copilot-cli"), || Box::new(read_line))
};

fn is_copilot(line: &Value) -> bool {
    let prefixes = ["session.", "user.", "assistant.", "tool."];
    let kind = text_at(line, "type");
    line.get("data").is_some_and(Value::is_object)
        && prefixes.iter().any(|start| kind.starts_with(start))
}

/// One line, exactly as Copilot CLI writes it.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct CopilotLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    data: Json<'a>,
}

/// The fields of every type of event that matters.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct CopilotData<'a> {
    session_id: Text<'a>,
    context: Json<'a>,
    content: Text<'a>,
    source: Text<'a>,
    parent_tool_call_id: Text<'a>,
    tool_call_id: Text<'a>,
    tool_name: Text<'a>,
    arguments: Json<'a>,
    success: Option<bool>,
    result: Json<'a>,
    error: Json<'a>,
    shell_execution: Json<'a>,
}

fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: CopilotLine<'_> = serde_json::from_str(json)?;
    let kind = line.kind.as_str();
    let is_known = matches!(
        kind,
        "session.start"
            | "session.resume"
            | "user.message"
            | "assistant.message"
            | "tool.execution_start"
            | "tool.execution_complete"
            | "abort"
    );
    if is_known {
        let data: CopilotData<'_> = serde_json::from_str(line.data.as_str())?;
        read_event(kind, &data, session);
    }
    Ok(())
}

/// Reads where a session works; a repository on a forge is given by its owner and its name.
fn read_context(context: Json<'_>, session: &mut TranscriptSession) {
    let folder = context.member("gitRoot").or(context.member("cwd"));
    session.set_folder(&folder.to_text());
    let repository = context.member("repository").to_text();
    match (&*repository, &*context.member("hostType").to_text()) {
        (name, "github" | "") if name.matches('/').count() == 1 => {
            session.set_remote(&format!("https://github.com/{name}"));
        }
        // On other hosts the name alone does not identify the repository.
        (url, _) if url.contains("://") => session.set_remote(url),
        _ => {}
    }
}

fn read_event(kind: &str, data: &CopilotData<'_>, session: &mut TranscriptSession) {
    enter_run(kind, data, session);
    let (call, content) = (data.tool_call_id.as_str(), data.content.as_str());
    match kind {
        "session.start" | "session.resume" => read_context(data.context, session),
        // A message with a source was written by the client or an extension.
        "user.message" if !data.source.is_empty() => {}
        "user.message" => session.add_user_message(content),
        "assistant.message" => session.add_agent_message(content),
        "tool.execution_start" => {
            session.add_json_call(call, data.tool_name.as_str(), data.arguments.as_str());
        }
        "tool.execution_complete" => session.add_result(call, judge_result(data)),
        _ => session.current_run().interrupted = true,
    }
}

/// Makes the run of the event the current one: the session's, or a subagent's, which is named after the call that began
/// it.
fn enter_run(kind: &str, data: &CopilotData<'_>, session: &mut TranscriptSession) {
    if kind == "session.start" {
        session.enter_run(data.session_id.as_str());
        return;
    }
    let Some(main) = session.runs.first().map(|run| run.info.id.clone()) else {
        return;
    };
    match data.parent_tool_call_id.as_str() {
        "" => session.enter_run(main.as_str()),
        parent => session.enter_subagent(main.as_str(), parent),
    }
}

fn judge_result<'d>(data: &CopilotData<'d>) -> ReportedOutcome<'d> {
    let exit = data.shell_execution.member("exitCode").to_plain();
    let is_failed = Some(data.success == Some(false));
    if data.error.is_empty() {
        return judge_json(exit, is_failed, data.result.member("content").as_str());
    }
    if data.error.member("code").to_text() == "denied" {
        return ReportedOutcome::Rejected(None);
    }
    let message = data.error.member("message").to_text();
    judge_text(exit, is_failed, &message).into_owned()
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
    let data: CopilotData<'_> = serde_json::from_str(line.data.as_str()).ok()?;
    let is_main = line.kind.as_str() == "assistant.message" && data.parent_tool_call_id.is_empty();
    is_main.then(|| RawText::from(data.content.as_str()))
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
