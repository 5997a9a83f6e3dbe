//! Sessions kept in the memory of one process: for runtimes that embed the engine, and for tests.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use hardwon_core::{id::RunId, limits, outside::OutsideWords, scope::Scope};

use super::{Claim, Due, LearningLock, OpenMemory, SessionKey, Sessions};

/// How long the lock of a session is waited for.
const PATIENCE: Duration = Duration::from_millis(150);

/// Sessions kept in memory; clones share them.
#[derive(Clone, Default)]
pub struct MemorySessions {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    kept: Mutex<Kept>,
    /// Told when a lock is let go.
    unlocked: Condvar,
}

#[derive(Default)]
struct Kept {
    memories: HashMap<RunId, Lines>,
    locked: BTreeSet<RunId>,
    is_learning: bool,
    waiting: BTreeMap<SessionKey, Due>,
    claimed: BTreeMap<SessionKey, Due>,
    learned: HashMap<SessionKey, String>,
    /// Which sessions have read content from outside, when, and its words.
    outside: HashMap<Scope, BTreeMap<RunId, (SystemTime, OutsideWords)>>,
}

/// The memory of one session.
struct Lines {
    bytes: Vec<u8>,
    written: SystemTime,
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn bytes(&self, run: &RunId) -> Option<&Vec<u8>> {
        self.memories.get(run).map(|it| &it.bytes)
    }
}

/// Returns whether something happened more than so many hours ago.
fn is_older(now: SystemTime, at: SystemTime, hours: u64) -> bool {
    let age = now.duration_since(at).unwrap_or_default();
    age > Duration::from_secs(hours * 60 * 60)
}

impl Sessions for MemorySessions {
    fn open(&self, run: &RunId, _reach: usize) -> io::Result<Box<dyn OpenMemory>> {
        let is_held = |kept: &mut Kept| kept.locked.contains(run);
        let waited =
            (self.shared.unlocked).wait_timeout_while(self.shared.kept(), PATIENCE, is_held);
        let mut kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        Ok(Box::new(Memory {
            shared: self.shared.clone(),
            is_locked: kept.locked.insert(run.clone()),
            end: kept.bytes(run).cloned().unwrap_or_default(),
            run: run.clone(),
        }))
    }

    fn read(&self, run: &RunId) -> io::Result<Vec<u8>> {
        let bytes = self.shared.kept().bytes(run).cloned();
        bytes.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn standing(&self, run: &RunId) -> String {
        let kept = self.shared.kept();
        let length = kept.bytes(run).map(|it| it.len().to_string());
        length.unwrap_or_default()
    }

    fn shorten(&self, run: &RunId) -> io::Result<()> {
        if let Some(Lines { bytes: memory, .. }) = self.shared.kept().memories.get_mut(run)
            && memory.len() > 2 * limits::SESSION_KEPT_BYTES
        {
            let surplus = memory.len() - limits::SESSION_KEPT_BYTES;
            let line = memory[surplus..].iter().position(|byte| *byte == b'\n');
            memory.drain(..surplus + line.unwrap_or(0));
        }
        Ok(())
    }

    fn lock_learning(&self) -> io::Result<Option<LearningLock>> {
        let mut kept = self.shared.kept();
        if std::mem::replace(&mut kept.is_learning, true) {
            return Ok(None);
        }
        let held = Learning(self.shared.clone());
        Ok(Some(LearningLock {
            _held: Box::new(held),
        }))
    }

    fn add_due(&self, due: &Due) -> io::Result<()> {
        let key = due.key();
        self.shared.kept().waiting.insert(key, due.clone());
        Ok(())
    }

    fn list_due(&self) -> Vec<SessionKey> {
        let kept = self.shared.kept();
        let waiting = kept.waiting.keys();
        let waiting = waiting.filter(|key| !kept.claimed.contains_key(key));
        let all = kept.claimed.keys().chain(waiting).cloned();
        all.take(limits::CAPTURE_BATCH).collect()
    }

    fn claim_due(&self, key: &SessionKey) -> Option<Claim> {
        let mut kept = self.shared.kept();
        let due = kept.waiting.remove(key);
        let due = due.or_else(|| kept.claimed.get(key).cloned())?;
        kept.claimed.insert(key.clone(), due.clone());
        let learned = kept.learned.get(key).cloned();
        Some(Claim { due, learned })
    }

    fn finish_due(&self, claim: &Claim, standing: Option<&str>) {
        let key = claim.due.key();
        let mut kept = self.shared.kept();
        kept.claimed.remove(&key);
        if let Some(standing) = standing {
            kept.learned.insert(key, standing.to_owned());
        }
    }

    fn put_off_due(&self, claim: &Claim) -> bool {
        let key = claim.due.key();
        let due = claim.due.tried();
        let again = due.tries < limits::CAPTURE_TRIES;
        let mut kept = self.shared.kept();
        kept.claimed.remove(&key);
        if again {
            // A newer word about the session counts for more.
            kept.waiting.entry(key).or_insert(due);
        }
        again
    }

    fn add_outside(&self, scope: &Scope, run: &RunId, words: &OutsideWords) {
        let mut kept = self.shared.kept();
        let runs = kept.outside.entry(scope.clone()).or_default();
        let new = || (SystemTime::now(), OutsideWords::default());
        let (read, known) = runs.entry(run.clone()).or_insert_with(new);
        *read = SystemTime::now();
        known.extend(words);
    }

    fn forget_outside(&self, scope: &Scope, run: &RunId) {
        let mut kept = self.shared.kept();
        if let Some(runs) = kept.outside.get_mut(scope) {
            runs.remove(run);
        }
    }

    fn outside_of(&self, scope: &Scope, run: &RunId) -> Option<OutsideWords> {
        let kept = self.shared.kept();
        let (_, words) = kept.outside.get(scope)?.get(run)?;
        Some(words.clone())
    }

    fn outside_in(&self, scope: &Scope) -> OutsideWords {
        let kept = self.shared.kept();
        let runs = kept.outside.get(scope).into_iter().flatten();
        let mut all = OutsideWords::default();
        runs.for_each(|(_, (_, words))| all.extend(words));
        all
    }

    fn is_tainted(&self, scope: &Scope) -> bool {
        let mut kept = self.shared.kept();
        let now = SystemTime::now();
        kept.outside.get_mut(scope).is_some_and(|runs| {
            runs.retain(|_, (read, _)| !is_older(now, *read, limits::OUTSIDE_HOURS));
            !runs.is_empty()
        })
    }

    fn forget_old(&self, now: SystemTime) {
        let mut kept = self.shared.kept();
        let is_old = |it: &Lines| is_older(now, it.written, 24 * limits::SESSION_DAYS);
        let Kept {
            memories, learned, ..
        } = &mut *kept;
        memories.retain(|run, lines| {
            let is_old = is_old(lines);
            if is_old {
                learned.remove(&SessionKey::of(run.as_str()));
            }
            !is_old
        });
    }
}

/// The memory of one session, locked as long as this lives.
struct Memory {
    shared: Arc<Shared>,
    run: RunId,
    is_locked: bool,
    end: Vec<u8>,
}

impl OpenMemory for Memory {
    fn end(&self) -> &[u8] {
        &self.end
    }

    fn is_locked(&self) -> bool {
        self.is_locked
    }

    fn append(self: Box<Self>, lines: &str) -> io::Result<()> {
        let mut kept = self.shared.kept();
        let memory = kept.memories.entry(self.run.clone()).or_insert(Lines {
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

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_locked {
            self.shared.kept().locked.remove(&self.run);
            self.shared.unlocked.notify_all();
        }
    }
}

/// The right to learn.
struct Learning(Arc<Shared>);

impl Drop for Learning {
    fn drop(&mut self) {
        self.0.kept().is_learning = false;
    }
}
