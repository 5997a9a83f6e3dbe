//! How long somebody waits for others who write, and how.

use std::{thread, time::Duration};

/// How often a writer tries to take the lock before it gives up: some 40 seconds.
const LOCK_TRIES: i32 = 8_000;

/// How long a connection waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockPatience {
    /// A command, which has time: 40 seconds.
    Command,
    /// A hook that writes while an agent waits for it, and whoever reads: 250 milliseconds. A reader only ever waits for
    /// another process that is cleaning up, which takes long on a busy machine.
    Hook,
}

impl LockPatience {
    /// Returns the longest wait.
    pub(super) fn duration(self) -> Duration {
        match self {
            Self::Command => Duration::from_secs(40),
            Self::Hook => Duration::from_millis(250),
        }
    }

    /// Returns a busy handler: it sleeps a moment, and returns whether to try the lock again.
    pub(super) fn busy_handler(self) -> fn(i32) -> bool {
        match self {
            Self::Command => wait_for_lock,
            Self::Hook => wait_a_millisecond,
        }
    }
}

/// Sleeps before the next try for the write lock, longer each time. A writer mostly waits alone (see
/// [`turn`](super::turn)), so asking often costs little.
pub(super) fn wait_for_lock(tries: i32) -> bool {
    thread::sleep(Duration::from_micros(match tries {
        0..20 => 100,
        20..200 => 500,
        _ => 5_000,
    }));
    tries < LOCK_TRIES
}

fn wait_a_millisecond(tries: i32) -> bool {
    thread::sleep(Duration::from_millis(1));
    let most = LockPatience::Hook.duration().as_millis();
    u128::try_from(tries).is_ok_and(|tries| tries < most)
}
