//! The file as a database of tenants: its keys, its words, and the numbers of its tenants and scopes.
//!
//! What is read from the tables and written to them is in [`tables`](crate::tables).

use std::{ops::Deref, path::Path};

use hardwon_core::{
    DocTerms, Lesson, LessonId, Scope, SearchHit, SearchResults, TenantId, TypedWord,
};
use rusqlite::{Connection, functions::FunctionFlags, params};

use super::{
    index::{self, IndexTuning},
    rows::ColumnReader,
};
use crate::{
    ChainHead, Column, FoundIndex, LessonQuery, ReadRow, ReadRows, Result, Statement, TableWords,
    TenantDatabase, TenantRow, TenantTransaction, TenantView, WriteRows, damaged_error,
    port::{select_rows, values},
    rows,
    tables::{lesson_columns, read_numbered_lesson},
};

/// A transaction on the file.
pub(super) struct SqliteRows<'c> {
    conn: Box<dyn Deref<Target = Connection> + 'c>,
    tuning: IndexTuning,
}

/// The file as one transaction sees it.
pub(super) type SqliteView<'c> = TenantView<SqliteRows<'c>>;

/// One tenant's write transaction.
pub(super) type SqliteTransaction<'c> = TenantTransaction<'c, SqliteRows<'c>>;

impl<'c> SqliteView<'c> {
    /// Reads in the transaction that a connection is in, for as long as it is held.
    pub(super) fn on(conn: impl Deref<Target = Connection> + 'c, tuning: IndexTuning) -> Self {
        let conn = Box::new(conn);
        Self::new(SqliteRows { conn, tuning })
    }
}

impl<'c> SqliteTransaction<'c> {
    /// Begins to write for a tenant in the transaction that a connection is in.
    pub(super) fn begin(
        conn: &'c Connection,
        name: &'c TenantId,
        tuning: IndexTuning,
    ) -> Result<Self> {
        let view = SqliteView::on(conn, tuning);
        let row = match view.tenant_row(name)? {
            Some(row) => row,
            None => insert_tenant(conn, name)?,
        };
        Ok(Self::new(view, name, row))
    }
}

fn insert_tenant(conn: &Connection, name: &TenantId) -> Result<TenantRow> {
    conn.execute(
        "INSERT INTO tenant (name, next_lesson, next_recall, sequence, hash) VALUES (?1, 1, 1, 0, ?2)",
        params![name.as_str(), ChainHead::genesis(name).hash.as_bytes()],
    )?;
    Ok(TenantRow::empty(conn.last_insert_rowid(), name))
}

impl SqliteRows<'_> {
    pub(super) fn conn(&self) -> &Connection {
        &self.conn
    }
}

impl ReadRows for SqliteRows<'_> {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        self.conn().select(statement, read)
    }
}

impl WriteRows for SqliteRows<'_> {
    fn execute(&self, statement: Statement<'_>) -> Result<()> {
        WriteRows::execute(self.conn(), statement)
    }
}

/// Most lessons in use that are all read for a page of them.
const SMALL_SCOPES_LESSONS: u64 = 100;

impl TenantDatabase for SqliteRows<'_> {
    const WORDS: TableWords = TableWords {
        own_lesson: "",
        lesson_key: "key",
        lesson_number: "l.key & 4294967295",
        // A cross join keeps the order: lessons are read by key, whatever the condition on their scope.
        scope_of_lesson: "CROSS JOIN hardwon.scope s ON s.id = l.scope",
        lesson_of_scope: "l.scope = s.id",
        witness_of_scope: "w.scope = s.id",
        vector_of_scope: "v.key BETWEEN s.id << 32 AND s.id << 32 | 4294967295",
        vector_of_lesson: "v.key = (l.scope << 32 | (l.key & 4294967295))",
        vector_lesson: "v.key & 4294967295",
        shown_of_tenant: "l.key >> 32 = $1",
        recall_columns: [
            "line ->> 'agent'",
            "coalesce(line ->> 'project', '')",
            "line ->> 'client'",
        ],
        begin_tag_search: "instr(l.rest ->> 'tags', ",
        one_of: ["IN (SELECT value FROM json_each(", "))"],
    };

    fn location(&self) -> Option<&Path> {
        let path = self.conn().path();
        path.filter(|path| !path.is_empty()).map(Path::new)
    }

    fn number_name(_: &TenantId) -> Option<i64> {
        None
    }

    fn lesson_key(tenant: i64, lesson: LessonId) -> Option<i64> {
        let number = u32::try_from(lesson.0).ok()?;
        Some(tenant << 32 | i64::from(number))
    }

    fn lesson_place(_: i64, key: i64) -> Vec<Column<'static>> {
        vec![("key", key.into())]
    }

    fn scope_place(_: i64, scope: i64) -> Vec<Column<'static>> {
        vec![("scope", scope.into())]
    }

    fn vector_place(_: i64, scope: i64, lesson: LessonId) -> Result<Vec<Column<'static>>> {
        Ok(vec![("key", index::doc_key(scope, lesson)?.into())])
    }

    fn source_place(name: &str) -> Column<'_> {
        ("name", name.into())
    }

    fn extra_lesson_columns(_: &Lesson) -> Vec<Column<'_>> {
        Vec::new()
    }

    fn read_tenant(&self, name: &TenantId) -> Result<Option<TenantRow>> {
        let statement = Statement {
            tenant: 0,
            sql: "SELECT id, next_lesson, next_recall, next_job, sequence, hash
                  FROM hardwon.tenant WHERE name = $1"
                .into(),
            values: values![name.as_str()],
        };
        let rows = select_rows(self, statement, |row| {
            Ok(TenantRow {
                key: row.next_integer()?,
                next_lesson: row.next_integer()?,
                next_recall: row.next_integer()?,
                next_job: row.next_integer()?,
                head: ChainHead {
                    sequence: row.next_count()?,
                    hash: row.next_hash()?,
                },
            })
        })?;
        Ok(rows.into_iter().next())
    }

    fn save_tenant(&self, row: &TenantRow, is_changed: bool) -> Result<()> {
        if !is_changed {
            return Ok(());
        }
        self.execute(Statement {
            tenant: row.key,
            sql: "UPDATE hardwon.tenant SET next_lesson = $2, next_recall = $3, next_job = $4,
                      sequence = $5, hash = $6 WHERE id = $1"
                .into(),
            values: values![
                row.key,
                row.next_lesson,
                row.next_recall,
                row.next_job,
                row.head.sequence,
                &row.head.hash,
            ],
        })
    }

    fn insert_scope(&self, tenant: i64, scope: &Scope) -> Result<i64> {
        self.execute(Statement {
            tenant,
            sql:
                "INSERT INTO hardwon.scope (tenant, agent, project, learned) VALUES ($1, $2, $3, 0)"
                    .into(),
            values: values![tenant, scope.agent.as_str(), rows::project_column(scope)],
        })?;
        Ok(self.conn().last_insert_rowid())
    }

    /// Registers a function that lowers letters of any script: SQLite's own `lower` knows ASCII alone.
    fn begin_text_search(&self) -> Result<String> {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        let fold = |context: &rusqlite::functions::Context<'_>| {
            Ok(context.get::<String>(0)?.to_lowercase())
        };
        self.conn()
            .create_scalar_function("folded", 1, flags, fold)?;
        const PARTS: [&str; 7] = [
            "l.slug",
            "l.title",
            "l.signature",
            "l.text",
            "coalesce(l.situation, '')",
            "coalesce(l.mistake, '')",
            "coalesce(l.rest ->> 'tags', '')",
        ];
        let parts = PARTS.join(" || char(10) || ");
        Ok(format!("instr(folded({parts}), "))
    }

    fn search_best(
        view: &TenantView<Self>,
        query: &LessonQuery,
        limit: usize,
    ) -> Result<SearchResults> {
        search_best(view, query, limit)
    }

    fn are_small(&self, scopes: &[i64]) -> Result<bool> {
        let counts = scopes.iter();
        let counts = counts.map(|scope| Ok(index::read_totals(self.conn(), *scope)?.docs));
        Ok(counts.sum::<Result<u64>>()? <= SMALL_SCOPES_LESSONS)
    }

    fn find_lessons_with(
        &self,
        _: i64,
        scopes: &[i64],
        word: &TypedWord,
        most: usize,
    ) -> Result<Vec<u32>> {
        index::find_lessons_with(self.conn(), scopes, word, most)
    }

    fn index_lesson(&self, _: i64, scope: i64, id: LessonId, terms: &DocTerms) -> Result<()> {
        index::add_lesson(self.conn(), scope, id, terms)
    }

    fn unindex_lesson(&self, _: i64, scope: i64, id: LessonId) -> Result<()> {
        index::remove_lesson(self.conn(), scope, id).map(drop)
    }

    fn read_index(&self, _: i64, scope: i64) -> Result<FoundIndex> {
        index::read_index(self.conn(), scope)
    }

    fn merge_index(&self, _: i64, scope: i64) -> Result<()> {
        index::merge_postings(self.conn(), scope, self.tuning.fresh_words)
    }
}

/// Returns the best matches, including expired lessons.
///
/// One statement reads them all; their scopes are known already and not looked up again.
fn search_best(view: &SqliteView<'_>, query: &LessonQuery, limit: usize) -> Result<SearchResults> {
    let (conn, tenant) = (view.database.conn(), &query.scope.tenant);
    let mut scopes = Vec::new();
    for scope in query.scope.visible_scopes() {
        scopes.extend(view.scope_row(&scope)?.map(|row| (row.id, scope)));
    }
    let numbers: Vec<i64> = scopes.iter().map(|(id, _)| *id).collect();
    let best_hits = index::search(conn, &numbers, &query.terms, limit)?;
    let columns = lesson_columns::<SqliteRows<'_>>("?2, ?3");
    let sql = format!("SELECT {columns} FROM lesson l WHERE l.key = ?1");
    let mut select = conn.prepare_cached(&sql)?;
    let missing = || damaged_error("the text index names a lesson that is not there");
    let mut hits = Vec::with_capacity(best_hits.hits.len());
    for hit in best_hits.hits {
        let row = view.tenant_row(tenant)?.ok_or_else(missing)?;
        let place = scopes.iter().find(|(id, _)| *id == hit.scope);
        let (_, scope) = place.ok_or_else(missing)?;
        let key = SqliteRows::lesson_key(row.key, hit.lesson).ok_or_else(missing)?;
        let mut rows = select.query(params![
            key,
            scope.agent.as_str(),
            rows::project_column(scope)
        ])?;
        let row = rows.next()?.ok_or_else(missing)?;
        hits.push(SearchHit {
            lesson: read_numbered_lesson(&mut ColumnReader::new(row), tenant)?,
            terms: hit.terms,
            score: hit.score,
            similarity: None,
        });
    }
    Ok(SearchResults {
        stats: best_hits.stats,
        df: best_hits.df,
        hits,
    })
}
