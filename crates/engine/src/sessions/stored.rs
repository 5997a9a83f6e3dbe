//! Sessions of one tenant's agent in a [`SessionStore`], for servers that hear one run together.
//!
//! A lock ends by itself after ten seconds, because the server that holds it may be killed. As long as it is at work, it renews
//! the lock every few seconds. What is due was last reported when its record was last changed.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use hardwon_core::{AgentId, OutsideWords, RunId, Scope, TenantId, digest, limits};
use hardwon_store::{
    SessionAddition, SessionLock, SessionPlace, SessionStore, StoreError, StoreErrorKind,
    sessions::SessionPart,
};
use jiff::Timestamp;

use super::{SessionKey, fingerprints};
use crate::{DueSession, LearningLock, OpenMemory, SessionClaim, Sessions};

/// How long a lock lasts, if its holder is killed, and how often a holder that is not renews it: two renewals may fail.
const LEASE: Lease = Lease {
    lasts: Duration::from_secs(10),
    renewed_each: Duration::from_secs(3),
    longest: Duration::from_secs(600),
};
/// How long to wait for the lock of a session, and before the next try.
const LOCK_PATIENCE: Duration = Duration::from_millis(150);
const LOCK_PAUSE: Duration = Duration::from_millis(15);
/// How the name of a session's words ends once it is over.
const OVER: &str = "-over";

/// Sessions of one tenant's agent, in a store.
#[derive(Clone)]
pub struct StoredSessions {
    store: Arc<dyn SessionStore>,
    tenant: TenantId,
    agent: AgentId,
}

impl StoredSessions {
    /// Keeps the sessions of a tenant's agent in a store.
    pub fn new(store: Arc<dyn SessionStore>, tenant: TenantId, agent: AgentId) -> Self {
        Self {
            store,
            tenant,
            agent,
        }
    }

    fn place(&self, part: SessionPart, name: String) -> SessionPlace {
        SessionPlace {
            tenant: self.tenant.clone(),
            agent: self.agent.clone(),
            part,
            name,
        }
    }

    fn memory_place(&self, run: &RunId) -> SessionPlace {
        let key = SessionKey::from_run(run.as_str());
        self.place(SessionPart::Memory, key.to_string())
    }

    fn outside_place(&self, scope: &Scope, run: &RunId) -> SessionPlace {
        let key = SessionKey::from_run(run.as_str());
        let name = format!("{}{key}", project_prefix(scope));
        self.place(SessionPart::Outside, name)
    }

    /// Saves a record as a whole, as of now.
    fn replace(&self, place: &SessionPlace, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.replace(place, bytes, Timestamp::now())
    }

    /// Forgets a claim. Where that cannot be written, what was claimed is due again.
    fn drop_claim(&self, key: String) {
        let claim = self.place(SessionPart::Claimed, key);
        drop(self.store.delete_record(&claim));
    }

    fn list(&self, part: SessionPart, prefix: &str) -> Vec<(String, Timestamp)> {
        let records = (self.store).list_records(&self.tenant, &self.agent, part, prefix);
        records.unwrap_or_default()
    }

    /// Lists what is due, abandoned claims first, with the time of the last report.
    fn list_all_due(&self) -> Vec<(SessionKey, Timestamp)> {
        let claims = self.list(SessionPart::Claimed, "");
        let mut waiting = self.list(SessionPart::Due, "");
        waiting.retain(|waiting| claims.iter().all(|claims| claims.0 != waiting.0));
        let all = claims.into_iter().chain(waiting);
        all.map(|(name, at)| (SessionKey(name), at)).collect()
    }

    /// Lists the sessions that have read content from outside and may still go on; `None` if that cannot be told.
    fn list_live_outside(&self, prefix: &str) -> Option<Vec<String>> {
        let oldest = hours_before(SystemTime::now(), limits::OUTSIDE_HOURS);
        let outside = SessionPart::Outside;
        let records = (self.store).list_records(&self.tenant, &self.agent, outside, prefix);
        let live = records.ok()?.into_iter().filter(|record| record.1 > oldest);
        Some(live.map(|live| live.0).collect())
    }

    /// Returns whether content from outside may have been read in a session that goes on: also if that cannot be told.
    fn may_be_tainted(&self, prefix: &str) -> bool {
        let names = self.list_live_outside(prefix);
        names.is_none_or(|names| names.iter().any(|name| !name.ends_with(OVER)))
    }

    /// Returns where the words of a session are kept that is over.
    fn over_place(&self, scope: &Scope, run: &RunId) -> SessionPlace {
        let place = self.outside_place(scope, run);
        SessionPlace {
            name: format!("{}{OVER}", place.name),
            ..place
        }
    }

    /// Appends words to a record.
    fn append_words(&self, place: &SessionPlace, words: &OutsideWords) {
        let bytes = fingerprints::to_bytes(words);
        let addition = SessionAddition {
            bytes: &bytes,
            most: fingerprints::MAX_BYTES as u64,
            at: Timestamp::now(),
        };
        // Where nothing can be written, the words are lost.
        drop(self.store.append(place, addition, None));
    }

    /// Returns what a session read; any words, if that cannot be told.
    fn read_words(&self, place: &SessionPlace) -> Option<OutsideWords> {
        let Ok(record) = self.store.read_record(place, fingerprints::MAX_BYTES) else {
            return Some(OutsideWords::unknown());
        };
        let is_whole = record.length < fingerprints::MAX_BYTES as u64;
        (record.changes > 0).then(|| fingerprints::read_words(&record.end, is_whole))
    }
}

/// Returns how the names of a project's sessions begin.
fn project_prefix(scope: &Scope) -> String {
    let project = scope.project_name().unwrap_or_default();
    let hash = digest::hash_parts([project.as_bytes()]);
    format!("{}-", digest::to_hex(&hash[..16]))
}

fn hours_before(now: SystemTime, hours: u64) -> Timestamp {
    let then = now.checked_sub(Duration::from_secs(hours * 60 * 60));
    then.and_then(|then| Timestamp::try_from(then).ok())
        .unwrap_or(Timestamp::MIN)
}

fn to_io(error: StoreError) -> io::Error {
    match error.kind() {
        StoreErrorKind::Busy | StoreErrorKind::Unreachable => {
            io::Error::new(io::ErrorKind::WouldBlock, error)
        }
        _ => io::Error::other(error),
    }
}

impl Sessions for StoredSessions {
    fn open_memory(&self, run: &RunId, reach: usize) -> io::Result<Box<dyn OpenMemory>> {
        let place = self.memory_place(run);
        let until = Instant::now() + LOCK_PATIENCE;
        let lock = loop {
            let lock = HeldLock::take(&self.store, &place, LEASE)?;
            if lock.is_some() || Instant::now() >= until {
                break lock;
            }
            thread::sleep(LOCK_PAUSE);
        };
        let mut memory = StoredMemory {
            store: Arc::clone(&self.store),
            place,
            lock,
            tail: Vec::new(),
        };
        let reach = reach.max(limits::SESSION_LONG_TAIL_BYTES);
        let record = self
            .store
            .read_record(&memory.place, reach)
            .map_err(to_io)?;
        memory.tail = record.end;
        Ok(Box::new(memory))
    }

    fn read_memory(&self, run: &RunId) -> io::Result<Vec<u8>> {
        let place = self.memory_place(run);
        let record = self.store.read_record(&place, limits::SESSION_KEPT_BYTES);
        let record = record.map_err(to_io)?;
        match record.length {
            0 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(record.end),
        }
    }

    fn memory_state(&self, run: &RunId) -> String {
        let record = self.store.read_record(&self.memory_place(run), 0);
        match record {
            Ok(record) if record.length > 0 => format!("{}:{}", record.length, record.changes),
            _ => String::new(),
        }
    }

    fn shorten_memory(&self, run: &RunId) -> io::Result<()> {
        let place = self.memory_place(run);
        let length = self.store.read_record(&place, 0).map_err(to_io)?.length;
        if length <= 2 * limits::SESSION_KEPT_BYTES as u64 {
            return Ok(());
        }
        let Some(_lock) = HeldLock::take(&self.store, &place, LEASE)? else {
            return Ok(());
        };
        let shorten = || {
            let record = self.store.read_record(&place, limits::SESSION_KEPT_BYTES)?;
            let line = record.end.iter().position(|byte| *byte == b'\n');
            let from = line.map_or(0, |line| line + 1);
            self.replace(&place, &record.end[from..])
        };
        shorten().map_err(to_io)
    }

    fn lock_learning(&self) -> io::Result<Option<LearningLock>> {
        let place = self.place(SessionPart::Learning, String::new());
        let lock = HeldLock::take(&self.store, &place, LEASE)?;
        Ok(lock.map(|lock| LearningLock {
            _held: Box::new(lock),
        }))
    }

    fn add_due(&self, due: &DueSession) -> io::Result<()> {
        let place = self.place(SessionPart::Due, due.key().to_string());
        let text = serde_json::to_vec(due).map_err(io::Error::other)?;
        self.replace(&place, &text).map_err(to_io)
    }

    fn list_due(&self) -> Vec<SessionKey> {
        let all = self.list_all_due().into_iter().map(|due| due.0);
        all.take(limits::CAPTURE_BATCH).collect()
    }

    fn list_quiet(&self, now: SystemTime, quiet: Duration) -> Vec<SessionKey> {
        let latest = now
            .checked_sub(quiet)
            .and_then(|at| Timestamp::try_from(at).ok());
        let is_quiet = |at: Timestamp| latest.is_some_and(|latest| at <= latest);
        let all = self.list_all_due().into_iter();
        let quiet = all.filter(|due| is_quiet(due.1)).map(|record| record.0);
        quiet.take(limits::CAPTURE_BATCH).collect()
    }

    fn has_due(&self) -> bool {
        !self.list_all_due().is_empty()
    }

    fn claim_due(&self, key: &SessionKey) -> Option<SessionClaim> {
        let waiting = self.place(SessionPart::Due, key.to_string());
        self.store
            .move_record(&waiting, SessionPart::Claimed)
            .ok()?;
        let claim = self.place(SessionPart::Claimed, key.to_string());
        let record = self
            .store
            .read_record(&claim, limits::SESSION_KEPT_BYTES)
            .ok()?;
        if record.length == 0 {
            return None;
        }
        let Ok(due) = serde_json::from_slice(&record.end) else {
            drop(self.store.delete_record(&claim));
            return None;
        };
        let learned_state = self.place(SessionPart::Learned, key.to_string());
        let learned_state = self
            .store
            .read_record(&learned_state, limits::SESSION_KEPT_BYTES);
        let learned_state = learned_state.ok().filter(|state| state.length > 0);
        Some(SessionClaim {
            due,
            learned_state: learned_state.and_then(|state| String::from_utf8(state.end).ok()),
        })
    }

    fn finish_due(&self, claim: &SessionClaim, standing: Option<&str>) {
        let key = claim.due.key().to_string();
        if let Some(standing) = standing {
            // Where this cannot be written, the session is read through once more.
            let learned_state = self.place(SessionPart::Learned, key.clone());
            drop(self.replace(&learned_state, standing.as_bytes()));
        }
        self.drop_claim(key);
    }

    fn put_off_due(&self, claim: &SessionClaim) -> bool {
        let due = claim.due.with_retry();
        let again = due.tries < limits::CAPTURE_TRIES;
        let key = due.key().to_string();
        let waiting = self.place(SessionPart::Due, key.clone());
        let newer = self.store.read_record(&waiting, 0);
        // A newer entry for the session takes precedence.
        if again && newer.is_ok_and(|newer| newer.length == 0) {
            drop(self.add_due(&due));
        }
        self.drop_claim(key);
        again
    }

    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords) {
        self.append_words(&self.outside_place(scope, run), words);
    }

    fn end_outside(&self, scope: &Scope, run: &RunId) {
        let place = self.outside_place(scope, run);
        if let Some(words) = self.read_words(&place) {
            self.append_words(&self.over_place(scope, run), &words);
            drop(self.store.delete_record(&place));
        }
    }

    fn outside_words(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords> {
        let words = self.read_words(&self.outside_place(scope, run));
        let before = self.read_words(&self.over_place(scope, run));
        words.into_iter().chain(before).reduce(|mut all, words| {
            all.extend(&words);
            all
        })
    }

    fn outside_words_in_scope(&self, scope: &Scope) -> OutsideWords {
        let mut all = OutsideWords::default();
        let Some(names) = self.list_live_outside(&project_prefix(scope)) else {
            return OutsideWords::unknown();
        };
        for name in names {
            let words = self.read_words(&self.place(SessionPart::Outside, name));
            all.extend(&words.unwrap_or_else(OutsideWords::unknown));
        }
        all
    }

    fn is_tainted(&self, scope: &Scope) -> bool {
        self.may_be_tainted(&project_prefix(scope))
    }

    fn has_tainted_scope(&self) -> bool {
        self.may_be_tainted("")
    }

    fn delete_old_sessions(&self, now: SystemTime) {
        let oldest = hours_before(now, 24 * limits::SESSION_DAYS);
        drop(self.store.delete_old(&self.tenant, oldest));
    }
}

/// The memory of one session, locked as long as this lives.
struct StoredMemory {
    store: Arc<dyn SessionStore>,
    place: SessionPlace,
    lock: Option<HeldLock>,
    tail: Vec<u8>,
}

impl OpenMemory for StoredMemory {
    fn tail(&self) -> &[u8] {
        &self.tail
    }

    fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    fn append(mut self: Box<Self>, lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let addition = SessionAddition {
            bytes: lines.as_bytes(),
            most: limits::SESSION_BYTES,
            at: Timestamp::now(),
        };
        let lock = self.lock.take().map(HeldLock::hand_over);
        self.store
            .append(&self.place, addition, lock)
            .map_err(to_io)
    }
}

/// How long a lock lasts, and how often it is renewed.
#[derive(Debug, Clone, Copy)]
struct Lease {
    lasts: Duration,
    renewed_each: Duration,
    /// How long it is renewed, should its holder be stuck.
    longest: Duration,
}

/// Holds a lock until it is dropped: a thread renews it. Where it cannot be released, it ends by itself.
struct HeldLock {
    store: Arc<dyn SessionStore>,
    place: SessionPlace,
    /// `None` once it was handed over.
    lock: Option<SessionLock>,
    /// Dropped to end the thread.
    life: Option<mpsc::Sender<()>>,
}

impl HeldLock {
    /// Takes the lock of a record; `None` if somebody else has it.
    fn take(
        store: &Arc<dyn SessionStore>,
        place: &SessionPlace,
        lease: Lease,
    ) -> io::Result<Option<Self>> {
        let Some(lock) = store.lock(place, lease.lasts).map_err(to_io)? else {
            return Ok(None);
        };
        let (life, ended) = mpsc::channel::<()>();
        let (renewer, renewed) = (Arc::clone(store), place.clone());
        let keep = move || {
            let end = Instant::now() + lease.longest;
            while Instant::now() < end
                && ended.recv_timeout(lease.renewed_each) == Err(RecvTimeoutError::Timeout)
            {
                // Where the store is away, the next try may come in time.
                if matches!(renewer.renew(&renewed, lock, lease.lasts), Ok(false)) {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(keep)?;
        Ok(Some(Self {
            store: Arc::clone(store),
            place: place.clone(),
            lock: Some(lock),
            life: Some(life),
        }))
    }

    /// Returns the lock, to be released with the next change.
    fn hand_over(mut self) -> SessionLock {
        drop(self.life.take());
        self.lock.take().expect("it is handed over once")
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        drop(self.life.take());
        if let Some(lock) = self.lock.take() {
            drop(self.store.release(&self.place, lock));
        }
    }
}

#[cfg(test)]
mod tests {
    use hardwon_store_suite::MemorySessionStore;

    use super::*;

    #[test]
    fn a_lock_is_held_for_as_long_as_its_holder_lives() {
        let store: Arc<dyn SessionStore> = Arc::new(MemorySessionStore::default());
        let place = SessionPlace {
            tenant: TenantId::default(),
            agent: AgentId::default(),
            part: SessionPart::Memory,
            name: "00".to_owned(),
        };
        let lease = Lease {
            lasts: Duration::from_secs(1),
            renewed_each: Duration::from_millis(20),
            longest: Duration::from_secs(60),
        };
        let take = || HeldLock::take(&store, &place, lease).unwrap();
        let held = take().unwrap();
        let end = Instant::now() + 2 * lease.lasts;
        while Instant::now() < end {
            assert!(take().is_none());
            thread::sleep(LOCK_PAUSE);
        }
        drop(held);
        let next = take().unwrap();
        // One that is not renewed any more ends by itself, and is not released by who held it.
        next.hand_over();
        while take().is_none() {
            thread::sleep(LOCK_PAUSE);
        }
    }
}
