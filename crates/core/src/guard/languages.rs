//! Finds the plainest orders in languages other than English.
//!
//! They consist of a verb for dropping close to a word for instructions, in either order. Texts are compared without
//! spaces, because not every script uses them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::{guard::category::Category, text::fold};

/// Verbs, and behind `/` the objects that they would drop, each separated by `|`; a language a line.
const ORDERS: &str = include_str!("orders.txt");

/// Most characters between the verb and its object, not counting spaces.
const NEAR_CHARS: usize = 24;

/// A signal: its category, its weight, and what the text does.
type LanguageSignal = (Category, u32, &'static str);

/// Returns the signals in `text`.
pub(super) fn find_signals(text: &str) -> Vec<LanguageSignal> {
    static TABLE: LazyLock<LanguageTable> = LazyLock::new(LanguageTable::new);
    let native = fold::fold_keeping_script(text);
    let orders = |(verbs, objects): &(Vec<String>, Vec<String>)| are_near(&native, verbs, objects);
    let drops = TABLE.anchors.is_match(&native) && TABLE.orders.iter().any(orders);
    let what = "tells the reader to drop its instructions";
    let order = drops.then_some((Category::Override, 10, what));
    order.into_iter().chain(read_question(&native)).collect()
}

/// Reads the question at the end of a text; it weighs more where nothing precedes it.
fn read_question(native: &str) -> Option<LanguageSignal> {
    let text = native.trim_end_matches(['"', '\'', '”', '»', '」', '*', '`', ')']);
    let body = text.trim_end_matches(['?', '？', '؟']);
    if body.len() == text.len() {
        return None;
    }
    let is_at_end = body.contains(['.', '!', '。', '！', ':', '：', '`', '।', '?', '=']);
    Some(if is_at_end {
        (Category::Request, 5, "ends with a question")
    } else {
        (Category::Request, 10, "asks a question")
    })
}

struct LanguageTable {
    /// All verbs: a text without any of them contains no order.
    anchors: AhoCorasick,
    orders: Vec<(Vec<String>, Vec<String>)>,
}

impl LanguageTable {
    fn new() -> Self {
        let list = |words: &str| {
            words
                .split('|')
                .map(fold::fold_keeping_script)
                .collect::<Vec<_>>()
        };
        let orders: Vec<_> = ORDERS
            .lines()
            .filter_map(|line| line.split_once(" / "))
            .map(|(verbs, objects)| (list(verbs), list(objects)))
            .collect();
        let beginnings = orders.iter().flat_map(|(verbs, _)| verbs);
        Self {
            anchors: AhoCorasick::new(beginnings).expect("a small table"),
            orders,
        }
    }
}

/// Returns whether one of `verbs` is close to one of `objects`, on either side.
fn are_near(native: &str, verbs: &[String], objects: &[String]) -> bool {
    verbs
        .iter()
        .flat_map(|verb| native.match_indices(verb.as_str()))
        .any(|(at, verb)| {
            let after = native[at + verb.len()..].char_indices().nth(NEAR_CHARS);
            let before = native[..at].char_indices().rev().nth(NEAR_CHARS - 1);
            let to = after.map_or(native.len(), |(index, _)| at + verb.len() + index);
            let from = before.map_or(0, |(index, _)| index);
            objects
                .iter()
                .any(|object| native[from..to].contains(object.as_str()))
        })
}
