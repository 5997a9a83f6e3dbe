//! Storage of the state of sessions, for servers that hear one run together.
//!
//! What a session is, and what its records mean, is the engine's business: here are bytes under a name, of one tenant's
//! agent, that can be appended to, replaced, listed and locked. A lock ends by itself, because its holder may be
//! killed. A server that is alone keeps files instead.

use std::time::Duration;

use hardwon_core::{AgentId, TenantId, named_enum};
use jiff::Timestamp;

use crate::Result;

named_enum! {
    /// What of a session a record holds; a database keeps it under the word.
    SessionPart {
        /// Its lines.
        Memory = "memory",
        /// The state in which it was learned from.
        Learned = "learned",
        /// That it is due to be learned from.
        Due = "due",
        /// The same, once somebody is at it.
        Claimed = "claimed",
        /// The words that it read from outside.
        Outside = "outside",
        /// Nothing but the lock of whoever learns.
        Learning = "learning",
    }
}

/// Where a record is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionPlace {
    /// Whose it is.
    pub tenant: TenantId,
    /// The agent whose session it is.
    pub agent: AgentId,
    /// What it holds.
    pub part: SessionPart,
    /// A digest, in lower-case hexadecimal digits, with `-` between several.
    pub name: String,
}

/// The lock of a record, until it is released or its time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLock(pub i64);

/// The end of a record, and how long it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRecord {
    /// As many bytes of its end as were asked for, if it has that many.
    pub end: Vec<u8>,
    /// How many it has; 0 if there is no record.
    pub length: u64,
    /// How often it was changed.
    pub changes: u64,
}

/// What is added to a record.
#[derive(Debug, Clone, Copy)]
pub struct SessionAddition<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// If the record has more than so many already, they are left out.
    pub most: u64,
    /// When.
    pub at: Timestamp,
}

/// A store of the state of sessions. Names of one tenant's agent are never looked up among those of another.
pub trait SessionStore: Send + Sync {
    /// Locks a record, which need not exist, for so long at most; `None` if somebody else has it.
    fn lock(&self, place: &SessionPlace, lasts: Duration) -> Result<Option<SessionLock>>;

    /// Has a lock last for so long from now on, if nobody else has taken the record since; returns whether it does.
    fn renew(&self, place: &SessionPlace, lock: SessionLock, lasts: Duration) -> Result<bool>;

    /// Releases a lock, unless it has ended by itself.
    fn release(&self, place: &SessionPlace, lock: SessionLock) -> Result<()>;

    /// Reads a record: as much of its end as `reach`.
    fn read_record(&self, place: &SessionPlace, reach: usize) -> Result<SessionRecord>;

    /// Appends to a record, and releases its lock with that; makes it if there is none. Its time is noted, whether or
    /// not the bytes still fit.
    fn append(
        &self,
        place: &SessionPlace,
        addition: SessionAddition<'_>,
        lock: Option<SessionLock>,
    ) -> Result<()>;

    /// Puts a record in place of what is there; its lock stays.
    fn replace(&self, place: &SessionPlace, bytes: &[u8], at: Timestamp) -> Result<()>;

    /// Moves a record, if it exists, to another part, in place of what is there.
    fn move_record(&self, place: &SessionPlace, to: SessionPart) -> Result<()>;

    /// Deletes a record.
    fn delete_record(&self, place: &SessionPlace) -> Result<()>;

    /// Lists records whose names begin so, with the time of their last change, the oldest first;
    /// `limits::SESSION_FILES` at most. A record that is only locked is none.
    fn list_records(
        &self,
        tenant: &TenantId,
        agent: &AgentId,
        part: SessionPart,
        prefix: &str,
    ) -> Result<Vec<(String, Timestamp)>>;

    /// Lists the agents of a tenant that have records.
    fn list_agents(&self, tenant: &TenantId) -> Result<Vec<AgentId>>;

    /// Deletes a tenant's records that were last changed before a time.
    fn delete_old(&self, tenant: &TenantId, before: Timestamp) -> Result<()>;
}
