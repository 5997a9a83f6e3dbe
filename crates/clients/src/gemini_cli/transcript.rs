//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the single JSON document of
//! earlier versions.
//!
//! A record of the model is written again, with the same id, each time it grows; its calls carry
//! their own results. A command that exits with 7 has the status `success` and says `Exit Code: 7`
//! in its text. Changes of the header come as `$set`; the messages in it are the client's own
//! context.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, Printed, Report, judge, message_of},
    format::FormatRow,
    home::SessionHome,
    session::Session,
    tool,
    wire::{PlainContent, Text, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "gemini-cli",
    settings: &[("GEMINI_CLI_HOME", ".gemini/tmp")],
    default: ".gemini/tmp",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_gemini,
    document: |opening| {
        opening.any(&["sessionId"], Value::is_string)
            && opening.any(&["projectHash"], Value::is_string)
    },
    ..FormatRow::new("gemini-cli", Some("gemini-cli"), || Box::new(Gemini))
};

fn is_gemini(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    has("sessionId") && has("projectHash") && has("startTime") && line.get("messages").is_none()
}

/// One record, exactly as Gemini CLI writes it; the header is one too.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(rename = "type", default)]
    role: Role,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Gemini,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
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
pub(crate) struct Part<'a> {
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
    pub(crate) response: Option<Response<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Response<'a> {
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl Response<'_> {
    /// Decides how the call ended: an `error` failed, an `output` may say an exit code.
    pub(crate) fn outcome(&self, is_refused: bool) -> CallOutcome<'static> {
        let failed = self.error.is_some();
        let text = message_of(raw_of(self.error.or(self.output)));
        match judge(Report {
            exit: None,
            failed: Some(failed),
            text: &text,
        })
        .into_owned()
        {
            CallOutcome::Failed(..) if is_refused => CallOutcome::Rejected(None),
            outcome => outcome,
        }
    }
}

struct Gemini;

impl FormatReader for Gemini {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        match key {
            "" | "messages" => record(&serde_json::from_str(json)?, session),
            "sessionId" => {
                let id: Text<'_> = serde_json::from_str(json)?;
                session.enter(id.as_str());
            }
            _ => {}
        }
        Ok(())
    }

    fn document_end(&mut self, session: &mut Session) {
        session.close();
    }
}

fn record(record: &Record<'_>, session: &mut Session) {
    if let Some(id) = &record.session_id {
        session.enter(id.as_str());
        session.run().delegated = str_of(record.kind.as_ref()) == "subagent";
    }
    match record.role {
        Role::User => session.user(&record.content.joined()),
        Role::Gemini => {
            session.assistant_once(str_of(record.id.as_ref()), &record.content.joined());
            for call in record.tool_calls.iter().flatten() {
                tool_call(call, session);
            }
        }
        Role::Other => {}
    }
}

fn tool_call(call: &ToolCall<'_>, session: &mut Session) {
    let name = str_of(call.name.as_ref());
    let id = str_of(call.id.as_ref());
    session.call(id, name, tool::args(name, raw_of(call.args)));
    let status = str_of(call.status.as_ref());
    if let Some(outcome) = outcome(call.result, status) {
        session.result(id, outcome);
    }
}

/// How the call ended, once it did.
fn outcome(result: Option<&RawValue>, status: &str) -> Option<CallOutcome<'static>> {
    let parts: Vec<Part<'_>> = serde_json::from_str(raw_of(result)).unwrap_or_default();
    let response = parts
        .iter()
        .find_map(|part| part.function_response.as_ref()?.response.as_ref());
    match (response, status) {
        (Some(response), status) => Some(response.outcome(status == "cancelled")),
        (None, "success") => Some(CallOutcome::Ok(Printed::Nothing)),
        (None, "cancelled") => Some(CallOutcome::Rejected(None)),
        (None, "error") => {
            let report = Report {
                exit: None,
                failed: Some(true),
                text: &message_of(raw_of(result)),
            };
            Some(judge(report).into_owned())
        }
        (None, _) => None,
    }
}
