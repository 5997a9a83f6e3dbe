//! Finds SQL statements that named missing tables or columns, and the one that then ran.
//!
//! The run itself shows the fix: the names that the later statement used, and that the schema was looked up first.
//! Only names are taken from the statements, never their literals, and nothing that the database answered.

use super::{
    fix,
    parsed_run::{ParsedRun, RunCall},
};
use crate::{
    limits,
    shell::is_listed,
    trace::{effect, family::FailureFamily},
};

/// What a run learned about a database's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFix {
    /// The tool that ran the statements.
    pub tool: String,
    /// Tables that do not exist.
    pub missing_tables: Vec<String>,
    /// Columns that do not exist, each with the table if the statement read only one.
    pub missing_columns: Vec<(String, String)>,
    /// The tables that the working statement reads.
    pub tables: Vec<String>,
    /// The columns that the working statement names and the failed ones did not.
    pub columns: Vec<String>,
    /// Whether the run looked at the schema in between.
    pub looked_up: bool,
    /// How many statements failed.
    pub failures: u32,
    /// How many calls it took from the first failure to the statement that ran.
    pub steps: u32,
}

/// Finds the schema episodes of a run, each with the indexes of the failed calls it explains.
pub(super) fn find_schema_fixes(reading: &ParsedRun<'_>) -> Vec<(SchemaFix, Vec<usize>)> {
    let mut fixes = Vec::new();
    let mut from = 0;
    while from < reading.calls.len() {
        let found = find_schema_fix_at(reading, from);
        from = found.as_ref().map_or(from + 1, |(_, _, next)| *next);
        fixes.extend(found.map(|(schema, failures, _)| (schema, failures)));
    }
    fixes
}

fn find_schema_fix_at(
    reading: &ParsedRun<'_>,
    from: usize,
) -> Option<(SchemaFix, Vec<usize>, usize)> {
    let first = &reading.calls[from];
    if !is_schema_failure(first) {
        return None;
    }
    let mut failures = vec![from];
    let mut looked_up = false;
    let end = reading.calls.len().min(from + 1 + limits::FIX_WINDOW);
    for index in from + 1..end {
        let call = &reading.calls[index];
        let Some(text) = find_statement(call).filter(|_| call.call.tool == first.call.tool) else {
            continue;
        };
        if is_schema_failure(call) {
            failures.push(index);
        } else if call.has_worked() && is_schema_lookup(text) {
            looked_up = true;
        } else if call.has_worked() {
            let schema = build_schema_fix(reading, &failures, index, looked_up)?;
            return Some((schema, failures, index + 1));
        }
    }
    None
}

fn find_statement<'a>(run_call: &'a RunCall<'_>) -> Option<&'a str> {
    let text = fix::statement_text(run_call);
    (run_call.call.line().is_none() && effect::is_sql(text)).then_some(text)
}

fn is_schema_failure(run_call: &RunCall<'_>) -> bool {
    let family = run_call.failure.as_ref().map(|failure| failure.family);
    matches!(
        family,
        Some(FailureFamily::SqlTable | FailureFamily::SqlColumn)
    ) && find_statement(run_call).is_some()
}

fn is_schema_lookup(text: &str) -> bool {
    let lower = text.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    is_listed("show describe desc pragma explain", first)
        || lower.contains("information_schema")
        || lower.contains("sqlite_master")
}

fn build_schema_fix(
    reading: &ParsedRun<'_>,
    failures: &[usize],
    ran: usize,
    looked_up: bool,
) -> Option<SchemaFix> {
    let good = SqlNames::parse(find_statement(&reading.calls[ran])?);
    let mut schema = SchemaFix {
        tool: reading.calls[ran].call.tool.clone(),
        missing_tables: Vec::new(),
        missing_columns: Vec::new(),
        tables: good.tables.clone(),
        columns: Vec::new(),
        looked_up,
        failures: u32::try_from(failures.len()).unwrap_or(u32::MAX),
        steps: u32::try_from(ran - failures[0]).unwrap_or(u32::MAX),
    };
    let mut missing: Vec<String> = Vec::new();
    for index in failures {
        let call = &reading.calls[*index];
        let names = SqlNames::parse(find_statement(call)?);
        missing.extend(names.columns.iter().cloned());
        note_missing(&mut schema, call, &names);
    }
    let has = |list: &[String], name: &str| find_name(list, name).is_some();
    let SchemaFix {
        missing_tables,
        missing_columns,
        ..
    } = &mut schema;
    missing_tables.retain(|name| !has(&good.tables, name));
    missing_columns.retain(|(name, _)| !has(&good.columns, name));
    let tells = !missing_tables.is_empty() || !missing_columns.is_empty();
    let columns = good.columns.iter().filter(|name| !has(&missing, name));
    schema.columns = columns.cloned().collect();
    (tells && !schema.tables.is_empty() && is_same_question(&schema, &good, &missing))
        .then_some(schema)
}

fn find_name(list: &[String], name: &str) -> Option<String> {
    let mut list = list.iter();
    list.find(|known| known.eq_ignore_ascii_case(name)).cloned()
}

fn note_missing(schema: &mut SchemaFix, run_call: &RunCall<'_>, names: &SqlNames) {
    let failure = run_call.failure.as_ref();
    let subject = failure.and_then(|failure| failure.subject.as_deref());
    let (Some(failure), Some(subject)) = (failure, subject) else {
        return;
    };
    let name = subject.rsplit('.').next().unwrap_or(subject);
    if failure.family == FailureFamily::SqlTable {
        let table = find_name(&names.tables, name);
        let table = table.filter(|table| !schema.missing_tables.contains(table));
        schema.missing_tables.extend(table);
    } else if let [table] = names.tables.as_slice() {
        let pair = find_name(&names.columns, name).map(|name| (name, table.clone()));
        let pair = pair.filter(|pair| !schema.missing_columns.contains(pair));
        schema.missing_columns.extend(pair);
    }
}

/// Returns whether the working statement asks what the failed ones asked: it reads a table that was meant, or uses a
/// name that was used.
fn is_same_question(schema: &SchemaFix, good: &SqlNames, tried: &[String]) -> bool {
    let close = |one: &String, two: &String| {
        let (one, two) = (normalize_name(one), normalize_name(two));
        let is_part = |one: &String, two: &String| one.len() >= 3 && two.contains(one.as_str());
        one == two || is_part(&one, &two) || is_part(&two, &one)
    };
    let is_any_close = |tried: &[String], good: &[String]| {
        let mut names = tried.iter();
        names.any(|name| good.iter().any(|good| close(name, good)))
    };
    let mut columns = schema.missing_columns.iter();
    is_any_close(&schema.missing_tables, &good.tables)
        || columns.any(|(_, table)| find_name(&good.tables, table).is_some())
        || is_any_close(tried, &good.columns)
}

fn normalize_name(name: &str) -> String {
    let name = name.to_lowercase();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    name.strip_suffix('s').unwrap_or(&name).to_owned()
}

/// The table and column names in a statement.
struct SqlNames {
    tables: Vec<String>,
    columns: Vec<String>,
}

const KEYWORDS: &str = "select from where and or not in is null as on join inner left right outer full cross natural using \
    group order by having limit offset asc desc distinct union all any some exists between like case when then else end \
    insert into values update set delete create table drop alter with recursive over partition rows range interval \
    except intersect top fetch first next only true false count sum avg min max cast convert if ifnull coalesce";

impl SqlNames {
    /// Parses a statement roughly: what follows `FROM`, `JOIN`, `INTO`, `UPDATE` is a table (or a table and its
    /// alias); every other name that is no keyword, function, alias or literal is a column.
    fn parse(text: &str) -> Self {
        let tokens = tokenize_sql(text);
        let mut names = Self {
            tables: Vec::new(),
            columns: Vec::new(),
        };
        let mut aliases: Vec<String> = Vec::new();
        let mut expects_table = false;
        for (index, token) in tokens.iter().enumerate() {
            let lower = token.to_lowercase();
            let previous = index.checked_sub(1).map(|at| tokens[at].to_lowercase());
            let next = tokens.get(index + 1).map(String::as_str);
            if is_listed("from join into update", &lower) {
                expects_table = true;
            } else if !is_sql_name(token) {
                expects_table &= token == "," || token == ".";
            } else if is_listed(KEYWORDS, &lower) {
                expects_table = false;
            } else if expects_table && next != Some(".") {
                add_name(&mut names.tables, token);
                expects_table = next == Some(",");
                let is_as = next.is_some_and(|word| word.eq_ignore_ascii_case("as"));
                let alias = tokens.get(index + 1 + usize::from(is_as));
                let is_alias = |word: &&String| {
                    is_sql_name(word) && !is_listed(KEYWORDS, &word.to_lowercase())
                };
                aliases.extend(alias.filter(is_alias).cloned());
            } else if previous.as_deref() == Some("as") {
                aliases.push(token.clone());
            } else if next != Some("(") && next != Some(".") && !expects_table {
                add_name(&mut names.columns, token);
            }
        }
        let is_table = |name: &String| aliases.contains(name) || names.tables.contains(name);
        names.columns.retain(|name| !is_table(name));
        names
    }
}

fn add_name(list: &mut Vec<String>, name: &str) {
    if list.len() < limits::SCHEMA_NAMES && !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

fn is_sql_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && token.len() <= 64
}

/// Splits a statement into names and punctuation; string literals are dropped, quoted names unquoted.
fn tokenize_sql(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' || c == '"' {
            let inner: String = chars.by_ref().take_while(|next| *next != c).collect();
            // In SQL proper a double-quoted word is a name, in MySQL a literal: only a name-like one
            // after a dot or a comma could matter, and leaving it out never invents anything.
            tokens.push(if inner.is_empty() { "''" } else { "'…'" }.to_owned());
        } else if c == '`' || c == '[' {
            let close = if c == '`' { '`' } else { ']' };
            tokens.push(chars.by_ref().take_while(|next| *next != close).collect());
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = String::from(c);
            while let Some(next) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                word.push(next);
            }
            tokens.push(word);
        } else if !c.is_whitespace() {
            tokens.push(c.to_string());
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_statements() {
        for (text, tables, columns) in [
            ("SELECT a, b FROM t WHERE c = 'x y'", "t", "a b c"),
            (
                "SELECT p.Name FROM people p JOIN poker AS k ON p.id = k.pid ORDER BY k.made",
                "people poker",
                "Name id pid made",
            ),
            ("SELECT count(*) AS n FROM `my table`", "my table", ""),
            (
                "SELECT a FROM x WHERE b IN (SELECT c FROM y)",
                "x y",
                "a b c",
            ),
            ("SELECT a FROM shop.orders", "orders", "a"),
            ("UPDATE t SET a = 1", "t", "a"),
        ] {
            let names = SqlNames::parse(text);
            assert_eq!(
                (names.tables.join(" "), names.columns.join(" ")),
                (tables.to_owned(), columns.to_owned()),
                "{text}"
            );
        }
    }
}
