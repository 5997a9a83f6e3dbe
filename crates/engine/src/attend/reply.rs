//! Composes the reply at one moment, within what a client passes on.
//!
//! The warning comes first, then the lessons, then answers to writs. An answer for which there is no room, or which the
//! client would not pass on, stays pending: it goes out with the next reply. Nothing here decides which lessons are
//! shown.

use hardwon_core::{TurnQuestion, limits, preamble::HELD_CALL_TEXT, text::floor_char_boundary};

use super::{
    HookReply, ReplyChannel,
    step::{Lookup, SessionStep},
};
use crate::loops::LoopedCall;

/// The reply, and the replies that are pending from now on.
#[derive(Debug, Default)]
pub(super) struct ComposedReply {
    pub(super) reply: HookReply,
    pub(super) pending_replies: Vec<String>,
}

/// Composes the reply from what was looked up. Only a question, of the agent or to it, keeps it from stopping; other
/// pending replies go with the answer.
pub(super) fn compose_reply(
    step: &SessionStep,
    looked: &Lookup,
    owed: Vec<String>,
) -> ComposedReply {
    let warning = step.detected_loop.iter().map(LoopedCall::render_warning);
    let mut parts: Vec<String> = warning.chain(looked.preamble.clone()).collect();
    let answers = looked.answers.iter();
    let is_asked = looked.question.is_some() || answers.clone().any(|answer| answer.is_query);
    parts.extend(looked.question.as_ref().map(TurnQuestion::render));
    let due = owed
        .into_iter()
        .chain(answers.map(|answer| answer.reply.clone()));
    let passes_on = match step.reply_channel {
        ReplyChannel::Context => !looked.holds_call,
        ReplyChannel::Continue => is_asked && !looked.holds_call,
        ReplyChannel::None => false,
    };
    let pending_replies = if passes_on {
        fill_reply(&mut parts, due)
    } else {
        bound_pending_replies(due.collect())
    };
    let reply = match step.reply_channel {
        _ if looked.holds_call => {
            HookReply::Hold(format!("{HELD_CALL_TEXT}{}", join_parts(&parts)))
        }
        ReplyChannel::Context if !parts.is_empty() => HookReply::Context(join_parts(&parts)),
        ReplyChannel::Continue if passes_on => HookReply::Continue(join_parts(&parts)),
        _ => HookReply::Empty,
    };
    ComposedReply {
        reply,
        pending_replies,
    }
}

fn join_parts(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n")
}

/// Adds the parts for which there is room, and returns the rest. A part that would never fit is cut.
fn fill_reply(parts: &mut Vec<String>, due: impl Iterator<Item = String>) -> Vec<String> {
    let mut room = limits::HOOK_REPLY_BYTES;
    for part in parts.iter() {
        room = room.saturating_sub(part.len() + 1);
    }
    let mut rest = Vec::new();
    for part in due {
        if rest.is_empty() && (part.len() < room || parts.is_empty()) {
            let part = cut_reply(part, room);
            room = room.saturating_sub(part.len() + 1);
            parts.push(part);
        } else {
            rest.push(part);
        }
    }
    bound_pending_replies(rest)
}

/// Keeps the newest pending replies, each cut to a length that can be kept.
fn bound_pending_replies(owed: Vec<String>) -> Vec<String> {
    let mut room = limits::PENDING_REPLY_BYTES;
    let mut replies = Vec::new();
    for part in owed.into_iter().rev() {
        let part = cut_reply(part, limits::PENDING_REPLY_BYTES);
        let Some(left) = room.checked_sub(part.len()) else {
            break;
        };
        room = left;
        replies.push(part);
    }
    replies.reverse();
    replies
}

/// Cuts a reply after a whole line, and keeps its last, closing line.
fn cut_reply(text: String, bytes: usize) -> String {
    if text.len() <= bytes {
        return text;
    }
    let (body, close) = text.rsplit_once('\n').unwrap_or((&text, ""));
    let room = bytes.saturating_sub(close.len() + "\n…\n".len());
    let head = &body[..floor_char_boundary(body, room)];
    let head = head.rfind('\n').map_or(head, |end| &head[..end]);
    format!("{head}\n…\n{close}")
}
