//! Lessons in one SQLite file, or in memory.
//!
//! Many processes use the file at once: a writer takes the write lock before it reads, so its decision still holds when
//! it commits; readers never wait. Recalls are appended to a spool file beside the database ([`spool`]) and counted by
//! the next writer. Data written to the database is on disk when a commit returns.
//!
//! [`pool`] lends connections, and [`turn`] lets writers in one after the other. The file is opened in [`open`] and
//! migrated in [`migrate`]; [`database`] says how it keeps what is in [`tables`](crate::tables), and [`index`] finds
//! lessons in it; [`replica`] makes and takes in copies of a server's lessons; [`backup`] copies and checks; [`foreign_database`] reads another program's file; [`keys`] has the file of a server's keys;
//! [`rows`] converts rows to values and back, and [`errors`] turns SQLite's errors into ones that a person can act on.

mod backup;
mod copying;
mod database;
mod erase;
mod errors;
mod foreign_database;
pub mod index;
mod keys;
mod migrate;
mod open;
mod pool;
pub mod replica;
mod rows;
mod rules;
mod spool;
mod tenants;
mod turn;
mod waiting;

use std::path::{Path, PathBuf};

use hardwon_core::TenantId;
use rusqlite::{Connection, TransactionBehavior};

use self::{
    database::{SqliteTransaction, SqliteView},
    pool::{Access, Pool, Snapshot},
    spool::SpoolFile,
    waiting::LockPatience,
};
use crate::{
    Durability, ErasedTenant, FlushCounts, Read, Recall, Result, SpoolLevel, Store, StoreError,
    Write, records,
};

pub use backup::{RestoreOutcome, restore_backup};
pub use foreign_database::{ForeignDatabase, TextRow};
pub use index::IndexTuning;
pub use keys::SqliteKeyDatabase;

/// A store in one file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    pool: Pool,
}

fn durability_pragma(durability: Durability) -> &'static str {
    match durability {
        // There a disk reports what it has only taken into its own memory as written, unless it is asked for more.
        Durability::Full if cfg!(target_os = "macos") => {
            "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"
        }
        Durability::Full => "PRAGMA synchronous = FULL",
        Durability::Lazy => "PRAGMA synchronous = NORMAL",
    }
}

impl SqliteStore {
    /// Opens a store to read and write. Creates it, and its folder, if there is none, and migrates an older one after
    /// making a backup beside it.
    ///
    /// # Errors
    ///
    /// `Damaged` if the file is no store, `TooNew` if a newer version wrote it, `ReadOnly`, `Full`, `Busy` or `Io` if
    /// it cannot be created or migrated.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with_tuning(path, IndexTuning::default())
    }

    /// Opens a store as [`open`](Self::open) does, with other tuning than the default.
    pub fn open_with_tuning(path: &Path, tuning: IndexTuning) -> Result<Self> {
        Self::open_with_patience(path, tuning, LockPatience::Command)
    }

    /// Opens a store as [`open`](Self::open) does, waiting a quarter of a second at most for other writers.
    pub fn open_for_hook(path: &Path) -> Result<Self> {
        Self::open_with_patience(path, IndexTuning::default(), LockPatience::Hook)
    }

    fn open_with_patience(
        path: &Path,
        tuning: IndexTuning,
        patience: LockPatience,
    ) -> Result<Self> {
        let conn = open::open_writer(path, tuning, patience)?;
        let pool = Pool::new(conn, Access::Write, tuning, patience);
        Ok(Self::from_pool(path, pool))
    }

    /// Opens an existing store to read it and to spool recalls, as fast as possible. Creates no database and changes no
    /// lesson: only lazily durable data is written, by a connection that is opened for it.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none, `TooOld` if it must be migrated first, and as [`open`](Self::open).
    pub fn open_reader(path: &Path) -> Result<Self> {
        let conn = open::open_reader(path)?;
        Ok(Self::from_reader(path, conn, Access::Read))
    }

    /// Opens a store as [`open_reader`](Self::open_reader) does, for a process that reads once and ends: it caches
    /// little of what it read, and uses less memory.
    pub fn open_reader_once(path: &Path) -> Result<Self> {
        let conn = open::open_reader_once(path)?;
        Ok(Self::from_reader(path, conn, Access::Read))
    }

    fn from_reader(path: &Path, conn: Connection, access: Access) -> Self {
        let tuning = IndexTuning::default();
        Self::from_pool(path, Pool::new(conn, access, tuning, LockPatience::Hook))
    }

    /// Copies a store into memory, where it can be changed freely: nothing of that is saved.
    ///
    /// # Errors
    ///
    /// As [`open_reader`](Self::open_reader).
    pub fn open_copy(path: &Path) -> Result<Self> {
        Ok(Self::in_memory_with(open::open_memory_copy(path)?))
    }

    /// Makes an empty store in memory, gone when it is dropped. It has one connection: whoever reads in it ends that
    /// before writing.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn in_memory() -> Result<Self> {
        let conn = open::open_empty_memory(IndexTuning::default())?;
        Ok(Self::in_memory_with(conn))
    }

    fn in_memory_with(conn: Connection) -> Self {
        let tuning = IndexTuning::default();
        let pool = Pool::new(conn, Access::Once, tuning, LockPatience::Command);
        Self::from_pool(Path::new(open::MEMORY_PATH), pool)
    }

    fn from_pool(path: &Path, pool: Pool) -> Self {
        Self {
            path: path.to_owned(),
            pool,
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the file, and returns the problems found, in words for a person; empty if it is intact. The time grows
    /// with the size of the file.
    pub fn check_integrity(&self) -> Result<Vec<String>> {
        let check = || {
            let conn = &*self.pool.lend_reader(&self.path)?;
            let mut problems = backup::find_problems(conn)?;
            if problems.is_empty() {
                problems = index::find_strays(conn)?;
            }
            Ok(problems)
        };
        check().map_err(|check| self.add_error_context(check, "checking the store"))
    }

    /// Rebuilds everything that is derived from lessons: the text index, and the keys that find duplicates. Repairs a
    /// damaged index.
    pub fn rebuild_derived(&self) -> Result<()> {
        self.run_write(Durability::Full, |conn| {
            rules::rebuild_derived(conn, self.pool.tuning())
        })
    }

    /// Writes a complete and consistent copy of the store while others go on using it. An existing file of that name is
    /// replaced once the copy is complete.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let copy = || copying::copy_to_file(&*self.pool.lend_reader(&self.path)?, to);
        copy().map_err(|copy| self.add_error_context(copy, "backing the store up"))
    }

    /// Replaces the whole contents with another database.
    fn replace_contents(&self, source: &Connection) -> Result<()> {
        copying::copy_pages(source, &mut *self.pool.lend_writer(&self.path)?)
    }

    fn add_error_context(&self, error: StoreError, doing: &'static str) -> StoreError {
        error.with_action(doing).with_path(&self.path)
    }

    /// Runs `work` as the only writer. Commits if it succeeds.
    fn run_write<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        if self.pool.is_replaced() && durability == Durability::Lazy {
            return self.replace_written(work);
        }
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
        outcome().map_err(|outcome| self.add_error_context(outcome, "changing lessons"))
    }

    fn spool_file(&self, tenant: &TenantId) -> SpoolFile {
        SpoolFile::for_tenant(&self.path, tenant)
    }
}

impl Store for SqliteStore {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        let begin = || Snapshot::begin(self.pool.lend_reader(&self.path)?);
        let snapshot = begin().map_err(|begin| self.add_error_context(begin, "reading lessons"))?;
        Ok(Box::new(SqliteView::on(snapshot, self.pool.tuning())))
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let (has_deleted, drained) = self.run_write(durability, |conn| {
            let spool_drain = self.spool_file(tenant).try_drain(conn)?;
            let mut transaction = SqliteTransaction::begin(conn, tenant, self.pool.tuning())?;
            work(&mut transaction)?;
            transaction.finish()?;
            Ok((transaction.has_deleted, spool_drain))
        })?;
        if has_deleted {
            erase::scrub_deleted(&mut *self.pool.lend_writer(&self.path)?);
        }
        drained.delete_files();
        Ok(())
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        let recall = records::bound_recall(recall);
        if self.pool.is_in_memory() {
            // No other process waits, so it is counted at once.
            self.run_write(Durability::Lazy, |conn| spool::record_recall(conn, &recall))?;
            return Ok(SpoolLevel::HasRoom);
        }
        self.spool_file(&recall.scope.tenant)
            .append_recall(&recall)
            .map_err(|error| self.add_error_context(error, "noting a recall"))
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        let spool = self.spool_file(tenant);
        let spool_drain = self.run_write(Durability::Lazy, |conn| spool.drain(conn))?;
        Ok(spool_drain.delete_files())
    }

    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        let spool = self.spool_file(tenant);
        let (erased, drained) = self.run_write(Durability::Full, |conn| {
            // Spooled recalls hold words too: they are counted first, so that their files go.
            let spool_drain = spool.drain(conn)?;
            Ok((tenants::erase_tenant(conn, tenant)?, spool_drain))
        })?;
        drained.delete_files();
        erase::scrub_deleted(&mut *self.pool.lend_writer(&self.path)?);
        Ok(erased)
    }
}

#[cfg(test)]
mod tests;
