//! What a database says about itself: its form, and the numbers by which its operator sees how busy it is.

use std::path::Path;

use hardwon_store::{Result, rows::ReadColumns as _};
use serde::Serialize;

use crate::{
    database::{Database, start_bridge},
    migrate::SchemaVersion,
    options::PostgresOptions,
    values::RowColumns,
};

/// What a database says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseStatus {
    /// Where it is, without user and password.
    pub server: String,
    /// The form of its tables; 0 if there are none.
    pub form: u64,
    /// The form that this program uses.
    pub current_form: u64,
    /// Whether this program can use it as it is.
    pub is_current: bool,
    /// The version of the server's program.
    pub postgres: String,
    /// How many bytes the whole database has.
    pub bytes: u64,
    /// How many connections it has at this moment.
    pub connections: u64,
    /// How many the server accepts, for all its databases.
    pub max_connections: u64,
    /// How many transactions were committed since the server's statistics began.
    pub commits: u64,
    /// How many lessons all tenants have, as the server last estimated.
    pub lessons: u64,
    /// Whether the role sees the rows of all tenants, whatever a statement asks for.
    pub bypasses_wall: bool,
}

const SELECT_FIGURES: &str = "SELECT current_setting('server_version'),
     pg_database_size(current_database()),
     (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
     current_setting('max_connections')::bigint,
     (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
     (SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'hardwon' AND c.relname = 'lesson'),
     (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)";

impl DatabaseStatus {
    /// Asks a database, whatever form it has.
    ///
    /// # Errors
    ///
    /// As [`PostgresStore::open`](crate::PostgresStore::open), but for the form.
    pub fn read(url: &str, options: PostgresOptions) -> Result<Self> {
        let database = Database::open(url, options, start_bridge()?)?;
        let read = read_status(&database);
        read.map_err(|read| {
            read.with_action("asking the database")
                .with_path(Path::new(&database.server))
        })
    }
}

fn read_status(database: &Database) -> Result<DatabaseStatus> {
    let version = SchemaVersion::find(database)?;
    let rows = database.read(SELECT_FIGURES, &[])?;
    let row = rows.first().expect("figures are always there");
    let mut row = RowColumns::new(row);
    Ok(DatabaseStatus {
        server: database.server.clone(),
        form: version.version,
        current_form: SchemaVersion::current().version,
        is_current: version.check().is_ok(),
        postgres: row.next_string()?,
        bytes: row.next_count()?,
        connections: row.next_count()?,
        max_connections: row.next_count()?,
        commits: row.next_count()?,
        lessons: row.next_count()?,
        bypasses_wall: row.next_flag()?,
    })
}
