//! One transaction on one connection: statements are sent together, in order, and the answers read afterwards.
//!
//! The transaction begins with its first statement, and names its tenant to the server (`app.tenant`) before any other:
//! row-level security shows the rows of that tenant alone. A statement without an answer that matters can be
//! [queued](Session::queue) and travels with the next one.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::Pin,
    task::Poll,
    time::Duration,
};

use deadpool_postgres::Object;
use hardwon_core::{TenantId, digest};
use hardwon_store::{
    ReadRow, ReadRowOf, ReadRows, Result, StoreError, StoreErrorKind, WriteRows, port,
};
use tokio_postgres::{
    Error, Row, Statement,
    types::{ToSql, Type},
};

use crate::{
    bridge::Bridge,
    errors::{Interruption, convert_error},
    options::{PostgresOptions, Preparation},
    values::{SqlValue, convert_values, read_rows},
};

/// A tenant's number: the key of all its rows.
///
/// It is made of the name, so it needs no look-up; the tenant's row says whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TenantKey(pub(crate) i64);

impl TenantKey {
    /// No tenant: what a transaction names that is about keys. It sees no row of any tenant.
    pub(crate) const NOBODY: Self = Self(0);

    pub(crate) fn from_name(name: &TenantId) -> Self {
        let hash = digest::hash_parts([name.as_str().as_bytes()]);
        let (head, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
        Self(i64::from_be_bytes(*head))
    }
}

impl From<TenantKey> for SqlValue {
    fn from(key: TenantKey) -> Self {
        Self::from(key.0)
    }
}

/// A statement with its values.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<SqlValue>,
}

impl Request {
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>, values: Vec<SqlValue>) -> Self {
        Self {
            sql: sql.into(),
            values,
        }
    }

    fn from_statement(statement: port::Statement<'_>) -> Self {
        Self::new(statement.sql.into_owned(), convert_values(statement.values))
    }
}

/// How many statements are queued at most.
const QUEUE: usize = 200;

/// The kind of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionMode {
    /// Reads one state.
    Snapshot,
    /// Writes, and returns when the commit is on disk.
    Write,
    /// Writes; a crash of the server may lose the commit.
    LazyWrite,
}

impl TransactionMode {
    /// Returns the commands that begin a transaction, which waits so long at most for another writer.
    fn begin_sql(self, patience: Duration) -> String {
        // A waiter that gets the lock must see what its holder wrote.
        let write = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {}; ",
            patience.as_millis().clamp(1, 3_600_000)
        );
        match self {
            Self::Snapshot => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ".to_owned(),
            Self::Write => write,
            Self::LazyWrite => write + "SET LOCAL synchronous_commit = off; ",
        }
    }
}

/// A transaction on a connection of its own.
pub(crate) struct Session<'s> {
    bridge: &'s Bridge,
    client: Option<Object>,
    /// The commands that begin the transaction.
    begin: String,
    preparation: Preparation,
    /// The tenant that was named to the server; `None` before the transaction begins.
    named: Cell<Option<TenantKey>>,
    queued: RefCell<Vec<(TenantKey, Request)>>,
    interruption: Cell<Option<Interruption>>,
    has_failed: Cell<bool>,
}

/// How a commit ended, if not well.
#[derive(Debug)]
pub(crate) enum CommitError {
    /// Nothing was committed.
    RolledBack(StoreError, Option<Interruption>),
    /// The connection broke when the commit was on its way.
    Unknown(StoreError),
}

type Answers = Vec<Result<Vec<Row>, Error>>;

impl<'s> Session<'s> {
    pub(crate) fn new(
        bridge: &'s Bridge,
        client: Object,
        mode: TransactionMode,
        options: &PostgresOptions,
    ) -> Self {
        Self {
            bridge,
            client: Some(client),
            begin: mode.begin_sql(options.patience),
            preparation: options.preparation,
            named: Cell::new(None),
            queued: RefCell::default(),
            interruption: Cell::new(None),
            has_failed: Cell::new(false),
        }
    }

    /// Returns why a statement failed, if that may pass.
    pub(crate) fn interruption(&self) -> Option<Interruption> {
        self.interruption.get()
    }

    /// Returns the rows that a statement selects.
    pub(crate) fn query(
        &self,
        tenant: TenantKey,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Row>> {
        let answers = self.query_all(tenant, vec![Request::new(sql, values)])?;
        Ok(answers.into_iter().next().expect("one for each request"))
    }

    /// Returns the one row that a statement selects, if there is one.
    pub(crate) fn query_one(
        &self,
        tenant: TenantKey,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<SqlValue>,
    ) -> Result<Option<Row>> {
        Ok(self.query(tenant, sql, values)?.into_iter().next())
    }

    /// Returns the rows that each of several statements selects, after one wait for all of them.
    pub(crate) fn query_all(
        &self,
        tenant: TenantKey,
        requests: Vec<Request>,
    ) -> Result<Vec<Vec<Row>>> {
        let queue = self.queued.take();
        let skip_count = queue.len();
        let all = queue
            .into_iter()
            .chain(requests.into_iter().map(|request| (tenant, request)));
        let answers = self.run(all.collect(), None)?;
        let mut rows = Vec::with_capacity(answers.len());
        for answer in answers {
            rows.push(answer.map_err(|answer| self.note_error(answer))?);
        }
        Ok(rows.split_off(skip_count))
    }

    /// Sends a statement with the next one, or with the commit; what it answers is not read, and its error is that of
    /// what it travels with.
    pub(crate) fn queue(
        &self,
        tenant: TenantKey,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<SqlValue>,
    ) -> Result<()> {
        let mut queue = self.queued.borrow_mut();
        queue.push((tenant, Request::new(sql, values)));
        let is_full = queue.len() >= QUEUE;
        drop(queue);
        if is_full {
            self.query_all(TenantKey::NOBODY, Vec::new())?;
        }
        Ok(())
    }

    /// Sends what is queued and commits.
    pub(crate) fn commit(mut self) -> Result<(), CommitError> {
        if self.has_failed.get() {
            let message = "a statement of the transaction failed before";
            let error = StoreError::new(StoreErrorKind::Io, "", message);
            return Err(CommitError::RolledBack(error, self.interruption.get()));
        }
        let requests = self.queued.take();
        let answers = self.run(requests, Some("COMMIT"));
        let answers =
            answers.map_err(|answer| CommitError::RolledBack(answer, self.interruption.get()))?;
        for answer in answers {
            let Err(error) = answer else { continue };
            let is_lost = Interruption::from_error(&error) == Some(Interruption::Disconnected);
            let error = self.note_error(error);
            return Err(if is_lost {
                CommitError::Unknown(error)
            } else {
                CommitError::RolledBack(error, self.interruption.get())
            });
        }
        // The connection goes back to the pool as it is.
        drop(self.client.take());
        Ok(())
    }

    /// Sends all statements, then reads all answers. `last` is a command without values.
    fn run(&self, requests: Vec<(TenantKey, Request)>, last: Option<&str>) -> Result<Answers> {
        if requests.is_empty() && last.is_none() {
            return Ok(Vec::new());
        }
        let client = self.client.as_ref().expect("it is there until the end");
        let work = async {
            let statements = self.prepare(client, &requests).await?;
            let mut sendings: Vec<Sending<'_>> = Vec::with_capacity(requests.len() + 2);
            for ((tenant, request), statement) in requests.iter().zip(statements) {
                if let Some(prefix) = self.name_tenant(*tenant) {
                    sendings.push(Box::pin(run_command(client, prefix)));
                }
                sendings.push(Box::pin(run_request(client, request, statement)));
            }
            if let Some(last) = last {
                sendings.push(Box::pin(run_command(client, last.to_owned())));
            }
            Ok(join_in_order(sendings).await)
        };
        let answers = self
            .bridge
            .wait(work)
            .map_err(|error| self.note_error(error))?;
        // The answers of commands come first where they failed, because all others then fail because of them.
        let mut results = Vec::with_capacity(answers.len());
        for answer in answers {
            match answer {
                Ok(Some(rows)) => results.push(Ok(rows)),
                Ok(None) => {}
                Err(error) => results.push(Err(error)),
            }
        }
        Ok(results)
    }

    /// Prepares the statements that this connection does not know yet.
    async fn prepare(
        &self,
        client: &Object,
        requests: &[(TenantKey, Request)],
    ) -> Result<Vec<Option<Statement>>, Error> {
        let mut statements = Vec::with_capacity(requests.len());
        for (_, request) in requests {
            let types: Vec<Type> = request.values.iter().map(SqlValue::sql_type).collect();
            statements.push(match self.preparation {
                Preparation::Kept => Some(client.prepare_typed_cached(&request.sql, &types).await?),
                Preparation::None => None,
            });
        }
        Ok(statements)
    }

    /// Returns what to send before a statement about a tenant: the beginning of the transaction, and the tenant's name.
    fn name_tenant(&self, tenant: TenantKey) -> Option<String> {
        let before = self.named.replace(Some(tenant));
        if before == Some(tenant) {
            return None;
        }
        let begin = before.map_or(self.begin.as_str(), |_| "");
        let TenantKey(number) = tenant;
        Some(format!("{begin}SET LOCAL app.tenant = '{number}'"))
    }

    fn note_error(&self, error: Error) -> StoreError {
        if !self.has_failed.replace(true) {
            self.interruption.set(Interruption::from_error(&error));
        }
        convert_error(error)
    }
}

impl ReadRows for Session<'_> {
    fn select(&self, statement: port::Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        self.select_all(vec![statement], &mut |_, row| read(row))
    }

    fn select_all(&self, statements: Vec<port::Statement<'_>>, read: ReadRowOf<'_>) -> Result<()> {
        let tenant = statements.first().map_or(0, |statement| statement.tenant);
        let requests = statements.into_iter().map(Request::from_statement);
        let answers = self.query_all(TenantKey(tenant), requests.collect())?;
        for (place, rows) in answers.iter().enumerate() {
            read_rows(rows, &mut |row| read(place, row))?;
        }
        Ok(())
    }
}

impl WriteRows for Session<'_> {
    fn execute(&self, statement: port::Statement<'_>) -> Result<()> {
        let tenant = TenantKey(statement.tenant);
        let Request { sql, values } = Request::from_statement(statement);
        self.queue(tenant, sql, values)
    }
}

/// A statement on its way; `None` for a command, whose answer nobody reads.
type Sending<'c> = Pin<Box<dyn Future<Output = Result<Option<Vec<Row>>, Error>> + 'c>>;

async fn run_command(client: &Object, sql: String) -> Result<Option<Vec<Row>>, Error> {
    client.batch_execute(&sql).await?;
    Ok(None)
}

async fn run_request(
    client: &Object,
    request: &Request,
    statement: Option<Statement>,
) -> Result<Option<Vec<Row>>, Error> {
    let values = request.values.iter();
    let rows = match statement {
        Some(statement) => {
            let values: Vec<&(dyn ToSql + Sync)> = values
                .map(|value| -> &(dyn ToSql + Sync) { value })
                .collect();
            client.query(&statement, &values).await?
        }
        None => {
            let parameters =
                values.map(|value| -> (&(dyn ToSql + Sync), Type) { (value, value.sql_type()) });
            let parameters: Vec<_> = parameters.collect();
            client.query_typed(&request.sql, &parameters).await?
        }
    };
    Ok(Some(rows))
}

/// Runs futures at once. Each sends its message when it is polled for the first time, so the order of messages is theirs.
async fn join_in_order<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut is_ready = true;
        for (future, outputs) in futures.iter_mut().zip(&mut outputs) {
            if outputs.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *outputs = Some(value),
                    Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

impl Drop for Session<'_> {
    /// Rolls back, without waiting for it: the connection goes back to the pool afterwards.
    fn drop(&mut self) {
        let Some(client) = self.client.take() else {
            return;
        };
        if self.named.get().is_none() {
            return;
        }
        self.bridge.spawn(async move {
            if client.batch_execute("ROLLBACK").await.is_err() {
                drop(Object::take(client));
            }
        });
    }
}
