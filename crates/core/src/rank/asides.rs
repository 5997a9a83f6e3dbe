//! Reads a prompt for ranking: its terms, and which of them stand only beside what it is about.
//!
//! A path, an address, a number or a ticket is what one task alone has, and a greeting or thanks stands in a short clause at
//! either end. What counts of them is for [`fit`](super::fit).

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    tokens::{QueryTerms, collect_terms, common_share, for_each_term},
    trace::normalize,
};

/// Returns the terms of a prompt, with their other spellings and its asides.
pub fn read_prompt(prompt: &str) -> QueryTerms {
    let mut query = QueryTerms::from_prompt(prompt);
    let particulars = count_particulars(prompt);
    let greetings: Vec<_> = outer_clauses(prompt)
        .into_iter()
        .filter_map(collect_greeting)
        .collect();
    let is_aside = |place: u16, (term, weight): &(String, f32)| {
        let count = || query.sequence.iter().filter(|said| **said == place).count();
        particulars
            .get(term)
            .is_some_and(|inside| *inside >= count())
            || *weight <= 1.0 && greetings.iter().any(|greeting| greeting.contains(term))
    };
    let terms = (0..).zip(&query.terms);
    let asides = terms.filter(|(place, term)| is_aside(*place, term));
    query.asides = asides.map(|(place, _)| place).collect();
    query.with_respellings(prompt)
}

/// Counts the terms of those words of a text that are what one task alone has.
fn count_particulars(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let words = text.split_whitespace();
    for word in words.filter(|word| normalize::is_particular(word)) {
        for_each_term(word, |term| {
            *counts.entry(term.to_owned()).or_default() += 1;
        });
    }
    counts
}

/// Returns the first and the last clause of a text that has several, else empty ones.
fn outer_clauses(text: &str) -> [&str; 2] {
    let is_end = |c: char| ",.!?;\n，。！？；".contains(c);
    let text = text.trim().trim_end_matches(is_end);
    let ends_clause = |(at, c): &(usize, char)| {
        let after = text[at + c.len_utf8()..].chars().next();
        is_end(*c) && (!c.is_ascii() || *c == '\n' || after.is_some_and(char::is_whitespace))
    };
    let mut ends = text.char_indices().filter(ends_clause);
    let Some((first, _)) = ends.next() else {
        return [""; 2];
    };
    let last = ends.next_back().map_or(first, |(last, _)| last);
    [&text[..first], &text[last..]]
}

/// Returns the words of a clause that may be a greeting or thanks: one or two beside common ones.
fn collect_greeting(clause: &str) -> Option<BTreeSet<String>> {
    const MOST_BYTES: usize = 40;
    let mut words = BTreeSet::new();
    if clause.len() <= MOST_BYTES {
        words = collect_terms(clause);
        words.retain(|word| common_share(word) == 0.0);
    }
    (1..=2).contains(&words.len()).then_some(words)
}
