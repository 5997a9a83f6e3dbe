//! The wording for tables and columns that were guessed wrong.

use super::{DraftWording, format_calls, format_times};
use crate::{
    capture::SchemaFix,
    distil::words::{code_span, join_code_spans, join_list},
    lesson::Cause,
};

pub(super) fn from_schema(schema: &SchemaFix) -> Option<DraftWording> {
    let tables = join_code_spans(&schema.tables, "and");
    let missing_columns = schema.missing_columns.iter();
    let mut facts: Vec<String> = Vec::new();
    if !schema.missing_tables.is_empty() {
        let missing = join_code_spans(&schema.missing_tables, "or");
        facts.push(format!(
            "There is no table {missing}; the query that ran reads {tables}."
        ));
    } else if schema.columns.is_empty() {
        return None;
    }
    for table in collect_distinct(missing_columns.clone().map(|(_, table)| table)) {
        let of_table = missing_columns.clone().filter(|(_, of)| *of == table);
        let columns: Vec<String> = of_table.map(|(column, _)| column.clone()).collect();
        let columns = join_code_spans(&columns, "or");
        facts.push(format!("{} has no column {columns}.", code_span(&table)));
    }
    if !schema.missing_columns.is_empty() && !schema.columns.is_empty() {
        let columns = join_code_spans(&schema.columns, "and");
        facts.push(format!("The query that ran names {columns}."));
    }
    if facts.is_empty() {
        return None;
    }
    let advice = if schema.looked_up {
        "Look up the tables and columns before the first query."
    } else {
        "Check names against the schema before querying."
    };
    let title = match (schema.missing_tables.as_slice(), schema.tables.as_slice()) {
        ([_], [_]) => {
            let missing = join_code_spans(&schema.missing_tables, "or");
            format!("Query the table {tables}, not {missing}")
        }
        ([], [_]) => format!("Look up the columns of {tables} before querying it"),
        _ => "Look up table and column names before the first query".to_owned(),
    };
    let columns = missing_columns.map(|(column, table)| format!("{table}.{column}"));
    let missing: Vec<String> = schema
        .missing_tables
        .iter()
        .cloned()
        .chain(columns)
        .collect();
    let missing = join_list(&missing, "or");
    Some(DraftWording {
        title,
        signature: format!("{} (no such table or column: {missing})", schema.tool),
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
            format_times(schema.failures),
            format_calls(schema.steps)
        ),
        names_failure: true,
    })
}

fn collect_distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}
