//! Read-only access to another program's database.
//!
//! It is not a store: nothing is created, marked or migrated in it, and SQLite opens it read-only, which makes no more
//! than its own shared memory beside a file that is in use. Its writers never wait for us, and we wait for them a
//! moment only. The caller knows what its tables mean.

use std::{ops::ControlFlow, path::Path};

use rusqlite::{Connection, OpenFlags, params_from_iter, types::ValueRef};

use super::waiting::LockPatience;
use crate::{Result, StoreError, StoreErrorKind, regular_file::check_regular};

/// The action that errors name.
const READING_ACTION: &str = "looking into the database";

/// A row: each value as text; `None` for `NULL` and for values that are neither text nor numbers.
pub type TextRow = Vec<Option<String>>;

/// Another program's database, as it was when it was opened: later writes are not seen.
#[derive(Debug)]
pub struct ForeignDatabase(Connection);

impl ForeignDatabase {
    /// Opens an existing database.
    ///
    /// # Errors
    ///
    /// `NotFound` if it does not exist, `Damaged` if it is no database, `Busy` while another process keeps it locked,
    /// `ReadOnly` where the files beside a database in use can be neither read nor created.
    pub fn open(path: &Path) -> Result<Self> {
        let open = || -> Result<Self> {
            check_regular(path)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let mut conn = Connection::open_with_flags(path, flags)?;
            conn.busy_handler(Some(LockPatience::Hook.busy_handler()))?;
            conn.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
            Ok(Self(conn))
        };
        open().map_err(explain_error)
    }

    /// Returns whether a table with all these columns exists.
    pub fn has_columns(&self, table: &str, columns: &[&str]) -> Result<bool> {
        let mut matches = 0;
        let sql = "SELECT name FROM pragma_table_info(?1)";
        self.for_each_row(sql, &[table], &mut |row| {
            let name = row.into_iter().next().flatten().unwrap_or_default();
            matches += usize::from(columns.contains(&name.as_str()));
            ControlFlow::Continue(())
        })?;
        Ok(matches == columns.len())
    }

    /// Calls `take` with each row of a query, until it returns `Break`.
    pub fn for_each_row(
        &self,
        sql: &str,
        parameters: &[&str],
        take: &mut dyn FnMut(TextRow) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.0.prepare_cached(sql)?;
            let columns = statement.column_count();
            let mut rows = statement.query(params_from_iter(parameters))?;
            while let Some(row) = rows.next()? {
                let values = (0..columns).map(|at| Ok(value_to_text(row.get_ref(at)?)));
                let values = values.collect::<rusqlite::Result<_>>()?;
                if take(values).is_break() {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(|error| explain_error(error.into()))
    }
}

fn value_to_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// Rewords a store error for a database of another program.
fn explain_error(error: StoreError) -> StoreError {
    let message = match error.kind() {
        StoreErrorKind::Damaged => "it is no database, or damaged",
        StoreErrorKind::Busy => "it is locked by the program that writes it; try again later",
        StoreErrorKind::ReadOnly | StoreErrorKind::Io => {
            "it cannot be opened, or the files beside it that a database in use needs"
        }
        _ => return error.with_action(READING_ACTION),
    };
    StoreError::new(error.kind(), READING_ACTION, message).with_source(error)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn columns_of(path: &Path) -> Result<bool> {
        ForeignDatabase::open(path)?.has_columns("session", &["id", "directory"])
    }

    fn made(path: &Path, sql: &str) -> Connection {
        let conn = Connection::open(path).unwrap();
        conn.execute_batch(sql).unwrap();
        conn
    }

    const SESSIONS: &str = "CREATE TABLE session (id TEXT, directory TEXT, data BLOB); \
         INSERT INTO session VALUES ('a', NULL, x'00'), ('b', 7, 'text'), ('c', 'd', 'e')";

    #[test]
    fn a_database_of_others_is_read_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("theirs.db");
        let writer = made(&path, &format!("PRAGMA journal_mode = WAL; {SESSIONS}"));
        let reader = ForeignDatabase::open(&path).unwrap();
        assert!(reader.has_columns("session", &["id", "data"]).unwrap());
        assert!(!reader.has_columns("session", &["id", "gone"]).unwrap());
        assert!(!reader.has_columns("message", &["id"]).unwrap());
        // Its program keeps writing meanwhile.
        writer.execute("DELETE FROM session", []).unwrap();
        let mut rows = Vec::new();
        let sql = "SELECT * FROM session WHERE id >= ?1 ORDER BY id";
        let mut take = |row: TextRow| {
            rows.push(row.into_iter().map(Option::unwrap_or_default).collect());
            match rows.len() {
                2 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        reader.for_each_row(sql, &["a"], &mut take).unwrap();
        let rows: Vec<Vec<String>> = rows;
        assert_eq!(rows, [["a", "", ""], ["b", "7", "text"]]);
        let delete = "DELETE FROM session";
        assert!(
            reader
                .for_each_row(delete, &[], &mut |_| ControlFlow::Continue(()))
                .is_err()
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("text.db"), "no database at all\n".repeat(100)).unwrap();
        let locked = made(&path("locked.db"), SESSIONS);
        locked.execute_batch("BEGIN EXCLUSIVE").unwrap();
        for (name, expected) in [
            ("gone.db", StoreErrorKind::NotFound),
            ("text.db", StoreErrorKind::Damaged),
            ("locked.db", StoreErrorKind::Busy),
        ] {
            assert_eq!(
                columns_of(&path(name)).unwrap_err().kind(),
                expected,
                "{name}"
            );
        }
        assert!(!path("gone.db").exists());
        locked.execute_batch("COMMIT").unwrap();
        assert!(columns_of(&path("locked.db")).unwrap());
    }
}
