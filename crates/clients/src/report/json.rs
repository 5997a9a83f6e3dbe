//! Reads members of JSON that others wrote: absent, empty and of another type are all one.

use serde_json::Value;

use super::ReportError;

pub(super) fn parse_json(text: &str) -> Result<Value, ReportError> {
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| ReportError::new(format!("it is not JSON: {error}")))
}

/// Returns the first of these members that is a text with something in it.
pub(super) fn find_text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    let texts = names.iter().filter_map(|name| value.get(name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty())
}

/// Returns the first of these members that is a list.
pub(super) fn find_list<'v>(value: &'v Value, names: &[&str]) -> &'v [Value] {
    let mut lists = names.iter().filter_map(|name| value.get(name)?.as_array());
    lists.next().map_or(&[], Vec::as_slice)
}

/// Returns a number that is written as one or as a text.
pub(super) fn find_number(value: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| match value.get(name)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    })
}

/// Returns a place as `file:line`, of whatever names its parts have.
pub(super) fn find_place(value: &Value) -> Option<String> {
    let file = find_text(value, &["file_path", "path", "file", "root_cause_file"])?;
    let line = find_number(value, &["line", "root_cause_line"]);
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}
