//! pi: `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`.
//!
//! A header line, then entries that form a tree by `id` and `parentId`; they are read in the order
//! in which they were written, because what was tried and taken back was tried all the same.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{Report, judge},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    session::Session,
    tool,
    wire::{Content, Text, join, raw_of, str_of},
};

/// Where the sessions are.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "pi",
    settings: &[("PI_CODING_AGENT_DIR", "sessions")],
    default: ".pi/agent/sessions",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_pi,
    ..FormatRow::new("pi", Some("pi"), || Box::new(Pi))
};

fn is_pi(line: &Value) -> bool {
    let is_header =
        text_at(line, "type") == "session" && has_text(line, "cwd") && has_text(line, "id");
    let is_message = text_at(line, "type") == "message" && line.pointer("/message/role").is_some();
    is_header || is_message
}

/// One line, exactly as pi writes it.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: Kind,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Session,
    Message,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(default)]
    role: Role,
    #[serde(borrow, default)]
    content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    stop_reason: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
enum Role {
    User,
    Assistant,
    ToolResult,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

struct Pi;

impl FormatReader for Pi {
    fn value(&mut self, _: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        let line: Line<'_> = serde_json::from_str(json)?;
        match line.kind {
            Kind::Session => {
                session.enter(str_of(line.id.as_ref()));
                session.works_in(str_of(line.cwd.as_ref()));
            }
            Kind::Message => message(line.message.as_ref().ok_or(Broken)?, session),
            Kind::Other => {}
        }
        Ok(())
    }
}

fn message(message: &Message<'_>, session: &mut Session) {
    match message.role {
        Role::User => session.user(&text_of(&message.content)),
        Role::Assistant => {
            session.assistant(&text_of(&message.content));
            calls(&message.content, session);
            if str_of(message.stop_reason.as_ref()) == "aborted" {
                session.run().interrupted = true;
            }
        }
        Role::ToolResult => {
            let text = text_of(&message.content);
            let outcome = judge(Report {
                exit: None,
                failed: Some(message.is_error == Some(true)),
                text: &text,
            });
            session.result(str_of(message.tool_call_id.as_ref()), outcome);
        }
        Role::Other => {}
    }
}

fn calls(content: &Content<'_, Block<'_>>, session: &mut Session) {
    let Content::Blocks(blocks) = content else {
        return;
    };
    for block in blocks
        .iter()
        .filter(|b| str_of(b.kind.as_ref()) == "toolCall")
    {
        let name = str_of(block.name.as_ref());
        let args = tool::args(name, raw_of(block.arguments));
        session.call(str_of(block.id.as_ref()), name, args);
    }
}

fn text_of<'t>(content: &'t Content<'_, Block<'_>>) -> std::borrow::Cow<'t, str> {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Other => "".into(),
        Content::Blocks(blocks) => join(
            blocks
                .iter()
                .filter_map(|block| block.text.as_ref())
                .map(Text::as_str),
        ),
    }
}
