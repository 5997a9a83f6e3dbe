//! The form of the database, and migrations to it, when somebody asks for it.
//!
//! Several processes use one database, so none of them changes its tables by itself: a store of another version is
//! refused with a message that says what to run. Processes that migrate at once wait for each other at the row of
//! `schema_version`. A change of the schema is a new numbered step as well, and a step is never edited. Each runs in a
//! transaction, and so does making an empty database.

use hardwon_core::{TenantId, change::MEANING_VERSION, tokens, trigger};
use hardwon_store::{
    Result, StoreError, StoreErrorKind,
    rows::{ReadColumns as _, parse_tenant},
};
use tokio_postgres::{Client, Error, error::SqlState};

use crate::{
    PostgresStore,
    database::Database,
    errors::{MIGRATE_HINT, convert_error, convert_pool_error},
    session::TransactionMode,
    spool::count_recalls,
    values::RowColumns,
};

/// What makes an empty database one of the newest form.
const SCHEMA: &[&str] = &[
    include_str!("schema/tables.sql"),
    include_str!("schema/wall.sql"),
    include_str!("schema/keys.sql"),
];
/// The oldest form that can be brought up to date. Those before were of programs that nobody was given.
const OLDEST: u64 = 8;
/// The steps that do so, in order, the first one from the oldest form.
const STEPS: &[&str] = &[
    include_str!("schema/0009_no_webhook.sql"),
    include_str!("schema/0010_one_key_log.sql"),
    include_str!("schema/0011_no_money.sql"),
];

/// Where the version is kept: one row, which is also the lock of those who migrate. `terms` and `words` say which rules
/// made the terms of the index and the keys of duplicates.
pub(crate) const CREATE_VERSION: &str = "CREATE SCHEMA IF NOT EXISTS hardwon;
CREATE TABLE IF NOT EXISTS hardwon.schema_version (
    id      bigint NOT NULL PRIMARY KEY,
    version bigint NOT NULL,
    terms   bigint NOT NULL,
    words   bigint NOT NULL
);
INSERT INTO hardwon.schema_version (id, version, terms, words) VALUES (1, 0, 0, 0)
    ON CONFLICT (id) DO NOTHING";

const SELECT_VERSION: &str =
    "SELECT version, terms, words FROM hardwon.schema_version WHERE id = 1";

/// Selects all tenants. The wall stands aside for the owner of the table while this transaction lasts.
const SELECT_TENANTS: &str = "ALTER TABLE hardwon.tenant NO FORCE ROW LEVEL SECURITY";
const RAISE_WALL: &str = "ALTER TABLE hardwon.tenant FORCE ROW LEVEL SECURITY";

/// Which version a database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SchemaVersion {
    pub(crate) version: u64,
    terms: i64,
    words: i64,
}

impl SchemaVersion {
    /// What this program makes and understands.
    pub(crate) fn current() -> Self {
        Self {
            version: OLDEST + STEPS.len() as u64,
            terms: (1000 * trigger::VERSION + tokens::VERSION).into(),
            words: MEANING_VERSION.into(),
        }
    }

    fn from_row(row: &tokio_postgres::Row) -> Result<Self> {
        let mut row = RowColumns::new(row);
        Ok(Self {
            version: row.next_count()?,
            terms: row.next_integer()?,
            words: row.next_integer()?,
        })
    }

    /// Asks a database for its version; that of one without tables is 0.
    pub(crate) fn find(database: &Database) -> Result<Self> {
        match database.read(SELECT_VERSION, &[]) {
            Ok(found) => found
                .first()
                .map_or_else(|| Ok(Self::default()), Self::from_row),
            Err(error) if error.kind() == StoreErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Returns an error unless this program can use a database of this version.
    pub(crate) fn check(self) -> Result<()> {
        let current = Self::current();
        let message = match self {
            it if it == current => return Ok(()),
            it if it.version > current.version => {
                let message = format!(
                    "a newer version of the program made its tables (form {}; this one knows {})",
                    it.version, current.version
                );
                return Err(StoreError::new(StoreErrorKind::TooNew, "", message)
                    .with_hint("update hardwon"));
            }
            it if it.version == 0 => {
                let message = "the database has no store yet";
                return Err(
                    StoreError::new(StoreErrorKind::NotFound, "", message).with_hint(MIGRATE_HINT)
                );
            }
            it if it.version < OLDEST => {
                let message = format!(
                    "a trial version of the program made its tables (form {})",
                    it.version
                );
                return Err(StoreError::new(StoreErrorKind::TooOld, "", message)
                    .with_hint("export its lessons with that program"));
            }
            it if it.version < current.version => {
                format!(
                    "its tables have form {}, and not form {}",
                    it.version, current.version
                )
            }
            _ => "other rules made the terms of its index".to_owned(),
        };
        Err(StoreError::new(StoreErrorKind::TooOld, "", message).with_hint(MIGRATE_HINT))
    }
}

impl PostgresStore {
    /// Makes the tables, or changes those of an older version.
    pub(crate) fn migrate_to_current(&self) -> Result<()> {
        let before = self.database.bridge.wait(async {
            let client = self.database.pool.get().await.map_err(convert_pool_error)?;
            create_version(&client).await?;
            apply_steps(&client).await
        })?;
        let current = SchemaVersion::current();
        if (before.terms, before.words) != (current.terms, current.words) {
            self.rebuild_all()?;
        }
        Ok(())
    }

    /// Makes everything anew that is derived from lessons, tenant by tenant, and notes by which rules.
    fn rebuild_all(&self) -> Result<()> {
        let tenants = self.database.bridge.wait(async {
            let client = self.database.pool.get().await.map_err(convert_pool_error)?;
            select_tenants(&client).await
        })?;
        for tenant in tenants {
            self.run_write(
                &tenant,
                TransactionMode::Write,
                &mut |transaction, lines| {
                    count_recalls(transaction, lines)?;
                    transaction.view.database.index(transaction.key).clear()?;
                    transaction.rebuild_derived()
                },
            )?;
        }
        self.database.bridge.wait(async {
            let client = self.database.pool.get().await.map_err(convert_pool_error)?;
            let SchemaVersion { terms, words, .. } = SchemaVersion::current();
            let sql = format!(
                "UPDATE hardwon.schema_version SET terms = {terms}, words = {words} WHERE id = 1"
            );
            client.batch_execute(&sql).await.map_err(convert_error)
        })
    }
}

/// Makes the table of the version, which others may be doing at this moment.
async fn create_version(client: &Client) -> Result<()> {
    const TRIES: usize = 5;
    for _ in 1..TRIES {
        match client.batch_execute(CREATE_VERSION).await {
            Err(error) if is_creation_race(&error) => {}
            done => return done.map_err(convert_error),
        }
    }
    client
        .batch_execute(CREATE_VERSION)
        .await
        .map_err(convert_error)
}

/// Returns whether somebody else made the same thing at the same time.
fn is_creation_race(error: &Error) -> bool {
    let races = [
        &SqlState::UNIQUE_VIOLATION,
        &SqlState::DUPLICATE_TABLE,
        &SqlState::DUPLICATE_SCHEMA,
        &SqlState::DUPLICATE_OBJECT,
    ];
    error.code().is_some_and(|code| races.contains(&code))
}

/// Applies the steps that are missing, and returns the version from before.
async fn apply_steps(client: &Client) -> Result<SchemaVersion> {
    let mut before = None;
    loop {
        client.batch_execute("BEGIN").await.map_err(convert_error)?;
        let result = apply_next(client).await;
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        client.batch_execute(end).await.map_err(convert_error)?;
        let (found, is_last) = result?;
        before.get_or_insert(found);
        if is_last {
            return Ok(before.unwrap_or(found));
        }
    }
}

/// Makes an empty database, or applies the next step, if one is missing; returns the version from before and whether
/// none was.
async fn apply_next(client: &Client) -> Result<(SchemaVersion, bool)> {
    let select_locked = format!("{SELECT_VERSION} FOR UPDATE");
    let rows = client
        .query_typed(&select_locked, &[])
        .await
        .map_err(convert_error)?;
    let row = rows.first();
    let version = row.map_or_else(|| Ok(SchemaVersion::default()), SchemaVersion::from_row)?;
    let newest = SchemaVersion::current().version;
    let (steps, next) = match version.version {
        it if it == newest => return Ok((version, true)),
        0 => (SCHEMA, newest),
        it => match usize::try_from(it.wrapping_sub(OLDEST))
            .ok()
            .and_then(|at| STEPS.get(at..=at))
        {
            Some(step) => (step, it + 1),
            None => return version.check().map(|()| (version, true)),
        },
    };
    for step in steps {
        client.batch_execute(step).await.map_err(convert_error)?;
    }
    let update = format!("UPDATE hardwon.schema_version SET version = {next} WHERE id = 1");
    client.batch_execute(&update).await.map_err(convert_error)?;
    Ok((version, false))
}

async fn select_tenants(client: &Client) -> Result<Vec<TenantId>> {
    let select = async {
        client.batch_execute(SELECT_TENANTS).await?;
        let query = client.query_typed("SELECT name FROM hardwon.tenant ORDER BY tenant", &[]);
        let rows = query.await?;
        client.batch_execute(RAISE_WALL).await?;
        Ok::<_, Error>(rows)
    };
    client.batch_execute("BEGIN").await.map_err(convert_error)?;
    let result = select.await;
    let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
    client.batch_execute(end).await.map_err(convert_error)?;
    let rows = result.map_err(convert_error)?;
    rows.iter()
        .map(|row| parse_tenant(&RowColumns::new(row).next_string()?))
        .collect()
}
