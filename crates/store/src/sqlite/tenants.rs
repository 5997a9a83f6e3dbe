//! Erases a tenant: every row of it, in one transaction.
//!
//! What was there is overwritten by `erase`, and the files of the spool are deleted by `spool`.

use hardwon_core::{id::TenantId, journal::ChainHead};
use rusqlite::{Connection, params};

use super::{database::SqliteView, index::IndexTuning};
use crate::{ErasedTenant, Result, rows};

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
    let Some(tenant) = SqliteView::on(conn, IndexTuning::default()).tenant_row(name)? else {
        return Ok(ErasedTenant {
            journal_head: ChainHead::genesis(name),
            lessons: 0,
            recalls: 0,
            judgements: 0,
            jobs: 0,
        });
    };
    let count = |rows: &str| -> Result<u64> {
        let select = format!("SELECT count(*) FROM {rows}");
        rows::parse_count(conn.query_row(&select, params![tenant.key], |row| row.get(0))?)
    };
    let erased = ErasedTenant {
        journal_head: tenant.head,
        lessons: count("lesson WHERE scope IN (SELECT id FROM scope WHERE tenant = ?1)")?,
        recalls: count("recall WHERE tenant = ?1")?,
        judgements: count("judgement WHERE tenant = ?1")?,
        jobs: count("job WHERE tenant = ?1")?,
    };
    for delete in DELETE_ROWS {
        conn.execute(delete, params![tenant.key])?;
    }
    Ok(erased)
}
