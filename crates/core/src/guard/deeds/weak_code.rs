//! Finds advice to write code that is open to attack: what strangers send is run, read as a query or shown as it is, or
//! what protects them is made too weak.
//!
//! The same calls are harmless on one's own data. So they count where the sentence speaks of what others send or keep.

use super::{Deed, named_lines::NamedLine, tables::TABLES};
use crate::{ShellLine, tokens::split_name_words};

pub(super) const OPENS_CODE: Deed = Deed::grave("would write code that is open to attack");

pub(super) fn judge_line(_: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let lower = named.line.to_ascii_lowercase().replace(" = ", "=");
    let is_weak = TABLES.has_part("weak_code", &lower) || joins_query(&lower);
    let concerns_others = || {
        let words = split_name_words(named.sentence);
        words.iter().any(|word| TABLES.lists("strangers", word))
    };
    (is_weak && named.is_ordered() && concerns_others()).then_some(OPENS_CODE)
}

/// Returns whether code puts values into the text of a query: `f"… WHERE name = '{name}'"`.
fn joins_query(code: &str) -> bool {
    const QUERIES: [&str; 5] = ["select ", "where ", "insert into ", "update ", "order by "];
    const JOINTS: [&str; 8] = ["f\"", "f'", "${", "#{", "\" +", "' +", "\" %", ".format("];
    let has_any = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
    has_any(&QUERIES) && has_any(&JOINTS)
}
