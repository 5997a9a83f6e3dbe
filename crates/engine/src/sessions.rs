//! The port that keeps the state of sessions between two of their events.
//!
//! Three things outlive an event: the memory of each session (lines that [`attend`](crate::attend) writes and reads),
//! which sessions are due to be learned from, and the words of what each has read from outside. Hooks and runtimes keep
//! them in files, for each event may be a process of its own; servers on several machines keep them in a database.
//! Nothing here decides what is replied or learned.

mod fingerprints;
mod files;
mod stored;
mod tree;

#[cfg(test)]
mod tests;

use std::{
    fmt, io,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use hardwon_core::{OutsideWords, RunId, Scope, digest};
use serde::{Deserialize, Serialize};

pub use files::{FileSessions, file_state};
pub use stored::StoredSessions;
pub use tree::SessionTree;

use crate::{AgentSession, KeptWrit};

/// A store for the state of sessions.
///
/// Failing to keep something costs a lesson or a question, never the session: callers go on without.
pub trait Sessions: Send + Sync {
    /// Opens the memory of a session, creates it if there is none, and waits a moment for its lock. Its tail has at
    /// least `reach` bytes, if the memory is that long.
    fn open_memory(&self, run: &RunId, reach: usize) -> io::Result<Box<dyn OpenMemory>>;

    /// Returns everything kept of a session's memory.
    fn read_memory(&self, run: &RunId) -> io::Result<Vec<u8>>;

    /// Returns a token of a session's memory that changes with it; empty if there is none.
    fn memory_state(&self, run: &RunId) -> String;

    /// Shortens a memory that has grown too long: its end stays, from a whole line on.
    fn shorten_memory(&self, run: &RunId) -> io::Result<()>;

    /// Takes the lock that lets one process learn at a time; `None` if another one holds it. Released when dropped.
    fn lock_learning(&self) -> io::Result<Option<LearningLock>>;

    /// Adds a session to those due to be learned from.
    fn add_due(&self, due: &DueSession) -> io::Result<()>;

    /// Returns the sessions due to be learned from, abandoned claims first; not all of them if there are very many.
    fn list_due(&self) -> Vec<SessionKey>;

    /// Returns the due sessions that have been quiet for so long, abandoned claims first; not all of them if there are
    /// very many.
    fn list_quiet(&self, now: SystemTime, quiet: Duration) -> Vec<SessionKey>;

    /// Returns whether any session is due.
    fn has_due(&self) -> bool {
        !self.list_due().is_empty()
    }

    /// Claims a session, or takes over an abandoned claim; `None` if there is nothing to claim. Only the holder of the
    /// learning lock claims.
    fn claim_due(&self, key: &SessionKey) -> Option<SessionClaim>;

    /// Releases a finished claim: the session was learned from in the state `standing`, or never will be.
    fn finish_due(&self, claim: &SessionClaim, standing: Option<&str>);

    /// Releases a claim for another try; returns false if it was tried often enough.
    fn put_off_due(&self, claim: &SessionClaim) -> bool;

    /// Adds words that a session has read and that were written elsewhere.
    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords);

    /// Notes that a session is over. Its words are still those of content from outside, for whoever writes them next.
    fn end_outside(&self, scope: &Scope, run: &RunId);

    /// Returns the words that a session has read and that were written elsewhere; `None` where they are no longer
    /// known.
    fn outside_words(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords>;

    /// Returns the same words of all sessions of a scope, those that ended a while ago included.
    fn outside_words_in_scope(&self, scope: &Scope) -> OutsideWords;

    /// Returns the words that may be in what an agent writes whose session is not known: those of this scope, and known
    /// ones of sessions elsewhere on a person's own machine, for an agent may have gone from one folder to another.
    fn words_around(&self, scope: &Scope) -> OutsideWords {
        self.outside_words_in_scope(scope)
    }

    /// Returns whether a session of this scope that may still go on has read content from outside.
    ///
    /// A lesson that an agent records by a tool comes without the session's name. So it counts as that of any session
    /// here that read something: of two side by side one too many may be tainted.
    fn is_tainted(&self, scope: &Scope) -> bool;

    /// Returns the same for any scope whose sessions are kept here.
    fn has_tainted_scope(&self) -> bool;

    /// Adds the names of files that a session wrote, and the words from outside in them: a later one may read them there.
    /// Nothing is kept where no files are seen to be written.
    fn add_written(&self, _scope: &Scope, _words: &OutsideWords) {}

    /// Returns the names and words that sessions of a scope wrote to files.
    fn written_words(&self, _scope: &Scope) -> OutsideWords {
        OutsideWords::default()
    }

    /// Deletes the state of sessions that are long over.
    fn delete_old_sessions(&self, now: SystemTime);
}

/// The memory of one session, locked as long as this lives.
pub trait OpenMemory {
    /// Returns its end: whole lines, or a first line cut off.
    fn tail(&self) -> &[u8];

    /// Returns whether this process holds the lock, so that no other decides about the session.
    fn is_locked(&self) -> bool;

    /// Appends whole lines, and releases the memory.
    fn append(self: Box<Self>, lines: &str) -> io::Result<()>;
}

impl dyn OpenMemory {
    /// Restores the session from its memory.
    pub fn to_session(&self, run: RunId, scope: Scope) -> AgentSession {
        AgentSession::replay(run, scope, self.tail())
    }
}

/// The lock that lets one process learn at a time.
pub struct LearningLock {
    /// Releases the lock when it is dropped.
    _held: Box<dyn Send>,
}

/// A session's key: a hash of its name, which may hold any character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(String);

/// A session to be learned from, or a writ in one that could not be stored yet. The paths are needed as they are; of
/// its messages only such writs are kept here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueSession {
    /// The name of the run.
    pub run: String,
    /// The client that reported it.
    pub client: String,
    /// The folder it works in.
    pub folder: Option<PathBuf>,
    /// The run that started it, if it is a sub-agent's.
    pub parent: Option<String>,
    /// The path of its transcript.
    pub transcript: Option<PathBuf>,
    /// Whether surely nobody types into it.
    #[serde(default)]
    pub is_unattended: bool,
    /// How often learning from it failed.
    #[serde(default)]
    pub tries: u32,
    /// Writs to run; empty where the session is to be learned from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writs: Vec<KeptWrit>,
    /// Whose run it is; absent for a client's session, whose folder tells.
    pub reported: Option<ReportedRun>,
}

/// A run that a runtime reports, with the scope that its reports came from. It is kept under another name than its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedRun {
    /// Its own name.
    pub run: RunId,
    /// The scope.
    #[serde(flatten)]
    pub scope: Scope,
}

/// A claim of one process on a session to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionClaim {
    /// The claimed session.
    pub due: DueSession,
    /// The state in which the session was last learned from.
    pub learned_state: Option<String>,
}

impl DueSession {
    /// Returns the key it is kept under: its session's, or one of its own for writs, so that neither replaces the
    /// other.
    fn key(&self) -> SessionKey {
        if self.writs.is_empty() {
            SessionKey::from_run(&self.run)
        } else {
            SessionKey::from_run(&format!("{}\n{:?}", self.run, self.writs))
        }
    }

    /// Returns the same with one more failed try.
    fn with_retry(&self) -> Self {
        Self {
            tries: self.tries + 1,
            ..self.clone()
        }
    }
}

impl SessionKey {
    /// Returns the key of a run.
    pub fn from_run(run: &str) -> Self {
        Self(digest::to_hex(&digest::hash_parts([run.as_bytes()])[..16]))
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Removes what was added to be done later and is done already. If another process has claimed it, that one finds out.
pub fn remove_due(sessions: &dyn Sessions, due: &DueSession) {
    if let Some(claim) = sessions.claim_due(&due.key()) {
        sessions.finish_due(&claim, None);
    }
}

/// Adds words that a session elsewhere has read; none stand for unknown ones. It may tell them again and again: only new
/// ones take up room.
pub fn add_told_words(sessions: &dyn Sessions, scope: &Scope, run: &RunId, words: &OutsideWords) {
    let words_or_unknown = if words.is_empty() {
        OutsideWords::unknown()
    } else {
        words.clone()
    };
    let readings = sessions.outside_words(scope, run);
    let is_known = |readings: &OutsideWords| {
        let mut all = readings.clone();
        all.extend(&words_or_unknown);
        all == *readings
    };
    match readings.filter(is_known) {
        // One of them says that the session goes on.
        Some(readings) => {
            let one = readings.to_numbers().into_iter().take(1);
            sessions.add_outside(scope, run, &OutsideWords::from_numbers(one));
        }
        None => sessions.add_outside(scope, run, &words_or_unknown),
    }
}
