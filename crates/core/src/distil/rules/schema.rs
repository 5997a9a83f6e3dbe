//! The wording for tables and columns that were guessed wrong.

use super::{DraftWording, format_calls, format_times};
use crate::{
    capture::SchemaFix,
    distil::words::{code_span, join_code_spans, join_list},
    lesson::Cause,
};

pub(super) fn from_schema(schema: &SchemaFix) -> Option<DraftWording> {
    let tables = join_code_spans(&schema.tables, "and");
    let mut facts: Vec<String> = Vec::new();
    if !schema.missing_tables.is_empty() {
        facts.push(format!(
            "There is no table {}; the query that ran reads {tables}.",
            join_code_spans(&schema.missing_tables, "or")
        ));
    }
    for table in collect_distinct(schema.missing_columns.iter().map(|(_, table)| table)) {
        let columns: Vec<String> = schema
            .missing_columns
            .iter()
            .filter(|(_, of)| *of == table)
            .map(|(column, _)| column.clone())
            .collect();
        facts.push(format!(
            "{} has no column {}.",
            code_span(&table),
            join_code_spans(&columns, "or")
        ));
    }
    if !schema.missing_columns.is_empty() && !schema.columns.is_empty() {
        facts.push(format!(
            "The query that ran names {}.",
            join_code_spans(&schema.columns, "and")
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
        ([missing], [table]) => format!(
            "Query the table {}, not {}",
            code_span(table),
            code_span(missing)
        ),
        ([], [table]) => format!(
            "Look up the columns of {} before querying it",
            code_span(table)
        ),
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
    Some(DraftWording {
        title,
        signature: format!(
            "{} (no such table or column: {})",
            schema.tool,
            join_list(&missing, "or")
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
