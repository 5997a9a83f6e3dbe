//! Tells an event that two hooks reported from one that happened twice.
//!
//! Some clients run another client's hooks beside their own, and a plugin may be installed beside hooks in the
//! settings. The two reports differ in the names of the client, of the tool and of the call, and arrive within a
//! moment. A call with an id is recognised by it until it is made: some models give every call the same id, so a call
//! that is announced after the result of the last one is another. An event without an id is a duplicate if its content
//! is the same within a short time, unless an event that must come between came: a call is announced before it is made
//! again, an agent works before it stops again.

use std::collections::VecDeque;

use hardwon_core::{RawText, digest, event::scrub_call, limits, text::quoted::quote_text};

use super::{
    SessionEvent, SessionEventKind,
    memory_line::{StoredEvent, StoredEventKey},
};

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredEventKind {
    Started,
    Prompted,
    BeforeCall,
    AfterCall,
    Stopped,
    Compacting,
    Ended,
}

impl StoredEventKind {
    pub(super) fn from_event(event: &StoredEvent) -> Self {
        match event {
            StoredEvent::Started(_) => Self::Started,
            StoredEvent::Prompted(_) => Self::Prompted,
            StoredEvent::BeforeCall(_) => Self::BeforeCall,
            StoredEvent::AfterCall(_) => Self::AfterCall,
            StoredEvent::Stopped => Self::Stopped,
            StoredEvent::Compacting => Self::Compacting,
            StoredEvent::Ended => Self::Ended,
        }
    }
}

/// The last events of a session, the newest at the end.
#[derive(Debug, Default)]
pub(super) struct RecentEvents(VecDeque<RecentEvent>);

/// An event that was seen, as far as a duplicate of it is recognised by.
#[derive(Debug)]
struct RecentEvent {
    at_ms: i64,
    kind: StoredEventKind,
    key: StoredEventKey,
}

impl RecentEvents {
    pub(super) fn push_event(&mut self, at_ms: i64, kind: StoredEventKind, key: StoredEventKey) {
        if self.0.len() == limits::RECENT_EVENTS {
            self.0.pop_front();
        }
        self.0.push_back(RecentEvent { at_ms, kind, key });
    }

    /// Returns whether this event is a duplicate of a recent one. `announces` says whether the session's calls are
    /// reported before they are made.
    pub(super) fn contains_duplicate(
        &self,
        kind: StoredEventKind,
        key: &StoredEventKey,
        now_ms: i64,
        announces: bool,
    ) -> bool {
        let mut is_turned_over = false;
        for seen in self.0.iter().rev() {
            if seen.kind != kind {
                is_turned_over |= seen.starts_anew(kind, key);
                continue;
            }
            let is_fresh = (0..=limits::DUPLICATE_EVENT_MS).contains(&(now_ms - seen.at_ms));
            if key.call.is_some() && seen.key.call.is_some() {
                if seen.key.is_same_call(key) {
                    return !is_turned_over && (announces || is_fresh);
                }
                continue;
            }
            // A call that was not announced is a duplicate only if another client's hook reports it.
            let may_repeat =
                kind == StoredEventKind::AfterCall && !announces && seen.key.client == key.client;
            if is_fresh && !is_turned_over && !may_repeat && seen.key.content == key.content {
                return true;
            }
        }
        false
    }
}

impl RecentEvent {
    /// Returns whether this event shows that the next one of such a kind and key is new.
    fn starts_anew(&self, kind: StoredEventKind, key: &StoredEventKey) -> bool {
        let same = self.key.is_same_call(key);
        match kind {
            StoredEventKind::BeforeCall => self.kind == StoredEventKind::AfterCall && same,
            StoredEventKind::AfterCall => self.kind == StoredEventKind::BeforeCall && same,
            StoredEventKind::Prompted => self.kind == StoredEventKind::Stopped,
            StoredEventKind::Stopped => matches!(
                self.kind,
                StoredEventKind::Prompted
                    | StoredEventKind::AfterCall
                    | StoredEventKind::BeforeCall
            ),
            StoredEventKind::Started | StoredEventKind::Compacting | StoredEventKind::Ended => {
                matches!(
                    self.kind,
                    StoredEventKind::Prompted
                        | StoredEventKind::AfterCall
                        | StoredEventKind::Stopped
                )
            }
        }
    }
}

/// Returns what is stored of an event; `None` for an event without content.
pub(super) fn store_event(event: &SessionEvent) -> Option<(StoredEventKey, StoredEvent)> {
    let (call, content, stored) = match &event.kind {
        SessionEventKind::Started(how) => {
            let content = hash_parts(&[&format!("{how:?}")]);
            (&None, content, StoredEvent::Started(*how))
        }
        SessionEventKind::Prompted(raw) => {
            let text = hardwon_redact::strip_own_blocks(raw.expose());
            let text = text.trim();
            if text.is_empty() {
                return None;
            }
            // What a program wrote is nobody's own.
            let quoted_text = event.is_unattended.then(|| quote_text(text));
            let raw = RawText::from(quoted_text.as_deref().unwrap_or(text));
            let clean = hardwon_redact::clean_to_bytes(&raw, limits::MESSAGE_BYTES);
            (&None, hash_parts(&[text]), StoredEvent::Prompted(clean))
        }
        SessionEventKind::BeforeCall {
            call_id,
            tool,
            args,
            delegates,
        } => {
            let task = delegates.as_ref();
            let task =
                task.map(|task| hardwon_redact::clean_to_bytes(task, limits::DELEGATED_TASK_BYTES));
            let content = call_hash(tool.expose(), args.expose());
            (call_id, content, StoredEvent::BeforeCall(task))
        }
        SessionEventKind::AfterCall {
            call_id, tool_call, ..
        } => {
            let content = call_hash(tool_call.tool.expose(), tool_call.args.expose());
            let clean = scrub_call(tool_call.clone());
            (call_id, content, StoredEvent::AfterCall(clean))
        }
        SessionEventKind::Stopped { last_message, .. } => {
            let words = last_message.as_ref().map_or("", RawText::expose);
            (&None, hash_parts(&[words.trim()]), StoredEvent::Stopped)
        }
        SessionEventKind::Compacting => (&None, 0, StoredEvent::Compacting),
        SessionEventKind::Ended => (&None, 0, StoredEvent::Ended),
    };
    let key = StoredEventKey {
        client: hash_parts(&[event.client.as_str()]),
        call: call.as_deref().map(|name| hash_parts(&[name])),
        content,
    };
    Some((key, stored))
}

/// Hashes a call so that two spellings of the tool are one.
fn call_hash(tool: &str, args: &str) -> u64 {
    hash_parts(&[&tool.to_lowercase(), args.trim()])
}

fn hash_parts(parts: &[&str]) -> u64 {
    let digest = digest::hash_parts(parts.iter().map(|part| part.as_bytes()));
    let (first, _) = digest.split_first_chunk().expect("32 bytes hold 8");
    u64::from_le_bytes(*first)
}
