//! Chat messages as model APIs have them: OpenAI's (`tool_calls` and `role: tool`) and Anthropic's
//! (`tool_use` and `tool_result` blocks).
//!
//! They come as one array of messages, as an object with `messages` (or `traj`, `history`,
//! `conversation`) and perhaps a `reward`, as an array of such objects, or as a line for each
//! message or each object. Nothing in these formats says whether a call failed, so results are
//! judged by what they look like. A reward is a score: zero is a failed run.

use hardwon_core::{RunStatus, shell::is_listed};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader, FormatRow, Json, ReadResult, Text, TranscriptSession, WireContent,
    call_report::{judge_json, judge_text},
    format::text_at,
    tool,
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
    const ROLES: &str = "system developer user assistant tool function human ai";
    let mut contents = ["content", "tool_calls", "function_call"].iter();
    is_listed(ROLES, text_at(value, "role")) && contents.any(|key| value.get(key).is_some())
}

fn is_conversation(value: &Value) -> bool {
    let lists = MESSAGE_KEYS
        .iter()
        .filter_map(|key| value.get(key)?.as_array());
    lists.filter_map(|list| list.first()).any(is_message)
}

/// One message.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ChatMessage<'a> {
    role: Text<'a>,
    content: Json<'a>,
    tool_calls: Option<Vec<ChatToolCall<'a>>>,
    function_call: Option<ChatFunction<'a>>,
    tool_call_id: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ChatToolCall<'a> {
    id: Text<'a>,
    function: Option<ChatFunction<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ChatFunction<'a> {
    name: Text<'a>,
    arguments: Json<'a>,
}

/// A record that is a whole conversation, or one message: the members beside `role`.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct Conversation<'a> {
    messages: Option<Vec<&'a RawValue>>,
    traj: Option<Vec<&'a RawValue>>,
    conversation: Option<Vec<&'a RawValue>>,
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
    fn read_value(&mut self, key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
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
    fn read_record(&mut self, json: &str, session: &mut TranscriptSession) -> ReadResult {
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
    ) -> ReadResult {
        if message.role.is_empty() {
            return Err(BrokenRecord);
        }
        if session.runs.is_empty() {
            session.enter_next_unnamed();
        }
        match message.role.as_str() {
            "user" | "human" => {
                let content = message.content.to_content()?;
                let command = self.command.take();
                if !finish_command(command, &content.joined_text(), session) {
                    read_user_message(&content, session);
                }
            }
            "assistant" | "ai" | "gpt" => {
                let content = message.content.to_content()?;
                let text = content.joined_text();
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
    let block = text.rsplit_once("\n```bash\n");
    let (_, block) = block.or_else(|| text.rsplit_once("```sh\n"))?;
    let (command, _) = block.split_once("\n```")?;
    Some(tool::args_from_text(command))
}

/// Finishes a command that was given in a code block: its result comes as a user message, with the exit code in a tag.
fn finish_command(command: Option<String>, text: &str, session: &mut TranscriptSession) -> bool {
    let after_code = text.trim_start().strip_prefix("<returncode>");
    let Some((code, output)) = after_code.and_then(|rest| rest.split_once("</returncode>")) else {
        return false;
    };
    let outcome = judge_text(code.trim().parse().ok(), Some(false), output);
    if let Some(command) = command {
        session.add_finished_call("bash", command, outcome);
    }
    true
}

fn read_user_message(content: &WireContent<'_>, session: &mut TranscriptSession) {
    let results = content.blocks().iter();
    for block in results.filter(|block| !block.tool_use_id.is_empty()) {
        let has_failed = serde_json::from_str(block.is_error.as_str()).ok();
        let outcome = judge_json(None, has_failed, block.content.as_str());
        session.add_result(&block.tool_use_id.to_text(), outcome);
    }
    session.add_user_message(&content.joined_text());
}

/// Adds the calls of a message, in any of the three ways to write them.
fn read_calls(
    message: &ChatMessage<'_>,
    content: &WireContent<'_>,
    session: &mut TranscriptSession,
) {
    for call in message.tool_calls.iter().flatten() {
        if let Some(function) = &call.function {
            let args = function.arguments.as_str();
            session.add_json_call(call.id.as_str(), function.name.as_str(), args);
        }
    }
    if let Some(function) = &message.function_call {
        session.add_json_call("", function.name.as_str(), function.arguments.as_str());
    }
    let blocks = content.blocks().iter();
    for block in blocks.filter(|block| block.is_of_kind("tool_use")) {
        session.add_block_call(block);
    }
}

fn read_tool_result(message: &ChatMessage<'_>, session: &mut TranscriptSession) {
    let outcome = judge_json(None, None, message.content.as_str());
    match message.tool_call_id.as_str() {
        id if session.find_pending(id).is_some() => session.add_result(id, outcome),
        _ => session.add_oldest_result(outcome),
    }
}
