//! A run that is being read: what is known of it, and its calls that wait for their results.
//!
//! A call is known by its id only until its result comes. What was read before is known by fingerprints, a few of them.

use std::{collections::VecDeque, sync::Arc};

use hardwon_core::{AgentId, RawText, RunId, RunStatus, limits};
use hardwon_engine::RunInfo;

/// A call that waits for its result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingCall {
    pub(crate) call: String,
    pub(crate) tool: RawText,
    pub(crate) args: RawText,
    pub(crate) turn: u32,
    pub(crate) exit: Option<i64>,
    pub(crate) is_outside: bool,
}

/// What is known about one run so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenRun {
    pub(crate) info: Arc<RunInfo>,
    pub(crate) task: Option<RawText>,
    /// Whether the run's start was emitted in this reading.
    pub(crate) begun: bool,
    pub(crate) turn: u32,
    pub(crate) pending: VecDeque<PendingCall>,
    /// Fingerprints of the calls that finished last, and of messages in records, for clients that write a record again
    /// each time it changes.
    pub(crate) settled: VecDeque<u64>,
    /// The fingerprint of the last message, for clients that write a message twice.
    pub(crate) last_message: Option<u64>,
    /// The command that a person just ran themselves.
    pub(crate) typed_command: Option<String>,
    /// Whether another agent gave the task, so that no person speaks in this run.
    pub(crate) delegated: bool,
    /// A mark of the format: the id of the run's last record where records are chained, what the file records elsewhere.
    pub(crate) tail: Option<String>,
    pub(crate) last_call_failed: bool,
    pub(crate) interrupted: bool,
    pub(crate) end: Option<(RunStatus, Option<f64>)>,
}

impl OpenRun {
    pub(crate) fn new(id: RunId, agent: Option<AgentId>) -> Self {
        Self {
            info: Arc::new(RunInfo {
                id,
                agent,
                project: None,
                cwd: None,
                remote: None,
                history: None,
            }),
            task: None,
            begun: false,
            turn: 0,
            pending: VecDeque::new(),
            settled: VecDeque::new(),
            last_message: None,
            typed_command: None,
            delegated: false,
            tail: None,
            last_call_failed: false,
            interrupted: false,
            end: None,
        }
    }

    /// Returns whether a call of this id is pending or finished a short while ago.
    pub(super) fn knows_call_id(&self, call: &str) -> bool {
        self.pending.iter().any(|pending| pending.call == call) || self.has_settled(call)
    }

    /// Returns whether a call of this id finished a short while ago.
    pub(super) fn has_settled(&self, call: &str) -> bool {
        self.settled.contains(&fingerprint(0, call))
    }

    /// Returns whether this call is pending: the same one, written again.
    pub(super) fn repeats_pending(&self, call: &str, name: &str, args: &str) -> bool {
        let is_same = |pending: &PendingCall| {
            pending.call == call && pending.tool.expose() == name && pending.args.expose() == args
        };
        self.pending.iter().any(is_same)
    }

    pub(super) fn remember_fingerprint(&mut self, told: u64) {
        if self.settled.len() >= limits::PENDING_CALLS {
            self.settled.pop_front();
        }
        self.settled.push_back(told);
    }

    /// Returns how the run ended: as it states, else as its last events suggest.
    pub(super) fn end_status(&self) -> (RunStatus, Option<f64>) {
        match self.end {
            Some(end) => end,
            None if self.interrupted || !self.pending.is_empty() => (RunStatus::Aborted, None),
            None if self.last_call_failed => (RunStatus::Failed, None),
            None => (RunStatus::Completed, None),
        }
    }
}

/// Returns whether an id of a call is drawn by lot, so that no two calls have it: it holds letters and digits in one
/// word. A run is known by its first one, because copies of its history begin with the same call.
pub(super) fn is_unique_id(call: &str) -> bool {
    const LENGTH: usize = 8;
    let mut words = call.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= LENGTH && digits >= 2 && word.len() - digits >= 2
    })
}

/// Hashes a text to a number (FNV-1a); it must stay the same, because cursors store it.
pub(super) fn fingerprint(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
