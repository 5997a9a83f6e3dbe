//! Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and `--output-format stream-json`.
//!
//! One object a line. `user` lines hold what a person typed or the results of calls, `assistant` lines the agent's
//! messages and calls. Of the attachments only what a person typed while the agent worked counts; the others (hook text),
//! summaries, snapshots, notices and meta lines are skipped. `--output-format json` makes one list of them. A subagent's
//! work is a run of its own: in newer versions its lines name the agent, in older ones (`isSidechain`) they are told
//! apart by their chain of parents.

use std::borrow::Cow;

use hardwon_core::{RunStatus, limits};
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    FormatRow, Json, ReadResult, ReportedOutcome, SessionHome, Text, TranscriptSession,
    WireContent,
    call_report::judge_json,
    format::text_at,
    live,
    text::prefix_within,
    wire::{join_lines, strings_from_json},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[
        SessionHome::new(&[("CLAUDE_CONFIG_DIR", "projects")], ".claude/projects"),
        SessionHome::new(&[], ".config/claude/projects"),
    ],
    is_line: is_claude,
    is_document: |opening| opening.any_part(&[""], is_claude),
    ..FormatRow::new("claude-code", Some("claude-code"), || Box::new(read_line))
};

fn is_claude(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some_and(Value::is_string);
    match text_at(line, "type") {
        "user" | "assistant" => {
            (has("sessionId") || has("session_id") || has("uuid"))
                && line.pointer("/message/content").is_some()
        }
        "summary" => has("leafUuid"),
        "system" => text_at(line, "subtype") == "init" && has("session_id"),
        "attachment" => has("sessionId") && line.get("attachment").is_some(),
        _ => false,
    }
}

/// One line, exactly as Claude Code writes it.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct ClaudeLine<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    session_id: Text<'a>,
    #[serde(rename = "session_id")]
    stream_session_id: Text<'a>,
    agent_id: Text<'a>,
    #[serde(rename = "parent_tool_use_id")]
    stream_parent: Text<'a>,
    uuid: Text<'a>,
    parent_uuid: Text<'a>,
    is_sidechain: Option<bool>,
    is_meta: Option<bool>,
    is_compact_summary: Option<bool>,
    is_visible_in_transcript_only: Option<bool>,
    cwd: Text<'a>,
    tool_denial_kind: Json<'a>,
    prompt_source: Text<'a>,
    message: Json<'a>,
    attachment: Json<'a>,
    is_error: Option<bool>,
}

/// What came with a turn, of which queued messages and files matter.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct ClaudeAttachment<'a> {
    #[serde(rename = "type")]
    kind: Text<'a>,
    prompt: WireContent<'a>,
    command_mode: Text<'a>,
    origin: Json<'a>,
    filename: Text<'a>,
    content: Json<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ClaudeMessage<'a> {
    content: WireContent<'a>,
}

fn read_line(_: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    let line: ClaudeLine<'_> = serde_json::from_str(json)?;
    match line.kind.as_str() {
        "user" | "assistant" => return read_message_line(&line, session),
        "attachment" => read_attachment(&line, session),
        "result" => {
            enter_run(&line, session);
            let has_failed = line.is_error == Some(true);
            let status = if has_failed {
                RunStatus::Failed
            } else {
                RunStatus::Completed
            };
            session.set_end(status, None);
        }
        // In a stream, only this line names the working folder.
        "system" if !line.stream_session_id.is_empty() => {
            enter_run(&line, session);
            session.set_folder(line.cwd.as_str());
        }
        _ => {}
    }
    Ok(())
}

fn read_message_line(line: &ClaudeLine<'_>, session: &mut TranscriptSession) -> ReadResult {
    let message: ClaudeMessage<'_> = serde_json::from_str(line.message.as_str())?;
    enter_run(line, session);
    session.set_folder(line.cwd.as_str());
    if line.kind.as_str() == "assistant" {
        read_agent_blocks(&message.content, session);
        return Ok(());
    }
    let marks = [
        line.is_meta,
        line.is_compact_summary,
        line.is_visible_in_transcript_only,
    ];
    let is_written_by_client =
        marks.contains(&Some(true)) || live::is_clients_source(line.prompt_source.as_str());
    read_results(&message.content, !line.tool_denial_kind.is_empty(), session);
    if !is_written_by_client {
        session.add_user_message(&typed_text(&message.content));
    }
    Ok(())
}

/// Returns the text of a user line. Blocks of other types are not a person's words, even if they have a text.
fn typed_text<'t>(content: &'t WireContent<'_>) -> Cow<'t, str> {
    if let WireContent::Text(text) = content {
        return Cow::Borrowed(text.as_str());
    }
    let blocks = content.blocks().iter();
    let texts = blocks.filter(|block| block.is_of_kind("text"));
    join_lines(texts.map(|block| block.text.as_str()))
}

/// Reads what a person typed while the agent worked, and the files that they attached.
fn read_attachment(line: &ClaudeLine<'_>, session: &mut TranscriptSession) {
    let attachment: ClaudeAttachment<'_> =
        serde_json::from_str(line.attachment.as_str()).unwrap_or_default();
    if attachment.kind.as_str() == "file" {
        enter_run(line, session);
        let text = strings_from_json(attachment.content.as_str());
        session.add_attached_file(attachment.filename.as_str(), &text);
    }
    let origin = attachment.origin;
    // An origin of an unknown shape may be anybody's.
    let is_human = origin.is_empty() || origin.member("kind").to_text() == "human";
    let is_typed = attachment.kind.as_str() == "queued_command"
        && matches!(attachment.command_mode.as_str(), "" | "prompt")
        && is_human;
    if is_typed {
        enter_run(line, session);
        session.add_queued_message(&attachment.prompt.joined_text());
    }
}

/// Makes the run of the line the current one.
fn enter_run(line: &ClaudeLine<'_>, session: &mut TranscriptSession) {
    let id = line.session_id.or(&line.stream_session_id).as_str();
    let is_sidechain = line.is_sidechain == Some(true);
    let agent = if is_sidechain {
        line.agent_id.or(&line.stream_parent)
    } else {
        &line.stream_parent
    };
    if !agent.is_empty() {
        session.enter_subagent(id, agent.as_str());
    } else if is_sidechain {
        enter_sidechain(line, id, session);
        session.current_run().delegated = true;
    } else {
        session.enter_run(id);
    }
}

/// Finds the run of an unnamed subagent: the one whose last line is this line's parent. A line without a parent begins
/// a run; a line with an unknown parent belongs to the latest.
fn enter_sidechain(line: &ClaudeLine<'_>, id: &str, session: &mut TranscriptSession) {
    let prefix = format!("{id}/");
    let parent = Some(line.parent_uuid.as_str()).filter(|parent| !parent.is_empty());
    let uuid = line.uuid.as_str();
    let run = session
        .runs
        .iter()
        .find(|run| parent.is_some() && run.tail.as_deref() == parent)
        .or_else(|| {
            let sides = session.runs.iter().rev();
            sides
                .filter(|_| parent.is_some())
                .find(|run| run.info.id.as_str().starts_with(&prefix))
        })
        .map(|run| run.info.id.as_str().to_owned());
    session.enter_run(&run.unwrap_or_else(|| format!("{prefix}{uuid}")));
    session.current_run().tail = Some(prefix_within(uuid, limits::NAME_CHARS).to_owned());
}

fn read_agent_blocks(content: &WireContent<'_>, session: &mut TranscriptSession) {
    if let WireContent::Text(text) = content {
        session.add_agent_message(text.as_str());
    }
    for block in content.blocks() {
        if block.is_of_kind("text") {
            session.add_agent_message(block.text.as_str());
        } else if block.is_of_kind("tool_use") {
            session.add_block_call(block);
        }
    }
}

/// Finishes the calls whose results are in a user line. A denial comes from a person or their settings, not from the
/// tool.
fn read_results(content: &WireContent<'_>, is_denied: bool, session: &mut TranscriptSession) {
    let results = content.blocks().iter();
    for block in results.filter(|block| block.is_of_kind("tool_result")) {
        let has_failed = Some(block.is_error.as_str() == "true");
        let outcome = match judge_json(None, has_failed, block.content.as_str()) {
            ReportedOutcome::Failed(..) | ReportedOutcome::NotRun(_) if is_denied => {
                ReportedOutcome::Rejected(None)
            }
            outcome => outcome,
        };
        session.add_result(&block.tool_use_id.to_text(), outcome);
    }
}
