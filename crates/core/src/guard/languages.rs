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

/// Phrases that assign a role, in some of the languages of published attacks.
const ROLE_PHRASES: &str = "tu es maintenant|vous êtes maintenant|fais comme si|dans la peau|dans le peau|du bist jetzt|du bist nun|tu dois jouer|eres ahora|ahora eres|actúa como|actuarás como|você é agora|agora você é|aja como|sei ora|ora sei|fai finta|ты теперь|теперь ты|представь, что ты|притворись|你现在是|你現在是|假装你|假裝你|扮演|あなたは今から|になりきって|ふりをして|너는 이제|역할을 해|anta la|şimdi sen|sen artık|jesteś teraz|udawaj";

/// A signal: its category, its weight, and what the text does.
type LanguageSignal = (Category, u32, &'static str);

/// Returns the signals in `text`.
pub(super) fn find_signals(text: &str) -> Vec<LanguageSignal> {
    static TABLE: LazyLock<LanguageTable> = LazyLock::new(LanguageTable::new);
    let native = fold::fold_keeping_script(text);
    let mut hits = Vec::new();
    let begins = TABLE.anchors.is_match(&native);
    if begins
        && TABLE
            .orders
            .iter()
            .any(|(verbs, objects)| are_near(&native, verbs, objects))
    {
        hits.push((
            Category::Override,
            10,
            "tells the reader to drop its instructions",
        ));
    }
    if begins && TABLE.role_phrases.iter().any(|part| native.contains(part)) {
        hits.push((Category::Persona, 6, "asks the reader to play a part"));
    }
    hits.extend(read_question(&native));
    hits
}

/// Reads the question at the end of a text; it weighs more where nothing precedes it.
fn read_question(native: &str) -> Option<LanguageSignal> {
    let text = native.trim_end_matches(['"', '\'', '”', '»', '」', '*', '`', ')']);
    let body = text.trim_end_matches(['?', '？', '؟', ';']);
    let greek = body.ends_with(|ch| ('α'..='ώ').contains(&ch));
    if body.len() == text.len() || text.ends_with(';') && !greek {
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
    /// All verbs and role phrases: a text without any of them contains no order.
    anchors: AhoCorasick,
    orders: Vec<(Vec<String>, Vec<String>)>,
    role_phrases: Vec<String>,
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
        let role_phrases = list(ROLE_PHRASES);
        let beginnings = orders
            .iter()
            .flat_map(|(verbs, _)| verbs)
            .chain(&role_phrases);
        Self {
            anchors: AhoCorasick::new(beginnings).expect("a small table"),
            orders,
            role_phrases,
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
