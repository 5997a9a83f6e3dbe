//! Sessions kept in the memory of one process: for runtimes that embed the engine, and for tests.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use hardwon_core::{id::RunId, limits, outside::OutsideWords, scope::Scope};

use super::{DueSession, LearningLock, OpenMemory, SessionClaim, SessionKey, Sessions};

/// How long to wait for the lock of a session.
const LOCK_PATIENCE: Duration = Duration::from_millis(150);

/// Sessions kept in memory; clones share them.
#[derive(Clone, Default)]
pub struct MemorySessions {
    shared: Arc<SharedSessions>,
}

#[derive(Default)]
struct SharedSessions {
    table: Mutex<SessionTable>,
    /// Notified when a lock is released.
    unlocked: Condvar,
}

#[derive(Default)]
struct SessionTable {
    memories: HashMap<RunId, SessionLines>,
    locked_runs: BTreeSet<RunId>,
    is_learning: bool,
    due: BTreeMap<SessionKey, DueSession>,
    claimed: BTreeMap<SessionKey, DueSession>,
    learned_states: HashMap<SessionKey, String>,
    /// The sessions that have read content from outside.
    outside: HashMap<Scope, BTreeMap<RunId, OutsideReading>>,
    /// The names and words of what sessions wrote to files.
    written: HashMap<Scope, OutsideWords>,
}

/// What a session has read from outside.
struct OutsideReading {
    read: SystemTime,
    words: OutsideWords,
    is_over: bool,
}

/// The memory of one session.
struct SessionLines {
    bytes: Vec<u8>,
    written: SystemTime,
}

impl SharedSessions {
    fn lock_table(&self) -> MutexGuard<'_, SessionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionTable {
    fn memory_bytes(&self, run: &RunId) -> Option<&Vec<u8>> {
        self.memories.get(run).map(|memory| &memory.bytes)
    }
}

/// Returns whether `at` is more than so many hours ago.
fn is_older(now: SystemTime, at: SystemTime, hours: u64) -> bool {
    let age = now.duration_since(at).unwrap_or_default();
    age > Duration::from_secs(hours * 60 * 60)
}

impl Sessions for MemorySessions {
    fn open_memory(&self, run: &RunId, _reach: usize) -> io::Result<Box<dyn OpenMemory>> {
        let is_held = |kept: &mut SessionTable| kept.locked_runs.contains(run);
        let wait = (self.shared.unlocked).wait_timeout_while(
            self.shared.lock_table(),
            LOCK_PATIENCE,
            is_held,
        );
        let mut table = wait.unwrap_or_else(PoisonError::into_inner).0;
        Ok(Box::new(LockedMemory {
            shared: self.shared.clone(),
            is_locked: table.locked_runs.insert(run.clone()),
            tail: table.memory_bytes(run).cloned().unwrap_or_default(),
            run: run.clone(),
        }))
    }

    fn read_memory(&self, run: &RunId) -> io::Result<Vec<u8>> {
        let bytes = self.shared.lock_table().memory_bytes(run).cloned();
        bytes.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn memory_state(&self, run: &RunId) -> String {
        let table = self.shared.lock_table();
        let length = table
            .memory_bytes(run)
            .map(|memory_byte| memory_byte.len().to_string());
        length.unwrap_or_default()
    }

    fn shorten_memory(&self, run: &RunId) -> io::Result<()> {
        if let Some(SessionLines { bytes: memory, .. }) =
            self.shared.lock_table().memories.get_mut(run)
            && memory.len() > 2 * limits::SESSION_KEPT_BYTES
        {
            let surplus = memory.len() - limits::SESSION_KEPT_BYTES;
            let line = memory[surplus..].iter().position(|byte| *byte == b'\n');
            memory.drain(..surplus + line.unwrap_or(0));
        }
        Ok(())
    }

    fn lock_learning(&self) -> io::Result<Option<LearningLock>> {
        let mut table = self.shared.lock_table();
        if std::mem::replace(&mut table.is_learning, true) {
            return Ok(None);
        }
        let guard = LearningGuard(self.shared.clone());
        Ok(Some(LearningLock {
            _held: Box::new(guard),
        }))
    }

    fn add_due(&self, due: &DueSession) -> io::Result<()> {
        let key = due.key();
        self.shared.lock_table().due.insert(key, due.clone());
        Ok(())
    }

    fn list_due(&self) -> Vec<SessionKey> {
        let table = self.shared.lock_table();
        let waiting = table.due.keys();
        let waiting = waiting.filter(|key| !table.claimed.contains_key(key));
        let all = table.claimed.keys().chain(waiting).cloned();
        all.take(limits::CAPTURE_BATCH).collect()
    }

    fn list_quiet(&self, now: SystemTime, quiet: Duration) -> Vec<SessionKey> {
        let table = self.shared.lock_table();
        let last_write = |key: &SessionKey| {
            let mut memories = table.memories.iter();
            let memory = memories.find(|memory| SessionKey::from_run(memory.0.as_str()) == *key);
            memory.map(|memory| memory.1.written)
        };
        let is_quiet = |key: &&SessionKey| {
            // A session without a memory is over.
            last_write(key).is_none_or(|at| now.duration_since(at).is_ok_and(|age| age >= quiet))
        };
        let waiting = table.due.keys();
        let waiting = waiting.filter(|key| !table.claimed.contains_key(key));
        let all = table
            .claimed
            .keys()
            .chain(waiting)
            .filter(is_quiet)
            .cloned();
        all.take(limits::CAPTURE_BATCH).collect()
    }

    fn claim_due(&self, key: &SessionKey) -> Option<SessionClaim> {
        let mut table = self.shared.lock_table();
        let due = table.due.remove(key);
        let due = due.or_else(|| table.claimed.get(key).cloned())?;
        table.claimed.insert(key.clone(), due.clone());
        let learned_state = table.learned_states.get(key).cloned();
        Some(SessionClaim { due, learned_state })
    }

    fn finish_due(&self, claim: &SessionClaim, standing: Option<&str>) {
        let key = claim.due.key();
        let mut table = self.shared.lock_table();
        table.claimed.remove(&key);
        if let Some(standing) = standing {
            table.learned_states.insert(key, standing.to_owned());
        }
    }

    fn put_off_due(&self, claim: &SessionClaim) -> bool {
        let key = claim.due.key();
        let due = claim.due.with_retry();
        let again = due.tries < limits::CAPTURE_TRIES;
        let mut table = self.shared.lock_table();
        table.claimed.remove(&key);
        if again {
            // A newer entry for the session takes precedence.
            table.due.entry(key).or_insert(due);
        }
        again
    }

    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords) {
        let mut table = self.shared.lock_table();
        let runs = table.outside.entry(scope.clone()).or_default();
        let reading = runs.entry(run.clone()).or_insert_with(|| OutsideReading {
            read: SystemTime::now(),
            words: OutsideWords::default(),
            is_over: false,
        });
        (reading.read, reading.is_over) = (SystemTime::now(), false);
        reading.words.extend(words);
    }

    fn clear_outside(&self, scope: &Scope, run: &RunId) {
        let mut table = self.shared.lock_table();
        if let Some(runs) = table.outside.get_mut(scope) {
            runs.remove(run);
        }
    }

    fn end_outside(&self, scope: &Scope, run: &RunId) {
        let mut table = self.shared.lock_table();
        let runs = table.outside.get_mut(scope);
        if let Some(reading) = runs.and_then(|runs| runs.get_mut(run)) {
            reading.is_over = true;
        }
    }

    fn outside_words(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords> {
        let table = self.shared.lock_table();
        let reading = table.outside.get(scope)?.get(run)?;
        Some(reading.words.clone())
    }

    fn add_written(&self, scope: &Scope, words: &OutsideWords) {
        let mut table = self.shared.lock_table();
        table
            .written
            .entry(scope.clone())
            .or_default()
            .extend(words);
    }

    fn written_words(&self, scope: &Scope) -> OutsideWords {
        let table = self.shared.lock_table();
        table.written.get(scope).cloned().unwrap_or_default()
    }

    fn outside_words_in_scope(&self, scope: &Scope) -> OutsideWords {
        let table = self.shared.lock_table();
        let runs = table.outside.get(scope).into_iter().flatten();
        let mut all = OutsideWords::default();
        runs.for_each(|(_, reading)| all.extend(&reading.words));
        all
    }

    fn is_tainted(&self, scope: &Scope) -> bool {
        let mut table = self.shared.lock_table();
        let now = SystemTime::now();
        table.outside.get_mut(scope).is_some_and(|runs| {
            runs.retain(|_, reading| !is_older(now, reading.read, limits::OUTSIDE_HOURS));
            runs.values().any(|reading| !reading.is_over)
        })
    }

    fn has_tainted_scope(&self) -> bool {
        let scopes: Vec<Scope> = self.shared.lock_table().outside.keys().cloned().collect();
        scopes.iter().any(|scope| self.is_tainted(scope))
    }

    fn delete_old_sessions(&self, now: SystemTime) {
        let mut table = self.shared.lock_table();
        let is_old = |it: &SessionLines| is_older(now, it.written, 24 * limits::SESSION_DAYS);
        let SessionTable {
            memories,
            learned_states: learned,
            ..
        } = &mut *table;
        memories.retain(|run, lines| {
            let is_old = is_old(lines);
            if is_old {
                learned.remove(&SessionKey::from_run(run.as_str()));
            }
            !is_old
        });
    }
}

/// The memory of one session, locked as long as this lives.
struct LockedMemory {
    shared: Arc<SharedSessions>,
    run: RunId,
    is_locked: bool,
    tail: Vec<u8>,
}

impl OpenMemory for LockedMemory {
    fn tail(&self) -> &[u8] {
        &self.tail
    }

    fn is_locked(&self) -> bool {
        self.is_locked
    }

    fn append(self: Box<Self>, lines: &str) -> io::Result<()> {
        let mut table = self.shared.lock_table();
        let memory = table
            .memories
            .entry(self.run.clone())
            .or_insert(SessionLines {
                bytes: Vec::new(),
                written: SystemTime::now(),
            });
        if memory.bytes.len() as u64 <= limits::SESSION_BYTES {
            memory.bytes.extend_from_slice(lines.as_bytes());
            memory.written = SystemTime::now();
        }
        Ok(())
    }
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        if self.is_locked {
            self.shared.lock_table().locked_runs.remove(&self.run);
            self.shared.unlocked.notify_all();
        }
    }
}

/// Holds the learning lock until it is dropped.
struct LearningGuard(Arc<SharedSessions>);

impl Drop for LearningGuard {
    fn drop(&mut self) {
        self.0.lock_table().is_learning = false;
    }
}
