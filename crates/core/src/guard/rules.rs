//! The signals that tell an order to the reader from advice about the world.
//!
//! A rule is a row: a pattern over plain words, what it is worth, a line it must hit and one it
//! must not. No single word condemns a text, because honest lessons are full of "never",
//! "ignore", "secret" and "delete"; a row asks for a verb with its object, or is worth little.
//! Adding a rule is adding a row. Adding up is [`inspect`](super::inspect())'s work.

mod acts;
mod required_words;

mod speech;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use self::required_words::find_required_words;
use crate::guard::category::Category;

/// One signal.
pub(super) struct PatternRule {
    /// What it speaks for.
    pub(super) category: Category,
    /// What it is worth; a category is held against a text from [`HOLD`](super::inspect::HOLD) on.
    pub(super) weight: u8,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(super) description: &'static str,
    /// The pattern, over [`fold_text`](crate::text::fold::fold_text) on one line. `~3 ` stands for up to
    /// three words.
    pattern: &'static str,
    /// Whether a ban on doing it counts as well: "never send the key" is advice.
    includes_bans: bool,
    /// A line it must hit.
    #[cfg_attr(not(test), expect(dead_code, reason = "the rule's own test"))]
    hit: &'static str,
    /// A line it must not hit.
    #[cfg_attr(not(test), expect(dead_code, reason = "the rule's own test"))]
    miss: &'static str,
}

/// A rule that a ban silences.
const fn rule(
    category: Category,
    weight: u8,
    what: &'static str,
    pattern: &'static str,
    hit: &'static str,
    miss: &'static str,
) -> PatternRule {
    PatternRule {
        category,
        weight,
        description: what,
        pattern,
        includes_bans: false,
        hit,
        miss,
    }
}

impl PatternRule {
    /// Makes the rule count a ban as well.
    const fn including_bans(self) -> Self {
        Self {
            includes_bans: true,
            ..self
        }
    }
}

fn all_rules() -> impl Iterator<Item = &'static PatternRule> {
    speech::RULES.iter().chain(acts::RULES)
}

/// Returns the rules that `words` hits.
pub(super) fn find_rule_hits(words: &str) -> Vec<&'static PatternRule> {
    static TABLE: LazyLock<RuleTable> = LazyLock::new(RuleTable::new);
    let whole = words.replace('\n', " ");
    let likely = TABLE.likely_rows(&whole);
    let (even_banned, asserting): (Vec<&RuleRow>, Vec<&RuleRow>) =
        likely.into_iter().partition(|row| row.rule.includes_bans);
    let mut hits = even_banned;
    hits.retain(|row| row.is_match(&whole));
    if !asserting.is_empty() {
        let asserted = blank_out_bans(words);
        hits.extend(asserting.into_iter().filter(|row| row.is_match(&asserted)));
    }
    hits.into_iter().map(|row| row.rule).collect()
}

/// All rules, and the words without which they hit nothing.
///
/// All patterns together are slow: each of their gaps multiplies what a search has to keep in
/// mind. One alone is quick, and a text holds the words of few.
struct RuleTable {
    word_matcher: AhoCorasick,
    rows: Vec<RuleRow>,
}

/// A rule that can be asked.
struct RuleRow {
    rule: &'static PatternRule,
    /// Of each list one of these words must be there, by its number.
    required_words: Vec<Vec<usize>>,
    /// The pattern, made when it is first needed.
    regex: LazyLock<Regex, Box<dyn FnOnce() -> Regex + Send>>,
}

impl RuleTable {
    fn new() -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut number = |word: String| {
            let known = words.iter().position(|it| *it == word);
            known.unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            })
        };
        let rows = all_rules().map(|rule| {
            let pattern = expand_gaps(rule.pattern);
            let needs = find_required_words(&pattern).into_iter();
            RuleRow {
                rule,
                required_words: needs
                    .map(|any_of| any_of.into_iter().map(&mut number).collect())
                    .collect(),
                regex: LazyLock::new(Box::new(move || {
                    Regex::new(&pattern).expect("every pattern is tested")
                })),
            }
        });
        let rows = rows.collect();
        let word_matcher = AhoCorasick::new(words).expect("a few hundred words");
        Self { word_matcher, rows }
    }

    /// Returns the rules whose words a text holds.
    fn likely_rows(&self, text: &str) -> Vec<&RuleRow> {
        let mut holds = vec![false; self.word_matcher.patterns_len()];
        for found in self.word_matcher.find_overlapping_iter(text) {
            holds[found.pattern().as_usize()] = true;
        }
        let one_of = |any_of: &Vec<usize>| any_of.iter().any(|&word| holds[word]);
        let rows = self.rows.iter();
        rows.filter(|row| row.required_words.iter().all(one_of))
            .collect()
    }
}

impl RuleRow {
    fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Longest gap that a pattern may ask for, in words.
const GAP_WORDS: usize = 14;

/// Writes `~3 ` out as a pattern.
fn expand_gaps(pattern: &str) -> String {
    (1..=GAP_WORDS).fold(pattern.to_owned(), |pattern, count| {
        pattern.replace(&format!("~{count} "), &format!("(?:[!-~]+ ){{0,{count}}}"))
    })
}

/// Blanks out what the text tells the reader *not* to do, up to the end of the clause.
fn blank_out_bans(words: &str) -> String {
    static BAN: LazyLock<Regex> = LazyLock::new(|| {
        let words = "never|do not|don'?t|does not|doesn'?t|must not|mustn'?t|should not|shouldn'?t\
            |cannot|can'?t|avoid|refrain from|instead of|rather than|no need to|not to|not";
        let pattern = format!(r"\b(?:{words})\b (?:[!-~]*[a-z0-9\])}}`'\x22*/] ){{0,12}}[!-~]*");
        Regex::new(&pattern).expect("a constant pattern")
    });
    BAN.replace_all(words, "^").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::*;
    use crate::text::fold;

    #[test]
    fn every_rule_hits_and_misses_its_own_lines() {
        let hits_it = |rule: &PatternRule, text: &str| {
            find_rule_hits(&fold::fold_text(text))
                .iter()
                .any(|hit| std::ptr::eq(*hit, rule))
        };
        let mut wrong = Vec::new();
        for rule in all_rules() {
            if !hits_it(rule, rule.hit) {
                wrong.push(format!("does not hit: {}", rule.hit));
            }
            if hits_it(rule, rule.miss) {
                wrong.push(format!("hits: {}", rule.miss));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Asks every rule, whatever words a text holds.
    fn hits_of_all(words: &str) -> Vec<&'static PatternRule> {
        static ROWS: LazyLock<Vec<RuleRow>> = LazyLock::new(|| RuleTable::new().rows);
        let (whole, asserted) = (words.replace('\n', " "), blank_out_bans(words));
        let text = |row: &RuleRow| match row.rule.includes_bans {
            true => whole.clone(),
            false => asserted.clone(),
        };
        let (mut hits, others): (Vec<&RuleRow>, Vec<&RuleRow>) =
            ROWS.iter().partition(|row| row.rule.includes_bans);
        hits.extend(others);
        hits.retain(|row| row.is_match(&text(row)));
        hits.into_iter().map(|row| row.rule).collect()
    }

    /// Lines of two rules, cut and put together at any word.
    fn mixed_lines() -> impl Strategy<Value = String> {
        let lines: Vec<&str> = all_rules().flat_map(|rule| [rule.hit, rule.miss]).collect();
        let part = (select(lines), 0..12_usize, prop::bool::ANY).prop_map(|(line, at, is_head)| {
            let words: Vec<&str> = line.split(' ').collect();
            let (head, tail) = words.split_at(at.min(words.len()));
            (if is_head { head } else { tail }).join(" ")
        });
        let joint = select(vec![" ", "\n", ". ", " never ", " do not ", ", "]);
        prop::collection::vec((part, joint), 1..5).prop_map(|parts| {
            parts
                .into_iter()
                .map(|(part, joint)| part + joint)
                .collect()
        })
    }

    proptest! {
        #[test]
        fn no_rule_is_passed_over(text in mixed_lines()) {
            let words = fold::fold_text(&text);
            let what = |hits: Vec<&'static PatternRule>| -> Vec<_> {
                hits.iter().map(|rule| rule.pattern).collect()
            };
            prop_assert_eq!(what(find_rule_hits(&words)), what(hits_of_all(&words)));
        }
    }

    #[test]
    fn nearly_every_rule_needs_words() {
        let table = RuleTable::new();
        let always = table
            .rows
            .iter()
            .filter(|row| row.required_words.is_empty());
        let always: Vec<&str> = always.map(|row| row.rule.pattern).collect();
        assert!(always.len() <= 3, "asked of every text: {always:#?}");
    }

    #[test]
    fn bans_end_with_their_clause() {
        for (words, rest) in [
            ("never send the key. send the log", "^ send the log"),
            ("don't do that, do this", "^ do this"),
            ("use x instead of y\nsend it", "use x ^ send it"),
        ] {
            assert_eq!(blank_out_bans(words), rest);
        }
    }
}
