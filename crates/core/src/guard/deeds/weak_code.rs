//! Finds advice to write code that is open to attack: what strangers send is run, read as a query or shown as it is, or
//! what protects them is made too weak.
//!
//! The same calls are harmless on one's own data. So they count where the sentence speaks of what others send or keep.

use super::{Deed, named_lines::NamedLine, tables::TABLES};
use crate::{ShellLine, tokens::split_name_words};

/// What begins a query, and calls that give a text to a shell.
const QUERIES: [&str; 5] = ["select ", "where ", "insert into ", "update ", "order by "];
const COMMANDS: [&str; 4] = ["os.system(", "shell=true", "execsync(", "shell_exec("];

pub(super) const OPENS_CODE: Deed = Deed::grave("would write code that is open to attack");

pub(super) fn judge_line(_: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let lower = named.line.to_ascii_lowercase().replace(" = ", "=");
    let joins = joins_texts(&lower);
    if joins && holds_any(&lower, &COMMANDS) && named.is_ordered() {
        return Some(OPENS_CODE);
    }
    let is_weak = TABLES.has_part("weak_code", &lower) || joins && holds_any(&lower, &QUERIES);
    let concerns_others = || {
        let words = split_name_words(named.sentence);
        words.iter().any(|word| TABLES.lists("strangers", word))
    };
    (is_weak && named.is_ordered() && concerns_others()).then_some(OPENS_CODE)
}

/// Returns whether code puts a text together from others: `f"… WHERE name = '{name}'"`.
fn joins_texts(code: &str) -> bool {
    const JOINTS: [&str; 8] = ["f\"", "f'", "${", "#{", "\" +", "' +", "\" %", ".format("];
    holds_any(code, &JOINTS)
}

fn holds_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}
