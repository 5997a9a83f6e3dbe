//! The file as one transaction sees it: whose it is, and its lessons by number.
//!
//! What a store is asked beyond that is in [`read`](super::read), [`jobs`](super::jobs) and [`vectors`](super::vectors).

use std::path::Path;

use hardwon_core::{
    id::{LessonId, TenantId},
    journal::{ChainHead, Sha256Hash},
    lesson::Lesson,
    scope::Scope,
};
use rusqlite::{Connection, OptionalExtension as _, Params};

use super::{pool::Snapshot, rows};
use crate::Result;

/// The file as one transaction sees it.
#[derive(Debug)]
pub(super) struct SqliteView<'c>(ViewConnection<'c>);

/// The connection of a view.
#[derive(Debug)]
enum ViewConnection<'c> {
    /// Another owner's, in whose transaction the view reads.
    Borrowed(&'c Connection),
    /// The view's own, with a transaction that ends with it.
    Snapshot(Snapshot<'c>),
}

impl<'c> SqliteView<'c> {
    /// Reads in the transaction that a connection is in.
    pub(super) fn from_connection(conn: &'c Connection) -> Self {
        Self(ViewConnection::Borrowed(conn))
    }

    /// Reads in a transaction of its own.
    pub(super) fn from_snapshot(snapshot: Snapshot<'c>) -> Self {
        Self(ViewConnection::Snapshot(snapshot))
    }

    pub(super) fn conn(&self) -> &Connection {
        match &self.0 {
            ViewConnection::Borrowed(conn) => conn,
            ViewConnection::Snapshot(snapshot) => snapshot,
        }
    }

    /// Says of what goes wrong what was being done, and to which file.
    pub(super) fn add_error_context<T>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        ask().map_err(|error| {
            let error = error.with_action("reading lessons");
            match self.conn().path().filter(|it| !it.is_empty()) {
                Some(path) => error.with_path(Path::new(path)),
                None => error,
            }
        })
    }
}

/// A tenant's row: its counters and the end of its journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct TenantRow {
    pub(super) id: i64,
    pub(super) next_lesson: i64,
    pub(super) next_recall: i64,
    pub(super) head: ChainHead,
}

/// A scope's row: its number, its tenant's, and how many learned lessons it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScopeRow {
    pub(super) id: i64,
    pub(super) tenant: i64,
    pub(super) learned: i64,
}

impl SqliteView<'_> {
    pub(super) fn tenant_row(&self, name: &TenantId) -> Result<Option<TenantRow>> {
        let mut select = self.conn().prepare_cached(
            "SELECT id, next_lesson, next_recall, sequence, hash FROM tenant WHERE name = ?1",
        )?;
        let mut rows = select.query([name.as_str()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        Ok(Some(TenantRow {
            id: row.get(0)?,
            next_lesson: row.get(1)?,
            next_recall: row.get(2)?,
            head: ChainHead {
                sequence: rows::parse_count(row.get(3)?)?,
                hash: Sha256Hash::from_bytes(row.get(4)?),
            },
        }))
    }

    pub(super) fn scope_row(&self, scope: &Scope) -> Result<Option<ScopeRow>> {
        let mut select = self.conn().prepare_cached(
            "SELECT s.id, s.tenant, s.learned FROM tenant t JOIN scope s ON s.tenant = t.id
             WHERE t.name = ?1 AND s.agent = ?2 AND s.project = ?3",
        )?;
        let key = [
            scope.tenant.as_str(),
            scope.agent.as_str(),
            rows::project_column(scope),
        ];
        let row = |row: &rusqlite::Row<'_>| {
            Ok(ScopeRow {
                id: row.get(0)?,
                tenant: row.get(1)?,
                learned: row.get(2)?,
            })
        };
        Ok(select.query_row(key, row).optional()?)
    }

    /// Returns the lessons that `rest` selects from `lesson l JOIN scope s`.
    pub(super) fn select_lessons(
        &self,
        tenant: &TenantId,
        rest: &str,
        params: impl Params,
    ) -> Result<Vec<Lesson>> {
        let columns = rows::lesson_columns("s.agent, s.project");
        // A cross join keeps the order: lessons are read by key, whatever the condition on their scope.
        let from = "lesson l CROSS JOIN scope s ON s.id = l.scope";
        let sql = format!("SELECT {columns} FROM {from} {rest}");
        let mut select = self.conn().prepare_cached(&sql)?;
        let mut rows = select.query(params)?;
        let mut lessons = Vec::new();
        while let Some(row) = rows.next()? {
            lessons.push(rows::read_lesson(row, tenant)?);
        }
        Ok(lessons)
    }

    pub(super) fn select_lesson(&self, tenant: &TenantId, key: i64) -> Result<Option<Lesson>> {
        let found = self.select_lessons(tenant, "WHERE l.key = ?1", [key])?;
        Ok(found.into_iter().next())
    }

    /// Returns a lesson by its number.
    pub(super) fn find_lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        self.add_error_context(|| {
            let row = self.tenant_row(tenant)?;
            match row.and_then(|row| rows::lesson_key(row.id, id)) {
                Some(key) => self.select_lesson(tenant, key),
                None => Ok(None),
            }
        })
    }
}
