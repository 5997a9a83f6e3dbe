//! The database as one of tenants: its keys, its words, and the row that a writer locks.
//!
//! What is read from the tables and written to them is in `hardwon_store::tables`.

use std::{
    cell::{Cell, RefCell},
    path::Path,
};

use hardwon_core::{DocTerms, Lesson, LessonId, Scope, SearchResults, TenantId, TypedWord, digest};
use hardwon_store::{
    ChainHead, Column, FoundIndex, LessonQuery, ReadRow, ReadRowOf, ReadRows, Result, Statement,
    StoreError, StoreErrorKind, TableWords, TenantDatabase, TenantRow, TenantTransaction,
    TenantView, WriteRows,
    rows::{self, ReadColumns as _},
};
use tokio_postgres::Row;

use crate::{
    database::Database,
    options::PostgresOptions,
    postings::IndexWriter,
    session::{Session, TenantKey},
    totals::KnownTotals,
    values::{RowColumns, values},
};

/// How many tokens of past commits a tenant's row holds.
const TOKENS: usize = 32;

/// The database as one transaction sees it.
pub(crate) type PostgresView<'s> = TenantView<PostgresRows<'s>>;

/// One tenant's write transaction. Its tenant's row is locked.
pub(crate) type PostgresTransaction<'s> = TenantTransaction<'s, PostgresRows<'s>>;

/// A transaction on the database.
pub(crate) struct PostgresRows<'s> {
    pub(crate) session: Session<'s>,
    server: &'s str,
    options: &'s PostgresOptions,
    /// Totals of the index that this transaction has changed.
    pub(crate) totals: KnownTotals,
    /// The number of the next scope of the tenant that is written.
    next_scope: Cell<i64>,
    /// The tokens of its last commits, the newest first, this one's among them once it has one.
    tokens: RefCell<Vec<i64>>,
    /// Whether that tenant is erased, and its row with it.
    pub(crate) has_erased: Cell<bool>,
}

/// A tenant's row, with what only this database keeps in it: the next scope, and the tokens of its last commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostgresTenantRow {
    pub(crate) row: TenantRow,
    pub(crate) next_scope: i64,
    pub(crate) tokens: Vec<i64>,
}

impl PostgresTenantRow {
    /// Reads the row that [`SELECT_TENANT`] selects, which must be of this name.
    pub(crate) fn read(row: &Row, name: &TenantId) -> Result<Self> {
        let mut row = RowColumns::new(row);
        let name_in_row = row.next_string()?;
        if name_in_row != name.as_str() {
            let message =
                format!("tenants {name_in_row} and {name} have the same number: rename one");
            return Err(StoreError::new(StoreErrorKind::Invalid, "", message));
        }
        Ok(Self {
            next_scope: row.next_integer()?,
            row: TenantRow {
                key: TenantKey::from_name(name).0,
                next_lesson: row.next_integer()?,
                next_recall: row.next_integer()?,
                next_job: row.next_integer()?,
                head: ChainHead {
                    sequence: row.next_count()?,
                    hash: row.next_hash()?,
                },
            },
            tokens: row.next_integers()?,
        })
    }
}

/// Selects a tenant's row.
pub(crate) const SELECT_TENANT: &str = "SELECT name, next_scope, next_lesson, next_recall, next_job, sequence, hash, tokens \
     FROM hardwon.tenant WHERE tenant = $1";

/// The tags of a lesson, which are what its lists begin with. No tag has a bracket or a quote.
macro_rules! tags {
    () => {
        "CASE WHEN l.rest LIKE '{\"tags\":%' THEN substr(split_part(l.rest, ']', 1), 9) || ']' ELSE '' END"
    };
}

/// What a text search looks at: beside its parts `folded`, where letters are not ASCII alone, as `lower` differs between
/// servers.
const SEARCHED_TEXT: &str = concat!(
    "coalesce(l.folded, '') || chr(10) || lower((l.slug || chr(10) || l.title || chr(10) || l.signature || chr(10) \
     || l.text || chr(10) || coalesce(l.situation, '') || chr(10) || coalesce(l.mistake, '') || chr(10) || ",
    tags!(),
    ") COLLATE \"C\")"
);

/// Returns what a text search looks at if that is not what lowering ASCII letters makes of a lesson.
fn fold_content(lesson: &Lesson) -> Option<String> {
    let content = &lesson.content;
    let all = [
        Some(&content.title),
        Some(&content.signature),
        Some(&content.text),
        content.situation.as_ref(),
        content.mistake.as_ref(),
    ];
    let parts = all.into_iter().flatten().chain(&content.tags);
    let mut whole = lesson.slug.as_str().to_owned();
    for part in parts {
        whole.push('\n');
        whole.push_str(part.as_str());
    }
    let lower = whole.to_lowercase();
    (lower != whole.to_ascii_lowercase()).then_some(lower)
}

impl<'s> PostgresRows<'s> {
    pub(crate) fn new(session: Session<'s>, database: &'s Database) -> Self {
        Self {
            session,
            server: &database.server,
            options: &database.options,
            totals: KnownTotals::default(),
            next_scope: Cell::default(),
            tokens: RefCell::default(),
            has_erased: Cell::default(),
        }
    }

    /// Begins to write for a tenant, whose row this transaction has locked.
    pub(crate) fn begin_writing(
        self,
        tenant: &'s TenantId,
        locked: PostgresTenantRow,
    ) -> PostgresTransaction<'s> {
        self.next_scope.set(locked.next_scope);
        self.tokens.replace(locked.tokens);
        TenantTransaction::new(TenantView::new(self), tenant, locked.row)
    }

    /// Gives this transaction's commit a token.
    pub(crate) fn name_commit(&self, token: i64) {
        let mut tokens = self.tokens.borrow_mut();
        tokens.insert(0, token);
        tokens.truncate(TOKENS);
    }

    pub(crate) fn index(&self, tenant: i64) -> IndexWriter<'_> {
        IndexWriter::new(&self.session, TenantKey(tenant), self.options, &self.totals)
    }
}

impl ReadRows for PostgresRows<'_> {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        self.session.select(statement, read)
    }

    fn select_all(&self, statements: Vec<Statement<'_>>, read: ReadRowOf<'_>) -> Result<()> {
        self.session.select_all(statements, read)
    }
}

impl WriteRows for PostgresRows<'_> {
    fn execute(&self, statement: Statement<'_>) -> Result<()> {
        self.session.execute(statement)
    }
}

impl TenantDatabase for PostgresRows<'_> {
    const WORDS: TableWords = TableWords {
        own_lesson: "l.tenant = $1 AND ",
        lesson_key: "number",
        lesson_number: "l.number",
        scope_of_lesson: "JOIN hardwon.scope s ON s.tenant = l.tenant AND s.id = l.scope",
        lesson_of_scope: "l.tenant = s.tenant AND l.scope = s.id",
        witness_of_scope: "w.tenant = s.tenant AND w.scope = s.id",
        vector_of_scope: "v.tenant = s.tenant AND v.scope = s.id",
        vector_of_lesson: "v.tenant = l.tenant AND v.scope = l.scope AND v.lesson = l.number",
        vector_lesson: "v.lesson",
        shown_of_tenant: "true",
        recall_columns: ["agent", "project", "client"],
        begin_tag_search: concat!("strpos(", tags!(), ", "),
        one_of: ["= ANY(", ")"],
    };

    fn location(&self) -> Option<&Path> {
        Some(Path::new(self.server))
    }

    fn number_name(name: &TenantId) -> Option<i64> {
        Some(TenantKey::from_name(name).0)
    }

    fn lesson_key(_: i64, lesson: LessonId) -> Option<i64> {
        u32::try_from(lesson.0).ok().map(i64::from)
    }

    fn lesson_place(tenant: i64, key: i64) -> Vec<Column<'static>> {
        vec![("tenant", tenant.into()), ("number", key.into())]
    }

    fn scope_place(tenant: i64, scope: i64) -> Vec<Column<'static>> {
        vec![("tenant", tenant.into()), ("scope", scope.into())]
    }

    fn vector_place(tenant: i64, scope: i64, lesson: LessonId) -> Result<Vec<Column<'static>>> {
        let mut place = Self::scope_place(tenant, scope);
        place.push(("lesson", lesson.0.into()));
        Ok(place)
    }

    /// A name may be longer than an index can hold.
    fn source_place(name: &str) -> Column<'_> {
        let hash = digest::hash_parts([name.as_bytes()]).to_vec();
        ("name_hash", hash.into())
    }

    fn extra_lesson_columns(lesson: &Lesson) -> Vec<Column<'_>> {
        vec![("folded", fold_content(lesson).into())]
    }

    fn read_tenant(&self, name: &TenantId) -> Result<Option<TenantRow>> {
        let key = TenantKey::from_name(name);
        let stored_row = self.session.query_one(key, SELECT_TENANT, values![key])?;
        let row = stored_row.map(|row| PostgresTenantRow::read(&row, name));
        Ok(row.transpose()?.map(|stored_row| stored_row.row))
    }

    /// The token makes each commit a change of the row.
    fn save_tenant(&self, row: &TenantRow, _: bool) -> Result<()> {
        if self.has_erased.get() {
            return Ok(());
        }
        let key = TenantKey(row.key);
        self.totals.send_changed(&self.session, key)?;
        self.session.queue(
            key,
            "UPDATE hardwon.tenant SET next_scope = $2, next_lesson = $3, next_recall = $4,
                 next_job = $5, sequence = $6, hash = $7, tokens = $8 WHERE tenant = $1",
            values![
                key,
                self.next_scope.get(),
                row.next_lesson,
                row.next_recall,
                row.next_job,
                rows::to_sql_count(row.head.sequence),
                &row.head.hash,
                self.tokens.borrow().clone(),
            ],
        )
    }

    fn insert_scope(&self, tenant: i64, scope: &Scope) -> Result<i64> {
        let (key, id) = (TenantKey(tenant), self.next_scope.get());
        self.next_scope.set(id + 1);
        let (agent, project) = (scope.agent.as_str(), rows::project_column(scope));
        self.session.queue(
            key,
            "INSERT INTO hardwon.scope (tenant, id, agent, project, learned) VALUES ($1, $2, $3, $4, 0)",
            values![key, id, agent, project],
        )?;
        Ok(id)
    }

    fn begin_text_search(&self) -> Result<String> {
        Ok(format!("strpos({SEARCHED_TEXT}, "))
    }

    fn search_best(
        view: &TenantView<Self>,
        query: &LessonQuery,
        limit: usize,
    ) -> Result<SearchResults> {
        view.database.find_best(query, limit)
    }

    fn are_small(&self, _: &[i64]) -> Result<bool> {
        // The server knows, and plans accordingly.
        Ok(false)
    }

    fn find_lessons_with(
        &self,
        tenant: i64,
        scopes: &[i64],
        word: &TypedWord,
        _: usize,
    ) -> Result<Vec<u32>> {
        self.find_with_word(TenantKey(tenant), scopes, word)
    }

    fn index_lesson(&self, tenant: i64, scope: i64, id: LessonId, terms: &DocTerms) -> Result<()> {
        self.index(tenant).add_lesson(scope, id, terms)
    }

    fn unindex_lesson(&self, tenant: i64, scope: i64, id: LessonId) -> Result<()> {
        self.index(tenant).remove_lesson(scope, id)
    }

    fn read_index(&self, tenant: i64, scope: i64) -> Result<FoundIndex> {
        self.index(tenant).read_all(scope)
    }

    fn merge_index(&self, tenant: i64, scope: i64) -> Result<()> {
        self.index(tenant).merge_postings(scope)
    }
}
