//! Fix pairs of tools that are no shell: which argument made the call work.
//!
//! Values are data of the task and stay out; argument names are the tool's interface. An argument
//! that merely points at something (an id, a path, a query) being right the second time teaches
//! nothing, for the next task has another.

use serde_json::{Map, Value};

use super::{
    Difference, Skip,
    fix::{self, Fix},
    reading::{Reading, Seen},
    show,
};
use crate::{
    limits,
    trace::{call::Args, effect::Effect, family::Family, shell::is_listed},
};

mod dialect;

/// Finds what got over the failed tool call at `index`.
pub(super) fn find(reading: &Reading<'_>, index: usize) -> Result<Fix, Skip> {
    let failed = &reading.calls[index];
    let failure = failed.failure.as_ref().ok_or(Skip::Unclear)?;
    let edits = failed.effect == Effect::Edits;
    let family = match failure.family {
        Family::CodeFailed if edits => Family::EditSyntax,
        family => family,
    };
    if family == Family::FileMissing {
        return Err(Skip::Guess);
    }
    fix::unteachable(family)?;
    let end = reading.calls.len().min(index + 1 + limits::FIX_WINDOW);
    for later in index + 1..end {
        let seen = &reading.calls[later];
        if !reading.is_whole(index, later) || seen.call.tool != failed.call.tool || !seen.worked() {
            continue;
        }
        let found = match (&failed.call.args, &seen.call.args) {
            _ if failed.args == seen.args => return Err(Skip::Transient),
            (Args::Named(one), Args::Named(two)) => {
                between_named(one, two, family, failed_text(reading, index))
            }
            _ if family == Family::Sql => {
                dialect::find(one_of(failed), one_of(seen), failed_text(reading, index))
            }
            (Args::Text(one), Args::Text(two)) => between_texts(one, two, family),
            _ => None,
        };
        let Some(difference) = found else {
            // The same tool working on something else ends the search.
            return Err(if family == Family::EditSyntax {
                Skip::EditSlip
            } else {
                Skip::Guess
            });
        };
        if !difference.is_settled_by(reading, failed, seen) {
            return Err(Skip::Flaky);
        }
        return Ok(fix::made(reading, index, later, failure, difference));
    }
    Err(if family == Family::EditSyntax {
        Skip::EditSlip
    } else {
        Skip::Unsolved
    })
}

/// Returns the statement or other text of a call.
fn one_of<'a>(seen: &'a Seen<'_>) -> &'a str {
    match &seen.call.args {
        Args::Text(text) | Args::Shell(text, _) => text,
        Args::Named(named) => ["query", "sql", "statement"]
            .iter()
            .find_map(|key| named.get(*key)?.as_str())
            .unwrap_or_default(),
    }
}

fn failed_text<'a>(reading: &Reading<'a>, index: usize) -> &'a str {
    reading.calls[index].error
}

fn between_texts(one: &str, two: &str, family: Family) -> Option<Difference> {
    let letters = |text: &str| -> String { text.split_whitespace().collect() };
    (family == Family::EditSyntax && letters(one) == letters(two))
        .then_some(Difference::Indentation)
}

fn between_named(
    one: &Map<String, Value>,
    two: &Map<String, Value>,
    family: Family,
    error: &str,
) -> Option<Difference> {
    let only_in = |one: &Map<String, Value>, two: &Map<String, Value>| -> Vec<String> {
        one.keys()
            .filter(|key| !two.contains_key(*key) && is_key(key))
            .cloned()
            .collect()
    };
    let removed = only_in(one, two);
    let added = only_in(two, one);
    let changed: Vec<&String> = one
        .iter()
        .filter(|(key, value)| two.get(*key).is_some_and(|other| other != *value))
        .map(|(key, _)| key)
        .collect();
    if family == Family::EditSyntax {
        let same_letters = |key: &&String| letters_of(&one[*key]) == letters_of(&two[*key]);
        return (removed.is_empty()
            && added.is_empty()
            && !changed.is_empty()
            && changed.iter().all(same_letters))
        .then_some(Difference::Indentation);
    }
    if changed.is_empty()
        && (1..=2).contains(&(removed.len() + added.len()))
        && is_about_call(family, error, &removed, &added)
    {
        return Some(Difference::Keys { removed, added });
    }
    let [key] = changed.as_slice() else {
        return None;
    };
    if !removed.is_empty() || !added.is_empty() || one.len() < 2 || points(key) || !is_key(key) {
        return None;
    }
    let about = match family {
        Family::Rule | Family::Usage => true,
        Family::Other => {
            error
                .to_lowercase()
                .contains(&key.to_lowercase().replace('_', " "))
                || error.contains(key.as_str())
        }
        _ => false,
    };
    about.then(|| Difference::Value {
        key: (*key).clone(),
        values: words(&one[*key], &two[*key]),
    })
}

fn letters_of(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect()
}

/// Missing and surplus arguments are a matter of the call when the error is about arguments.
fn is_about_call(family: Family, error: &str, removed: &[String], added: &[String]) -> bool {
    let named = removed
        .iter()
        .chain(added)
        .any(|key| error.contains(key.as_str()));
    named || matches!(family, Family::Usage | Family::OptionUnknown)
}

fn is_key(key: &str) -> bool {
    key.len() <= 40
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Returns whether an argument points at something of the task.
fn points(key: &str) -> bool {
    const POINTERS: &str = "id ids name path file file_path filename url uri query q pattern email phone zip text content \
        message prompt description command code old_string new_string old_str new_str expression thought title body \
        entity key search date time address number to from subject recipient location city user keyword keywords";
    let key = key.to_lowercase();
    is_listed(POINTERS, &key)
        || [
            "_id", "_ids", "_name", "_path", "_url", "_email", "_number", "_date", "_file",
        ]
        .iter()
        .any(|end| key.ends_with(end))
}

/// Values are shown only when both are plain words of a kind, such as `economy` and `business`.
fn words(one: &Value, two: &Value) -> Option<(String, String)> {
    let word = |value: &Value| match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::String(text)
            if show::is_harmless(text)
                && text
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_' || c == '-') =>
        {
            Some(text.clone())
        }
        _ => None,
    };
    Some((word(one)?, word(two)?))
}
