//! Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`.
//!
//! Lines like Claude Code's, with messages in Gemini's protocol. What a person typed is marked as such; hook text and
//! telemetry come in `system` lines and are skipped.

use serde::Deserialize;

use crate::gemini_cli::transcript::GeminiPart;

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, ReportedOutcome, judge_report},
    format::{FormatRow, has_text},
    home::SessionHome,
    session::TranscriptSession,
    tool,
    wire::{Text, join_lines, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "qwen-code",
    settings: &[("QWEN_RUNTIME_DIR", "projects"), ("QWEN_HOME", "projects")],
    default: ".qwen/projects",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: |line| has_text(line, "sessionId") && line.pointer("/message/parts").is_some(),
    ..FormatRow::new("qwen-code", Some("qwen-code"), || Box::new(QwenReader))
};
/// One line, exactly as Qwen Code writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QwenLine<'a> {
    #[serde(rename = "type", default)]
    kind: QwenLineKind,
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
    message: Option<QwenMessage<'a>>,
    #[serde(borrow, default)]
    tool_call_result: Option<QwenToolResult<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum QwenLineKind {
    User,
    Assistant,
    ToolResult,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct QwenMessage<'a> {
    #[serde(borrow, default)]
    parts: Vec<GeminiPart<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QwenToolResult<'a> {
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
}

struct QwenReader;

impl FormatReader for QwenReader {
    fn read_value(
        &mut self,
        _: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let line: QwenLine<'_> = serde_json::from_str(json)?;
        if matches!(line.kind, QwenLineKind::Other) {
            return Ok(());
        }
        enter_run(&line, session);
        session.set_folder(text_or_empty(line.cwd.as_ref()));
        let parts = line
            .message
            .as_ref()
            .map_or(&[][..], |message| &message.parts);
        match line.kind {
            QwenLineKind::User => {
                if matches!(text_or_empty(line.provenance.as_ref()), "" | "real_user") {
                    session.add_user_message(&text_from_parts(parts));
                }
            }
            QwenLineKind::Assistant => read_agent_message(parts, session),
            QwenLineKind::ToolResult => {
                read_results(parts, line.tool_call_result.as_ref(), session);
            }
            QwenLineKind::Other => {}
        }
        Ok(())
    }
}

fn enter_run(line: &QwenLine<'_>, session: &mut TranscriptSession) {
    let id = text_or_empty(line.session_id.as_ref());
    match &line.agent_id {
        Some(agent) if line.is_sidechain == Some(true) => {
            session.enter_run(&format!("{id}/{}", agent.as_str()));
            session.current_run().delegated = true;
        }
        _ => session.enter_run(id),
    }
}

fn text_from_parts<'t>(parts: &'t [GeminiPart<'_>]) -> std::borrow::Cow<'t, str> {
    let parts = parts.iter().filter(|part| part.thought != Some(true));
    join_lines(
        parts
            .filter_map(|part| part.text.as_ref())
            .map(Text::as_str),
    )
}

fn read_agent_message(parts: &[GeminiPart<'_>], session: &mut TranscriptSession) {
    session.add_agent_message(&text_from_parts(parts));
    for call in parts.iter().filter_map(|part| part.function_call.as_ref()) {
        let name = text_or_empty(call.name.as_ref());
        let args = tool::args_from_json(name, json_or_empty(call.args));
        session.add_call(text_or_empty(call.id.as_ref()), name, args);
    }
}

fn read_results(
    parts: &[GeminiPart<'_>],
    result: Option<&QwenToolResult<'_>>,
    session: &mut TranscriptSession,
) {
    let status = text_or_empty(result.and_then(|result| result.status.as_ref()));
    for answer in parts
        .iter()
        .filter_map(|part| part.function_response.as_ref())
    {
        let outcome = match &answer.response {
            Some(response) => response.judge_response(status == "cancelled"),
            None => judge_report(CallReport {
                failed: Some(status == "error"),
                ..CallReport::default()
            }),
        };
        session.add_result(text_or_empty(answer.id.as_ref()), outcome);
    }
    // A cancelled call may have no answer in the model's protocol.
    if let Some(call) = result.and_then(|result| result.call_id.as_ref())
        && status == "cancelled"
    {
        session.add_result(call.as_str(), ReportedOutcome::Rejected(None));
    }
}
