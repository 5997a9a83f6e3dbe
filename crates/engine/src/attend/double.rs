//! Tells an event that two hooks told of from one that happened twice.
//!
//! Some clients run another client's hooks beside their own, and a plugin may be installed beside
//! hooks in the settings. The two come under different names of the client, of the tool and of the
//! call, within a moment. A call with a name is known by it for good. What has none is the same
//! again if it says the same within a short time, unless something came between that must: a call
//! is announced before it is made again, an agent works before it stops again.

use std::collections::VecDeque;

use hardwon_core::{
    digest,
    event::{RunEvent, scrub_event},
    limits, redact,
    text::RawText,
};

use super::{
    Happened, Happening,
    line::{Event, Key},
};

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Started,
    Prompted,
    Calling,
    Called,
    Stopped,
    Compacting,
    Ended,
}

impl Kind {
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Started(_) => Self::Started,
            Event::Prompted(_) => Self::Prompted,
            Event::Calling => Self::Calling,
            Event::Called(_) => Self::Called,
            Event::Stopped => Self::Stopped,
            Event::Compacting => Self::Compacting,
            Event::Ended => Self::Ended,
        }
    }
}

/// The last events of a session, the newest at the end.
#[derive(Debug, Default)]
pub(super) struct Recent(VecDeque<Seen>);

/// An event that was seen, as far as it takes to know it again.
#[derive(Debug)]
struct Seen {
    at_ms: i64,
    kind: Kind,
    key: Key,
}

impl Recent {
    pub(super) fn add(&mut self, at_ms: i64, kind: Kind, key: Key) {
        if self.0.len() == limits::RECENT_EVENTS {
            self.0.pop_front();
        }
        self.0.push_back(Seen { at_ms, kind, key });
    }

    /// Returns whether this very event is among them. `announces` says whether calls of this
    /// session are told of before they are made.
    pub(super) fn holds(&self, kind: Kind, key: &Key, now_ms: i64, announces: bool) -> bool {
        let mut is_turned_over = false;
        for seen in self.0.iter().rev() {
            if seen.kind != kind {
                is_turned_over |= seen.turns_over(kind, key);
                continue;
            }
            if let (Some(one), Some(other)) = (key.call, seen.key.call) {
                if one == other {
                    return true;
                }
                continue;
            }
            let is_fresh = (0..=limits::DUPLICATE_EVENT_MS).contains(&(now_ms - seen.at_ms));
            // Of a call that nobody announced, only another client's hook tells again.
            let may_repeat = kind == Kind::Called && !announces && seen.key.client == key.client;
            if is_fresh && !is_turned_over && !may_repeat && seen.key.content == key.content {
                return true;
            }
        }
        false
    }
}

impl Seen {
    /// Returns whether this shows that the next event of such a kind and key is a new one.
    fn turns_over(&self, kind: Kind, key: &Key) -> bool {
        let same = self.key.content == key.content;
        match kind {
            Kind::Calling => self.kind == Kind::Called && same,
            Kind::Called => self.kind == Kind::Calling && same,
            Kind::Prompted => self.kind == Kind::Stopped,
            Kind::Stopped => matches!(self.kind, Kind::Prompted | Kind::Called | Kind::Calling),
            Kind::Started | Kind::Compacting | Kind::Ended => {
                matches!(self.kind, Kind::Prompted | Kind::Called | Kind::Stopped)
            }
        }
    }
}

/// Returns what is kept of an event; none if nothing is, because it says nothing.
pub(super) fn kept(event: &Happening) -> Option<(Kind, Key, Event)> {
    let (kind, call, content, kept) = match &event.what {
        Happened::Started(how) => {
            let name = format!("{how:?}");
            (Kind::Started, None, hash(&[&name]), Event::Started(*how))
        }
        Happened::Prompted(raw) => {
            let text = redact::strip_own_blocks(raw.expose());
            let text = text.trim();
            if text.is_empty() {
                return None;
            }
            let clean = redact::clean_to_bytes(&RawText::from(text), limits::MESSAGE_BYTES);
            (Kind::Prompted, None, hash(&[text]), Event::Prompted(clean))
        }
        Happened::Calling { call, tool, args } => {
            let content = call_hash(tool.expose(), args.expose());
            (Kind::Calling, call.as_deref(), content, Event::Calling)
        }
        Happened::Called { call, what, .. } => {
            let content = call_hash(what.tool.expose(), what.args.expose());
            let RunEvent::Tool(clean) = scrub_event(RunEvent::Tool(what.clone())) else {
                return None;
            };
            (Kind::Called, call.as_deref(), content, Event::Called(clean))
        }
        Happened::Stopped { said, .. } => {
            let words = said.as_ref().map_or("", |said| said.expose().trim());
            (Kind::Stopped, None, hash(&[words]), Event::Stopped)
        }
        Happened::Compacting => (Kind::Compacting, None, 0, Event::Compacting),
        Happened::Ended => (Kind::Ended, None, 0, Event::Ended),
    };
    let key = Key {
        client: hash(&[event.client.as_str()]),
        call: call.map(|name| hash(&[name])),
        content,
    };
    Some((kind, key, kept))
}

/// Hashes a call so that two spellings of the tool are one.
fn call_hash(tool: &str, args: &str) -> u64 {
    hash(&[&tool.to_lowercase(), args.trim()])
}

fn hash(parts: &[&str]) -> u64 {
    let digest = digest::hash_parts(parts.iter().map(|part| part.as_bytes()));
    let (first, _) = digest.split_first_chunk().expect("32 bytes hold 8");
    u64::from_le_bytes(*first)
}
