//! Write transactions: one at a time for each tenant, run again when something was in the way.
//!
//! The first statement locks the tenant's row. Work is run again after a collision, or after the connection broke before
//! the commit was sent. Where it broke during the commit, nobody knows whether that took place; so each commit leaves a
//! random token in the tenant's row, and the next attempt, which waits for whatever became of the last one, looks
//! whether it is there. Where the tenant was erased with its row, it looks whether there is a row.

use std::{thread, time::Duration};

use hardwon_core::TenantId;
use hardwon_store::{Result, StoreError, StoreErrorKind, TenantRow};

use crate::{
    PostgresStore,
    errors::{Interruption, exhausted_error},
    rows::{PostgresRows, PostgresTenantRow, PostgresTransaction, SELECT_TENANT},
    session::{CommitError, Request, Session, TenantKey, TransactionMode},
    spool::{read_lines, take_lines},
    values::values,
};

/// How often work is run again.
const RETRIES: u32 = 5;
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
        if self.has_erased {
            // There was a row, or nothing to erase. If others have begun anew, that is erased as well.
            found.is_new
        } else {
            found.row.tokens.contains(&self.token)
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
pub(crate) enum AttemptError<E> {
    /// The same work would fail again.
    Failed(E),
    /// Nothing was committed, and the same work may succeed.
    Interrupted(StoreError),
    /// It, or an attempt before, may have been committed.
    Lost(StoreError),
}

impl<E: From<StoreError>> AttemptError<E> {
    pub(crate) fn from_error(error: StoreError, interruption: Option<Interruption>) -> Self {
        match interruption {
            Some(_) => Self::Interrupted(error),
            None => Self::Failed(error.into()),
        }
    }

    /// Makes the error of an attempt that ended before it could look for a lost commit, which leaves that lost.
    pub(crate) fn before_looking(
        error: StoreError,
        interruption: Option<Interruption>,
        is_lost: bool,
    ) -> Self {
        if is_lost {
            Self::Lost(error)
        } else {
            Self::from_error(error, interruption)
        }
    }

    pub(crate) fn from_commit(error: CommitError) -> Self {
        match error {
            CommitError::RolledBack(error, interruption) => Self::from_error(error, interruption),
            CommitError::Unknown(error) => Self::Lost(error),
        }
    }
}

/// Makes attempts until one ends well, fails for good, or is the last one.
pub(crate) fn repeat_attempts<T, E>(
    mut attempt: impl FnMut() -> Result<T, AttemptError<E>>,
) -> Result<T, AttemptError<E>> {
    let mut retries = 0;
    loop {
        match attempt() {
            Err(AttemptError::Interrupted(error)) if retries == RETRIES => {
                return Err(AttemptError::Interrupted(exhausted_error(error)));
            }
            Err(AttemptError::Lost(error)) if retries == RETRIES => {
                return Err(AttemptError::Lost(lost_error(error)));
            }
            Err(AttemptError::Interrupted(_) | AttemptError::Lost(_)) => {}
            done => return done,
        }
        thread::sleep(draw_pause(retries));
        retries += 1;
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
        let noted_lines = self.queue.take(tenant);
        let mut lost_commit = None;
        let error = match repeat_attempts(|| {
            self.attempt(tenant, mode, &noted_lines, &mut lost_commit, work)
        }) {
            Ok(value) => return Ok(value),
            // The recalls may have been counted with it.
            Err(AttemptError::Lost(error)) => {
                return Err(self.database.add_context(error, "changing lessons"));
            }
            Err(AttemptError::Failed(error) | AttemptError::Interrupted(error)) => error,
        };
        self.queue.put_back(tenant, noted_lines);
        Err(self.database.add_context(error, "changing lessons"))
    }

    fn attempt<T>(
        &self,
        tenant: &TenantId,
        mode: TransactionMode,
        noted: &[String],
        lost: &mut Option<LostCommit<T>>,
        work: &mut dyn FnMut(&mut PostgresTransaction<'_>, &[String]) -> Result<T>,
    ) -> Result<T, AttemptError<StoreError>> {
        let (mut transaction, mut lines) = match self.begin_write(tenant, mode, lost)? {
            Begun::Locked(transaction, lines) => (transaction, lines),
            Begun::Committed(value) => return Ok(value),
        };
        lines.extend_from_slice(noted);
        let token = fastrand::i64(..);
        let result = work(&mut transaction, &lines).and_then(|value| {
            transaction.view.database.name_commit(token);
            transaction.finish()?;
            Ok(value)
        });
        let PostgresRows {
            session,
            has_erased,
            ..
        } = transaction.view.database;
        // Work may go on after a statement failed, but nothing of it can be committed.
        let interruption = session.interruption();
        let value = match (result, interruption) {
            (Ok(value), None) => value,
            (Ok(_), Some(_)) => {
                let message = "others kept writing for too long";
                let error = StoreError::new(StoreErrorKind::Busy, "", message);
                return Err(AttemptError::Interrupted(error));
            }
            (Err(error), interruption) => {
                return Err(AttemptError::from_error(error, interruption));
            }
        };
        match session.commit().map_err(AttemptError::from_commit) {
            Ok(()) => Ok(value),
            Err(error) => {
                if matches!(error, AttemptError::Lost(_)) {
                    *lost = Some(LostCommit {
                        token,
                        has_erased: has_erased.get(),
                        value,
                    });
                }
                Err(error)
            }
        }
    }

    /// Begins a transaction, and locks the tenant's row before anything else is read.
    fn begin_write<'s, T>(
        &'s self,
        tenant: &'s TenantId,
        mode: TransactionMode,
        lost: &mut Option<LostCommit<T>>,
    ) -> Result<Begun<'s, T>, AttemptError<StoreError>> {
        let not_begun = |error, why| AttemptError::before_looking(error, why, lost.is_some());
        let session = self.database.open_session(mode);
        let session = session.map_err(|(error, why)| not_begun(error, why))?;
        let session_lock = lock_tenant(&session, tenant);
        let session_lock =
            session_lock.map_err(|error| not_begun(error, session.interruption()))?;
        if let Some(commit) = lost
            .take()
            .filter(|commit| commit.took_place(&session_lock))
        {
            return Ok(Begun::Committed(commit.value));
        }
        let rows = PostgresRows::new(session, &self.database);
        let transaction = rows.begin_writing(tenant, session_lock.row);
        Ok(Begun::Locked(Box::new(transaction), session_lock.lines))
    }
}

/// Locks a tenant's row, and takes its spooled recalls from the table. Inserts the row if there is none.
fn lock_tenant(session: &Session<'_>, tenant: &TenantId) -> Result<LockedTenant> {
    let key = TenantKey::from_name(tenant);
    let lock = || Request::new(format!("{SELECT_TENANT} FOR UPDATE"), values![key]);
    let mut rows = session.query_all(key, vec![lock(), take_lines(key)])?;
    let is_new = rows[0].is_empty();
    if is_new {
        insert_tenant(session, tenant)?;
        let lines = rows.pop().expect("two requests have two answers");
        rows = session.query_all(key, vec![lock()])?;
        rows.push(lines);
    }
    let row = rows[0].first().ok_or_else(|| {
        let message = "the tenant was erased at the same moment";
        StoreError::new(StoreErrorKind::Busy, "", message).with_hint("try again")
    })?;
    Ok(LockedTenant {
        row: PostgresTenantRow::read(row, tenant)?,
        is_new,
        lines: read_lines(&rows[1])?,
    })
}

fn insert_tenant(session: &Session<'_>, tenant: &TenantId) -> Result<()> {
    let key = TenantKey::from_name(tenant);
    let row = TenantRow::empty(key.0, tenant);
    session.queue(
        key,
        "INSERT INTO hardwon.tenant (tenant, name, next_scope, next_lesson, next_recall, next_job,
                                     sequence, hash, tokens)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant) DO NOTHING",
        values![
            key,
            tenant.as_str(),
            1_i64,
            row.next_lesson,
            row.next_recall,
            row.next_job,
            0_i64,
            &row.head.hash,
            Vec::<i64>::new(),
        ],
    )
}

/// Draws how long to wait: longer after each retry, and not the same as others wait.
fn draw_pause(retries: u32) -> Duration {
    let pause = FIRST_PAUSE * 4_u32.pow(retries);
    pause.mul_f64(0.5 + fastrand::f64())
}

/// Makes the error for a commit of which nobody knows whether it took place.
fn lost_error(last: StoreError) -> StoreError {
    let message =
        "the connection broke during a commit, and the server cannot be asked what became of it";
    StoreError::new(StoreErrorKind::Busy, "changing lessons", message)
        .with_hint("see whether the change is there before making it again")
        .with_source(last)
}
