//! Codex: `$CODEX_HOME/sessions/Y/M/D/rollout-<time>-<session>.jsonl`.
//!
//! Lines are `{type, payload}`; in the first versions the payload stood alone on its line. A
//! message can stand there twice, as an item of the model's protocol and as an event for the
//! screen. A command's exit code stands in an event that may come before its output.

use hardwon_core::id::RunId;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    ended::CallEnd,
    failure::{CallOutcome, Printed, Report, judge, judge_json},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    session::Session,
    text_of, tool,
    wire::{PlainContent, Text, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 2] = [
    SessionHome {
        client: "codex",
        settings: &[("CODEX_HOME", "sessions")],
        default: ".codex/sessions",
    },
    SessionHome {
        client: "codex",
        settings: &[("CODEX_HOME", "archived_sessions")],
        default: ".codex/archived_sessions",
    },
];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_codex,
    ..FormatRow::new("codex", Some("codex"), || Box::new(Codex))
};

fn is_codex(line: &Value) -> bool {
    const WRAPPED: [&str; 5] = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    ];
    const BARE: [&str; 5] = [
        "message",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "reasoning",
    ];
    let kind = text_at(line, "type");
    let is_wrapped = WRAPPED.contains(&kind) && line.get("payload").is_some();
    let is_bare = BARE.contains(&kind)
        && (line.get("call_id").is_some() || line.pointer("/content/0/type").is_some());
    let is_old_header = kind.is_empty()
        && has_text(line, "id")
        && has_text(line, "timestamp")
        && line.get("instructions").is_some();
    is_wrapped || is_bare || is_old_header
}

/// One line, exactly as Codex writes it. Old lines have no `payload`.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

/// What the first line says about the session.
#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    git: Option<Git<'a>>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Git<'a> {
    #[serde(borrow, default)]
    repository_url: Option<Text<'a>>,
}

/// An item of the model's protocol.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", default)]
    kind: ItemKind,
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    namespace: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    internal_chat_message_metadata_passthrough: Option<Passthrough<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum ItemKind {
    Message,
    FunctionCall,
    CustomToolCall,
    LocalShellCall,
    WebSearchCall,
    FunctionCallOutput,
    CustomToolCallOutput,
    #[default]
    #[serde(other)]
    Other,
}

/// Where the parts of a message come from, in newer versions.
#[derive(Deserialize)]
struct Passthrough<'a> {
    #[serde(borrow, default)]
    content_item_kinds: Option<Vec<Text<'a>>>,
}

/// A failed result of old versions.
#[derive(Deserialize)]
struct OutputObject<'a> {
    #[serde(borrow)]
    content: Text<'a>,
    #[serde(default)]
    success: Option<bool>,
}

/// A result of old versions: JSON inside the text.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    output: Text<'a>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    exit_code: Option<i64>,
}

/// An event for the screen.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: EventKind,
    #[serde(borrow, default)]
    message: Option<Text<'a>>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(borrow, default)]
    item: Option<CompletedItem<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    UserMessage,
    AgentMessage,
    ExecCommandEnd,
    PatchApplyEnd,
    TurnAborted,
    ItemCompleted,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct CompletedItem<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    aggregated_output: Option<&'a RawValue>,
}

struct Codex;

impl FormatReader for Codex {
    fn value(&mut self, _: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        let line: Line<'_> = serde_json::from_str(json)?;
        let Some(payload) = line.payload else {
            return old_line(&line, json, session);
        };
        match str_of(line.kind.as_ref()) {
            "session_meta" => meta(&serde_json::from_str(payload.get())?, session),
            "turn_context" => {
                let context: Meta<'_> = serde_json::from_str(payload.get())?;
                session.works_in(str_of(context.cwd.as_ref()));
            }
            "response_item" => item(&serde_json::from_str(payload.get())?, session),
            "event_msg" => event(&serde_json::from_str(payload.get())?, session),
            _ => {}
        }
        Ok(())
    }
}

/// The first versions wrote payloads without a wrapper.
fn old_line(line: &Line<'_>, json: &str, session: &mut Session) -> Result<(), Broken> {
    match &line.kind {
        Some(_) => item(&serde_json::from_str(json)?, session),
        None => meta(&serde_json::from_str(json)?, session),
    }
    Ok(())
}

/// Opens the session. A forked one repeats the first lines of its parent; its own came first.
fn meta(meta: &Meta<'_>, session: &mut Session) {
    let id = str_of(meta.id.as_ref());
    if !session.runs.is_empty() || RunId::parse(id).is_err() {
        return;
    }
    session.enter(id);
    session.works_in(str_of(meta.cwd.as_ref()));
    let remote = meta
        .git
        .as_ref()
        .and_then(|git| git.repository_url.as_ref());
    session.comes_from(str_of(remote));
    session.run().delegated = raw_of(meta.source).contains("subagent");
}

fn item(item: &Item, session: &mut Session) {
    let call = str_of(item.call_id.as_ref());
    match item.kind {
        ItemKind::Message => message(item, session),
        ItemKind::FunctionCall | ItemKind::CustomToolCall => {
            let name = match str_of(item.namespace.as_ref()) {
                "" => str_of(item.name.as_ref()).to_owned(),
                space => format!("{space}__{}", str_of(item.name.as_ref())),
            };
            let args = tool::args(&name, raw_of(item.arguments.or(item.input)));
            session.call(call, &name, args);
        }
        ItemKind::LocalShellCall => {
            session.call(call, "shell", tool::args("shell", raw_of(item.action)));
        }
        ItemKind::WebSearchCall => {
            let args = tool::args("web_search", raw_of(item.action));
            session.act("web_search", args, CallOutcome::Ok(Printed::Nothing));
        }
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => {
            let outcome = outcome(raw_of(item.output), session.exit_of(call));
            session.result(call, outcome);
        }
        ItemKind::Other => {}
    }
}

fn message(item: &Item, session: &mut Session) {
    match str_of(item.role.as_ref()) {
        "user" if is_typed(item) => session.user(&item.content.joined()),
        "assistant" => session.assistant(&item.content.joined()),
        _ => {}
    }
}

/// Newer versions say where each part of a user message comes from.
fn is_typed(item: &Item) -> bool {
    let source = item.internal_chat_message_metadata_passthrough.as_ref();
    match source.and_then(|source| source.content_item_kinds.as_ref()) {
        Some(kinds) => kinds.iter().any(|kind| kind.as_str().starts_with("user.")),
        None => true,
    }
}

/// Decides how a call ended whose result is text, a list of parts, or an object.
fn outcome(output: &str, exit: Option<i64>) -> CallOutcome<'_> {
    if output.starts_with('{')
        && let Ok(object) = serde_json::from_str::<OutputObject<'_>>(output)
    {
        return judge(Report {
            exit,
            failed: object.success.map(|success| !success),
            text: object.content.as_str(),
        })
        .into_owned();
    }
    if output.starts_with("\"{")
        && let Ok(text) = serde_json::from_str::<Text<'_>>(output)
        && let Ok(wrapped) = serde_json::from_str::<Wrapped<'_>>(text.as_str())
    {
        return judge(Report {
            exit: exit.or(wrapped.metadata.exit_code),
            failed: None,
            text: wrapped.output.as_str(),
        })
        .into_owned();
    }
    judge_json(exit, None, output)
}

fn event(event: &Event<'_>, session: &mut Session) {
    let message = str_of(event.message.as_ref());
    let call = str_of(event.call_id.as_ref());
    match event.kind {
        EventKind::UserMessage => session.user(message),
        EventKind::AgentMessage => session.assistant(message),
        EventKind::TurnAborted => session.run().interrupted = true,
        EventKind::ExecCommandEnd => {
            if let Some(code) = event.exit_code {
                session.exit(call, code);
            }
        }
        EventKind::PatchApplyEnd => {
            if event.success == Some(false) {
                session.exit(call, 1);
            }
        }
        EventKind::ItemCompleted => {
            if let Some(CompletedItem {
                id: Some(id),
                exit_code: Some(code),
                ..
            }) = &event.item
            {
                session.exit(id.as_str(), *code);
            }
        }
        EventKind::Other => {}
    }
}

/// Tells from the end of a rollout how a call ended, where its completion is written down there.
///
/// `PostToolUse` comes before the call's output is written but after its completion. The end of a
/// file may begin in the middle of a line; that line is passed over.
pub(super) fn ended_in_tail(tail: &[u8], call: &str) -> Option<CallEnd> {
    if call.is_empty() {
        return None;
    }
    text_of(tail)
        .rsplit('\n')
        .filter(|line| line.contains(call) && line.contains("item_completed"))
        .find_map(|line| completed(line, call))
}

fn completed(json: &str, call: &str) -> Option<CallEnd> {
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let event: Event<'_> = serde_json::from_str(line.payload?.get()).ok()?;
    let item = event.item?;
    if str_of(item.id.as_ref()) != call {
        return None;
    }
    let failed = match str_of(item.status.as_ref()) {
        "declined" => return Some(CallEnd::Refused),
        status => status == "failed",
    };
    let output = raw_of(item.aggregated_output);
    Some(judge_json(item.exit_code, Some(failed), output).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, rest: &str) -> String {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{"id":"{id}",{rest}}}}}}}"#
        )
    }

    fn failed(head: &str, printed: &str) -> CallEnd {
        CallEnd::Failed {
            head: head.into(),
            printed: printed.into(),
        }
    }

    #[test]
    fn the_end_of_a_rollout_tells_how_a_call_ended() {
        let tail = [
            r#"half a line","exit_code":1}}}"#.to_owned(),
            line("c1", r#""status":"failed","exit_code":7,"aggregated_output":"""#),
            line(
                "c2",
                r#""status":"completed","exit_code":0,"aggregated_output":"error: said c1""#,
            ),
            line(
                "c3",
                r#""status":"failed","exit_code":1,"aggregated_output":"npm error Missing script: \"test\"\n""#,
            ),
            line("c4", r#""status":"declined""#),
            line("c5", r#""status":"failed""#),
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c6"}}"#
                .to_owned(),
            r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"id":"c7""#.to_owned(),
        ]
        .join("\n");
        for (call, expected) in [
            ("c1", Some(failed("exit code 7", ""))),
            ("c2", Some(CallEnd::Ok("error: said c1".to_owned()))),
            (
                "c3",
                Some(failed(
                    r#"npm error Missing script: "test""#,
                    "npm error Missing script: \"test\"\n",
                )),
            ),
            ("c4", Some(CallEnd::Refused)),
            ("c5", Some(failed("failed without output", ""))),
            ("c6", None),
            ("c7", None),
            ("c8", None),
            ("", None),
        ] {
            assert_eq!(ended_in_tail(tail.as_bytes(), call), expected, "{call}");
        }
    }
}
