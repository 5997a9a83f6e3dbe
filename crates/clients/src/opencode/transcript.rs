//! opencode: the output of `opencode export` (one document), and of `opencode run --format json` (a part a line).
//!
//! A command that exits with 7 is completed, with the exit code in its metadata; a tool that threw has the status
//! `error`.

use serde::Deserialize;

use crate::transcript::{
    FormatRow, Json, ReadResult, SessionHome, Text, TranscriptSession, call_report::judge_json,
    format::has_text, tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[SessionHome::new(
        &[
            ("OPENCODE_DB", ""),
            ("XDG_DATA_HOME", "opencode/opencode.db"),
        ],
        ".local/share/opencode/opencode.db",
    )],
    is_line: |line| has_text(line, "sessionID") && line.get("part").is_some(),
    is_document: |opening| {
        opening.any_part(&["info"], |info| has_text(info, "directory"))
            || opening.any_part(&["messages"], |m| {
                m.get("info").is_some() && m.get("parts").is_some()
            })
    },
    ..FormatRow::new("opencode", Some("opencode"), || Box::new(read_value))
};

/// The `info` of a session or of a message.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct OpenCodeInfo<'a> {
    id: Text<'a>,
    directory: Text<'a>,
    #[serde(rename = "parentID")]
    parent: Text<'a>,
    role: Text<'a>,
    error: Json<'a>,
}

/// A message of an export, or a line of the stream, which has one part.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct OpenCodeMessage<'a> {
    info: Option<OpenCodeInfo<'a>>,
    parts: Vec<OpenCodePart<'a>>,
    #[serde(rename = "sessionID")]
    session: Text<'a>,
    part: Option<OpenCodePart<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct OpenCodePart<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    text: Text<'a>,
    /// Whether the client wrote the text.
    synthetic: Option<bool>,
    id: Text<'a>,
    tool: Text<'a>,
    #[serde(rename = "callID")]
    call: Text<'a>,
    state: Option<OpenCodeToolState<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct OpenCodeToolState<'a> {
    status: Text<'a>,
    input: Json<'a>,
    output: Json<'a>,
    error: Json<'a>,
    metadata: Json<'a>,
}

fn read_value(key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    match key {
        "info" => {
            let info: OpenCodeInfo<'_> = serde_json::from_str(json)?;
            session.enter_run(info.id.as_str());
            session.set_folder(info.directory.as_str());
            session.current_run().delegated = !info.parent.is_empty();
        }
        "" | "messages" => read_message(&serde_json::from_str(json)?, session),
        _ => {}
    }
    Ok(())
}

fn read_message(message: &OpenCodeMessage<'_>, session: &mut TranscriptSession) {
    if !message.session.is_empty() {
        session.enter_run(message.session.as_str());
    }
    let info = message.info.as_ref();
    let is_user = info.is_some_and(|info| info.role.as_str() == "user");
    for part in message.parts.iter().chain(&message.part) {
        match part.kind.as_str() {
            "text" if part.synthetic == Some(true) => {}
            "text" if is_user => session.add_user_message(strip_quotes(part.text.as_str())),
            "text" => session.add_agent_message(part.text.as_str()),
            "tool" => read_tool_part(part, session),
            _ => {}
        }
    }
    let error = info.map(|info| info.error.member("name").to_text());
    if error.is_some_and(|name| name == "MessageAbortedError") {
        session.current_run().interrupted = true;
    }
}

/// Strips the quotes that `opencode run` puts around the prompt of its command line.
pub(super) fn strip_quotes(text: &str) -> &str {
    let inner = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn read_tool_part(part: &OpenCodePart<'_>, session: &mut TranscriptSession) {
    let Some(state) = &part.state else {
        return;
    };
    let name = part.tool.as_str();
    // The model's id of a call need not be its own.
    let call = part.id.or(&part.call);
    let args = tool::args_from_json(name, state.input.as_str());
    session.add_call_once(call.as_str(), name, args);
    let has_failed = match state.status.as_str() {
        "completed" => false,
        "error" => true,
        _ => return,
    };
    let exit = state.metadata.member("exit").to_plain();
    let output = state.error.or(state.output).as_str();
    session.add_result(call.as_str(), judge_json(exit, Some(has_failed), output));
}
