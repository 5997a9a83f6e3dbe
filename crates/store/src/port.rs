//! The port for rows: what a database does so that statements written once run on it.
//!
//! They are in the SQL that every database here understands. A statement names tables as `hardwon.NAME` and values as
//! `$1`; what its words cannot say on all of them is a word of the [database](crate::tables::TenantDatabase). Opening
//! one, transactions and the text index are each database's own.

use std::borrow::Cow;

use crate::{ColumnValue, ReadColumns, Result};

/// A statement with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement<'v> {
    /// The number of the tenant whose rows it is about, 0 for nobody's. A database may show it those rows alone.
    pub tenant: i64,
    /// What it says.
    pub sql: Cow<'v, str>,
    /// The values, of which it names the first as `$1`.
    pub values: Vec<ColumnValue<'v>>,
}

/// Reads a row.
pub type ReadRow<'r> = &'r mut dyn FnMut(&mut dyn ReadColumns) -> Result<()>;

/// Reads a row of one of several statements, which is named by its place.
pub type ReadRowOf<'r> = &'r mut dyn FnMut(usize, &mut dyn ReadColumns) -> Result<()>;

/// Reads rows.
pub trait ReadRows {
    /// Has each row read that a statement selects.
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()>;

    /// Has each row read that statements select, one statement after the other. A distant database is asked all of it
    /// at once.
    fn select_all(&self, statements: Vec<Statement<'_>>, read: ReadRowOf<'_>) -> Result<()> {
        for (place, statement) in statements.into_iter().enumerate() {
            self.select(statement, &mut |row| read(place, row))?;
        }
        Ok(())
    }
}

/// Changes rows, in a transaction.
pub trait WriteRows: ReadRows {
    /// Runs a statement of which nothing is read. Its error may come with that of a later one.
    fn execute(&self, statement: Statement<'_>) -> Result<()>;
}

/// Work in a transaction. It is told whether an attempt before may have been committed, so that it can look.
pub type RowWork<'w> = &'w mut dyn FnMut(&dyn WriteRows, bool) -> Result<()>;

/// A database of rows that are no tenant's, as those about a server's keys. It reads without a transaction.
pub trait RowDatabase: ReadRows + Send + Sync {
    /// Runs work in a transaction beside which there is no other, and commits it unless the work fails. What was
    /// interrupted is run again.
    fn write(&self, work: RowWork<'_>) -> Result<()>;
}

/// Returns what a statement selects.
pub fn select_rows<T>(
    rows: &(impl ReadRows + ?Sized),
    statement: Statement<'_>,
    mut read: impl FnMut(&mut dyn ReadColumns) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    rows.select(statement, &mut |row| {
        all.push(read(row)?);
        Ok(())
    })?;
    Ok(all)
}

/// Makes the values of a statement.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::rows::ColumnValue::from($value)),*] };
}
pub use values;
