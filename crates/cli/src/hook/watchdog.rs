//! A hook's own time limit: the client waits for the hook, so it ends before the client gives up.
//!
//! A thread ends the process, with success, when the time is over. A reply is printed whole or not at all: once
//! printing began there is a little more time.

use std::{
    path::Path,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use super::log;

/// Extra time for printing a reply.
const GRACE: Duration = Duration::from_millis(250);

/// A running time limit.
#[derive(Debug)]
pub(super) struct Watchdog {
    limit_ms: Arc<AtomicU64>,
    /// Woken when the limit changes; `None` where there is no limit.
    watch: Option<Thread>,
    /// Claimed by whichever comes first: the reply, or the end.
    is_claimed: Arc<AtomicBool>,
}

impl Watchdog {
    /// Starts the time limit of the process. Reaching it is logged.
    pub(super) fn start(limit: Duration, state: &Path, client: &str) -> Self {
        let mut dog = Self {
            limit_ms: Arc::new(AtomicU64::new(to_milliseconds(limit))),
            watch: None,
            is_claimed: Arc::new(AtomicBool::new(false)),
        };
        let (limit_ms, is_settled) = (dog.limit_ms.clone(), dog.is_claimed.clone());
        let start = Instant::now();
        let (state, client) = (state.to_owned(), client.to_owned());
        let watch = move || {
            loop {
                let limit = Duration::from_millis(limit_ms.load(Ordering::Relaxed));
                match limit.checked_sub(start.elapsed()) {
                    Some(left) if !left.is_zero() => thread::park_timeout(left),
                    _ => break,
                }
            }
            if is_settled.swap(true, Ordering::AcqRel) {
                thread::sleep(GRACE);
            }
            let limit = limit_ms.load(Ordering::Relaxed);
            log::write_note(
                &state,
                &client,
                &format!("it was stopped because it was not done after {limit} ms"),
            );
            process::exit(0);
        };
        // Without a thread there is no limit but the client's own.
        let watch = thread::Builder::new().stack_size(512 * 1024).spawn(watch);
        dog.watch = watch.ok().map(|handle| handle.thread().clone());
        dog
    }

    /// Changes the limit, counted from the start.
    pub(super) fn change_limit(&self, limit: Duration) {
        self.limit_ms
            .store(to_milliseconds(limit), Ordering::Relaxed);
        if let Some(watch) = &self.watch {
            watch.unpark();
        }
    }

    /// Returns whether there is still time to reply; from then on the reply is waited for.
    pub(super) fn may_answer(&self) -> bool {
        !self.is_claimed.swap(true, Ordering::AcqRel)
    }
}

fn to_milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
