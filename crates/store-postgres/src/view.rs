//! The database as one transaction sees it: whose it is, its scopes, and its lessons by number.
//!
//! What a store is asked beyond that is in [`read`](crate::read), [`jobs`](crate::jobs), [`vectors`](crate::vectors) and
//! [`search`](crate::search).

use std::{borrow::Cow, cell::RefCell, path::Path};

use hardwon_core::{
    id::{LessonId, TenantId},
    journal::ChainHead,
    lesson::Lesson,
    scope::Scope,
};
use hardwon_store::{
    Result, StoreError, StoreErrorKind,
    rows::{self, LESSON_COLUMNS, ReadColumns as _},
};
use tokio_postgres::Row;

use crate::{
    session::{Request, Session, TenantKey},
    totals::KnownTotals,
    values::{RowColumns, SqlValue, values},
};

/// The database as one transaction sees it.
pub(crate) struct PostgresView<'s> {
    pub(crate) session: Session<'s>,
    server: &'s str,
    /// The tenant that this transaction writes, with its row as it is by now.
    locked: RefCell<Option<(TenantId, PostgresTenantRow)>>,
    /// Scopes of that tenant whose numbers are known.
    known_scopes: RefCell<Vec<(Scope, i64)>>,
    /// Totals of the index that this transaction has changed.
    pub(crate) totals: KnownTotals,
}

/// A tenant's row: its counters, the end of its journal, and the tokens of its last commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostgresTenantRow {
    pub(crate) next_scope: i64,
    pub(crate) next_lesson: i64,
    pub(crate) next_recall: i64,
    pub(crate) next_job: i64,
    pub(crate) head: ChainHead,
    pub(crate) tokens: Vec<i64>,
}

impl PostgresTenantRow {
    /// Returns the row of a tenant that has no data.
    pub(crate) fn empty(name: &TenantId) -> Self {
        Self {
            next_scope: 1,
            next_lesson: 1,
            next_recall: 1,
            next_job: 1,
            head: ChainHead::genesis(name),
            tokens: Vec::new(),
        }
    }

    /// Reads the row that [`SELECT_TENANT`] selects, which must be of this name.
    pub(crate) fn read(row: &Row, name: &TenantId) -> Result<Self> {
        let mut row = RowColumns::new(row);
        let stored = row.next_string()?;
        if stored != name.as_str() {
            let what = format!("tenants {stored} and {name} have the same number: rename one");
            return Err(StoreError::new(StoreErrorKind::Invalid, "", what));
        }
        Ok(Self {
            next_scope: row.next_integer()?,
            next_lesson: row.next_integer()?,
            next_recall: row.next_integer()?,
            next_job: row.next_integer()?,
            head: ChainHead {
                sequence: row.next_count()?,
                hash: row.next_hash()?,
            },
            tokens: row.next_integers()?,
        })
    }
}

/// Selects a tenant's row.
pub(crate) const SELECT_TENANT: &str = "SELECT name, next_scope, next_lesson, next_recall, next_job, sequence, hash, tokens \
     FROM hardwon.tenant WHERE tenant = $1";

/// A scope's row: its number, and how many learned lessons it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostgresScopeRow {
    pub(crate) id: i64,
    pub(crate) learned: i64,
}

/// Returns the request for lessons, of which `rest` says which. It may use a lesson `l` and its scope `s`; its values
/// begin with the tenant's number.
pub(crate) fn lessons_request(rest: &str, values: Vec<SqlValue>) -> Request {
    let sql = format!(
        "SELECT l.number, s.agent, s.project, {LESSON_COLUMNS} FROM hardwon.lesson l
         JOIN hardwon.scope s ON s.tenant = l.tenant AND s.id = l.scope
         WHERE l.tenant = $1 AND {rest}"
    );
    Request::new(sql, values)
}

/// Reads the rows of [`lessons_request`].
pub(crate) fn read_lessons(found: &[Row], tenant: &TenantId) -> Result<Vec<Lesson>> {
    let lessons = found
        .iter()
        .map(|row| read_lesson(&mut RowColumns::new(row), tenant));
    lessons.collect()
}

/// Reads the columns of a lesson.
pub(crate) fn read_lesson(row: &mut RowColumns<'_>, tenant: &TenantId) -> Result<Lesson> {
    let id = LessonId(row.next_integer()?);
    rows::read_lesson(row, tenant, id)
}

/// Returns the request for the row of a scope.
pub(crate) fn scope_request(key: TenantKey, scope: &Scope) -> Request {
    let sql =
        "SELECT id, learned FROM hardwon.scope WHERE tenant = $1 AND agent = $2 AND project = $3";
    let names = values![key, scope.agent.as_str(), rows::project_column(scope)];
    Request::new(sql, names)
}

/// Reads the row of [`scope_request`], if there is one.
pub(crate) fn read_scope_row(found: &[Row]) -> Result<Option<PostgresScopeRow>> {
    let Some(row) = found.first() else {
        return Ok(None);
    };
    let mut row = RowColumns::new(row);
    Ok(Some(PostgresScopeRow {
        id: row.next_integer()?,
        learned: row.next_integer()?,
    }))
}

impl<'s> PostgresView<'s> {
    pub(crate) fn new(session: Session<'s>, server: &'s str) -> Self {
        Self {
            session,
            server,
            locked: RefCell::default(),
            known_scopes: RefCell::default(),
            totals: KnownTotals::default(),
        }
    }

    /// Says that this transaction has locked a tenant's row, which is known from now on.
    pub(crate) fn begin_writing(&self, name: &TenantId, row: PostgresTenantRow) {
        self.locked.replace(Some((name.clone(), row)));
    }

    /// Returns the session, to commit it.
    pub(crate) fn into_session(self) -> Session<'s> {
        self.session
    }

    /// Says of what goes wrong what was being done, and where.
    pub(crate) fn add_error_context<T>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        ask().map_err(|it| {
            it.with_action("reading lessons")
                .with_path(Path::new(self.server))
        })
    }

    /// Returns rows of a tenant that a statement selects.
    pub(crate) fn query(
        &self,
        tenant: &TenantId,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Row>> {
        self.session
            .query(TenantKey::from_name(tenant), sql, values)
    }

    /// Returns a tenant's row as it is by now; `None` if the tenant has no data.
    pub(crate) fn tenant_row(&self, name: &TenantId) -> Result<Option<PostgresTenantRow>> {
        if let Some((locked, row)) = &*self.locked.borrow()
            && locked == name
        {
            return Ok(Some(row.clone()));
        }
        let found = self.query(name, SELECT_TENANT, values![TenantKey::from_name(name)])?;
        found
            .first()
            .map(|row| PostgresTenantRow::read(row, name))
            .transpose()
    }

    /// Changes the row of the tenant that this transaction writes.
    pub(crate) fn change_tenant_row<T>(
        &self,
        change: impl FnOnce(&mut PostgresTenantRow) -> T,
    ) -> T {
        let mut locked = self.locked.borrow_mut();
        let (_, row) = locked.as_mut().expect("a writer has locked its tenant");
        change(row)
    }

    /// Returns the row of a scope, if there is one.
    pub(crate) fn scope_row(&self, scope: &Scope) -> Result<Option<PostgresScopeRow>> {
        let key = TenantKey::from_name(&scope.tenant);
        let found = self
            .session
            .query_all(key, vec![scope_request(key, scope)])?;
        read_scope_row(&found[0])
    }

    /// Returns a scope's number, and inserts its row if there is none. The scope is of the tenant that this transaction
    /// writes, whatever tenant it names.
    pub(crate) fn ensure_scope(&self, tenant: &TenantId, scope: &Scope) -> Result<i64> {
        let scope = Scope {
            tenant: tenant.clone(),
            ..scope.clone()
        };
        let known = self.known_scopes.borrow();
        if let Some((_, id)) = known.iter().find(|it| it.0 == scope) {
            return Ok(*id);
        }
        drop(known);
        let id = match self.scope_row(&scope)? {
            Some(row) => row.id,
            None => self.insert_scope(&scope)?,
        };
        self.known_scopes.borrow_mut().push((scope, id));
        Ok(id)
    }

    fn insert_scope(&self, scope: &Scope) -> Result<i64> {
        let id = self.change_tenant_row(|row| {
            row.next_scope += 1;
            row.next_scope - 1
        });
        let key = TenantKey::from_name(&scope.tenant);
        let (agent, project) = (scope.agent.as_str(), rows::project_column(scope));
        self.session.queue(
            key,
            "INSERT INTO hardwon.scope (tenant, id, agent, project, learned) VALUES ($1, $2, $3, $4, 0)",
            values![key, id, agent, project],
        )?;
        Ok(id)
    }

    /// Returns the lessons that `rest` selects: see [`lessons_request`].
    pub(crate) fn select_lessons(
        &self,
        tenant: &TenantId,
        rest: &str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Lesson>> {
        let Request { sql, values } = lessons_request(rest, values);
        read_lessons(&self.query(tenant, sql, values)?, tenant)
    }

    /// Returns a lesson by its number.
    pub(crate) fn find_lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        let key = TenantKey::from_name(tenant);
        let found = self.select_lessons(tenant, "l.number = $2", values![key, id.0])?;
        Ok(found.into_iter().next())
    }
}
