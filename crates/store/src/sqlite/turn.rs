//! Lets writers in, in the order in which they came.
//!
//! SQLite has one write lock and no queue for it: a waiting writer asks again and again, so among many writers one may
//! wait for very long. Therefore a writer first locks the folder of the database, for which the operating system lets
//! waiters in one after the other. It then waits for SQLite's lock as the only one who does, and unlocks the folder
//! once it has that. A writer that comes back for another write finds the next one waiting there, and queues up behind
//! it.
//!
//! This orders writers and protects nothing: SQLite's lock does that. Where a folder cannot be locked, as on Windows,
//! there is no queue.

use std::{
    fs::{File, TryLockError},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{Result, StoreError, StoreErrorKind};

/// One writer's turn, which ends when it is dropped.
#[derive(Debug)]
pub(super) struct WriteTurn {
    _folder: Option<File>,
}

/// Waits for this writer's turn, for at most `patience`.
pub(super) fn await_turn(database: &Path, patience: Duration) -> Result<WriteTurn> {
    let folder = database
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) else {
        return Ok(WriteTurn { _folder: None });
    };
    let lock = match folder.try_lock() {
        Ok(()) => Some(folder),
        Err(TryLockError::WouldBlock) => queue_up(folder, patience)?,
        Err(TryLockError::Error(_)) => None,
    };
    Ok(WriteTurn { _folder: lock })
}

/// Waits for the lock in a thread, because such a wait has no time limit of its own. A thread that gets the lock too
/// late finds the receiver gone, and releases it.
fn queue_up(folder: File, patience: Duration) -> Result<Option<File>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let wait = move || {
        let lock = folder.lock().is_ok().then_some(folder);
        drop(sender.send(lock));
    };
    let thread = thread::Builder::new().stack_size(64 * 1024).spawn(wait);
    if thread.is_err() {
        return Ok(None);
    }
    receiver.recv_timeout(patience).map_err(|_| {
        let message = "others kept writing for too long";
        StoreError::new(StoreErrorKind::Busy, "", message)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    // Windows locks no folder.
    #[cfg(unix)]
    #[test]
    fn writers_come_one_after_the_other_and_lose_patience() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("hardwon.db");
        let short = Duration::from_millis(20);
        let first = await_turn(&database, short).unwrap();
        assert!(File::open(folder.path()).unwrap().try_lock().is_err());
        let late = await_turn(&database, short).unwrap_err();
        assert_eq!(late.kind(), StoreErrorKind::Busy);
        drop(first);
        // The one that lost patience released the lock it was given later.
        await_turn(&database, Duration::from_secs(5)).unwrap();
        await_turn(&database, Duration::from_secs(5)).unwrap();
    }

    /// A writer that asks again at once does not overtake the waiting one.
    #[test]
    fn who_comes_back_queues_up_behind_who_waits() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("hardwon.db");
        let patience = Duration::from_secs(20);
        let waits = |_| {
            let mut worst = Duration::ZERO;
            for _ in 0..20 {
                let asked = Instant::now();
                let turn = await_turn(&database, patience).unwrap();
                worst = worst.max(asked.elapsed());
                thread::sleep(Duration::from_millis(1));
                drop(turn);
            }
            worst
        };
        let worst = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || waits(n))).collect();
            let worst = threads.into_iter().map(|it| it.join().unwrap());
            worst.max().unwrap()
        });
        assert!(worst < Duration::from_secs(2), "{worst:?}");
    }

    #[test]
    fn a_folder_that_is_not_there_keeps_nobody_waiting() {
        let nowhere = Path::new("no/such/folder/hardwon.db");
        let first = await_turn(nowhere, Duration::ZERO);
        let second = await_turn(nowhere, Duration::ZERO);
        assert!(first.is_ok() && second.is_ok());
    }
}
