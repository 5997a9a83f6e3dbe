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
    BrokenRecord, FormatReader,
    call_report::{CallReport, judge_json, judge_report},
    format::{FormatRow, text_at},
    session::TranscriptSession,
    tool,
    wire::{Text, WireContent, json_or_empty, text_or_empty},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_line: is_message,
    is_document: |opening| {
        opening.any_part(&[""], |v| is_message(v) || is_conversation(v))
            || opening.any_part(&MESSAGE_KEYS, is_message)
    },
    ..FormatRow::new("messages", None, || Box::new(MessagesReader::default()))
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
struct ChatMessage<'a> {
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ChatToolCall<'a>>>,
    #[serde(borrow, default)]
    function_call: Option<ChatFunction<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ChatToolCall<'a> {
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    function: Option<ChatFunction<'a>>,
}

#[derive(Deserialize)]
struct ChatFunction<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ChatBlock<'a> {
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

/// A record that is a whole conversation, or one message: the members beside `role`.
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
struct MessagesReader {
    /// The command in a code block of the agent's last message.
    command: Option<String>,
    /// The score of the document being read; it may come before its messages or after them.
    reward: Option<f64>,
}

impl FormatReader for MessagesReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        match key {
            "" => self.read_record(json, session),
            "reward" => {
                self.reward = serde_json::from_str(json)?;
                Ok(())
            }
            key if MESSAGE_KEYS.contains(&key) => {
                self.read_message(&serde_json::from_str(json)?, session)
            }
            _ => Ok(()),
        }
    }

    fn end_document(&mut self, session: &mut TranscriptSession) {
        if let Some(reward) = self.reward.take() {
            end_with_reward(reward, session);
        }
        session.close_run();
    }
}

impl MessagesReader {
    /// Reads a record that is a message or a whole conversation.
    fn read_record(
        &mut self,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let conversation: Conversation<'_> = serde_json::from_str(json)?;
        let lists = [
            conversation.messages,
            conversation.traj,
            conversation.conversation,
        ];
        let Some(messages) = lists.into_iter().flatten().next() else {
            return self.read_message(&serde_json::from_str(json)?, session);
        };
        session.close_run();
        let mut is_broken = false;
        for raw in messages {
            match serde_json::from_str(raw.get()) {
                Ok(one) => is_broken |= self.read_message(&one, session).is_err(),
                Err(_) => is_broken = true,
            }
        }
        if let Some(reward) = conversation.reward {
            end_with_reward(reward, session);
        }
        session.close_run();
        if is_broken { Err(BrokenRecord) } else { Ok(()) }
    }

    fn read_message(
        &mut self,
        message: &ChatMessage<'_>,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        let role = message.role.as_ref().ok_or(BrokenRecord)?;
        if session.runs.is_empty() {
            session.enter_next_unnamed();
        }
        match role.as_str() {
            "user" | "human" => {
                let content = read_content(message)?;
                let command = self.command.take();
                if !finish_command(command, &text_from_blocks(&content), session) {
                    read_user_message(&content, session);
                }
            }
            "assistant" | "ai" | "gpt" => {
                let content = read_content(message)?;
                let text = text_from_blocks(&content);
                session.add_agent_message(&text);
                read_calls(message, &content, session);
                self.command = find_command(&text);
            }
            "tool" | "function" => read_tool_result(message, session),
            _ => {}
        }
        Ok(())
    }
}

fn end_with_reward(reward: f64, session: &mut TranscriptSession) {
    let status = if reward > 0.0 {
        RunStatus::Completed
    } else {
        RunStatus::Failed
    };
    session.set_end(status, Some(reward));
}

/// Returns the command in the last code block of a message, in formats that have no tool calls.
fn find_command(text: &str) -> Option<String> {
    let (_, block) = text
        .rsplit_once("\n```bash\n")
        .or_else(|| text.rsplit_once("```sh\n"))?;
    let (command, _) = block.split_once("\n```")?;
    Some(tool::args_from_text(command))
}

/// Finishes a command that was given in a code block: its result comes as a user message, with the exit code in a tag.
fn finish_command(command: Option<String>, text: &str, session: &mut TranscriptSession) -> bool {
    let after_code = text.trim_start().strip_prefix("<returncode>");
    let Some((code, output)) = after_code.and_then(|rest| rest.split_once("</returncode>")) else {
        return false;
    };
    let outcome = judge_report(CallReport {
        exit: code.trim().parse().ok(),
        failed: Some(false),
        text: output,
    });
    if let Some(command) = command {
        session.add_finished_call("bash", command, outcome);
    }
    true
}

type ChatContent<'a> = WireContent<'a, ChatBlock<'a>>;

fn read_content<'a>(message: &ChatMessage<'a>) -> Result<ChatContent<'a>, BrokenRecord> {
    match message.content {
        Some(content) => Ok(serde_json::from_str(content.get())?),
        None => Ok(WireContent::Other),
    }
}

fn read_user_message(content: &ChatContent<'_>, session: &mut TranscriptSession) {
    if let WireContent::Blocks(blocks) = content {
        for block in blocks.iter().filter(|b| b.tool_use_id.is_some()) {
            let outcome = judge_json(None, block.is_error, json_or_empty(block.content));
            session.add_result(text_or_empty(block.tool_use_id.as_ref()), outcome);
        }
    }
    session.add_user_message(&text_from_blocks(content));
}

/// Adds the calls of a message, in any of the three ways to write them.
fn read_calls(
    message: &ChatMessage<'_>,
    content: &ChatContent<'_>,
    session: &mut TranscriptSession,
) {
    for call in message.tool_calls.iter().flatten() {
        if let Some(function) = &call.function {
            read_function_call(text_or_empty(call.id.as_ref()), function, session);
        }
    }
    if let Some(function) = &message.function_call {
        read_function_call("", function, session);
    }
    if let WireContent::Blocks(blocks) = content {
        let is_call = |block: &&ChatBlock<'_>| text_or_empty(block.kind.as_ref()) == "tool_use";
        for block in blocks.iter().filter(is_call) {
            let name = text_or_empty(block.name.as_ref());
            let args = tool::args_from_json(name, json_or_empty(block.input));
            session.add_call(text_or_empty(block.id.as_ref()), name, args);
        }
    }
}

fn read_function_call(id: &str, function: &ChatFunction<'_>, session: &mut TranscriptSession) {
    let name = text_or_empty(function.name.as_ref());
    session.add_call(
        id,
        name,
        tool::args_from_json(name, json_or_empty(function.arguments)),
    );
}

fn read_tool_result(message: &ChatMessage<'_>, session: &mut TranscriptSession) {
    let outcome = judge_json(None, None, json_or_empty(message.content));
    match text_or_empty(message.tool_call_id.as_ref()) {
        id if session.is_pending(id) => session.add_result(id, outcome),
        _ => session.add_oldest_result(outcome),
    }
}

fn text_from_blocks<'t>(content: &'t ChatContent<'_>) -> std::borrow::Cow<'t, str> {
    match content {
        WireContent::Text(text) => text.as_str().into(),
        WireContent::Other => "".into(),
        WireContent::Blocks(blocks) => crate::transcript::wire::join_lines(
            blocks
                .iter()
                .filter_map(|b| b.text.as_ref())
                .map(Text::as_str),
        ),
    }
}
