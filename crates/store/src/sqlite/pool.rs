//! The connection pool of one store.
//!
//! Each reader or writer borrows its own connection and gives it back, so readers do not wait for one another, nor for
//! a writer. A connection is opened when none is idle: a store that one thread uses has one, and opens the file once.
//! [`turn`](super::turn) decides which writer goes first.

use std::{
    ops::{Deref, DerefMut},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{erase::truncate_wal, index::IndexTuning, open, waiting::LockPatience};
use crate::{Result, StoreError, StoreErrorKind};

/// Most idle connections that are kept.
const IDLE: usize = 8;

/// How a pool opens another connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// To read and to write.
    Write,
    /// To read. Each lazily durable write opens a writing connection and closes it again.
    Read,
    /// To read. A write makes a new file in the place of the old one.
    Replace,
    /// Never: the database is in memory and has one connection, for which others wait.
    Once,
}

/// The connections of one store.
#[derive(Debug)]
pub(super) struct Pool {
    idle: Mutex<Vec<Idle>>,
    access: Access,
    tuning: IndexTuning,
    patience: LockPatience,
}

#[derive(Debug)]
struct Idle {
    conn: Connection,
    can_write: bool,
}

impl Pool {
    /// Makes a pool with one open connection.
    pub(super) fn new(
        conn: Connection,
        access: Access,
        tuning: IndexTuning,
        patience: LockPatience,
    ) -> Self {
        let can_write = !matches!(access, Access::Read | Access::Replace);
        Self {
            idle: Mutex::new(vec![Idle { conn, can_write }]),
            access,
            tuning,
            patience,
        }
    }

    pub(super) fn tuning(&self) -> IndexTuning {
        self.tuning
    }

    /// Returns how long a writer waits for other writers.
    pub(super) fn patience(&self) -> Duration {
        self.patience.duration()
    }

    pub(super) fn is_in_memory(&self) -> bool {
        self.access == Access::Once
    }

    pub(super) fn is_replaced(&self) -> bool {
        self.access == Access::Replace
    }

    /// Closes the connections that nobody uses, so that the next one reads the file that is there by then.
    pub(super) fn close_idle(&self) {
        self.lock().clear();
    }

    /// Lends a connection to read with.
    pub(super) fn lend_reader(&self, path: &Path) -> Result<Lent<'_>> {
        match self.take_idle(false) {
            Some(idle) => Ok(self.lend(idle.conn, idle.can_write)),
            None if self.access == Access::Once => self.wait(),
            None => Ok(self.lend(open::open_reader(path)?, false)),
        }
    }

    /// Lends a connection to write with; fails with `ReadOnly` if the store was opened to be read.
    pub(super) fn lend_own_writer(&self, path: &Path) -> Result<Lent<'_>> {
        match self.access {
            Access::Write | Access::Once => self.lend_writer(path),
            Access::Read | Access::Replace => Err(read_only_error()),
        }
    }

    /// Lends a connection to write with.
    pub(super) fn lend_writer(&self, path: &Path) -> Result<Lent<'_>> {
        match self.take_idle(true) {
            Some(idle) => Ok(self.lend(idle.conn, true)),
            None if self.access == Access::Once => self.wait(),
            None if self.access == Access::Replace => Err(read_only_error()),
            None => Ok(self.lend(open::open_writer(path, self.tuning, self.patience)?, true)),
        }
    }

    fn lend(&self, conn: Connection, can_write: bool) -> Lent<'_> {
        Lent {
            pool: self,
            conn: Some(conn),
            can_write,
        }
    }

    /// Waits until the one connection is given back.
    fn wait(&self) -> Result<Lent<'_>> {
        let start = Instant::now();
        while start.elapsed() < self.patience() {
            if let Some(idle) = self.take_idle(true) {
                return Ok(self.lend(idle.conn, true));
            }
            thread::sleep(Duration::from_millis(1));
        }
        let message = "the only connection to the copy in memory is in use";
        Err(StoreError::new(StoreErrorKind::Busy, "", message))
    }

    /// Takes an idle connection; to read, one that cannot write if there is one, so that a writer finds its own.
    fn take_idle(&self, must_write: bool) -> Option<Idle> {
        let mut idle = self.lock();
        let place = idle.iter().rposition(|idle| idle.can_write == must_write);
        let place = place.or_else(|| idle.iter().rposition(|idle| idle.can_write))?;
        Some(idle.remove(place))
    }

    fn give_back(&self, mut conn: Connection, can_write: bool) {
        if can_write && self.access == Access::Read {
            // The next reader would have to go through a log left behind.
            truncate_wal(&mut conn);
            return;
        }
        let mut idle = self.lock();
        // A writer's cache is large, and stores take turns with writing: one is enough.
        let is_spare = can_write && idle.iter().any(|idle| idle.can_write);
        if idle.len() < IDLE && !is_spare {
            idle.push(Idle { conn, can_write });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_only_error() -> StoreError {
    let message = "it was opened to be read";
    StoreError::new(StoreErrorKind::ReadOnly, "", message)
}

/// A borrowed connection, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Lent<'p> {
    pool: &'p Pool,
    conn: Option<Connection>,
    can_write: bool,
}

const LENT: &str = "a connection is there until it is given back";

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect(LENT)
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.conn.as_mut().expect(LENT)
    }
}

impl Drop for Lent<'_> {
    /// Closes a connection that is still in a transaction, which could not be ended.
    fn drop(&mut self) {
        let whole = self.conn.take().filter(Connection::is_autocommit);
        if let Some(conn) = whole {
            self.pool.give_back(conn, self.can_write);
        }
    }
}

/// A read transaction: it sees one state until it is dropped.
#[derive(Debug)]
pub(super) struct Snapshot<'p>(Lent<'p>);

impl<'p> Snapshot<'p> {
    pub(super) fn begin(conn: Lent<'p>) -> Result<Self> {
        conn.execute_batch("BEGIN")?;
        Ok(Self(conn))
    }
}

impl Deref for Snapshot<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        drop(self.0.execute_batch("COMMIT"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_idle_writer_is_kept_and_readers_leave_it_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hardwon.db");
        let (tuning, patience) = (IndexTuning::default(), LockPatience::Command);
        let conn = open::open_writer(&path, tuning, patience).unwrap();
        let pool = Pool::new(conn, Access::Write, tuning, patience);
        let check = |expected: (usize, usize)| {
            let idle = pool.lock();
            let writers = idle.iter().filter(|it| it.can_write).count();
            assert_eq!((writers, idle.len() - writers), expected);
        };
        let reader = pool.lend_reader(&path).unwrap();
        let writer = pool.lend_writer(&path).unwrap();
        let second = pool.lend_reader(&path).unwrap();
        drop((reader, writer, second));
        check((1, 1));
        let reader = pool.lend_reader(&path).unwrap();
        check((1, 0));
        drop(reader);
    }
}
