//! Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`.
//!
//! Lines like Claude Code's, with messages in Gemini's protocol. What a person typed is marked as such; hook text and
//! telemetry come in `system` lines and are skipped.

use serde::Deserialize;

use crate::{
    gemini_cli::transcript::{GeminiPart, judge_response},
    transcript::{
        FormatRow, Json, ReadResult, ReportedOutcome, SessionHome, Text, TranscriptSession,
        call_report::judge_text, format::has_text, wire::join_lines,
    },
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[SessionHome::new(
        &[("QWEN_RUNTIME_DIR", "projects"), ("QWEN_HOME", "projects")],
        ".qwen/projects",
    )],
    is_line: |line| has_text(line, "sessionId") && line.pointer("/message/parts").is_some(),
    ..FormatRow::new("qwen-code", Some("qwen-code"), || Box::new(read_line))
};

/// One line, exactly as Qwen Code writes it.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct QwenLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    session_id: Text<'a>,
    agent_id: Text<'a>,
    is_sidechain: Option<bool>,
    provenance: Text<'a>,
    cwd: Text<'a>,
    message: Option<QwenMessage<'a>>,
    tool_call_result: Json<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct QwenMessage<'a> {
    parts: Vec<GeminiPart<'a>>,
}

fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: QwenLine<'_> = serde_json::from_str(json)?;
    let kind = line.kind.as_str();
    if !matches!(kind, "user" | "assistant" | "tool_result") {
        return Ok(());
    }
    enter_run(&line, session);
    session.set_folder(line.cwd.as_str());
    let parts = line.message.unwrap_or_default().parts;
    match kind {
        "user" if matches!(line.provenance.as_str(), "" | "real_user") => {
            session.add_user_message(&text_from_parts(&parts));
        }
        "assistant" => read_agent_message(&parts, session),
        "tool_result" => read_results(&parts, line.tool_call_result, session),
        _ => {}
    }
    Ok(())
}

fn enter_run(line: &QwenLine<'_>, session: &mut TranscriptSession) {
    let id = line.session_id.as_str();
    if line.is_sidechain == Some(true) && !line.agent_id.is_empty() {
        session.enter_subagent(id, line.agent_id.as_str());
    } else {
        session.enter_run(id);
    }
}

fn text_from_parts<'t>(parts: &'t [GeminiPart<'_>]) -> std::borrow::Cow<'t, str> {
    let parts = parts.iter().filter(|part| part.thought != Some(true));
    join_lines(parts.map(|part| part.text.as_str()))
}

fn read_agent_message(parts: &[GeminiPart<'_>], session: &mut TranscriptSession) {
    session.add_agent_message(&text_from_parts(parts));
    for call in parts.iter().filter_map(|part| part.function_call.as_ref()) {
        let args = call.args.as_str();
        session.add_json_call(call.id.as_str(), call.name.as_str(), args);
    }
}

fn read_results(parts: &[GeminiPart<'_>], result: Json<'_>, session: &mut TranscriptSession) {
    let status = result.member("status").to_text();
    let answers = parts
        .iter()
        .filter_map(|part| part.function_response.as_ref());
    for answer in answers {
        let outcome = match &answer.response {
            Some(response) => judge_response(response, status == "cancelled"),
            None => judge_text(None, Some(status == "error"), ""),
        };
        session.add_result(answer.id.as_str(), outcome);
    }
    // A cancelled call may have no answer in the model's protocol.
    if status == "cancelled" {
        let call = result.member("callId").to_text();
        session.add_result(&call, ReportedOutcome::Rejected(None));
    }
}
