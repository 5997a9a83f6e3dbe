//! How many requests may wait for a change at the same time: each holds a connection, which others need too.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hardwon_core::api_key::KeyId;

/// Most of one key.
const KEY_POLLS: usize = 64;

/// The requests that wait, by key.
#[derive(Debug, Clone)]
pub(crate) struct PollSlots {
    most: usize,
    held: Arc<Mutex<HashMap<KeyId, usize>>>,
}

/// One request's place among those that wait, for as long as this lives.
#[derive(Debug)]
pub(crate) struct PollSlot {
    slots: PollSlots,
    key: KeyId,
}

impl PollSlots {
    /// Lets half of the connections wait.
    pub(crate) fn new(connections: usize) -> Self {
        Self {
            most: connections / 2,
            held: Arc::default(),
        }
    }

    /// Takes a place; `None` if there is none for this key.
    pub(crate) fn take(&self, key: &KeyId) -> Option<PollSlot> {
        let mut held = self.lock();
        let all: usize = held.values().sum();
        let own = held.get(key).copied().unwrap_or_default();
        if all >= self.most || own >= KEY_POLLS {
            return None;
        }
        held.insert(key.clone(), own + 1);
        Some(PollSlot {
            slots: self.clone(),
            key: key.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyId, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PollSlot {
    fn drop(&mut self) {
        let mut held = self.slots.lock();
        let left = held.get(&self.key).map_or(0, |it| it - 1);
        match left {
            0 => held.remove(&self.key),
            left => held.insert(self.key.clone(), left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letter: char) -> KeyId {
        KeyId::parse(&letter.to_string().repeat(10)).unwrap()
    }

    #[test]
    fn no_key_takes_the_place_of_all_others() {
        let slots = PollSlots::new(200);
        let mut held: Vec<PollSlot> = (0..KEY_POLLS)
            .map(|_| slots.take(&key('a')).unwrap())
            .collect();
        assert!(slots.take(&key('a')).is_none());
        held.extend(slots.take(&key('b')));
        held.extend((0..200).filter_map(|_| slots.take(&key('c'))));
        assert!(slots.take(&key('b')).is_none() && held.len() == 100);
        held.clear();
        assert!(slots.take(&key('a')).is_some() && slots.lock().is_empty());
    }
}
