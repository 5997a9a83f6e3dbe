//! Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and `--output-format stream-json`.
//!
//! One object a line. `user` lines hold what a person typed or the results of calls, `assistant` lines the agent's
//! messages and calls. Of the attachments only what a person typed while the agent worked counts; the others (hook text),
//! summaries, snapshots, notices and meta lines are skipped. `--output-format json` makes one list of them. A subagent's
//! work is a run of its own: in newer versions its lines name the agent, in older ones (`isSidechain`) they are told
//! apart by their chain of parents.

use hardwon_core::{event::RunStatus, limits};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{ReportedOutcome, judge_json},
    format::{FormatRow, text_at},
    home::SessionHome,
    session::TranscriptSession,
    text::prefix_within,
    tool,
    wire::{PlainContent, Text, WireContent, join_lines, json_or_empty, text_or_empty},
};

/// The folders of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 2] = [
    SessionHome {
        client: "claude-code",
        settings: &[("CLAUDE_CONFIG_DIR", "projects")],
        default: ".claude/projects",
    },
    SessionHome {
        client: "claude-code",
        settings: &[],
        default: ".config/claude/projects",
    },
];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_claude,
    is_document: |opening| opening.any_part(&[""], is_claude),
    ..FormatRow::new("claude-code", Some("claude-code"), || {
        Box::new(ClaudeReader)
    })
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
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeLine<'a> {
    #[serde(rename = "type", default)]
    kind: ClaudeLineKind,
    #[serde(borrow, default)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default, rename = "session_id")]
    stream_session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    agent_id: Option<Text<'a>>,
    #[serde(borrow, default, rename = "parent_tool_use_id")]
    stream_parent: Option<Text<'a>>,
    #[serde(borrow, default)]
    uuid: Option<Text<'a>>,
    #[serde(borrow, default)]
    parent_uuid: Option<Text<'a>>,
    #[serde(default)]
    is_sidechain: Option<bool>,
    #[serde(default)]
    is_meta: Option<bool>,
    #[serde(default)]
    is_compact_summary: Option<bool>,
    #[serde(default)]
    is_visible_in_transcript_only: Option<bool>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(default)]
    tool_denial_kind: Option<IgnoredAny>,
    #[serde(borrow, default)]
    prompt_source: Option<Text<'a>>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachment: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ClaudeLineKind {
    User,
    Assistant,
    Attachment,
    Result,
    System,
    #[default]
    #[serde(other)]
    Other,
}

/// What came with a turn, of which only queued messages matter.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeAttachment<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    prompt: PlainContent<'a>,
    #[serde(borrow, default)]
    command_mode: Option<Text<'a>>,
    #[serde(borrow, default)]
    origin: Option<AttachmentOrigin<'a>>,
}

#[derive(Deserialize)]
struct AttachmentOrigin<'a> {
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ClaudeMessage<'a> {
    #[serde(borrow, default)]
    content: WireContent<'a, ClaudeBlock<'a>>,
}

#[derive(Deserialize)]
struct ClaudeBlock<'a> {
    #[serde(rename = "type", default)]
    kind: BlockKind,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Text<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum BlockKind {
    Text,
    ToolUse,
    ToolResult,
    #[default]
    #[serde(other)]
    Other,
}

struct ClaudeReader;

impl FormatReader for ClaudeReader {
    fn read_value(
        &mut self,
        _: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let line: ClaudeLine<'_> = serde_json::from_str(json)?;
        match line.kind {
            ClaudeLineKind::User | ClaudeLineKind::Assistant => read_message_line(&line, session),
            ClaudeLineKind::Attachment => {
                read_attachment(&line, session);
                Ok(())
            }
            ClaudeLineKind::Result => {
                enter_run(&line, session);
                session.set_end(
                    if line.is_error == Some(true) {
                        RunStatus::Failed
                    } else {
                        RunStatus::Completed
                    },
                    None,
                );
                Ok(())
            }
            // In a stream, only this line names the working folder.
            ClaudeLineKind::System if line.stream_session_id.is_some() => {
                enter_run(&line, session);
                session.set_folder(text_or_empty(line.cwd.as_ref()));
                Ok(())
            }
            ClaudeLineKind::System | ClaudeLineKind::Other => Ok(()),
        }
    }
}

fn read_message_line(
    line: &ClaudeLine<'_>,
    session: &mut TranscriptSession,
) -> Result<(), BrokenRecord> {
    let message: ClaudeMessage<'_> = serde_json::from_str(json_or_empty(line.message))?;
    enter_run(line, session);
    if let Some(cwd) = &line.cwd {
        session.set_folder(cwd.as_str());
    }
    if line.kind == ClaudeLineKind::Assistant {
        read_agent_blocks(&message.content, session);
        return Ok(());
    }
    let is_written_by_client = [
        line.is_meta,
        line.is_compact_summary,
        line.is_visible_in_transcript_only,
    ]
    .contains(&Some(true))
        || matches!(
            text_or_empty(line.prompt_source.as_ref()),
            "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event"
        );
    read_results(&message.content, line.tool_denial_kind.is_some(), session);
    if !is_written_by_client {
        session.add_user_message(&typed_text(&message.content));
    }
    Ok(())
}

/// Reads what a person typed while the agent worked.
fn read_attachment(line: &ClaudeLine<'_>, session: &mut TranscriptSession) {
    let Ok(attachment) =
        serde_json::from_str::<ClaudeAttachment<'_>>(json_or_empty(line.attachment))
    else {
        return;
    };
    let origin = attachment
        .origin
        .as_ref()
        .and_then(|origin| origin.kind.as_ref());
    let is_typed = text_or_empty(attachment.kind.as_ref()) == "queued_command"
        && matches!(
            text_or_empty(attachment.command_mode.as_ref()),
            "" | "prompt"
        )
        && matches!(text_or_empty(origin), "" | "human");
    if is_typed {
        enter_run(line, session);
        session.add_queued_message(&attachment.prompt.joined_text());
    }
}

/// Makes the run of the line the current one.
fn enter_run(line: &ClaudeLine<'_>, session: &mut TranscriptSession) {
    let id = line.session_id.as_ref().or(line.stream_session_id.as_ref());
    let id = text_or_empty(id);
    let agent_name = line
        .agent_id
        .as_ref()
        .filter(|_| line.is_sidechain == Some(true));
    if let Some(agent) = agent_name.or(line.stream_parent.as_ref()) {
        session.enter_run(&format!("{id}/{}", agent.as_str()));
        session.current_run().delegated = true;
    } else if line.is_sidechain == Some(true) {
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
    let parent = line.parent_uuid.as_ref().map(Text::as_str);
    let uuid = text_or_empty(line.uuid.as_ref());
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

fn read_agent_blocks(content: &WireContent<'_, ClaudeBlock<'_>>, session: &mut TranscriptSession) {
    match content {
        WireContent::Text(text) => session.add_agent_message(text.as_str()),
        WireContent::Other => {}
        WireContent::Blocks(blocks) => {
            for block in blocks {
                match block.kind {
                    BlockKind::Text => {
                        session.add_agent_message(text_or_empty(block.text.as_ref()));
                    }
                    BlockKind::ToolUse => {
                        let name = text_or_empty(block.name.as_ref());
                        let args = tool::args_from_json(name, json_or_empty(block.input));
                        session.add_call(text_or_empty(block.id.as_ref()), name, args);
                    }
                    BlockKind::ToolResult | BlockKind::Other => {}
                }
            }
        }
    }
}

/// Finishes the calls whose results are in a user line. A denial comes from a person or their settings, not from the
/// tool.
fn read_results(
    content: &WireContent<'_, ClaudeBlock<'_>>,
    is_denied: bool,
    session: &mut TranscriptSession,
) {
    let WireContent::Blocks(blocks) = content else {
        return;
    };
    for block in blocks.iter().filter(|b| b.kind == BlockKind::ToolResult) {
        let has_failed = Some(block.is_error == Some(true));
        let outcome = match judge_json(None, has_failed, json_or_empty(block.content)) {
            ReportedOutcome::Failed(..) | ReportedOutcome::NotRun(_) if is_denied => {
                ReportedOutcome::Rejected(None)
            }
            outcome => outcome,
        };
        session.add_result(text_or_empty(block.tool_use_id.as_ref()), outcome);
    }
}

/// Returns the text of a user line without the results.
fn typed_text<'t>(content: &'t WireContent<'_, ClaudeBlock<'_>>) -> std::borrow::Cow<'t, str> {
    match content {
        WireContent::Text(text) => text.as_str().into(),
        WireContent::Other => "".into(),
        WireContent::Blocks(blocks) => join_lines(
            blocks
                .iter()
                .filter(|block| block.kind == BlockKind::Text)
                .map(|block| text_or_empty(block.text.as_ref())),
        ),
    }
}
