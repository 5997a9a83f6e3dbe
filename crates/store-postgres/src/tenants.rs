//! Erases a tenant: every row of it, in the transaction that has locked it.
//!
//! Its own row goes too, and with it the tokens of commits: [`transact`](crate::transact) knows a lost commit of this
//! kind by the row that is no longer there.

use hardwon_store::{ErasedTenant, Result};

use crate::{rows::PostgresTransaction, spool::queue, values::values};

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

/// Deletes every row of a transaction's tenant, and returns what there was. Nothing can be done after it.
pub(crate) fn erase_tenant(transaction: &PostgresTransaction<'_>) -> Result<ErasedTenant> {
    let record_counts = transaction.count_records()?;
    for table in TABLES {
        let delete = format!("DELETE FROM hardwon.{table} WHERE tenant = $1");
        queue(transaction, delete, values![transaction.key])?;
    }
    transaction.view.database.has_erased.set(true);
    Ok(record_counts)
}
