//! Where what is known of sessions lies between two of their events: a port.
//!
//! Three things outlive an event: the memory of each session (lines that
//! [`attend`](crate::attend) writes and reads), which sessions are to be learned from, and
//! the words of what each has read from outside. Hooks keep them in files, for each event is a
//! process of its own; a runtime of one process keeps them in its memory. Nothing here decides what
//! is said or learned.

mod files;
mod memory;

#[cfg(test)]
mod tests;

use std::{fmt, io, path::PathBuf, time::SystemTime};

use hardwon_core::{digest, id::RunId, outside::OutsideWords, scope::Scope};
use serde::{Deserialize, Serialize};

pub use files::{FileSessions, file_state};
pub use memory::MemorySessions;

use crate::{
    KeptWrit,
    attend::{AgentSession, SessionEventKind, SessionStartKind},
};

/// Keeps what is known of sessions.
///
/// What cannot be kept costs a lesson or a question, never the session: callers go on without.
pub trait Sessions: Send + Sync {
    /// Opens the memory of a session, makes it if there is none, and waits a moment for its lock. At
    /// least `reach` bytes of its end are there, if there are so many.
    fn open_memory(&self, run: &RunId, reach: usize) -> io::Result<Box<dyn OpenMemory>>;

    /// Returns all that is kept of a session's memory.
    fn read_memory(&self, run: &RunId) -> io::Result<Vec<u8>>;

    /// Returns in which state a session's memory was left; nothing if there is none.
    fn memory_state(&self, run: &RunId) -> String;

    /// Shortens a memory that has grown too long: its end stays, from a whole line on.
    fn shorten_memory(&self, run: &RunId) -> io::Result<()>;

    /// Makes sure that only one process learns; none if another one does. Let go when dropped.
    fn lock_learning(&self) -> io::Result<Option<LearningLock>>;

    /// Adds a session to those that are to be learned from.
    fn add_due(&self, due: &DueSession) -> io::Result<()>;

    /// Returns the sessions that are to be learned from, those first whose claim was left behind; not
    /// all at once if there are very many.
    fn list_due(&self) -> Vec<SessionKey>;

    /// Claims a session, or takes up a claim that was left behind; none if there is nothing to claim.
    /// Only who holds the lock claims.
    fn claim_due(&self, key: &SessionKey) -> Option<SessionClaim>;

    /// Lets go of a claim: what was to be learned is learned, from a session that was left in the state
    /// `standing`, or will never be.
    fn finish_due(&self, claim: &SessionClaim, standing: Option<&str>);

    /// Lets go of a claim so that it is tried another time; false if it was tried often enough.
    fn put_off_due(&self, claim: &SessionClaim) -> bool;

    /// Adds the words of what a session has read that was written elsewhere.
    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords);

    /// Forgets what a session has read: it is over, or begins anew.
    fn forget_outside(&self, scope: &Scope, run: &RunId);

    /// Returns the words of what a session has read that was written elsewhere; none, where that is not
    /// known any more.
    fn outside_words(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords>;

    /// Returns the same of all sessions of a scope that may still go on.
    fn outside_words_in_scope(&self, scope: &Scope) -> OutsideWords;

    /// Returns whether a session of this scope that may still go on has read content from outside.
    ///
    /// What an agent records by a tool comes without the session's name. So its word is taken for that
    /// of whichever session here read something: with two side by side one too many may be tainted.
    fn is_tainted(&self, scope: &Scope) -> bool;

    /// Forgets sessions that are long over.
    fn forget_old_sessions(&self, now: SystemTime);
}

/// The memory of one session, locked as long as this lives.
pub trait OpenMemory {
    /// Returns its end: whole lines, or a first line cut off.
    fn tail(&self) -> &[u8];

    /// Returns whether nobody else decides about this session at this moment.
    fn is_locked(&self) -> bool;

    /// Appends whole lines, and lets go of the memory.
    fn append(self: Box<Self>, lines: &str) -> io::Result<()>;
}

impl dyn OpenMemory {
    /// Returns the session as far as it is remembered.
    #[must_use]
    pub fn to_session(&self, run: RunId, scope: Scope) -> AgentSession {
        AgentSession::replay(run, scope, self.tail())
    }
}

/// The right to learn, which one process has at a time.
pub struct LearningLock {
    /// What gives it back when it is dropped.
    _held: Box<dyn Send>,
}

/// What stands for a session's name: its hash, for a name may hold anything.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(String);

/// A session that is to be learned from, or what was to be stored in one and could not be. Where the
/// session lies is needed as it is; of what was said in it only such writs stand here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueSession {
    /// Its run.
    pub run: String,
    /// The client that said so.
    pub client: String,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// How often learning from it failed.
    #[serde(default)]
    pub tries: u32,
    /// Writs that are to be carried out; none where the session is to be learned from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writs: Vec<KeptWrit>,
}

/// A session that one process learns from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionClaim {
    /// What was claimed.
    pub due: DueSession,
    /// In which state the session was when it was learned from last.
    pub learned_state: Option<String>,
}

impl DueSession {
    /// Returns under which name it is kept: its session's, or one of its own for writs, so that
    /// neither takes the place of the other.
    fn key(&self) -> SessionKey {
        match self.writs.is_empty() {
            true => SessionKey::from_run(&self.run),
            false => SessionKey::from_run(&format!("{}\n{:?}", self.run, self.writs)),
        }
    }

    /// Returns the same once it was tried once more.
    fn with_retry(&self) -> Self {
        Self {
            tries: self.tries + 1,
            ..self.clone()
        }
    }
}

impl SessionKey {
    /// Returns what stands for a run.
    #[must_use]
    pub fn from_run(run: &str) -> Self {
        Self(digest::to_hex(&digest::hash_parts([run.as_bytes()])[..16]))
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Forgets what a session has read from outside, at an event by which that is over.
pub fn forget_outside_at(
    sessions: &dyn Sessions,
    scope: &Scope,
    run: &RunId,
    what: &SessionEventKind,
) {
    if matches!(
        what,
        SessionEventKind::Started(SessionStartKind::Fresh) | SessionEventKind::Ended
    ) {
        sessions.forget_outside(scope, run);
    }
}
