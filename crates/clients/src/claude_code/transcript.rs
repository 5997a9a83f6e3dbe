//! Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and `--output-format stream-json`.
//!
//! One object a line. `user` lines hold what a person typed or the results of calls, `assistant`
//! lines what the agent said and called; attachments (hook text), summaries, snapshots, notices
//! and meta lines are passed over. What a subagent did is a run of its own: in newer versions its
//! lines name the agent, in older ones (`isSidechain`) they are told apart by their chain of
//! parents.

use hardwon_core::{event::RunStatus, limits};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, judge_json},
    format::{FormatRow, text_at},
    home::SessionHome,
    session::Session,
    text::at_most,
    tool,
    wire::{Content, Text, join, raw_of, str_of},
};

/// Where the sessions are.
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
    line: is_claude,
    ..FormatRow::new("claude-code", Some("claude-code"), || Box::new(Claude))
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
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: Kind,
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
    #[serde(default)]
    is_error: Option<bool>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    User,
    Assistant,
    Result,
    System,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Content<'a, Block<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
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

struct Claude;

impl FormatReader for Claude {
    fn value(&mut self, _: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        let line: Line<'_> = serde_json::from_str(json)?;
        match line.kind {
            Kind::User | Kind::Assistant => message_line(&line, session),
            Kind::Result => {
                enter(&line, session);
                session.end(
                    if line.is_error == Some(true) {
                        RunStatus::Failed
                    } else {
                        RunStatus::Completed
                    },
                    None,
                );
                Ok(())
            }
            // Only here does a stream say which folder it works in.
            Kind::System if line.stream_session_id.is_some() => {
                enter(&line, session);
                session.works_in(str_of(line.cwd.as_ref()));
                Ok(())
            }
            Kind::System | Kind::Other => Ok(()),
        }
    }
}

fn message_line(line: &Line<'_>, session: &mut Session) -> Result<(), Broken> {
    let message: Message<'_> = serde_json::from_str(raw_of(line.message))?;
    enter(line, session);
    if let Some(cwd) = &line.cwd {
        session.works_in(cwd.as_str());
    }
    if line.kind == Kind::Assistant {
        said_and_called(&message.content, session);
        return Ok(());
    }
    let is_written_by_client = [
        line.is_meta,
        line.is_compact_summary,
        line.is_visible_in_transcript_only,
    ]
    .contains(&Some(true))
        || matches!(
            str_of(line.prompt_source.as_ref()),
            "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event"
        );
    results(&message.content, line.tool_denial_kind.is_some(), session);
    if !is_written_by_client {
        session.user(&typed(&message.content));
    }
    Ok(())
}

/// Makes the run of the line the current one.
fn enter(line: &Line<'_>, session: &mut Session) {
    let id = line.session_id.as_ref().or(line.stream_session_id.as_ref());
    let id = str_of(id);
    let named = line
        .agent_id
        .as_ref()
        .filter(|_| line.is_sidechain == Some(true));
    if let Some(agent) = named.or(line.stream_parent.as_ref()) {
        session.enter(&format!("{id}/{}", agent.as_str()));
        session.run().delegated = true;
    } else if line.is_sidechain == Some(true) {
        enter_sidechain(line, id, session);
        session.run().delegated = true;
    } else {
        session.enter(id);
    }
}

/// Finds the run of an unnamed subagent: the one whose last line is this line's parent. A line
/// without a parent begins a run; a line whose parent is not known goes to the latest.
fn enter_sidechain(line: &Line<'_>, id: &str, session: &mut Session) {
    let prefix = format!("{id}/");
    let parent = line.parent_uuid.as_ref().map(Text::as_str);
    let uuid = str_of(line.uuid.as_ref());
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
    session.enter(&run.unwrap_or_else(|| format!("{prefix}{uuid}")));
    session.run().tail = Some(at_most(uuid, limits::NAME_CHARS).to_owned());
}

fn said_and_called(content: &Content<'_, Block<'_>>, session: &mut Session) {
    match content {
        Content::Text(text) => session.assistant(text.as_str()),
        Content::Other => {}
        Content::Blocks(blocks) => {
            for block in blocks {
                match block.kind {
                    BlockKind::Text => session.assistant(str_of(block.text.as_ref())),
                    BlockKind::ToolUse => {
                        let name = str_of(block.name.as_ref());
                        let args = tool::args(name, raw_of(block.input));
                        session.call(str_of(block.id.as_ref()), name, args);
                    }
                    BlockKind::ToolResult | BlockKind::Other => {}
                }
            }
        }
    }
}

/// Settles the calls whose results stand in a user line. A denial is a person's or their settings'
/// word, not the tool's.
fn results(content: &Content<'_, Block<'_>>, is_denied: bool, session: &mut Session) {
    let Content::Blocks(blocks) = content else {
        return;
    };
    for block in blocks.iter().filter(|b| b.kind == BlockKind::ToolResult) {
        let failed = Some(block.is_error == Some(true));
        let outcome = match judge_json(None, failed, raw_of(block.content)) {
            CallOutcome::Failed(..) | CallOutcome::NotRun(_) if is_denied => {
                CallOutcome::Rejected(None)
            }
            outcome => outcome,
        };
        session.result(str_of(block.tool_use_id.as_ref()), outcome);
    }
}

/// What stands in a user line beside results.
fn typed<'t>(content: &'t Content<'_, Block<'_>>) -> std::borrow::Cow<'t, str> {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Other => "".into(),
        Content::Blocks(blocks) => join(
            blocks
                .iter()
                .filter(|block| block.kind == BlockKind::Text)
                .map(|block| str_of(block.text.as_ref())),
        ),
    }
}
