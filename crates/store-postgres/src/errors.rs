//! Converts errors of the server and of connections to ones that a person can act on, and says which may pass.
//!
//! A message is the server's own short one: its details may quote a row.

use std::error::Error as _;

use deadpool_postgres::{PoolError, TimeoutType};
use hardwon_store::{StoreError, StoreErrorKind};
use tokio_postgres::{Error, error::SqlState};

/// Why a transaction could not go on, though the same work may succeed when it is run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// Another transaction was in the way.
    Collision,
    /// The connection is gone.
    Disconnected,
}

impl Interruption {
    /// Returns why an error may pass; `None` if the same work would fail again.
    pub(crate) fn from_error(error: &Error) -> Option<Self> {
        let Some(state) = error.code() else {
            let is_lost = error.is_closed()
                || (error.source()).is_some_and(|source| source.is::<std::io::Error>());
            return is_lost.then_some(Self::Disconnected);
        };
        if [
            &SqlState::T_R_SERIALIZATION_FAILURE,
            &SqlState::T_R_DEADLOCK_DETECTED,
        ]
        .contains(&state)
        {
            return Some(Self::Collision);
        }
        let is_going = [
            &SqlState::ADMIN_SHUTDOWN,
            &SqlState::CRASH_SHUTDOWN,
            &SqlState::CANNOT_CONNECT_NOW,
        ];
        let is_lost = is_going.contains(&state) || state.code().starts_with("08");
        is_lost.then_some(Self::Disconnected)
    }
}

/// Converts an error of a statement or a connection.
pub(crate) fn convert_error(error: Error) -> StoreError {
    let (kind, what) = describe_error(&error);
    // The client has no kind for these two.
    let is_about = |words: &str| error.code().is_none() && what.contains(words);
    let connecting_hint = if is_about("password missing") {
        Some("name the password in PGPASSWORD")
    } else if is_about("TLS handshake") {
        Some("name the certificates that vouch for the server in PGSSLROOTCERT, and it as they do")
    } else {
        None
    };
    let store_error = StoreError::new(kind, "", what).with_source(error);
    if let Some(hint) = connecting_hint {
        return store_error.with_hint(hint);
    }
    match kind {
        StoreErrorKind::Busy => store_error.with_hint("try again, or give the server more time"),
        StoreErrorKind::ReadOnly => {
            store_error.with_hint("connect to the server that takes writes")
        }
        StoreErrorKind::NotFound => store_error.with_hint(MIGRATE_HINT),
        _ => store_error,
    }
}

/// What to do where the tables are not there, or of another version.
pub(crate) const MIGRATE_HINT: &str = "run `hardwon db migrate` as the owner of the tables";

fn describe_error(error: &Error) -> (StoreErrorKind, String) {
    let Some(said) = error.as_db_error() else {
        let cause = error.source().map(|source| format!(": {source}"));
        let cause = cause.unwrap_or_default();
        let kind = match Interruption::from_error(error) {
            Some(_) => StoreErrorKind::Unreachable,
            None => StoreErrorKind::Io,
        };
        return (
            kind,
            format!("the database server cannot be used ({error}{cause})"),
        );
    };
    let state = said.code();
    let (kind, what) = match state.code() {
        "40001" | "40P01" => (StoreErrorKind::Busy, "others kept writing for too long"),
        "55P03" => (StoreErrorKind::Busy, "another writer took too long"),
        "57014" | "25P03" | "53300" => (StoreErrorKind::Busy, "the server took too long"),
        "57P01" | "57P02" | "57P03" => (
            StoreErrorKind::Unreachable,
            "the server is starting or ending",
        ),
        "25006" => (StoreErrorKind::ReadOnly, "the server only reads"),
        "42501" => (
            StoreErrorKind::ReadOnly,
            "the role may not use these tables",
        ),
        "28000" | "28P01" => (StoreErrorKind::Io, "the server does not let this role in"),
        "53100" | "53200" => (StoreErrorKind::Full, "the server has no room"),
        "3F000" | "42P01" => (StoreErrorKind::NotFound, "the database has no store yet"),
        "54000" | "22001" | "22003" => (StoreErrorKind::Invalid, "a value is too large to be kept"),
        _ => (StoreErrorKind::Io, "the server refused a statement"),
    };
    (
        kind,
        format!("{what} ({}, {})", said.message(), state.code()),
    )
}

/// Converts an error of the pool.
pub(crate) fn convert_pool_error(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => convert_error(error),
        PoolError::Timeout(TimeoutType::Wait) => {
            let message = "all connections to the database are in use";
            StoreError::new(StoreErrorKind::Busy, "", message)
                .with_hint("try again, or allow more connections")
        }
        PoolError::Timeout(_) => {
            let message = "the database server does not answer";
            StoreError::new(StoreErrorKind::Unreachable, "", message)
        }
        other => StoreError::new(StoreErrorKind::Io, "", "the database cannot be used")
            .with_source(other),
    }
}

/// Makes the error for work that was run again in vain.
pub(crate) fn exhausted_error(last: StoreError) -> StoreError {
    let message = format!("the same work was interrupted again and again; at last, {last}");
    if last.kind() == StoreErrorKind::Unreachable {
        return StoreError::new(StoreErrorKind::Unreachable, "changing lessons", message)
            .with_source(last);
    }
    StoreError::new(StoreErrorKind::Busy, "changing lessons", message)
        .with_hint("try again, or see what the database server is doing")
        .with_source(last)
}
