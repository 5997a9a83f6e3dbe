//! Tells whether two sentences of a person, said in two sessions, are about the same.
//!
//! Nobody says a thing twice in the same words. What speaks for two corrections saying the same adds up: how surely each
//! corrects something, and the words that both have, of which one tells less the more of the project's corrections have it.
//! Long ones share words by chance. Two that point at their task ("in this PR") are about that task, however alike they are.

use std::collections::BTreeMap;

use super::evidence::is_local;
use crate::{
    shell,
    tokens::{common_share, for_each_term},
    trigger::is_unspaced,
};

/// The share of all texts from which a word tells less, and from which it tells nothing.
const RARE_SHARE: f32 = 0.05;
const COMMON_SHARE: f32 = 0.1;
/// Least and most telling words that count as shared.
const SHARED_LEAST: f64 = 1.0;
const SHARED_MOST: f64 = 4.0;
/// Points of a shared word, and of each telling word of the two.
const SHARED_POINTS: f64 = 8.0;
const WORD_POINTS: f64 = -1.5;
/// Points from which two say the same, those of each included.
const AGREED: f64 = 16.0;
/// Points of one unit of log-odds.
const POINTS: f64 = 4.0;

/// A correction as it waits for another session.
pub struct SaidOnce<'a> {
    /// The person's sentences.
    pub text: &'a str,
    /// How sure it is that it corrects something, 0 to 1.
    pub confidence: f64,
}

/// Finds the correction of another session that says the same as one, of all that wait the one that is most alike.
pub fn find_agreeing(ours: &SaidOnce<'_>, others: &[SaidOnce<'_>]) -> Option<usize> {
    let terms: Vec<Terms> = others.iter().map(|said| weigh_terms(said.text)).collect();
    let own = weigh_terms(ours.text);
    let own_words: f64 = own.values().sum();
    let telling = weigh_among(&own, &terms);
    let score = |at: usize| {
        let points = [ours, &others[at]].map(|said| points_of(said.confidence));
        let shared = telling
            .iter()
            .filter(|(term, _)| terms[at].contains_key(*term));
        let shared: f64 = shared.map(|(_, weight)| weight).sum();
        let words = own_words + terms[at].values().sum::<f64>();
        let points = points[0] + points[1] + SHARED_POINTS * shared.min(SHARED_MOST);
        (shared >= SHARED_LEAST).then_some(points + WORD_POINTS * words)
    };
    let scores = (0..others.len()).filter_map(|at| Some((at, score(at)?)));
    let of_one_task = |at: usize| is_local(ours.text) && is_local(others[at].text);
    let alike = scores.filter(|&(at, points)| points >= AGREED && !of_one_task(at));
    let best = alike.max_by(|one, other| one.1.total_cmp(&other.1));
    best.map(|(at, _)| at)
}

/// The telling words of a text, and how much each tells.
type Terms = BTreeMap<String, f64>;

fn weigh_terms(text: &str) -> Terms {
    let mut terms = Terms::new();
    for_each_term(text, |term| {
        terms.insert(term.to_owned(), weigh_term(term));
    });
    terms.retain(|_, weight| *weight > 0.0);
    terms
}

/// Weighs words anew: one that several of the project's corrections have tells less of each.
fn weigh_among(own: &Terms, all: &[Terms]) -> Terms {
    let mut telling = own.clone();
    for (term, weight) in &mut telling {
        let holders = all.iter().filter(|terms| terms.contains_key(term)).count();
        *weight /= f64::from(u32::try_from(holders.max(1)).unwrap_or(u32::MAX));
    }
    telling
}

/// Returns how much it tells that two sentences share a term: nothing for one of many texts, more for a program. Two characters
/// of a script without spaces are half a word; in hiragana they are its grammar.
fn weigh_term(term: &str) -> f64 {
    let share = common_share(term);
    let rarity = match share {
        _ if share < RARE_SHARE => 1.0,
        _ if share < COMMON_SHARE => 0.5,
        _ => 0.0,
    };
    match term {
        _ if term.contains(|c| matches!(c, 'ぁ'..='ゟ')) => 0.0,
        _ if term.contains(is_unspaced) => rarity / 2.0,
        _ if shell::is_program_by_name(term) => rarity + 0.5,
        _ => rarity,
    }
}

/// Returns how sure so many points make it that a sentence corrects something.
pub(super) fn confidence_of(points: i32) -> f64 {
    let odds = (f64::from(points) / POINTS).exp();
    (odds / (1.0 + odds)).clamp(0.05, 0.95)
}

fn points_of(confidence: f64) -> f64 {
    let sure = confidence.clamp(0.05, 0.95);
    POINTS * (sure / (1.0 - sure)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AgentTurn, CleanText,
        capture::{correction::find_correction, parsed_run::UserMessage},
    };

    #[test]
    fn the_same_rule_shares_its_telling_words() {
        for (one, other, expected) in [
            (
                "dont touch vendor/. patches go in patches/",
                "vendor/ is off limits, put a patch under patches/ instead",
                true,
            ),
            (
                "npm again? yarn please",
                "we use yarn here, never npm",
                true,
            ),
            (
                "本番の設定は全部コンソールで管理",
                "設定はコンソールにある、本番は",
                true,
            ),
            // Each is little by itself; what they share is much of what they say.
            (
                "fixtures live in testdata/, not next to the parser",
                "fixtures belong in testdata/, don't put them beside the parser",
                true,
            ),
            // One word, or words of every text.
            ("we sort imports here", "no unused imports please", false),
            (
                "always run the tests first",
                "the tests should run in the file",
                false,
            ),
            // Where something stands on a screen, and how it looks, is this screen's.
            (
                "nein, das Bild soll links sein, nicht rechts",
                "der Text muss hier in die Mitte, nicht nach links",
                false,
            ),
            (
                "non, plutôt en rouge, le bleu ne va pas",
                "mets-le plutôt à droite, ça ne va pas comme ça",
                false,
            ),
            // Both are about their task.
            (
                "don't reformat the parser in this commit",
                "no reformat of the parser in this commit either",
                false,
            ),
            (
                "don't touch the vendored parser in this PR",
                "the vendored parser is off limits, always",
                true,
            ),
        ] {
            for (ours, theirs) in [(one, other), (other, one)] {
                let [ours, theirs] = [ours, theirs].map(|text| {
                    let text = &CleanText::from_stored(text.to_owned());
                    let (after, calls_before) = (AgentTurn::Act, 0);
                    let said = UserMessage {
                        text,
                        after,
                        calls_before,
                    };
                    find_correction(&said, &[])
                });
                let said = [ours.as_ref(), theirs.as_ref()].map(|heard| {
                    heard.map(|heard| SaidOnce {
                        text: &heard.text,
                        confidence: heard.confidence,
                    })
                });
                let [Some(ours), Some(theirs)] = said else {
                    assert!(!expected, "{one} / {other}");
                    continue;
                };
                let found = find_agreeing(&ours, &[theirs]);
                assert_eq!(found.is_some(), expected, "{one} / {other}");
            }
        }
    }

    #[test]
    fn a_word_of_many_corrections_tells_little() {
        let say = |text| SaidOnce {
            text,
            confidence: 0.8,
        };
        let ours = say("invoices are printed by the spooler");
        let theirs = "the spooler prints invoices";
        let others = [
            say("invoices carry a number of the year"),
            say("the spooler is slow with invoices of a year"),
            say("a spooler keeps its pages for a day"),
            say("invoices leave the spooler as one page"),
        ];
        assert_eq!(find_agreeing(&ours, &[say(theirs)]), Some(0));
        let mut all = vec![say(theirs)];
        all.extend(others);
        assert_eq!(find_agreeing(&ours, &all), None);
    }
}
