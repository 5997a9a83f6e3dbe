//! Finds statements that the database's dialect refuses, and the similar one that ran.

use crate::{Difference, shell::is_listed, trace::call::has_word};

/// Words that only some databases know, with what commonly replaces them.
const WORDS: &[(&str, &[&str])] = &[
    ("INTERSECT", &["IN (SELECT", "EXISTS", "JOIN"]),
    ("EXCEPT", &["NOT IN", "NOT EXISTS", "LEFT JOIN"]),
    ("MINUS", &["NOT IN", "NOT EXISTS", "EXCEPT"]),
    ("FULL OUTER JOIN", &["UNION"]),
    ("FULL JOIN", &["UNION"]),
    ("ILIKE", &["LOWER", "LIKE"]),
    ("TOP", &["LIMIT"]),
    ("LIMIT", &["FETCH", "TOP"]),
    ("FETCH FIRST", &["LIMIT"]),
    ("RETURNING", &[]),
    ("QUALIFY", &["ROW_NUMBER"]),
    ("DISTINCT ON", &["GROUP BY"]),
];

/// Finds the word that the dialect refused. Both statements must read a common table, or the second asks for
/// something else.
pub(super) fn find_dialect_difference(failed: &str, ran: &str, error: &str) -> Option<Difference> {
    let (failed, ran) = (normalize_statement(failed), normalize_statement(ran));
    if !shares_table(&failed, &ran) {
        return None;
    }
    if error.to_lowercase().contains("only_full_group_by") {
        return Some(Difference::FullGroupBy);
    }
    let near = normalize_statement(error.split_once("near ")?.1);
    let near = near.trim_start_matches(['\'', '"', '`']);
    let (word, others) = WORDS.iter().find(|(word, _)| {
        starts_with_word(near, word) && has_word(&failed, word) && !has_word(&ran, word)
    })?;
    let instead = others
        .iter()
        .find(|other| ran.contains(**other) && !failed.contains(**other));
    Some(Difference::Dialect {
        word: (*word).to_owned(),
        instead: instead.copied(),
    })
}

fn normalize_statement(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_uppercase()
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(is_part))
}

fn shares_table(one: &str, two: &str) -> bool {
    let tables = |text: &str| -> Vec<String> {
        let words = text.split([' ', ',', '(', ')', ';']);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let names = |pair: &&[&str]| is_listed("FROM JOIN", pair[0]) && pair[1] != "SELECT";
        let pairs = words.windows(2).filter(names);
        pairs.map(|pair| pair[1].to_owned()).collect()
    };
    let first = tables(one);
    tables(two).iter().any(|table| first.contains(table))
}
