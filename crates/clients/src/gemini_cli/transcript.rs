//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the single JSON document of earlier versions.
//!
//! A record of the model is written again, with the same id, each time it grows; its calls carry their own results. A
//! command that exits with 7 has the status `success` and says `Exit Code: 7` in its text. Changes of the header come
//! as `$set`; the messages in it are the client's own context.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    FormatRow, Json, ReadResult, ReportedOutcome, SessionHome, Text, TranscriptSession,
    WireContent,
    call_report::{error_message, judge_text},
    tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[SessionHome::new(
        &[("GEMINI_CLI_HOME", ".gemini/tmp")],
        ".gemini/tmp",
    )],
    is_line: is_gemini,
    is_document: |opening| {
        opening.any_part(&["sessionId"], Value::is_string)
            && opening.any_part(&["projectHash"], Value::is_string)
    },
    ..FormatRow::new("gemini-cli", Some("gemini-cli"), || Box::new(read_value))
};

fn is_gemini(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    has("sessionId") && has("projectHash") && has("startTime") && line.get("messages").is_none()
}

/// One record, exactly as Gemini CLI writes it; the header is one too.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct GeminiRecord<'a> {
    id: Text<'a>,
    session_id: Text<'a>,
    kind: Text<'a>,
    #[serde(rename = "type")]
    role: Text<'a>,
    content: WireContent<'a>,
    tool_calls: Option<Vec<GeminiToolCall<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct GeminiToolCall<'a> {
    id: Text<'a>,
    name: Text<'a>,
    args: Json<'a>,
    result: Json<'a>,
    status: Text<'a>,
}

/// A part of a message in Gemini's protocol; Qwen Code writes the same.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
pub(crate) struct GeminiPart<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) thought: Option<bool>,
    pub(crate) function_call: Option<FunctionCall<'a>>,
    pub(crate) function_response: Option<FunctionCall<'a>>,
}

/// A call, or its response.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
pub(crate) struct FunctionCall<'a> {
    pub(crate) id: Text<'a>,
    pub(crate) name: Text<'a>,
    pub(crate) args: Json<'a>,
    /// A map, so that a value of another shape is an error and not a success.
    pub(crate) response: Option<ResponseMembers<'a>>,
}

/// The members of a response.
pub(crate) type ResponseMembers<'a> = BTreeMap<Cow<'a, str>, Json<'a>>;

/// Decides by its response how a call ended: an `error` failed, an `output` may hold an exit code.
pub(crate) fn judge_response(
    response: &ResponseMembers<'_>,
    is_refused: bool,
) -> ReportedOutcome<'static> {
    let member = |name: &str| response.get(name).copied().unwrap_or_default();
    let error = member("error");
    let has_failed = Some(!error.is_empty());
    match judge_message(has_failed, error.or(member("output"))) {
        ReportedOutcome::Failed(..) if is_refused => ReportedOutcome::Rejected(None),
        outcome => outcome,
    }
}

fn judge_message(failed: Option<bool>, message: Json<'_>) -> ReportedOutcome<'static> {
    judge_text(None, failed, &error_message(message.as_str())).into_owned()
}

fn read_value(key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    match key {
        "" | "messages" => read_record(&serde_json::from_str(json)?, session),
        "sessionId" => {
            let id: Text<'_> = serde_json::from_str(json)?;
            session.enter_run(id.as_str());
        }
        _ => {}
    }
    Ok(())
}

fn read_record(record: &GeminiRecord<'_>, session: &mut TranscriptSession) {
    if !record.session_id.is_empty() {
        session.enter_run(record.session_id.as_str());
        session.current_run().delegated = record.kind.as_str() == "subagent";
    }
    let text = record.content.joined_text();
    match record.role.as_str() {
        "user" => session.add_user_message(&text),
        "gemini" => {
            session.add_agent_message_once(record.id.as_str(), &text);
            for call in record.tool_calls.iter().flatten() {
                read_tool_call(call, session);
            }
        }
        _ => {}
    }
}

fn read_tool_call(call: &GeminiToolCall<'_>, session: &mut TranscriptSession) {
    let (id, name) = (call.id.as_str(), call.name.as_str());
    session.add_call_once(id, name, tool::args_from_json(name, call.args.as_str()));
    if let Some(outcome) = judge_result(call.result, call.status.as_str()) {
        session.add_result(id, outcome);
    }
}

/// Decides how the call ended; `None` if it has no result yet.
fn judge_result(result: Json<'_>, status: &str) -> Option<ReportedOutcome<'static>> {
    let parts: Vec<GeminiPart<'_>> = serde_json::from_str(result.as_str()).unwrap_or_default();
    let response = parts
        .iter()
        .find_map(|part| part.function_response.as_ref()?.response.as_ref());
    match (response, status) {
        (Some(response), _) => Some(judge_response(response, status == "cancelled")),
        (None, "success") => Some(ReportedOutcome::UNSEEN),
        (None, "cancelled") => Some(ReportedOutcome::Rejected(None)),
        (None, "error") => Some(judge_message(Some(true), result)),
        (None, _) => None,
    }
}
