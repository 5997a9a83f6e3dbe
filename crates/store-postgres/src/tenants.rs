//! Erases a tenant: every row of it, in the transaction that has locked it.
//!
//! Its own row goes too, and with it the tokens of commits: [`transact`](crate::transact) knows a lost commit of this
//! kind by the row that is no longer there.

use hardwon_store::{ErasedTenant, Result, rows::ReadColumns as _};

use crate::{
    rows::PostgresTransaction,
    session::TenantKey,
    spool::queue,
    values::{RowColumns, values},
};

/// All tables that have rows of tenants. A test compares them with those of a database.
const TABLES: [&str; 21] = [
    "index_chunk",
    "index_term",
    "index_doc",
    "index_scope",
    "vector",
    "witness",
    "job",
    "lesson",
    "journal",
    "asked",
    "recall",
    "judgement",
    "baseline",
    "source",
    "answer",
    "spent",
    "spool",
    "session_piece",
    "session",
    "scope",
    "tenant",
];

const COUNT_ROWS: &str = "SELECT (SELECT count(*) FROM hardwon.lesson WHERE tenant = $1),
     (SELECT count(*) FROM hardwon.recall WHERE tenant = $1),
     (SELECT count(*) FROM hardwon.judgement WHERE tenant = $1),
     (SELECT count(*) FROM hardwon.job WHERE tenant = $1)";

/// Deletes every row of a transaction's tenant, and returns what there was. Nothing can be done after it.
pub(crate) fn erase_tenant(transaction: &PostgresTransaction<'_>) -> Result<ErasedTenant> {
    let erased = count_rows(transaction)?;
    for table in TABLES {
        let delete = format!("DELETE FROM hardwon.{table} WHERE tenant = $1");
        queue(transaction, delete, values![transaction.key])?;
    }
    transaction.view.database.has_erased.set(true);
    Ok(erased)
}

fn count_rows(transaction: &PostgresTransaction<'_>) -> Result<ErasedTenant> {
    let key = TenantKey(transaction.key);
    let session = &transaction.view.database.session;
    let found = session.query_one(key, COUNT_ROWS, values![key])?;
    let row = found.expect("counts are always there");
    let mut row = RowColumns::new(&row);
    Ok(ErasedTenant {
        journal_head: transaction.view.change_tenant(|row| row.head),
        lessons: row.next_count()?,
        recalls: row.next_count()?,
        judgements: row.next_count()?,
        jobs: row.next_count()?,
    })
}
