//! The tables of tenants: what is read from them and written to them, on every database alike.
//!
//! [`TenantView`] reads in one transaction, and [`TenantTransaction`] changes in one. Both speak to a [`TenantDatabase`]
//! over the [port](crate::port), with statements that are written once. A database has its own keys, its own text
//! index, and its own way to begin and to commit; none of that is known here.

mod answers;
mod audit;
mod jobs;
mod listing;
pub(crate) mod read;
mod vectors;
mod write;

use std::{borrow::Cow, cell::RefCell, path::Path};

use hardwon_core::{DocTerms, Lesson, LessonId, Scope, SearchResults, TenantId, TypedWord, limits};

use crate::{
    ChainHead, ColumnValue, FoundIndex, LessonQuery, ReadColumns, Result, Statement, WriteRows,
    port::{select_rows, values},
    rows::{self, LESSON_COLUMNS},
};

pub use self::write::TenantTransaction;
pub use crate::rows::Column;

/// The words in which the tables of a database differ from those of another.
///
/// In conditions, `l` is a lesson, `s` a scope, `w` a candidate lesson and `v` a vector; `$1` is the tenant's number.
#[derive(Debug)]
pub struct TableWords {
    /// What stands before each condition on lessons: that they are the tenant's, where their key does not say so.
    pub own_lesson: &'static str,
    /// The column of lessons that is their key, together with the tenant.
    pub lesson_key: &'static str,
    /// The number of a lesson.
    pub lesson_number: &'static str,
    /// Joins the scopes of lessons, which are read first.
    pub scope_of_lesson: &'static str,
    /// Whether a lesson is in a scope.
    pub lesson_of_scope: &'static str,
    /// Whether a candidate lesson is in a scope.
    pub witness_of_scope: &'static str,
    /// Whether a vector is in a scope.
    pub vector_of_scope: &'static str,
    /// Whether a vector is a lesson's.
    pub vector_of_lesson: &'static str,
    /// The number of a vector's lesson.
    pub vector_lesson: &'static str,
    /// That lessons are the tenant's, as the index says it that has the last shown first.
    pub shown_of_tenant: &'static str,
    /// Agent, project and client of a recall.
    pub recall_columns: [&'static str; 3],
    /// What stands before what is looked for in the tags of a lesson, which is there if the whole is over 0.
    pub begin_tag_search: &'static str,
    /// What stands before and after the place of a list, of which a whole number is one.
    pub one_of: [&'static str; 2],
}

/// A transaction of a database that has tables of tenants. It decides nothing.
pub trait TenantDatabase: WriteRows + Sized {
    /// Its own words.
    const WORDS: TableWords;

    /// Returns where the database is, if anybody can be told.
    fn location(&self) -> Option<&Path>;

    /// Returns the number of a tenant, where its name alone says it.
    fn number_name(name: &TenantId) -> Option<i64>;

    /// Returns the key of a lesson; `None` if there can be no lesson of this number.
    fn lesson_key(tenant: i64, lesson: LessonId) -> Option<i64>;

    /// Returns the columns by which a lesson is found, given its key.
    fn lesson_place(tenant: i64, key: i64) -> Vec<Column<'static>>;

    /// Returns the columns by which what is in a scope is found.
    fn scope_place(tenant: i64, scope: i64) -> Vec<Column<'static>>;

    /// Returns the columns by which a lesson's vector is found.
    fn vector_place(tenant: i64, scope: i64, lesson: LessonId) -> Result<Vec<Column<'static>>>;

    /// Returns the column by which a source is found, beside the tenant.
    fn source_place(name: &str) -> Column<'_>;

    /// Returns the columns of a lesson that only this database has.
    fn extra_lesson_columns(lesson: &Lesson) -> Vec<Column<'_>>;

    /// Reads a tenant's row; `None` if it has none.
    fn read_tenant(&self, name: &TenantId) -> Result<Option<TenantRow>>;

    /// Saves the row of the tenant whose transaction ends.
    fn save_tenant(&self, row: &TenantRow, is_changed: bool) -> Result<()>;

    /// Inserts a scope, and returns its number.
    fn insert_scope(&self, tenant: i64, scope: &Scope) -> Result<i64>;

    /// Returns a function of a lesson's text up to the place of a text, which is above 0 where the first holds the other,
    /// whatever the case of the letters.
    fn begin_text_search(&self) -> Result<String>;

    /// Returns the lessons that match a query best, including expired ones.
    fn search_best(
        view: &TenantView<Self>,
        query: &LessonQuery,
        limit: usize,
    ) -> Result<SearchResults>;

    /// Returns whether all lessons in use of some scopes are fewer than are read to find a page of them among others.
    fn are_small(&self, scopes: &[i64]) -> Result<bool>;

    /// Returns the newest `most` lessons of which the text index of some scopes has a term that a word may be, in ascending
    /// order; perhaps older ones too.
    fn find_lessons_with(
        &self,
        tenant: i64,
        scopes: &[i64],
        word: &TypedWord,
        most: usize,
    ) -> Result<Vec<u32>>;

    /// Adds a lesson to the text index, which does not hold it yet.
    fn index_lesson(&self, tenant: i64, scope: i64, id: LessonId, terms: &DocTerms) -> Result<()>;

    /// Removes a lesson from the text index, if it holds it.
    fn unindex_lesson(&self, tenant: i64, scope: i64, id: LessonId) -> Result<()>;

    /// Reads all that the text index of a scope holds.
    fn read_index(&self, tenant: i64, scope: i64) -> Result<FoundIndex>;

    /// Merges what was added to a scope's index, if that is much.
    fn merge_index(&self, tenant: i64, scope: i64) -> Result<()>;
}

/// A tenant's row: its number, the next numbers of its records, and the end of its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantRow {
    /// The tenant's own number.
    pub key: i64,
    /// The number of its next lesson.
    pub next_lesson: i64,
    /// The number of its next recall.
    pub next_recall: i64,
    /// The number of its next job.
    pub next_job: i64,
    /// The end of its journal.
    pub head: ChainHead,
}

impl TenantRow {
    /// Returns the row of a tenant that has no data.
    pub fn empty(key: i64, name: &TenantId) -> Self {
        Self {
            key,
            next_lesson: 1,
            next_recall: 1,
            next_job: 1,
            head: ChainHead::genesis(name),
        }
    }
}

/// A scope's row: its number, and how many learned lessons it holds.
#[derive(Debug, Clone, Copy)]
pub struct ScopeRow {
    /// Its number.
    pub id: i64,
    /// How many active lessons it holds that no person wrote.
    pub learned: i64,
}

/// A tenant's row as a transaction has it by now.
struct KnownTenant {
    name: TenantId,
    row: TenantRow,
    is_changed: bool,
}

/// The tables as one transaction sees them.
pub struct TenantView<D> {
    /// The transaction.
    pub database: D,
    /// The tenant that this transaction writes, or the first that it read.
    tenant: RefCell<Option<KnownTenant>>,
    /// Scopes of the tenant that it writes.
    scopes: RefCell<Vec<(Scope, i64)>>,
}

/// One tenant's rows in a view.
pub(crate) struct TenantTables<'v, D> {
    pub(crate) view: &'v TenantView<D>,
    pub(crate) name: &'v TenantId,
    pub(crate) key: i64,
}

impl<D> std::fmt::Debug for TenantView<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TenantView").finish_non_exhaustive()
    }
}

impl<D: TenantDatabase> TenantView<D> {
    /// Makes a view of a transaction.
    pub fn new(database: D) -> Self {
        Self {
            database,
            tenant: RefCell::default(),
            scopes: RefCell::default(),
        }
    }

    /// Says of what goes wrong what was being done, and where.
    pub(crate) fn add_error_context<T>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        ask().map_err(|error| {
            let error = error.with_action("reading lessons");
            match self.database.location() {
                Some(path) => error.with_path(path),
                None => error,
            }
        })
    }

    /// Asks for something of a tenant, of which one without rows has nothing.
    fn ask<T: Default>(
        &self,
        name: &TenantId,
        ask: impl FnOnce(TenantTables<'_, D>) -> Result<T>,
    ) -> Result<T> {
        self.add_error_context(|| self.tables_of(name)?.map_or_else(|| Ok(T::default()), ask))
    }

    /// Returns the rows of a tenant; `None` if it has none.
    pub(crate) fn tables_of<'v>(
        &'v self,
        name: &'v TenantId,
    ) -> Result<Option<TenantTables<'v, D>>> {
        let key = match D::number_name(name) {
            Some(key) => Some(key),
            None => self.tenant_row(name)?.map(|row| row.key),
        };
        Ok(key.map(|key| TenantTables {
            view: self,
            name,
            key,
        }))
    }

    /// Returns a tenant's row as it is by now; `None` if the tenant has no data.
    pub fn tenant_row(&self, name: &TenantId) -> Result<Option<TenantRow>> {
        if let Some(known) = &*self.tenant.borrow()
            && known.name == *name
        {
            return Ok(Some(known.row));
        }
        let stored_row = self.database.read_tenant(name)?;
        if let Some(row) = stored_row {
            let mut tenant = self.tenant.borrow_mut();
            tenant.get_or_insert_with(|| KnownTenant::new(name, row));
        }
        Ok(stored_row)
    }

    /// Returns the row of a scope, if there is one.
    pub fn scope_row(&self, scope: &Scope) -> Result<Option<ScopeRow>> {
        match self.tables_of(&scope.tenant)? {
            Some(tenant) => tenant.scope_row(scope),
            None => Ok(None),
        }
    }

    /// Changes the row of the tenant that this transaction writes.
    pub fn change_tenant<T>(&self, change: impl FnOnce(&mut TenantRow) -> T) -> T {
        let mut tenant = self.tenant.borrow_mut();
        let tenant_row = tenant.as_mut().expect("a writer knows its tenant");
        tenant_row.is_changed = true;
        change(&mut tenant_row.row)
    }

    /// Returns the lesson of this number, if there is one.
    pub(crate) fn find_lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        self.ask(tenant, |tenant| tenant.find_lesson(id))
    }
}

impl KnownTenant {
    fn new(name: &TenantId, row: TenantRow) -> Self {
        Self {
            name: name.clone(),
            row,
            is_changed: false,
        }
    }
}

/// Reads a lesson: its number, its agent, its project, and [`LESSON_COLUMNS`].
pub fn read_numbered_lesson(row: &mut dyn ReadColumns, tenant: &TenantId) -> Result<Lesson> {
    let id = LessonId(row.next_integer()?);
    rows::read_lesson(row, tenant, id)
}

/// Returns the columns that [`read_numbered_lesson`] reads, of a lesson `l`. `place` names its agent and its project.
pub fn lesson_columns<D: TenantDatabase>(place: &str) -> String {
    format!("{}, {place}, {LESSON_COLUMNS}", D::WORDS.lesson_number)
}

/// Returns the condition that a lesson is one of a list of keys, the first value after the tenant.
fn one_of<D: TenantDatabase>() -> String {
    let [before, after] = D::WORDS.one_of;
    format!("l.{} {before}$2{after}", D::WORDS.lesson_key)
}

/// Puts the key's name where a condition on lessons says `KEY`.
pub(crate) fn name_key<D: TenantDatabase>(rest: &str) -> String {
    rest.replace("KEY", D::WORDS.lesson_key)
}

/// Returns the agent and the project of a scope.
fn place_values(scope: &Scope) -> Vec<ColumnValue<'_>> {
    values![scope.agent.as_str(), rows::project_column(scope)]
}

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Makes a statement whose first value is the tenant's number.
    pub(crate) fn statement<'s>(
        &self,
        sql: impl Into<Cow<'s, str>>,
        more: impl IntoIterator<Item = ColumnValue<'s>>,
    ) -> Statement<'s> {
        Statement {
            tenant: self.key,
            sql: sql.into(),
            values: values![self.key].into_iter().chain(more).collect(),
        }
    }

    /// Returns what a statement selects, whose first value is the tenant's number.
    pub(crate) fn select<'s, T>(
        &self,
        sql: impl Into<Cow<'s, str>>,
        more: Vec<ColumnValue<'s>>,
        read: impl FnMut(&mut dyn ReadColumns) -> Result<T>,
    ) -> Result<Vec<T>> {
        select_rows(&self.view.database, self.statement(sql, more), read)
    }

    /// Returns the first row that a statement selects.
    pub(crate) fn select_first<'s, T>(
        &self,
        sql: impl Into<Cow<'s, str>>,
        more: Vec<ColumnValue<'s>>,
        read: impl FnMut(&mut dyn ReadColumns) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.select(sql, more, read)?.into_iter().next())
    }

    /// Runs a statement whose first value is the tenant's number.
    pub(crate) fn execute<'s>(
        &self,
        sql: impl Into<Cow<'s, str>>,
        more: Vec<ColumnValue<'s>>,
    ) -> Result<()> {
        self.view.database.execute(self.statement(sql, more))
    }

    pub(crate) fn scope_row(&self, scope: &Scope) -> Result<Option<ScopeRow>> {
        self.select_first(SELECT_SCOPE, place_values(scope), read_scope_row)
    }

    /// Makes the statement for lessons, of which `rest` says which. It may use a lesson `l` and its scope `s`.
    pub(crate) fn lessons_statement<'s>(
        &self,
        rest: &str,
        more: Vec<ColumnValue<'s>>,
    ) -> Statement<'s> {
        let columns = lesson_columns::<D>("s.agent, s.project");
        let (join, own) = (D::WORDS.scope_of_lesson, D::WORDS.own_lesson);
        let sql = format!("SELECT {columns} FROM hardwon.lesson l {join} WHERE {own}{rest}");
        self.statement(sql, more)
    }

    /// Makes the same statement for lessons of small scopes, which are read first: of a tenant with many other lessons most
    /// would be read in vain.
    fn small_scopes_statement<'s>(&self, rest: &str, more: Vec<ColumnValue<'s>>) -> Statement<'s> {
        let columns = lesson_columns::<D>("s.agent, s.project");
        let of_scope = D::WORDS.lesson_of_scope;
        let sql = format!(
            "SELECT {columns} FROM hardwon.scope s CROSS JOIN hardwon.lesson l
             WHERE {of_scope} AND s.tenant = $1 AND {rest}"
        );
        self.statement(sql, more)
    }

    /// Makes the statement for lessons of a scope, which has the first values after the tenant.
    pub(crate) fn scope_lessons_statement<'s>(
        &self,
        scope: &'s Scope,
        rest: &str,
        more: Vec<ColumnValue<'s>>,
    ) -> Statement<'s> {
        let columns = lesson_columns::<D>("s.agent, s.project");
        let of_scope = D::WORDS.lesson_of_scope;
        let sql = format!(
            "SELECT {columns} FROM hardwon.scope s JOIN hardwon.lesson l ON {of_scope}
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = $3 AND {rest}"
        );
        self.statement(sql, place_values(scope).into_iter().chain(more))
    }

    /// Returns the lessons that [`lessons_statement`](Self::lessons_statement) is about.
    pub(crate) fn select_lessons(
        &self,
        rest: &str,
        more: Vec<ColumnValue<'_>>,
    ) -> Result<Vec<Lesson>> {
        self.select_lessons_by(self.lessons_statement(rest, more))
    }

    fn select_lessons_by(&self, statement: Statement<'_>) -> Result<Vec<Lesson>> {
        let read = |row: &mut dyn ReadColumns| read_numbered_lesson(row, self.name);
        select_rows(&self.view.database, statement, read)
    }

    fn find_lesson(&self, id: LessonId) -> Result<Option<Lesson>> {
        let Some(key) = D::lesson_key(self.key, id) else {
            return Ok(None);
        };
        let rest = format!("l.{} = $2", D::WORDS.lesson_key);
        Ok(self.select_lessons(&rest, values![key])?.pop())
    }

    /// Returns a page of the tenant's lessons after one, by number.
    fn select_lessons_after(&self, last: LessonId) -> Result<Vec<Lesson>> {
        let mut values = self.lesson_keys_below(None);
        values[0] = D::lesson_key(self.key, last).into();
        values.push(rows::to_sql_page_limit(limits::PAGE_ROWS).into());
        let rest = "l.KEY > $2 AND l.KEY < $3 ORDER BY l.KEY LIMIT $4";
        self.select_lessons(&name_key::<D>(rest), values)
    }

    /// Returns the keys of the tenant's lessons with numbers below one.
    fn lesson_keys_below(&self, before: Option<LessonId>) -> Vec<ColumnValue<'static>> {
        let first = D::lesson_key(self.key, LessonId(0)).expect("it has 32 bits");
        let all = 1 << 32;
        values![first, first + before.map_or(all, |id| id.0.clamp(0, all))]
    }
}

/// Selects the row of a scope.
const SELECT_SCOPE: &str =
    "SELECT id, learned FROM hardwon.scope WHERE tenant = $1 AND agent = $2 AND project = $3";

fn read_scope_row(row: &mut dyn ReadColumns) -> Result<ScopeRow> {
    Ok(ScopeRow {
        id: row.next_integer()?,
        learned: row.next_integer()?,
    })
}
