//! Lessons in one SQLite file.
//!
//! Many processes use the file at once: a writer takes the write lock before it looks, so what it
//! decides holds when it commits; readers never wait. Recalls are noted in a spool file beside the
//! database ([`spool`]) and counted by the next writer. What is written to the database is on disk
//! when a commit returns.
//!
//! Connections are lent by [`pool`], writers let in one after the other in [`turn`]. The file is opened
//! in [`open`], brought up to date in [`migrate`], read in [`read`], written in [`mod@write`], the queue's rows in [`jobs`], those of vectors in [`vectors`], copied and checked in [`backup`]; another program's is read in [`foreign`]; [`rows`] turns rows into values and back, and
//! [`fault`] turns what SQLite says into what a person can act on.

mod backup;
mod fault;
mod foreign;
pub mod index;
mod jobs;
mod listing;
mod migrate;
mod open;
mod pool;
mod read;
mod rows;
mod spool;
mod turn;
mod vectors;
mod write;

use std::path::{Path, PathBuf};

use hardwon_core::id::TenantId;
use rusqlite::{Connection, TransactionBehavior};

use self::{
    open::Patience,
    pool::{Access, Pool, Snapshot},
    read::View,
    spool::SpoolFile,
    write::Transaction,
};
use crate::{Durability, Flushed, Read, Recall, Result, Spool, Store, StoreError, Write, keep};

pub use backup::{Restored, restore};
pub use foreign::{ForeignDatabase, TextRow};
pub use open::Tuning;

/// A store in one file.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    pool: Pool,
}

fn durability_pragma(durability: Durability) -> &'static str {
    match durability {
        Durability::Full => "PRAGMA synchronous = FULL",
        Durability::Lazy => "PRAGMA synchronous = NORMAL",
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
        let pool = Pool::new(conn, Access::Write, tuning, patience);
        Ok(Self::with(path, pool))
    }

    /// Opens a store that is there, to read it and to note recalls; as fast as can be. Makes no
    /// database, and changes no lesson: only what is lazily durable is written, by a connection that is
    /// opened for it.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none, `TooOld` if it must be brought up to date first, and as
    /// [`open`](Self::open).
    pub fn open_reader(path: &Path) -> Result<Self> {
        Ok(Self::with_reader(path, open::reader(path)?))
    }

    /// Opens a store as [`open_reader`](Self::open_reader) does, for a process that asks once and
    /// ends: it keeps little of what it read, and is given less memory.
    pub fn open_once(path: &Path) -> Result<Self> {
        Ok(Self::with_reader(path, open::reader_once(path)?))
    }

    fn with_reader(path: &Path, conn: Connection) -> Self {
        let pool = Pool::new(conn, Access::Read, Tuning::default(), Patience::Reader);
        Self::with(path, pool)
    }

    /// Copies a store into memory, to change the copy as one likes: nothing of that is kept.
    ///
    /// # Errors
    ///
    /// As [`open_reader`](Self::open_reader).
    pub fn open_copy(path: &Path) -> Result<Self> {
        let conn = open::copy(path)?;
        let pool = Pool::new(conn, Access::Once, Tuning::default(), Patience::Command);
        Ok(Self::with(Path::new(open::IN_MEMORY), pool))
    }

    fn with(path: &Path, pool: Pool) -> Self {
        Self {
            path: path.to_owned(),
            pool,
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
        let check = || backup::check(&*self.pool.lend_reader(&self.path)?);
        check().map_err(|it| self.explain(it, "checking the store"))
    }

    /// Makes everything anew that is made from lessons: the text index, and the keys under which
    /// duplicates are found. Puts a damaged index right.
    pub fn renew(&self) -> Result<()> {
        self.write(Durability::Full, |conn| {
            write::renew(conn, self.pool.tuning())
        })
    }

    /// Writes a copy of the store, whole and consistent, while others go on using it. An existing
    /// file of that name is replaced once the copy is complete.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let copy = || backup::copy(&*self.pool.lend_reader(&self.path)?, to);
        copy().map_err(|it| self.explain(it, "backing the store up"))
    }

    /// Puts another database in the place of everything that is there.
    fn fill_from(&self, source: &Connection) -> Result<()> {
        backup::transfer(source, &mut *self.pool.lend_writer(&self.path)?)
    }

    fn explain(&self, error: StoreError, doing: &'static str) -> StoreError {
        error.doing(doing).at(&self.path)
    }

    /// Runs `work` as the only writer. What it did is kept if it succeeds.
    fn write<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let outcome = || -> Result<T> {
            let mut conn = match durability {
                Durability::Full => self.pool.lend_own_writer(&self.path)?,
                Durability::Lazy => self.pool.lend_writer(&self.path)?,
            };
            conn.execute_batch(durability_pragma(durability))?;
            let turn = turn::await_turn(&self.path, self.pool.patience())?;
            let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            drop(turn);
            let outcome = work(&transaction)?;
            transaction.commit()?;
            Ok(outcome)
        };
        outcome().map_err(|it| self.explain(it, "changing lessons"))
    }

    fn spool(&self, tenant: &TenantId) -> SpoolFile {
        SpoolFile::of_tenant(&self.path, tenant)
    }
}

impl Store for Sqlite {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        let begin = || Snapshot::begin(self.pool.lend_reader(&self.path)?);
        let snapshot = begin().map_err(|it| self.explain(it, "reading lessons"))?;
        Ok(Box::new(View::of_snapshot(snapshot)))
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let (done, drained) = self.write(durability, |conn| {
            let drained = self.spool(tenant).drain_or_leave(conn)?;
            let mut transaction = Transaction::begin(conn, tenant)?;
            work(&mut transaction)?;
            Ok((transaction.finish(self.pool.tuning())?, drained))
        })?;
        if done.has_deleted {
            write::erase(&mut *self.pool.lend_writer(&self.path)?);
        }
        drained.finish();
        Ok(())
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        self.spool(&recall.scope.tenant)
            .note(&keep::bounded(recall))
            .map_err(|it| self.explain(it, "noting a recall"))
    }

    fn flush(&self, tenant: &TenantId) -> Result<Flushed> {
        let spool = self.spool(tenant);
        let drained = self.write(Durability::Lazy, |conn| spool.drain(conn))?;
        Ok(drained.finish())
    }
}

#[cfg(test)]
mod tests;
