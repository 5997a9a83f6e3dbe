//! Lessons in one SQLite file.
//!
//! Many processes use the file at once: a writer takes the write lock before it looks, so what it
//! decides holds when it commits; readers never wait. Recalls are noted in a spool file beside the
//! database ([`spool`]) and counted by the next writer. What is written to the database is on disk
//! when a commit returns.
//!
//! Writers are let in one after the other in [`turn`]. The file is opened in [`open`], brought up to date in [`migrate`], read in [`read`], written in
//! [`mod@write`], the queue's rows in [`jobs`], those of vectors in [`vectors`], copied and checked in [`backup`]; another program's is read in [`foreign`]; [`rows`] turns rows into values and back, and
//! [`fault`] turns what SQLite says into what a person can act on.

mod backup;
mod fault;
mod foreign;
pub mod index;
mod jobs;
mod listing;
mod migrate;
mod open;
mod read;
mod rows;
mod spool;
mod turn;
mod vectors;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use hardwon_core::{id::TenantId, lesson::FailureKey, scope::Scope};
use jiff::Timestamp;
use rusqlite::{Connection, MAIN_DB, TransactionBehavior};

use self::{
    open::Patience,
    read::View,
    spool::{Drained, SpoolFile},
    write::Transaction,
};
use crate::{
    Recall, Receipt, Result, Settled, Sighting, Source, Spool, Store, StoreError, Witness, Write,
    keep, read_through,
};

pub use backup::{Restored, restore};
pub use foreign::{ForeignDatabase, TextRow};
pub use open::Tuning;

/// A store in one file.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    spool: SpoolFile,
    conn: Mutex<Connection>,
    tuning: Tuning,
    patience: Patience,
}

/// How much a crash of the whole machine may take with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// Nothing that was acknowledged.
    Full,
    /// The last moments. A crash of the process alone takes nothing.
    Lazy,
}

impl Durability {
    fn pragma(self) -> &'static str {
        match self {
            Self::Full => "PRAGMA synchronous = FULL",
            Self::Lazy => "PRAGMA synchronous = NORMAL",
        }
    }
}

impl Sqlite {
    /// Opens a store to read and write; makes it, and its folder, if there is none, and brings an
    /// older one up to date after making a backup beside it.
    ///
    /// # Errors
    ///
    /// `Damaged` if the file is no store, `TooNew` if a newer version wrote it, `ReadOnly`,
    /// `Full`, `Busy` or `Io` if it cannot be made or brought up to date.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_tuned(path, Tuning::default())
    }

    /// Opens a store as [`open`](Self::open) does, with other settings than the usual ones.
    pub fn open_tuned(path: &Path, tuning: Tuning) -> Result<Self> {
        Self::open_patient(path, tuning, Patience::Command)
    }

    /// Opens a store as [`open`](Self::open) does, for somebody who waits for others for a quarter of
    /// a second at most.
    pub fn open_hasty(path: &Path) -> Result<Self> {
        Self::open_patient(path, Tuning::default(), Patience::Hook)
    }

    fn open_patient(path: &Path, tuning: Tuning, patience: Patience) -> Result<Self> {
        let conn = open::writer(path, tuning, patience)?;
        Ok(Self::with(path, conn, tuning, patience))
    }

    /// Opens a store that is there, to read it and to note recalls; as fast as can be. Makes no
    /// database, and changes one only where it is asked to settle what was noted.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none, `TooOld` if it must be brought up to date first, and as
    /// [`open`](Self::open).
    pub fn open_reader(path: &Path) -> Result<Self> {
        let conn = open::reader(path)?;
        Ok(Self::with(path, conn, Tuning::default(), Patience::Reader))
    }

    /// Opens a store as [`open_reader`](Self::open_reader) does, for a process that asks once and
    /// ends: it keeps little of what it read, and is given less memory.
    pub fn open_once(path: &Path) -> Result<Self> {
        let conn = open::reader_once(path)?;
        Ok(Self::with(path, conn, Tuning::default(), Patience::Reader))
    }

    /// Copies a store into memory, to change the copy as one likes: nothing of that is kept.
    ///
    /// # Errors
    ///
    /// As [`open_reader`](Self::open_reader).
    pub fn open_copy(path: &Path) -> Result<Self> {
        let conn = open::copy(path)?;
        Ok(Self::with(
            Path::new(open::IN_MEMORY),
            conn,
            Tuning::default(),
            Patience::Command,
        ))
    }

    fn with(path: &Path, conn: Connection, tuning: Tuning, patience: Patience) -> Self {
        Self {
            path: path.to_owned(),
            spool: SpoolFile::beside(path),
            conn: Mutex::new(conn),
            tuning,
            patience,
        }
    }

    /// Returns where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks the file over, and returns what is wrong with it, in words for a person; nothing if
    /// it is whole. Takes a time that grows with the file.
    pub fn check(&self) -> Result<Vec<String>> {
        backup::check(&self.lock()).map_err(|it| self.explain(it, "checking the store"))
    }

    /// Makes everything anew that is made from lessons: the text index, and the keys under which
    /// duplicates are found. Puts a damaged index right.
    pub fn renew(&self) -> Result<()> {
        self.write(Durability::Full, |conn| write::renew(conn, self.tuning))
    }

    /// Writes a copy of the store, whole and consistent, while others go on using it. An existing
    /// file of that name is replaced once the copy is complete.
    pub fn backup(&self, to: &Path) -> Result<()> {
        backup::copy(&self.lock(), to).map_err(|it| self.explain(it, "backing the store up"))
    }

    /// Locks the connection. A panic elsewhere left it whole: its transaction was rolled back.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn explain(&self, error: StoreError, doing: &'static str) -> StoreError {
        error.doing(doing).at(&self.path)
    }

    fn is_reader(&self) -> Result<bool> {
        let is_reader = self.lock().is_readonly(MAIN_DB);
        is_reader.map_err(|it| self.explain(it.into(), "settling recalls"))
    }

    /// Lends one consistent view.
    fn lend<T>(&self, ask: impl FnOnce(&View<'_>) -> Result<T>) -> Result<T> {
        let conn = self.lock();
        let answer = || -> Result<T> {
            let snapshot = conn.unchecked_transaction()?;
            let answer = ask(&View(&snapshot))?;
            snapshot.commit()?;
            Ok(answer)
        };
        answer().map_err(|it| self.explain(it, "reading lessons"))
    }

    /// Runs `work` as the only writer. What it did is kept if it succeeds.
    fn write<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut conn = self.lock();
        let outcome = || -> Result<T> {
            conn.execute_batch(durability.pragma())?;
            let turn = turn::await_turn(&self.path, self.patience.limit())?;
            let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            drop(turn);
            let outcome = work(&transaction)?;
            transaction.commit()?;
            Ok(outcome)
        };
        outcome().map_err(|it| self.explain(it, "changing lessons"))
    }

    /// Lets a writer do something: this store, or one that is opened beside it where it only reads.
    fn with_writer<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        if !self.is_reader()? {
            return work(self);
        }
        let writer = Self::open_patient(&self.path, self.tuning, Patience::Reader)?;
        let done = work(&writer)?;
        // A log left behind would cost every reader that comes first its time.
        write::empty_log(&mut writer.lock());
        Ok(done)
    }

    /// Counts one spool file in a transaction of its own; none if there was none.
    fn settle_one(&self) -> Result<Option<Settled>> {
        let drained = self.write(Durability::Lazy, |conn| self.spool.drain(conn))?;
        Ok(drained.map(Drained::finish))
    }

    fn settle_all(&self) -> Result<Settled> {
        let mut settled = Settled::default();
        while let Some(one) = self.settle_one()? {
            settled.recalls += one.recalls;
            settled.broken += one.broken;
        }
        Ok(settled)
    }
}

read_through!(Sqlite);

impl Store for Sqlite {
    fn commit(
        &self,
        tenant: &TenantId,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<Receipt> {
        let (done, drained) = self.write(Durability::Full, |conn| {
            let mut transaction = Transaction::begin(conn, tenant)?;
            work(&mut transaction)?;
            let done = transaction.finish(self.tuning)?;
            Ok((done, self.spool.drain_or_leave(conn)?))
        })?;
        if done.has_deleted {
            write::erase(&mut self.lock());
        }
        Ok(Receipt {
            added: done.added,
            head: done.head,
            settled: drained.map(Drained::finish).unwrap_or_default(),
        })
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        self.spool
            .note(&keep::bounded(recall))
            .map_err(|it| self.explain(it, "noting a recall"))
    }

    fn settle(&self) -> Result<Settled> {
        self.with_writer(Self::settle_all)
    }

    fn forget_asked(&self, tenant: &TenantId, before: Timestamp) -> Result<()> {
        self.with_writer(|store| {
            store.write(Durability::Lazy, |conn| {
                write::forget_asked(conn, write::tenant(conn, tenant)?.id, before)
            })
        })
    }

    fn sight(&self, sighting: &Sighting) -> Result<Witness> {
        self.write(Durability::Lazy, |conn| write::sight(conn, sighting))
    }

    fn forget_witness(&self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.write(Durability::Lazy, |conn| {
            write::forget_witness(conn, scope, failure)
        })
    }

    fn keep_source(&self, tenant: &TenantId, name: &str, source: &Source) -> Result<()> {
        keep::check_source(name, source)?;
        self.write(Durability::Lazy, |conn| {
            write::keep_source(conn, write::tenant(conn, tenant)?.id, name, source)
        })
    }
}

#[cfg(test)]
mod tests;
