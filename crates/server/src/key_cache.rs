//! Remembers the records of keys for some seconds, so that most requests look none up.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::{ApiKeyRecord, KeyId};

/// How long a record is believed.
const FRESH_FOR: Duration = Duration::from_secs(10);
/// Most records remembered; with more, all are looked up again.
const MAX_RECORDS: usize = 10_000;

/// The records looked up last.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    records: Mutex<RememberedRecords>,
    uses: Mutex<HashMap<KeyId, Timestamp>>,
}

#[derive(Debug, Default)]
struct RememberedRecords {
    by_id: HashMap<KeyId, (Instant, Arc<ApiKeyRecord>)>,
    /// Counts how often keys have changed.
    generation: u64,
}

impl KeyCache {
    /// Returns how often keys have changed. Whoever looks a record up to [keep](Self::keep) it asks before.
    pub(crate) fn generation(&self) -> u64 {
        self.records.lock().generation
    }

    /// Returns a record that was looked up just now.
    pub(crate) fn find(&self, id: &KeyId) -> Option<Arc<ApiKeyRecord>> {
        let records = self.records.lock();
        let (since, record) = records.by_id.get(id)?;
        (since.elapsed() < FRESH_FOR).then(|| Arc::clone(record))
    }

    /// Remembers a record that was looked up in a generation, unless keys have changed since. An id that no key has is
    /// not remembered, so that nobody can fill this with made-up ones.
    pub(crate) fn keep(&self, record: &Arc<ApiKeyRecord>, generation: u64) {
        let mut records = self.records.lock();
        if records.generation != generation {
            return;
        }
        if records.by_id.len() >= MAX_RECORDS {
            records.by_id.clear();
        }
        let entry = (Instant::now(), Arc::clone(record));
        records.by_id.insert(record.id.clone(), entry);
    }

    /// Notes that a key was used; written down by whoever [takes](Self::take_uses) the notes.
    pub(crate) fn note_use(&self, id: &KeyId, now: Timestamp) {
        self.uses.lock().insert(id.clone(), now);
    }

    /// Takes the notes of which keys were used when.
    pub(crate) fn take_uses(&self) -> Vec<(KeyId, Timestamp)> {
        self.uses.lock().drain().collect()
    }

    /// Forgets all records: keys have changed.
    pub(crate) fn clear(&self) {
        let mut records = self.records.lock();
        records.by_id.clear();
        records.generation += 1;
    }
}
