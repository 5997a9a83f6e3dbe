//! The numbers of tenants and scopes: found, or given where there are none.

use hardwon_core::{id::TenantId, journal::ChainHead, scope::Scope};
use rusqlite::{Connection, params};

use super::{
    rows,
    view::{SqliteView, TenantRow},
};
use crate::Result;

/// Returns a tenant's row; creates it if there is none.
pub(super) fn ensure_tenant(conn: &Connection, name: &TenantId) -> Result<TenantRow> {
    if let Some(row) = SqliteView::from_connection(conn).tenant_row(name)? {
        return Ok(row);
    }
    let head = ChainHead::genesis(name);
    conn.execute(
        "INSERT INTO tenant (name, next_lesson, next_recall, sequence, hash)
         VALUES (?1, 1, 1, 0, ?2)",
        params![name.as_str(), head.hash.as_bytes()],
    )?;
    Ok(TenantRow {
        id: conn.last_insert_rowid(),
        next_lesson: 1,
        next_recall: 1,
        head,
    })
}

/// Returns a scope's number; creates its row if there is none.
pub(super) fn ensure_scope(conn: &Connection, tenant: i64, scope: &Scope) -> Result<i64> {
    if let Some(row) = SqliteView::from_connection(conn).scope_row(scope)? {
        return Ok(row.id);
    }
    conn.execute(
        "INSERT INTO scope (tenant, agent, project, learned) VALUES (?1, ?2, ?3, 0)",
        params![tenant, scope.agent.as_str(), rows::project_column(scope)],
    )?;
    Ok(conn.last_insert_rowid())
}
