//! Statements, values and columns as SQLite has them; what the columns mean is in [`rows`](crate::rows).

use rusqlite::{
    Connection, Row, ToSql, params_from_iter,
    types::{FromSql, ToSqlOutput, ValueRef},
};

use crate::{
    ColumnValue, ReadColumns, ReadRow, ReadRows, Result, Statement, WriteRows, damaged_error,
};

/// Reads columns one after another.
pub(super) struct ColumnReader<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> ColumnReader<'r, 's> {
    pub(super) fn new(row: &'r Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn next_value<T: FromSql>(&mut self) -> Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }
}

impl ReadColumns for ColumnReader<'_, '_> {
    fn next_optional_integer(&mut self) -> Result<Option<i64>> {
        self.next_value()
    }

    fn next_optional_string(&mut self) -> Result<Option<String>> {
        self.next_value()
    }

    fn next_real(&mut self) -> Result<f64> {
        self.next_value()
    }

    fn next_flag(&mut self) -> Result<bool> {
        self.next_value()
    }

    fn next_optional_bytes(&mut self) -> Result<Option<&[u8]>> {
        let value = self.row.get_ref(self.next)?.as_bytes_or_null();
        self.next += 1;
        value.map_err(|error| damaged_error(format!("a value is no bytes ({error})")))
    }
}

/// Writes a statement as SQLite has it.
pub(super) fn translate(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut from = 0;
    for at in memchr::memchr2_iter(b'$', b'.', sql.as_bytes()) {
        let before = &sql[from..at];
        match before.strip_suffix("hardwon") {
            _ if sql[at..].starts_with('$') => text.extend([before, "?"]),
            Some(before) => text.extend([before, "main."]),
            None => text.extend([before, "."]),
        }
        from = at + 1;
    }
    text + &sql[from..]
}

impl ReadRows for Connection {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        let mut select = self.prepare_cached(&translate(&statement.sql))?;
        let mut rows = select.query(params_from_iter(&statement.values))?;
        while let Some(row) = rows.next()? {
            read(&mut ColumnReader::new(row))?;
        }
        Ok(())
    }
}

impl WriteRows for Connection {
    fn execute(&self, statement: Statement<'_>) -> Result<()> {
        let mut change = self.prepare_cached(&translate(&statement.sql))?;
        change.execute(params_from_iter(&statement.values))?;
        Ok(())
    }
}

impl ToSql for ColumnValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Integer(value) => return value.to_sql(),
            Self::Text(None) => ValueRef::Null,
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Flag(value) => ValueRef::Integer(i64::from(*value)),
            Self::Bytes(None) => ValueRef::Null,
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Integers(list) => return Ok(ToSqlOutput::from(format!("{list:?}"))),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
