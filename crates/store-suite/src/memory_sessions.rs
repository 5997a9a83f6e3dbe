//! The state of sessions in memory: the readable reference, and a store for tests.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use hardwon_core::{AgentId, TenantId, limits};
use hardwon_store::{
    Result, SessionAddition, SessionLock, SessionPlace, SessionRecord, SessionStore,
    backend::truncate_to_millisecond, sessions::SessionPart,
};
use jiff::Timestamp;

/// A store of the state of sessions in memory, gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemorySessionStore(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    records: BTreeMap<SessionPlace, KeptRecord>,
    locks: BTreeMap<SessionPlace, (SessionLock, Instant)>,
    next_lock: i64,
}

#[derive(Debug, Default)]
struct KeptRecord {
    bytes: Vec<u8>,
    at: Timestamp,
    changes: u64,
}

impl MemorySessionStore {
    fn lock_tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn release(&mut self, place: &SessionPlace, lock: SessionLock) {
        if self.locks.get(place).is_some_and(|pair| pair.0 == lock) {
            self.locks.remove(place);
        }
    }
}

impl SessionStore for MemorySessionStore {
    fn lock(&self, place: &SessionPlace, lasts: Duration) -> Result<Option<SessionLock>> {
        let mut tables = self.lock_tables();
        let now = Instant::now();
        if tables.locks.get(place).is_some_and(|lock| lock.1 > now) {
            return Ok(None);
        }
        tables.next_lock += 1;
        let lock = SessionLock(tables.next_lock);
        tables.locks.insert(place.clone(), (lock, now + lasts));
        Ok(Some(lock))
    }

    fn renew(&self, place: &SessionPlace, lock: SessionLock, lasts: Duration) -> Result<bool> {
        let mut tables = self.lock_tables();
        let held = tables.locks.get_mut(place).filter(|pair| pair.0 == lock);
        let is_mine = held.is_some();
        if let Some(held) = held {
            held.1 = Instant::now() + lasts;
        }
        Ok(is_mine)
    }

    fn release(&self, place: &SessionPlace, lock: SessionLock) -> Result<()> {
        self.lock_tables().release(place, lock);
        Ok(())
    }

    fn read_record(&self, place: &SessionPlace, reach: usize) -> Result<SessionRecord> {
        let tables = self.lock_tables();
        let Some(kept) = tables.records.get(place) else {
            return Ok(SessionRecord::default());
        };
        let from = kept.bytes.len().saturating_sub(reach);
        Ok(SessionRecord {
            end: kept.bytes[from..].to_vec(),
            length: kept.bytes.len() as u64,
            changes: kept.changes,
        })
    }

    fn append(
        &self,
        place: &SessionPlace,
        addition: SessionAddition<'_>,
        lock: Option<SessionLock>,
    ) -> Result<()> {
        let mut tables = self.lock_tables();
        let kept = tables.records.entry(place.clone()).or_default();
        kept.at = truncate_to_millisecond(addition.at);
        kept.changes += 1;
        if kept.bytes.len() as u64 <= addition.most {
            kept.bytes.extend_from_slice(addition.bytes);
        }
        if let Some(lock) = lock {
            tables.release(place, lock);
        }
        Ok(())
    }

    fn replace(&self, place: &SessionPlace, bytes: &[u8], at: Timestamp) -> Result<()> {
        let mut tables = self.lock_tables();
        let kept = tables.records.entry(place.clone()).or_default();
        kept.at = truncate_to_millisecond(at);
        kept.changes += 1;
        kept.bytes = bytes.to_vec();
        Ok(())
    }

    fn move_record(&self, place: &SessionPlace, to: SessionPart) -> Result<()> {
        let mut tables = self.lock_tables();
        if let Some(kept) = tables.records.remove(place) {
            let place = SessionPlace {
                part: to,
                ..place.clone()
            };
            tables.records.insert(place, kept);
        }
        Ok(())
    }

    fn delete_record(&self, place: &SessionPlace) -> Result<()> {
        self.lock_tables().records.remove(place);
        Ok(())
    }

    fn list_records(
        &self,
        tenant: &TenantId,
        agent: &AgentId,
        part: SessionPart,
        prefix: &str,
    ) -> Result<Vec<(String, Timestamp)>> {
        let tables = self.lock_tables();
        let is_meant = |place: &SessionPlace| {
            (&place.tenant, &place.agent, place.part) == (tenant, agent, part)
                && place.name.starts_with(prefix)
        };
        let found = tables.records.iter().filter(|(place, _)| is_meant(place));
        let mut found: Vec<_> = found
            .map(|(place, kept)| (place.name.clone(), kept.at))
            .collect();
        found.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        found.truncate(limits::SESSION_FILES);
        Ok(found)
    }

    fn list_agents(&self, tenant: &TenantId) -> Result<Vec<AgentId>> {
        let tables = self.lock_tables();
        let places = tables.records.keys().filter(|key| key.tenant == *tenant);
        let mut agents: Vec<AgentId> = places.map(|place| place.agent.clone()).collect();
        agents.dedup();
        Ok(agents)
    }

    fn delete_old(&self, tenant: &TenantId, before: Timestamp) -> Result<()> {
        let mut tables = self.lock_tables();
        tables
            .records
            .retain(|place, kept| place.tenant != *tenant || kept.at >= before);
        Ok(())
    }
}
