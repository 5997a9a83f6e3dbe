//! How a store connects: how many connections, for how long it waits, and what stands between it and the server.

use std::{fmt, time::Duration};

/// Whether statements stay prepared on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preparation {
    /// They do: the fastest.
    #[default]
    Kept,
    /// They do not: for a pooler that gives each transaction another connection and does not know of them, such as
    /// PgBouncer before 1.21.
    None,
}

/// A password of the database, which nothing prints.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabasePassword(String);

impl DatabasePassword {
    /// Takes a password.
    pub fn new(password: String) -> Self {
        Self(password)
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DatabasePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabasePassword")
    }
}

/// Options of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The password, where the URL has none.
    pub password: Option<DatabasePassword>,
    /// Whether the connection is to be encrypted and the server verified, where the URL does not say (`sslmode`).
    pub demands_tls: bool,
    /// The certificates, in PEM form, one of which must vouch for an encrypted server; `None` for those of the web.
    pub tls_roots: Option<Vec<u8>>,
    /// Most connections at once. Each open snapshot and each transaction has one.
    pub connections: usize,
    /// How long to wait for a free connection, for the server to accept a new one, and for another writer of the same
    /// tenant.
    pub patience: Duration,
    /// Whether statements stay prepared.
    pub preparation: Preparation,
    /// How many words of new lessons a scope holds before they are merged into the index. Each search reads them over
    /// the network, so it is less than for a file.
    pub fresh_words: u32,
    /// The longest list of postings, in bytes, that is kept in its term's row.
    pub short_bytes: usize,
    /// The longest chunk of a longer list, in bytes: at most 2,000, so that three fit a page.
    pub chunk_bytes: usize,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            password: None,
            demands_tls: false,
            tls_roots: None,
            connections: 20,
            patience: Duration::from_secs(5),
            preparation: Preparation::default(),
            fresh_words: 2_000,
            short_bytes: 200,
            chunk_bytes: 2_000,
        }
    }
}
