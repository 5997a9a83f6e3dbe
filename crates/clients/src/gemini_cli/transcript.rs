//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the single JSON document of earlier versions.
//!
//! A record of the model is written again, with the same id, each time it grows; its calls carry their own results. A
//! command that exits with 7 has the status `success` and says `Exit Code: 7` in its text. Changes of the header come
//! as `$set`; the messages in it are the client's own context.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, ReportedOutcome, ReportedOutput, error_message, judge_report},
    format::FormatRow,
    home::SessionHome,
    session::TranscriptSession,
    tool,
    wire::{PlainContent, Text, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "gemini-cli",
    settings: &[("GEMINI_CLI_HOME", ".gemini/tmp")],
    default: ".gemini/tmp",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_gemini,
    is_document: |opening| {
        opening.any_part(&["sessionId"], Value::is_string)
            && opening.any_part(&["projectHash"], Value::is_string)
    },
    ..FormatRow::new("gemini-cli", Some("gemini-cli"), || Box::new(GeminiReader))
};

fn is_gemini(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    has("sessionId") && has("projectHash") && has("startTime") && line.get("messages").is_none()
}

/// One record, exactly as Gemini CLI writes it; the header is one too.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiRecord<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(rename = "type", default)]
    role: GeminiRole,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<GeminiToolCall<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum GeminiRole {
    User,
    Gemini,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct GeminiToolCall<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
}

/// A part of a message in Gemini's protocol; Qwen Code writes the same.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeminiPart<'a> {
    #[serde(borrow, default)]
    pub(crate) text: Option<Text<'a>>,
    #[serde(default)]
    pub(crate) thought: Option<bool>,
    #[serde(borrow, default)]
    pub(crate) function_call: Option<FunctionCall<'a>>,
    #[serde(borrow, default)]
    pub(crate) function_response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct FunctionResponse<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) response: Option<GeminiResponse<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct GeminiResponse<'a> {
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl GeminiResponse<'_> {
    /// Decides how the call ended: an `error` failed, an `output` may hold an exit code.
    pub(crate) fn judge_response(&self, is_refused: bool) -> ReportedOutcome<'static> {
        let has_failed = self.error.is_some();
        let text = error_message(json_or_empty(self.error.or(self.output)));
        match judge_report(CallReport {
            exit: None,
            failed: Some(has_failed),
            text: &text,
        })
        .into_owned()
        {
            ReportedOutcome::Failed(..) if is_refused => ReportedOutcome::Rejected(None),
            outcome => outcome,
        }
    }
}

struct GeminiReader;

impl FormatReader for GeminiReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
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

    fn end_document(&mut self, session: &mut TranscriptSession) {
        session.close_run();
    }
}

fn read_record(record: &GeminiRecord<'_>, session: &mut TranscriptSession) {
    if let Some(id) = &record.session_id {
        session.enter_run(id.as_str());
        session.current_run().delegated = text_or_empty(record.kind.as_ref()) == "subagent";
    }
    match record.role {
        GeminiRole::User => session.add_user_message(&record.content.joined_text()),
        GeminiRole::Gemini => {
            session.add_agent_message_once(
                text_or_empty(record.id.as_ref()),
                &record.content.joined_text(),
            );
            for call in record.tool_calls.iter().flatten() {
                read_tool_call(call, session);
            }
        }
        GeminiRole::Other => {}
    }
}

fn read_tool_call(call: &GeminiToolCall<'_>, session: &mut TranscriptSession) {
    let name = text_or_empty(call.name.as_ref());
    let id = text_or_empty(call.id.as_ref());
    session.add_call_once(
        id,
        name,
        tool::args_from_json(name, json_or_empty(call.args)),
    );
    let status = text_or_empty(call.status.as_ref());
    if let Some(outcome) = judge_result(call.result, status) {
        session.add_result(id, outcome);
    }
}

/// Decides how the call ended; `None` if it has no result yet.
fn judge_result(result: Option<&RawValue>, status: &str) -> Option<ReportedOutcome<'static>> {
    let parts: Vec<GeminiPart<'_>> =
        serde_json::from_str(json_or_empty(result)).unwrap_or_default();
    let response = parts
        .iter()
        .find_map(|part| part.function_response.as_ref()?.response.as_ref());
    match (response, status) {
        (Some(response), status) => Some(response.judge_response(status == "cancelled")),
        (None, "success") => Some(ReportedOutcome::Ok(ReportedOutput::Nothing)),
        (None, "cancelled") => Some(ReportedOutcome::Rejected(None)),
        (None, "error") => {
            let report = CallReport {
                exit: None,
                failed: Some(true),
                text: &error_message(json_or_empty(result)),
            };
            Some(judge_report(report).into_owned())
        }
        (None, _) => None,
    }
}
