//! The form of words for tables and columns that were guessed wrong.

use super::{Words, steps, times};
use crate::{
    capture::Schema,
    distil::words::{code, codes, list},
    lesson::Cause,
};

pub(super) fn from_schema(schema: &Schema) -> Option<Words> {
    let tables = codes(&schema.tables, "and");
    let mut facts: Vec<String> = Vec::new();
    if !schema.missing_tables.is_empty() {
        facts.push(format!(
            "There is no table {}; the query that ran reads {tables}.",
            codes(&schema.missing_tables, "or")
        ));
    }
    for table in distinct(schema.missing_columns.iter().map(|(_, table)| table)) {
        let columns: Vec<String> = schema
            .missing_columns
            .iter()
            .filter(|(_, of)| *of == table)
            .map(|(column, _)| column.clone())
            .collect();
        facts.push(format!(
            "{} has no column {}.",
            code(&table),
            codes(&columns, "or")
        ));
    }
    if !schema.missing_columns.is_empty() && !schema.columns.is_empty() {
        facts.push(format!(
            "The query that ran names {}.",
            codes(&schema.columns, "and")
        ));
    }
    if facts.is_empty()
        || (schema.missing_columns.iter().len() > 0
            && schema.columns.is_empty()
            && schema.missing_tables.is_empty())
    {
        return None;
    }
    let advice = if schema.looked_up {
        "Look up the tables and columns before the first query."
    } else {
        "Check names against the schema before querying."
    };
    let title = match (schema.missing_tables.as_slice(), schema.tables.as_slice()) {
        ([missing], [table]) => format!("Query the table {}, not {}", code(table), code(missing)),
        ([], [table]) => format!("Look up the columns of {} before querying it", code(table)),
        _ => "Look up table and column names before the first query".to_owned(),
    };
    let missing: Vec<String> = schema
        .missing_tables
        .iter()
        .cloned()
        .chain(
            schema
                .missing_columns
                .iter()
                .map(|(column, table)| format!("{table}.{column}")),
        )
        .collect();
    Some(Words {
        title,
        signature: format!(
            "{} (no such table or column: {})",
            schema.tool,
            list(&missing, "or")
        ),
        text: format!("{} {advice}", facts.join(" ")),
        situation: Some(format!("Querying {tables}.")),
        mistake: Some("Names of tables or columns were guessed.".to_owned()),
        tags: [
            vec!["sql".to_owned(), "schema".to_owned()],
            schema.tables.iter().take(4).cloned().collect(),
        ]
        .concat(),
        tools: vec![schema.tool.clone()],
        cause: Cause::Error,
        confidence: if schema.looked_up { 0.7 } else { 0.6 },
        note: format!(
            "failed {}, ran {} later",
            times(schema.failures),
            steps(schema.steps)
        ),
        names_failure: true,
    })
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}
