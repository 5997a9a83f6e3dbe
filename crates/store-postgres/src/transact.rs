//! Write transactions: one at a time for each tenant, run again when something was in the way.
//!
//! The first statement locks the tenant's row. Work is run again after a collision, or after the connection broke before
//! the commit was sent. Where it broke during the commit, nobody knows whether that took place; so each commit leaves a
//! random token in the tenant's row, and the next attempt, which waits for whatever became of the last one, looks
//! whether it is there. Where the tenant was erased with its row, it looks whether there is a row.

use std::{thread, time::Duration};

use hardwon_core::id::TenantId;
use hardwon_store::{Result, StoreError, StoreErrorKind};

use crate::{
    PostgresStore,
    errors::{Interruption, exhausted_error},
    session::{CommitError, Request, Session, TenantKey, TransactionMode},
    spool::{read_lines, take_lines},
    values::values,
    view::{PostgresTenantRow, PostgresView, SELECT_TENANT},
    write::PostgresTransaction,
};

/// How often work is run again.
pub(crate) const RETRIES: u32 = 5;
/// How long to wait before the first of these; before each further one four times as long.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// A commit of unknown outcome: its token, whether it erased the tenant, and what its work returned.
struct LostCommit<T> {
    token: i64,
    has_erased: bool,
    value: T,
}

impl<T> LostCommit<T> {
    /// Returns whether it took place, by the tenant's row as the next attempt finds it.
    fn took_place(&self, found: &LockedTenant) -> bool {
        match self.has_erased {
            // There was a row, or nothing to erase. If others have begun anew, that is erased as well.
            true => found.is_new,
            false => found.row.tokens.contains(&self.token),
        }
    }
}

/// A tenant's row, once it is locked.
struct LockedTenant {
    row: PostgresTenantRow,
    /// Whether there was none, so that it was inserted.
    is_new: bool,
    /// The recalls that wait in the table.
    lines: Vec<String>,
}

/// How an attempt ended, if not well.
enum AttemptError<T> {
    /// The same work would fail again.
    Failed(StoreError),
    /// Nothing was committed, and the same work may succeed.
    Interrupted(StoreError),
    /// It may have been committed.
    Lost(StoreError, LostCommit<T>),
}

impl<T> AttemptError<T> {
    fn from_error(error: StoreError, interruption: Option<Interruption>) -> Self {
        match interruption {
            Some(_) => Self::Interrupted(error),
            None => Self::Failed(error),
        }
    }
}

/// A transaction that has begun.
enum Begun<'s, T> {
    /// The tenant's row is locked; these recalls wait in the table.
    Locked(Box<PostgresTransaction<'s>>, Vec<String>),
    /// The lost commit took place after all.
    Committed(T),
}

impl PostgresStore {
    /// Runs work in a write transaction, again if need be. `work` gets the recalls that wait to be counted.
    pub(crate) fn run_write<T>(
        &self,
        tenant: &TenantId,
        mode: TransactionMode,
        work: &mut dyn FnMut(&mut PostgresTransaction<'_>, &[String]) -> Result<T>,
    ) -> Result<T> {
        let noted = self.queue.take(tenant);
        let mut lost = None;
        let mut retries = 0;
        let error = loop {
            match self.attempt(tenant, mode, &noted, lost.take(), work) {
                Ok(value) => return Ok(value),
                Err(AttemptError::Failed(error)) => break error,
                Err(AttemptError::Interrupted(error)) if retries == RETRIES => {
                    break exhausted_error(error);
                }
                Err(AttemptError::Lost(error, _)) if retries == RETRIES => {
                    // The recalls may have been counted with it.
                    return Err(self.add_context(lost_error(error)));
                }
                Err(AttemptError::Interrupted(_)) => {}
                Err(AttemptError::Lost(_, commit)) => lost = Some(commit),
            }
            thread::sleep(draw_pause(retries));
            retries += 1;
        };
        self.queue.put_back(tenant, noted);
        Err(self.add_context(error))
    }

    fn attempt<T>(
        &self,
        tenant: &TenantId,
        mode: TransactionMode,
        noted: &[String],
        lost: Option<LostCommit<T>>,
        work: &mut dyn FnMut(&mut PostgresTransaction<'_>, &[String]) -> Result<T>,
    ) -> Result<T, AttemptError<T>> {
        let (mut transaction, mut lines) = match self.begin_write(tenant, mode, lost)? {
            Begun::Locked(transaction, lines) => (transaction, lines),
            Begun::Committed(value) => return Ok(value),
        };
        lines.extend_from_slice(noted);
        let token = fastrand::i64(..);
        let worked = work(&mut transaction, &lines).and_then(|value| {
            transaction.finish(token)?;
            Ok(value)
        });
        let has_erased = transaction.has_erased;
        let session = transaction.view.into_session();
        // Work may go on after a statement failed, but nothing of it can be committed.
        let interruption = session.interruption();
        let value = match (worked, interruption) {
            (Ok(value), None) => value,
            (Ok(_), Some(_)) => {
                let what = "others kept writing for too long";
                let error = StoreError::new(StoreErrorKind::Busy, "", what);
                return Err(AttemptError::Interrupted(error));
            }
            (Err(error), interruption) => {
                return Err(AttemptError::from_error(error, interruption));
            }
        };
        match session.commit() {
            Ok(()) => Ok(value),
            Err(CommitError::RolledBack(error, interruption)) => {
                Err(AttemptError::from_error(error, interruption))
            }
            Err(CommitError::Unknown(error)) => {
                let commit = LostCommit {
                    token,
                    has_erased,
                    value,
                };
                Err(AttemptError::Lost(error, commit))
            }
        }
    }

    /// Begins a transaction, and locks the tenant's row before anything else is read.
    fn begin_write<'s, T>(
        &'s self,
        tenant: &'s TenantId,
        mode: TransactionMode,
        lost: Option<LostCommit<T>>,
    ) -> Result<Begun<'s, T>, AttemptError<T>> {
        let session = match self.database.open_session(mode) {
            Ok(session) => session,
            Err((error, interruption)) => return Err(keep_lost(error, interruption, lost)),
        };
        let locked = match lock_tenant(&session, tenant) {
            Ok(locked) => locked,
            Err(error) => return Err(keep_lost(error, session.interruption(), lost)),
        };
        if let Some(commit) = lost.filter(|it| it.took_place(&locked)) {
            return Ok(Begun::Committed(commit.value));
        }
        let view = PostgresView::new(session, &self.database.server);
        view.begin_writing(tenant, locked.row);
        let transaction = PostgresTransaction::new(view, tenant, &self.database.options);
        Ok(Begun::Locked(Box::new(transaction), locked.lines))
    }
}

/// An attempt that ended before it could look for a lost commit leaves that lost.
fn keep_lost<T>(
    error: StoreError,
    interruption: Option<Interruption>,
    lost: Option<LostCommit<T>>,
) -> AttemptError<T> {
    match lost {
        Some(commit) => AttemptError::Lost(error, commit),
        None => AttemptError::from_error(error, interruption),
    }
}

/// Locks a tenant's row, and takes its spooled recalls from the table. Inserts the row if there is none.
fn lock_tenant(session: &Session<'_>, tenant: &TenantId) -> Result<LockedTenant> {
    let key = TenantKey::from_name(tenant);
    let lock = || Request::new(format!("{SELECT_TENANT} FOR UPDATE"), values![key]);
    let mut found = session.query_all(key, vec![lock(), take_lines(key)])?;
    let is_new = found[0].is_empty();
    if is_new {
        insert_tenant(session, tenant)?;
        let lines = found.pop().expect("two requests have two answers");
        found = session.query_all(key, vec![lock()])?;
        found.push(lines);
    }
    let row = found[0].first().ok_or_else(|| {
        let what = "the tenant was erased at the same moment";
        StoreError::new(StoreErrorKind::Busy, "", what).with_hint("try again")
    })?;
    Ok(LockedTenant {
        row: PostgresTenantRow::read(row, tenant)?,
        is_new,
        lines: read_lines(&found[1])?,
    })
}

fn insert_tenant(session: &Session<'_>, tenant: &TenantId) -> Result<()> {
    let (key, row) = (
        TenantKey::from_name(tenant),
        PostgresTenantRow::empty(tenant),
    );
    session.queue(
        key,
        "INSERT INTO hardwon.tenant (tenant, name, next_scope, next_lesson, next_recall, next_job,
                                     sequence, hash, tokens)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant) DO NOTHING",
        values![
            key,
            tenant.as_str(),
            row.next_scope,
            row.next_lesson,
            row.next_recall,
            row.next_job,
            0_i64,
            &row.head.hash,
            row.tokens,
        ],
    )
}

/// Draws how long to wait: longer after each retry, and not the same as others wait.
pub(crate) fn draw_pause(retries: u32) -> Duration {
    let pause = FIRST_PAUSE * 4_u32.pow(retries);
    pause.mul_f64(0.5 + fastrand::f64())
}

/// Makes the error for a commit of which nobody knows whether it took place.
pub(crate) fn lost_error(last: StoreError) -> StoreError {
    let what =
        "the connection broke during a commit, and the server cannot be asked what became of it";
    StoreError::new(StoreErrorKind::Busy, "changing lessons", what)
        .with_hint("see whether the change is there before making it again")
        .with_source(last)
}
