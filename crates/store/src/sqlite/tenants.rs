//! Erases a tenant: every row of it, in one transaction.
//!
//! What was there is overwritten by `erase`, and the files of the spool are deleted by `spool`.

use hardwon_core::TenantId;
use rusqlite::Connection;

use super::{database::SqliteTransaction, index::IndexTuning};
use crate::{ErasedTenant, Result};

/// Deletes the rows of a tenant, those first that others refer to last. `?1` is its number.
const DELETE_ROWS: [&str; 19] = [
    "DELETE FROM index_posting WHERE key >> 32 IN
         (SELECT id FROM index_term WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1))",
    "DELETE FROM index_term WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM index_doc WHERE key >> 32 IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM index_scope WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM vector WHERE key >> 32 IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM witness WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM job WHERE tenant = ?1",
    "DELETE FROM lesson WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1)",
    "DELETE FROM journal WHERE tenant = ?1",
    "DELETE FROM asked WHERE tenant = ?1",
    "DELETE FROM recall WHERE tenant = ?1",
    "DELETE FROM judgement WHERE tenant = ?1",
    "DELETE FROM baseline WHERE tenant = ?1",
    "DELETE FROM source WHERE tenant = ?1",
    "DELETE FROM answer WHERE tenant = ?1",
    "DELETE FROM spent WHERE tenant = ?1",
    "DELETE FROM spool WHERE tenant = (SELECT name FROM tenant WHERE id = ?1)",
    "DELETE FROM scope WHERE tenant = ?1",
    "DELETE FROM tenant WHERE id = ?1",
];

/// Deletes every row of a tenant in the current transaction, and returns what there was.
pub(super) fn erase_tenant(conn: &Connection, name: &TenantId) -> Result<ErasedTenant> {
    let transaction = SqliteTransaction::begin(conn, name, IndexTuning::default())?;
    let record_counts = transaction.count_records()?;
    for delete in DELETE_ROWS {
        conn.execute(delete, [transaction.key])?;
    }
    Ok(record_counts)
}
