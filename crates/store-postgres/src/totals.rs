//! The totals of scopes in the index: how many lessons, how long, and up to which they are merged.

use std::{cell::RefCell, collections::HashMap};

use hardwon_store::{
    Result, ScopeTotals,
    rows::{ReadColumns as _, to_sql_count},
};

use crate::{
    session::{Session, TenantKey},
    values::{RowColumns, values},
};

/// The totals of the scopes that a transaction has touched, as they are by now, and whether the database has yet to be
/// told.
///
/// It is told once for many lessons: each new version of a row that a transaction leaves behind slows its next one.
#[derive(Debug, Default)]
pub(crate) struct KnownTotals(RefCell<HashMap<i64, (ScopeTotals, bool)>>);

impl KnownTotals {
    /// Returns the totals of a scope, if they are known.
    pub(crate) fn get(&self, scope: i64) -> Option<ScopeTotals> {
        self.0.borrow().get(&scope).map(|(totals, _)| *totals)
    }

    /// Keeps totals as the database has them.
    pub(crate) fn keep_read(&self, scope: i64, totals: ScopeTotals) {
        self.0.borrow_mut().insert(scope, (totals, false));
    }

    /// Keeps totals that the database does not have yet.
    pub(crate) fn keep_changed(&self, scope: i64, totals: ScopeTotals) {
        self.0.borrow_mut().insert(scope, (totals, true));
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Sends the totals that the database does not know. Call it before the commit, and before a statement that reads
    /// them.
    pub(crate) fn send_changed(&self, session: &Session<'_>, key: TenantKey) -> Result<()> {
        for (scope, (totals, is_changed)) in self.0.borrow_mut().iter_mut() {
            if std::mem::take(is_changed) {
                send_totals(session, key, *scope, totals)?;
            }
        }
        Ok(())
    }
}

fn send_totals(
    session: &Session<'_>,
    key: TenantKey,
    scope: i64,
    totals: &ScopeTotals,
) -> Result<()> {
    let [docs, length, fresh] = [totals.docs, totals.length, totals.fresh_words].map(to_sql_count);
    session.queue(
        key,
        "INSERT INTO hardwon.index_scope (tenant, scope, docs, length, merged_to, fresh)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, scope) DO UPDATE
         SET docs = excluded.docs, length = excluded.length, merged_to = excluded.merged_to,
             fresh = excluded.fresh",
        values![key, scope, docs, length, totals.merged_to, fresh],
    )
}

/// Reads totals: the columns of an `index_scope` after its scope's number.
pub(crate) fn read_totals(row: &mut RowColumns<'_>) -> Result<ScopeTotals> {
    Ok(ScopeTotals {
        docs: row.next_count()?,
        length: row.next_count()?,
        merged_to: row.next_small_count()?,
        fresh_words: row.next_count()?,
    })
}
