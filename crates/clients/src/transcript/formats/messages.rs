//! Chat messages as model APIs have them: OpenAI's (`tool_calls` and `role: tool`) and Anthropic's
//! (`tool_use` and `tool_result` blocks).
//!
//! They come as one array of messages, as an object with `messages` (or `traj`, `history`,
//! `conversation`) and perhaps a `reward`, as an array of such objects, or as a line for each
//! message or each object. Nothing in these formats says whether a call failed, so results are
//! judged by what they look like. A reward is a score: zero is a failed run.

use hardwon_core::event::RunStatus;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{Report, judge, judge_json},
    format::{FormatRow, text_at},
    session::Session,
    tool,
    wire::{Content, Text, raw_of, str_of},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    line: is_message,
    document: |opening| {
        opening.any(&[""], |v| is_message(v) || is_conversation(v))
            || opening.any(&MESSAGE_KEYS, is_message)
    },
    ..FormatRow::new("messages", None, || Box::new(Messages::default()))
};

fn is_message(value: &Value) -> bool {
    const ROLES: [&str; 8] = [
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
        "human",
        "ai",
    ];
    ROLES.contains(&text_at(value, "role"))
        && ["content", "tool_calls", "function_call"]
            .iter()
            .any(|key| value.get(key).is_some())
}

fn is_conversation(value: &Value) -> bool {
    MESSAGE_KEYS
        .iter()
        .filter_map(|key| value.get(key)?.as_array()?.first())
        .any(is_message)
}

/// One message.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
    #[serde(borrow, default)]
    function_call: Option<Function<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
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
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Text<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

/// A record that is a whole conversation, or one message: what stands beside `role`.
#[derive(Deserialize)]
struct Conversation<'a> {
    #[serde(borrow, default)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    traj: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    conversation: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    reward: Option<f64>,
}

/// The members that hold the messages of a document.
const MESSAGE_KEYS: [&str; 3] = ["messages", "traj", "conversation"];

/// Reads message by message.
#[derive(Default)]
struct Messages {
    /// The command that the agent's last message gives to run, in a code block.
    command: Option<String>,
    /// The score of the document being read; it may stand before its messages or after them.
    reward: Option<f64>,
}

impl FormatReader for Messages {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        match key {
            "" => self.record(json, session),
            "reward" => {
                self.reward = serde_json::from_str(json)?;
                Ok(())
            }
            key if MESSAGE_KEYS.contains(&key) => {
                self.message(&serde_json::from_str(json)?, session)
            }
            _ => Ok(()),
        }
    }

    fn document_end(&mut self, session: &mut Session) {
        if let Some(reward) = self.reward.take() {
            scored(reward, session);
        }
        session.close();
    }
}

impl Messages {
    /// Reads a record that is a message or a whole conversation.
    fn record(&mut self, json: &str, session: &mut Session) -> Result<(), Broken> {
        let conversation: Conversation<'_> = serde_json::from_str(json)?;
        let lists = [
            conversation.messages,
            conversation.traj,
            conversation.conversation,
        ];
        let Some(messages) = lists.into_iter().flatten().next() else {
            return self.message(&serde_json::from_str(json)?, session);
        };
        session.close();
        let mut broken = false;
        for raw in messages {
            match serde_json::from_str(raw.get()) {
                Ok(one) => broken |= self.message(&one, session).is_err(),
                Err(_) => broken = true,
            }
        }
        if let Some(reward) = conversation.reward {
            scored(reward, session);
        }
        session.close();
        if broken { Err(Broken) } else { Ok(()) }
    }

    fn message(&mut self, message: &Message<'_>, session: &mut Session) -> Result<(), Broken> {
        let role = message.role.as_ref().ok_or(Broken)?;
        if session.runs.is_empty() {
            session.enter_next_unnamed();
        }
        match role.as_str() {
            "user" | "human" => {
                let content = content_of(message)?;
                let command = self.command.take();
                if !answered_command(command, &text_of(&content), session) {
                    from_user(&content, session);
                }
            }
            "assistant" | "ai" | "gpt" => {
                let content = content_of(message)?;
                let text = text_of(&content);
                session.assistant(&text);
                called_in(message, &content, session);
                self.command = command_in(&text);
            }
            "tool" | "function" => tool_result(message, session),
            _ => {}
        }
        Ok(())
    }
}

fn scored(reward: f64, session: &mut Session) {
    let status = if reward > 0.0 {
        RunStatus::Completed
    } else {
        RunStatus::Failed
    };
    session.end(status, Some(reward));
}

/// The command in the last code block of a message, in formats that have no tool calls.
fn command_in(text: &str) -> Option<String> {
    let (_, block) = text
        .rsplit_once("\n```bash\n")
        .or_else(|| text.rsplit_once("```sh\n"))?;
    let (command, _) = block.split_once("\n```")?;
    Some(tool::plain(command))
}

/// Settles a command that was given in a code block: what ran it answers in the person's place,
/// with the exit code in a tag.
fn answered_command(command: Option<String>, text: &str, session: &mut Session) -> bool {
    let stated = text.trim_start().strip_prefix("<returncode>");
    let Some((code, output)) = stated.and_then(|rest| rest.split_once("</returncode>")) else {
        return false;
    };
    let outcome = judge(Report {
        exit: code.trim().parse().ok(),
        failed: Some(false),
        text: output,
    });
    if let Some(command) = command {
        session.act("bash", command, outcome);
    }
    true
}

type Blocks<'a> = Content<'a, Block<'a>>;

fn content_of<'a>(message: &Message<'a>) -> Result<Blocks<'a>, Broken> {
    match message.content {
        Some(content) => Ok(serde_json::from_str(content.get())?),
        None => Ok(Content::Other),
    }
}

fn from_user(content: &Blocks<'_>, session: &mut Session) {
    if let Content::Blocks(blocks) = content {
        for block in blocks.iter().filter(|b| b.tool_use_id.is_some()) {
            let outcome = judge_json(None, block.is_error, raw_of(block.content));
            session.result(str_of(block.tool_use_id.as_ref()), outcome);
        }
    }
    session.user(&text_of(content));
}

/// Notes the calls of a message, in any of the three ways to write them.
fn called_in(message: &Message<'_>, content: &Blocks<'_>, session: &mut Session) {
    for call in message.tool_calls.iter().flatten() {
        if let Some(function) = &call.function {
            called(str_of(call.id.as_ref()), function, session);
        }
    }
    if let Some(function) = &message.function_call {
        called("", function, session);
    }
    if let Content::Blocks(blocks) = content {
        let is_call = |block: &&Block<'_>| str_of(block.kind.as_ref()) == "tool_use";
        for block in blocks.iter().filter(is_call) {
            let name = str_of(block.name.as_ref());
            let args = tool::args(name, raw_of(block.input));
            session.call(str_of(block.id.as_ref()), name, args);
        }
    }
}

fn called(id: &str, function: &Function<'_>, session: &mut Session) {
    let name = str_of(function.name.as_ref());
    session.call(id, name, tool::args(name, raw_of(function.arguments)));
}

fn tool_result(message: &Message<'_>, session: &mut Session) {
    let outcome = judge_json(None, None, raw_of(message.content));
    match str_of(message.tool_call_id.as_ref()) {
        id if session.waits(id) => session.result(id, outcome),
        _ => session.oldest_result(outcome),
    }
}

fn text_of<'t>(content: &'t Blocks<'_>) -> std::borrow::Cow<'t, str> {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Other => "".into(),
        Content::Blocks(blocks) => crate::transcript::wire::join(
            blocks
                .iter()
                .filter_map(|b| b.text.as_ref())
                .map(Text::as_str),
        ),
    }
}
