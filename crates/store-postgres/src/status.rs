//! What a database says about itself: the form of its tables, and whether its wall holds for who asks.

use hardwon_store::{Result, rows::ReadColumns as _};

use crate::{
    database::{Database, start_bridge},
    migrate::SchemaVersion,
    options::PostgresOptions,
    values::RowColumns,
};

/// What a database says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// Where it is, without user and password.
    pub server: String,
    /// The form of its tables; 0 if there are none.
    pub form: u64,
    /// The form that this program uses.
    pub current_form: u64,
    /// Whether this program can use it as it is.
    pub is_current: bool,
    /// Whether the role sees the rows of all tenants, whatever a statement asks for.
    pub bypasses_wall: bool,
}

const SELECT_ROLE: &str =
    "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";

impl DatabaseStatus {
    /// Asks a database, whatever form it has.
    ///
    /// # Errors
    ///
    /// As [`PostgresStore::open`](crate::PostgresStore::open), but for the form.
    pub fn read(url: &str, options: PostgresOptions) -> Result<Self> {
        let database = Database::open(url, options, start_bridge()?)?;
        read_status(&database).map_err(|error| database.add_context(error, "asking the database"))
    }
}

fn read_status(database: &Database) -> Result<DatabaseStatus> {
    let version = SchemaVersion::find(database)?;
    let rows = database.read(SELECT_ROLE, &[])?;
    let role = rows.first().expect("whoever asks has a role");
    Ok(DatabaseStatus {
        server: database.server.clone(),
        form: version.version,
        current_form: SchemaVersion::current().version,
        is_current: version.check().is_ok(),
        bypasses_wall: RowColumns::new(role).next_flag()?,
    })
}
