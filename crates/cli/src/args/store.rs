//! What can be typed about where a server's lessons and keys are.

use std::{convert::Infallible, fmt, path::PathBuf, str::FromStr};

use clap::Args;

/// Where the lessons and keys of a server are.
#[derive(Debug, Clone, Default, Args)]
pub struct StoreArgs {
    /// Where its lessons and keys are: a file, or `postgres://USER@HOST/DATABASE` [default: `$HARDWON_STORE`, else the
    /// file of `--db`].
    ///
    /// The password of the database is best in `$PGPASSWORD`: others on the machine can read what is
    /// typed. With `?sslmode=verify-full` or `$PGSSLMODE` the connection is encrypted, and the server verified by the
    /// certificates of the web or those in the file `$PGSSLROOTCERT`.
    #[arg(long, global = true, value_name = "STORE")]
    pub store: Option<StoreName>,
}

/// A store, as somebody names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreName {
    /// A file of lessons, with the file of keys beside it.
    File(PathBuf),
    /// A database of a PostgreSQL server.
    Postgres(DatabaseUrl),
    /// An address of another kind.
    Unknown,
}

/// The address of a database, which may hold a password: nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Returns the address, to connect to it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl")
    }
}

impl FromStr for StoreName {
    type Err = Infallible;

    /// Reads a name. It never fails, because an error would quote what was typed, with the password that is in it.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let scheme = text.split_once("://").map(|parts| parts.0);
        Ok(match scheme {
            Some("postgres" | "postgresql") => Self::Postgres(DatabaseUrl(text.to_owned())),
            Some(_) => Self::Unknown,
            None => Self::File(text.into()),
        })
    }
}
