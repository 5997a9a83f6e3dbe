//! Values on their way into statements, and columns on their way out.
//!
//! Every value names its type, so that a statement means the same whether it was prepared or not. PostgreSQL's text
//! cannot hold the character NUL, which a lesson's can: it is written as two control characters.

use std::borrow::Cow;

use hardwon_store::{ColumnValue, ReadColumns, ReadRow, Result, backend::damaged_error};
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

/// The character that begins a pair which stands for another one.
const ESCAPE: char = '\u{1}';
/// What follows it for NUL, and for the character itself.
const ESCAPED_NUL: char = '\u{2}';
const ESCAPED_ESCAPE: char = '\u{3}';

/// Returns a text as it is stored.
pub(crate) fn escape_text(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut new_text = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => new_text.extend([ESCAPE, ESCAPED_NUL]),
            ESCAPE => new_text.extend([ESCAPE, ESCAPED_ESCAPE]),
            other => new_text.push(other),
        }
    }
    Cow::Owned(new_text)
}

/// Returns a stored text as it was.
fn unescape_text(stored: String) -> String {
    if !stored.contains(ESCAPE) {
        return stored;
    }
    let mut text = String::with_capacity(stored.len());
    let mut left = stored.chars();
    while let Some(character) = left.next() {
        match character {
            ESCAPE if left.next() == Some(ESCAPED_NUL) => text.push('\0'),
            other => text.push(other),
        }
    }
    text
}

/// A value of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlValue {
    Integer(Option<i64>),
    Text(Option<String>),
    Real(f64),
    Flag(bool),
    Bytes(Option<Vec<u8>>),
    Integers(Vec<i64>),
    Texts(Vec<Option<String>>),
    ByteLists(Vec<Option<Vec<u8>>>),
}

impl SqlValue {
    /// Returns the value's type.
    pub(crate) fn sql_type(&self) -> Type {
        match self {
            Self::Integer(_) => Type::INT8,
            Self::Text(_) => Type::TEXT,
            Self::Real(_) => Type::FLOAT8,
            Self::Flag(_) => Type::BOOL,
            Self::Bytes(_) => Type::BYTEA,
            Self::Integers(_) => Type::INT8_ARRAY,
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::ByteLists(_) => Type::BYTEA_ARRAY,
        }
    }

    fn from_column(value: ColumnValue<'_>) -> Self {
        match value {
            ColumnValue::Integer(value) => Self::Integer(value),
            ColumnValue::Text(value) => {
                Self::Text(value.map(|text| escape_text(&text).into_owned()))
            }
            ColumnValue::Real(value) => Self::Real(value),
            ColumnValue::Flag(value) => Self::Flag(value),
            ColumnValue::Bytes(value) => Self::Bytes(value.map(Cow::into_owned)),
            ColumnValue::Integers(list) => Self::Integers(list),
        }
    }

    /// Makes an array of texts.
    pub(crate) fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self::from_optional_texts(texts.into_iter().map(Some))
    }

    /// Makes an array of texts, some of which may be missing.
    pub(crate) fn from_optional_texts<'t>(
        texts: impl IntoIterator<Item = Option<&'t str>>,
    ) -> Self {
        let store = |it: Option<&str>| it.map(|text| escape_text(text).into_owned());
        Self::Texts(texts.into_iter().map(store).collect())
    }
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Integer(value) => value.to_sql(kind, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Real(value) => value.to_sql(kind, out),
            Self::Flag(value) => value.to_sql(kind, out),
            Self::Bytes(value) => value.to_sql(kind, out),
            Self::Integers(value) => value.to_sql(kind, out),
            Self::Texts(value) => value.to_sql(kind, out),
            Self::ByteLists(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'v, T> From<T> for SqlValue
where
    ColumnValue<'v>: From<T>,
{
    fn from(value: T) -> Self {
        Self::from_column(ColumnValue::from(value))
    }
}

/// Returns values of the port.
pub(crate) fn convert_values(values: Vec<ColumnValue<'_>>) -> Vec<SqlValue> {
    values.into_iter().map(SqlValue::from).collect()
}

/// Has rows read.
pub(crate) fn read_rows(rows: &[Row], read: ReadRow<'_>) -> Result<()> {
    rows.iter()
        .try_for_each(|row| read(&mut RowColumns::new(row)))
}

/// Makes the values of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::values::SqlValue::from($value)),*] };
}
pub(crate) use values;

/// Reads columns one after another.
pub(crate) struct RowColumns<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> RowColumns<'r> {
    pub(crate) fn new(row: &'r Row) -> Self {
        Self { row, next: 0 }
    }

    fn next_value<T: FromSql<'r>>(&mut self) -> Result<T> {
        let value = self.row.try_get(self.next);
        self.next += 1;
        value.map_err(|error| damaged_error(format!("a row has another form ({error})")))
    }

    /// Reads a list of whole numbers.
    pub(crate) fn next_integers(&mut self) -> Result<Vec<i64>> {
        self.next_value()
    }
}

impl ReadColumns for RowColumns<'_> {
    fn next_optional_integer(&mut self) -> Result<Option<i64>> {
        self.next_value()
    }

    fn next_optional_string(&mut self) -> Result<Option<String>> {
        Ok(self.next_value::<Option<String>>()?.map(unescape_text))
    }

    fn next_real(&mut self) -> Result<f64> {
        self.next_value()
    }

    fn next_flag(&mut self) -> Result<bool> {
        self.next_value()
    }

    fn next_optional_bytes(&mut self) -> Result<Option<&[u8]>> {
        self.next_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_comes_back_as_it_went_in(text in "[a\0\u{1}\u{2}\u{3}é]{0,12}") {
            let stored = escape_text(&text).into_owned();
            prop_assert!(!stored.contains('\0'));
            prop_assert_eq!(unescape_text(stored), text);
        }
    }
}
