//! Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`.
//!
//! Lines in the manner of Claude Code, with messages in Gemini's protocol. What a person typed is
//! marked as such; hook text and telemetry come in `system` lines and are passed over.

use serde::Deserialize;

use crate::gemini_cli::transcript::Part;
use serde_json::Value;

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, Report, judge},
    format::{FormatRow, has_text},
    home::SessionHome,
    session::Session,
    tool,
    wire::{Text, join, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "qwen-code",
    settings: &[("QWEN_RUNTIME_DIR", "projects"), ("QWEN_HOME", "projects")],
    default: ".qwen/projects",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_qwen,
    ..FormatRow::new("qwen-code", Some("qwen-code"), || Box::new(Qwen))
};

fn is_qwen(line: &Value) -> bool {
    has_text(line, "sessionId") && line.pointer("/message/parts").is_some()
}

/// One line, exactly as Qwen Code writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: Kind,
    #[serde(borrow, default)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    agent_id: Option<Text<'a>>,
    #[serde(default)]
    is_sidechain: Option<bool>,
    #[serde(borrow, default)]
    provenance: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    tool_call_result: Option<ToolCallResult<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Kind {
    User,
    Assistant,
    ToolResult,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallResult<'a> {
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
}

struct Qwen;

impl FormatReader for Qwen {
    fn value(&mut self, _: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        let line: Line<'_> = serde_json::from_str(json)?;
        if matches!(line.kind, Kind::Other) {
            return Ok(());
        }
        enter(&line, session);
        session.works_in(str_of(line.cwd.as_ref()));
        let parts = line
            .message
            .as_ref()
            .map_or(&[][..], |message| &message.parts);
        match line.kind {
            Kind::User => {
                if matches!(str_of(line.provenance.as_ref()), "" | "real_user") {
                    session.user(&words(parts));
                }
            }
            Kind::Assistant => assistant(parts, session),
            Kind::ToolResult => results(parts, line.tool_call_result.as_ref(), session),
            Kind::Other => {}
        }
        Ok(())
    }
}

fn enter(line: &Line<'_>, session: &mut Session) {
    let id = str_of(line.session_id.as_ref());
    match &line.agent_id {
        Some(agent) if line.is_sidechain == Some(true) => {
            session.enter(&format!("{id}/{}", agent.as_str()));
            session.run().delegated = true;
        }
        _ => session.enter(id),
    }
}

fn words<'t>(parts: &'t [Part<'_>]) -> std::borrow::Cow<'t, str> {
    let said = parts.iter().filter(|part| part.thought != Some(true));
    join(said.filter_map(|part| part.text.as_ref()).map(Text::as_str))
}

fn assistant(parts: &[Part<'_>], session: &mut Session) {
    session.assistant(&words(parts));
    for call in parts.iter().filter_map(|part| part.function_call.as_ref()) {
        let name = str_of(call.name.as_ref());
        let args = tool::args(name, raw_of(call.args));
        session.call(str_of(call.id.as_ref()), name, args);
    }
}

fn results(parts: &[Part<'_>], result: Option<&ToolCallResult<'_>>, session: &mut Session) {
    let status = str_of(result.and_then(|result| result.status.as_ref()));
    for answer in parts
        .iter()
        .filter_map(|part| part.function_response.as_ref())
    {
        let outcome = match &answer.response {
            Some(response) => response.outcome(status == "cancelled"),
            None => judge(Report {
                failed: Some(status == "error"),
                ..Report::default()
            }),
        };
        session.result(str_of(answer.id.as_ref()), outcome);
    }
    // A cancelled call may have no answer in the model's protocol.
    if let Some(call) = result.and_then(|result| result.call_id.as_ref())
        && status == "cancelled"
    {
        session.result(call.as_str(), CallOutcome::Rejected(None));
    }
}
