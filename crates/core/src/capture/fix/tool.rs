//! Finds fix pairs of tools that are no shell: which argument made the call work.
//!
//! Values are data of the task and are left out; argument names are the tool's interface. If only an argument that
//! points at something (an id, a path, a query) was right the second time, that teaches nothing, because the next
//! task has another value.

use serde_json::{Map, Value};

use super::Fix;
use crate::{
    CallArgs, CallEffect, Difference,
    capture::{
        Skip,
        parsed_run::{ParsedRun, RunCall},
        show,
    },
    limits,
    shell::is_listed,
    trace::{call, family::FailureFamily},
};

/// Finds the fix of the failed tool call at `index`; an error says why there is none.
pub(super) fn find_tool_fix(reading: &ParsedRun<'_>, index: usize) -> Result<Fix, Skip> {
    let first_call = &reading.calls[index];
    let failure = first_call.failure.as_ref().ok_or(Skip::Unclear)?;
    let edits = first_call.effect == CallEffect::Edits;
    let family = match failure.family {
        FailureFamily::CodeFailed if edits => FailureFamily::EditSyntax,
        family => family,
    };
    if family == FailureFamily::FileMissing {
        return Err(Skip::Guess);
    }
    super::check_teachable(family)?;
    let end = reading.calls.len().min(index + 1 + limits::FIX_WINDOW);
    for later in index + 1..end {
        let later_call = &reading.calls[later];
        if !reading.has_no_gap(index, later)
            || later_call.call.tool != first_call.call.tool
            || !later_call.has_worked()
        {
            continue;
        }
        let difference_or_skip = match (&first_call.call.args, &later_call.call.args) {
            _ if first_call.args == later_call.args => return Err(Skip::Transient),
            (CallArgs::Named(one), CallArgs::Named(two)) => {
                compare_named_args(one, two, family, reading.calls[index].error)
            }
            (CallArgs::Text(one), CallArgs::Text(two)) => compare_texts(one, two, family),
            _ => None,
        };
        // The same tool working on something else ends the search.
        let difference = difference_or_skip.ok_or(match family {
            FailureFamily::EditSyntax => Skip::EditSlip,
            _ => Skip::Guess,
        })?;
        if !difference.is_uncontradicted(reading, first_call, later_call) {
            return Err(Skip::Flaky);
        }
        return Ok(super::build_fix(reading, index, later, failure, difference));
    }
    Err(match family {
        FailureFamily::EditSyntax => Skip::EditSlip,
        _ => Skip::Unsolved,
    })
}

/// Returns what a later working call of the same tool did differently, where all else is the same.
pub(super) fn compare_calls(failed: &RunCall<'_>, worked: &RunCall<'_>) -> Option<Difference> {
    let (CallArgs::Named(one), CallArgs::Named(two)) = (&failed.call.args, &worked.call.args)
    else {
        return None;
    };
    // Whether the error is about the arguments is left to the agreement of runs.
    match compare_named_args(one, two, FailureFamily::Usage, failed.error)? {
        Difference::Value { values: None, .. } => None,
        difference => Some(difference),
    }
}

fn compare_texts(one: &str, two: &str, family: FailureFamily) -> Option<Difference> {
    let letters = |text: &str| -> String { text.split_whitespace().collect() };
    (family == FailureFamily::EditSyntax && letters(one) == letters(two))
        .then_some(Difference::Indentation)
}

fn compare_named_args(
    one: &Map<String, Value>,
    two: &Map<String, Value>,
    family: FailureFamily,
    error: &str,
) -> Option<Difference> {
    // What a client makes up for a call that it cannot parse proves nothing.
    if !one.keys().chain(two.keys()).all(|key| is_argument_key(key)) {
        return None;
    }
    let only_in = |one: &Map<String, Value>, two: &Map<String, Value>| -> Vec<String> {
        let keys = one.keys().filter(|key| !two.contains_key(*key));
        keys.cloned().collect()
    };
    let old_keys = only_in(one, two);
    let new_keys = only_in(two, one);
    let is_other = |key: &&String| two.get(*key).is_some_and(|other| *other != one[*key]);
    let other_keys: Vec<&String> = one.keys().filter(is_other).collect();
    let has_same_keys = old_keys.is_empty() && new_keys.is_empty();
    if family == FailureFamily::EditSyntax {
        let same_letters =
            |key: &&String| strip_whitespace(&one[*key]) == strip_whitespace(&two[*key]);
        let is_it = has_same_keys && !other_keys.is_empty() && other_keys.iter().all(same_letters);
        return is_it.then_some(Difference::Indentation);
    }
    if other_keys.is_empty()
        && (1..=2).contains(&(old_keys.len() + new_keys.len()))
        && is_about_arguments(family, error, &old_keys, &new_keys)
    {
        return Some(Difference::Keys {
            removed: old_keys,
            added: new_keys,
        });
    }
    let [key] = other_keys.as_slice() else {
        return None;
    };
    if !has_same_keys || is_pointer_key(key) {
        return None;
    }
    let with_values = |values| Difference::Value {
        key: (*key).clone(),
        values,
    };
    if let Some(values) = find_qualified_name(&one[*key], &two[*key], error) {
        return Some(with_values(Some(values)));
    }
    let words = key.to_lowercase().replace('_', " ");
    let about = match family {
        FailureFamily::Rule | FailureFamily::Usage => true,
        FailureFamily::Other => error.to_lowercase().contains(&words) || error.contains(*key),
        _ => false,
    };
    (about && one.len() >= 2).then(|| with_values(find_plain_words(&one[*key], &two[*key])))
}

fn strip_whitespace(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.split_whitespace().collect()
}

/// Returns whether missing and surplus arguments explain the error, because it is about arguments.
fn is_about_arguments(
    family: FailureFamily,
    error: &str,
    removed: &[String],
    added: &[String],
) -> bool {
    let mut keys = removed.iter().chain(added);
    keys.any(|key| error.contains(key.as_str()))
        || matches!(family, FailureFamily::Usage | FailureFamily::OptionUnknown)
}

fn is_argument_key(key: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    key.len() <= 40 && !key.starts_with("__") && key.chars().all(is_part)
}

/// Returns whether an argument points at something that belongs to the task.
fn is_pointer_key(key: &str) -> bool {
    const POINTERS: &str = "id ids name path file file_path filename url uri query q pattern email phone zip text content \
        message prompt description command code old_string new_string old_str new_str expression thought title body \
        entity key search date time address number to from subject recipient location city user keyword keywords";
    let key = key.to_lowercase();
    const ENDS: &str = "_id _ids _name _path _url _email _number _date _file";
    is_listed(POINTERS, &key) || ENDS.split(' ').any(|end| key.ends_with(end))
}

/// Returns a name that the error calls unknown, with the qualified name that worked: `commit` and
/// `commit-commands:commit`.
fn find_qualified_name(failed: &Value, worked: &Value, error: &str) -> Option<(String, String)> {
    let (failed, worked) = (failed.as_str()?, worked.as_str()?);
    let owner = worked.strip_suffix(failed)?.strip_suffix([':', '.', '/'])?;
    let is_named = [owner, failed].into_iter().all(is_argument_key) && !owner.is_empty();
    let is_harmless = [owner, failed].into_iter().all(show::is_harmless);
    let is_it = is_named && is_harmless && call::has_word(error, failed);
    is_it.then(|| (failed.to_owned(), worked.to_owned()))
}

/// Returns both values if they are plain words of a kind, such as `economy` and `business`.
fn find_plain_words(one: &Value, two: &Value) -> Option<(String, String)> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '_' || c == '-';
    let is_word = |text: &str| show::is_harmless(text) && text.chars().all(is_plain);
    let word = |value: &Value| match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::String(text) if is_word(text) => Some(text.clone()),
        _ => None,
    };
    Some((word(one)?, word(two)?))
}
