//! How long somebody waits for others who write, and how.

use std::{thread, time::Duration};

/// How often a writer asks for the lock before it gives up: some 40 seconds.
const LOCK_TRIES: i32 = 8_000;

/// How long somebody waits for others who write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockPatience {
    /// A command, which has the time: 40 seconds.
    Command,
    /// A hook that has something to store, while an agent waits for it.
    Hook,
    /// A reader, which only has to wait for another process tidying up. Its time is an agent's
    /// time.
    Reader,
}

impl LockPatience {
    /// Returns how long that is.
    pub(super) fn duration(self) -> Duration {
        match self {
            Self::Command => Duration::from_secs(40),
            Self::Hook => Duration::from_millis(250),
            Self::Reader => Duration::from_millis(50),
        }
    }

    /// Returns what waits a moment, and says whether it is worth asking for the lock again.
    pub(super) fn busy_handler(self) -> fn(i32) -> bool {
        match self {
            Self::Command => wait_for_lock,
            Self::Hook => |tries| wait_a_millisecond(tries, Self::Hook),
            Self::Reader => |tries| wait_a_millisecond(tries, Self::Reader),
        }
    }
}

/// Waits for the write lock, longer each time. Who waits is mostly alone in that (see
/// [`turn`](super::turn)), so asking often costs little.
pub(super) fn wait_for_lock(tries: i32) -> bool {
    thread::sleep(Duration::from_micros(match tries {
        0..20 => 100,
        20..200 => 500,
        _ => 5_000,
    }));
    tries < LOCK_TRIES
}

fn wait_a_millisecond(tries: i32, patience: LockPatience) -> bool {
    thread::sleep(Duration::from_millis(1));
    u128::try_from(tries).is_ok_and(|tries| tries < patience.duration().as_millis())
}
