//! Lessons and keys in a PostgreSQL database, for fleets of agents and servers that share one memory.
//!
//! It keeps the contract of [`hardwon_store`] and finds the same lessons with the same scores as the other stores: the
//! text index is [our own](hardwon_store::index), in plain tables. Callers are synchronous and a [`bridge`] waits
//! for the asynchronous client on their behalf, so a server calls a store from threads that may wait.
//!
//! - A transaction writes for one tenant. It locks the tenant's row first, so no other writer of that tenant comes
//!   between what it reads and what it changes; others wait in nobody's way ([`transact`]). A snapshot sees one state
//!   and waits for no writer.
//! - The tenant is first in every key and every statement. Behind that stands row-level security: a transaction names
//!   its tenant to the server and sees that tenant's rows alone. Connect with a role that does not bypass it.
//! - The SQL keeps to what many engines speak: no extensions, sequences, triggers, advisory locks, notifications,
//!   foreign keys, savepoints or functions of our own. A test reads it for them.
//! - A database is made and changed by [`PostgresStore::migrate`] alone.
//!
//! Deleted rows stay in the server's files until it vacuums them, and in its log and backups as long as those are kept.

mod values;
mod options;
mod errors;
mod bridge;
mod tls;
mod totals;
mod database;
mod session;
mod rows;
mod search;
mod postings;
mod tenants;
mod spool;
mod transact;
mod keys;
mod sessions;
mod migrate;
mod status;

use std::sync::Arc;

use hardwon_core::{Recall, TenantId};
use hardwon_store::{
    Durability, ErasedTenant, FlushCounts, Read, Result, SpoolLevel, Store, StoreError,
    StoreErrorKind, Write, backend::bound_recall,
};

use self::{
    database::{Database, start_bridge},
    keys::PostgresKeyDatabase,
    migrate::SchemaVersion,
    rows::{PostgresRows, PostgresTransaction, PostgresView},
    session::{CommitError, TenantKey, TransactionMode},
    spool::{RecallQueue, count_recalls},
    tenants::erase_tenant,
};

pub use options::{DatabasePassword, PostgresOptions, Preparation};
pub use sessions::PostgresSessionStore;
pub use status::DatabaseStatus;

/// A store in one database.
pub struct PostgresStore {
    database: Arc<Database>,
    queue: RecallQueue,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore")
            .field("server", &self.database.server)
            .finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Opens a store at a URL or a string of settings, with threads of its own that serve the connections. They are
    /// encrypted if it says `sslmode=require` or `verify-full`, which both verify the server.
    ///
    /// # Errors
    ///
    /// `NotFound` or `TooOld` if the database must be [migrated](Self::migrate) first, `TooNew` if a newer version made
    /// its tables, `Invalid` for a URL that is none, `Io` or `Busy` if the server cannot be used.
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self> {
        let store = Self::from_database(Database::open(url, options, start_bridge()?)?);
        match SchemaVersion::find(&store.database).and_then(SchemaVersion::check) {
            Ok(()) => Ok(store),
            Err(error) => Err(store.database.add_context(error, "opening the database")),
        }
    }

    /// Makes the tables in a database, or changes those of an older version. Does nothing to those of this version.
    ///
    /// The role must own the tables, or be allowed to make them.
    pub fn migrate(url: &str, options: PostgresOptions) -> Result<()> {
        let store = Self::from_database(Database::open(url, options, start_bridge()?)?);
        (store.migrate_to_current())
            .map_err(|error| store.database.add_context(error, "migrating the database"))
    }

    /// Returns the tables of keys in the same database, over the same connections.
    pub fn keys(&self) -> PostgresKeyDatabase {
        PostgresKeyDatabase::new(Arc::clone(&self.database))
    }

    /// Returns the state of sessions in the same database, over the same connections.
    pub fn sessions(&self) -> PostgresSessionStore {
        PostgresSessionStore::new(Arc::clone(&self.database))
    }

    fn from_database(database: Database) -> Self {
        Self {
            database: Arc::new(database),
            queue: RecallQueue::default(),
        }
    }

    fn send_recalls_of(&self, tenant: &TenantId) -> Result<()> {
        let lines = self.queue.take(tenant);
        if lines.is_empty() {
            return Ok(());
        }
        match self.send_lines(tenant, &lines) {
            Ok(()) => Ok(()),
            // They may have arrived: once too few is better than twice.
            Err(CommitError::Unknown(error)) => Err(error.with_action("noting a recall")),
            Err(CommitError::RolledBack(error, _)) => {
                self.queue.put_back(tenant, lines);
                Err(self.database.add_context(error, "noting a recall"))
            }
        }
    }

    fn send_lines(&self, tenant: &TenantId, lines: &[String]) -> Result<(), CommitError> {
        let to_error = |(error, interruption)| CommitError::RolledBack(error, interruption);
        let session = self
            .database
            .open_session(TransactionMode::LazyWrite)
            .map_err(to_error)?;
        let key = TenantKey::from_name(tenant);
        let request = spool::send_lines(key, fastrand::i64(..), lines);
        let result = session.query(key, request.sql, request.values);
        if result
            .map_err(|result| to_error((result, session.interruption())))?
            .is_empty()
        {
            let message = "too many recalls wait to be counted";
            let error = StoreError::new(StoreErrorKind::Full, "", message);
            let error = error.with_hint("count them: any change of the tenant's lessons does");
            return Err(to_error((error, None)));
        }
        session.commit()
    }
}

impl Drop for PostgresStore {
    /// Sends what was noted.
    fn drop(&mut self) {
        if !self.queue.tenants().is_empty() {
            // A thread of its own, because this one may belong to some runtime.
            std::thread::scope(|scope| {
                let thread = scope.spawn(|| drop(self.send_noted_recalls()));
                drop(thread.join());
            });
        }
    }
}

impl Store for PostgresStore {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        let session = self
            .database
            .open_session(TransactionMode::Snapshot)
            .map_err(|(error, _)| self.database.add_context(error, "reading lessons"))?;
        let rows = PostgresRows::new(session, &self.database);
        Ok(Box::new(PostgresView::new(rows)))
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let mode = match durability {
            Durability::Full => TransactionMode::Write,
            Durability::Lazy => TransactionMode::LazyWrite,
        };
        self.run_write(tenant, mode, &mut |transaction, lines| {
            count_recalls(transaction, lines)?;
            work(transaction)
        })
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        if self.queue.is_overfull() {
            self.send_noted_recalls()?;
        }
        let result = self.queue.push(&bound_recall(recall));
        let level = result.map_err(|result| result.with_action("noting a recall"))?;
        if self.queue.is_full() {
            // If it cannot be sent now, there is some room left.
            drop(self.send_noted_recalls());
        }
        Ok(level)
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        self.run_write(
            tenant,
            TransactionMode::LazyWrite,
            &mut |transaction, lines| count_recalls(transaction, lines),
        )
    }

    fn send_noted_recalls(&self) -> Result<()> {
        let tenants = self.queue.tenants();
        let results = tenants.iter().map(|tenant| self.send_recalls_of(tenant));
        // All are tried, whatever became of the first.
        let results: Vec<Result<()>> = results.collect();
        results.into_iter().collect()
    }

    /// Erases a tenant. Recalls that other processes have noted and not sent are not among what is erased: end these
    /// processes first, or have them [send their recalls](Store::send_noted_recalls).
    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        let erase = &mut |transaction: &mut PostgresTransaction<'_>, lines: &[String]| {
            count_recalls(transaction, lines)?;
            erase_tenant(transaction)
        };
        self.run_write(tenant, TransactionMode::Write, erase)
    }
}
