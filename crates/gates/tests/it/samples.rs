//! How a value is written for a snapshot.

use jiff::Timestamp;
use serde::Serialize;

/// Writes a type's name and its JSON.
pub(crate) fn show(name: &str, value: &impl Serialize) -> String {
    format!(
        "# {name}\n{}\n\n",
        serde_json::to_string_pretty(value).unwrap()
    )
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}
