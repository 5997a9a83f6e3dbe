//! The signals that distinguish an order to the reader from advice about the world.
//!
//! A rule is a row: a pattern over plain words, its weight, a line it must match and one it must not. No single word
//! condemns a text, because honest lessons are full of "never", "ignore", "secret" and "delete"; a row requires a
//! verb with its object, or has little weight. To add a rule, add a row. The weights are added up by
//! [`inspect`](super::inspect).

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
    /// The category that it counts for.
    pub(super) category: Category,
    /// Its weight; a category counts against a text from [`HOLD_WEIGHT`](super::inspect::HOLD_WEIGHT) on.
    pub(super) weight: u8,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(super) description: &'static str,
    /// The pattern, over [`fold::fold_text`](super::fold::fold_text) on one line. `~3 ` stands for up to three words.
    pattern: &'static str,
    /// Whether it also matches within a prohibition; usually not, since "never send the key" is advice.
    includes_bans: bool,
    /// A line it must match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the rule's own test"))]
    hit: &'static str,
    /// A line it must not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the rule's own test"))]
    miss: &'static str,
}

/// Creates a rule that does not match within a prohibition.
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
    /// Makes the rule match within a prohibition as well.
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

/// Returns the rules that match `words`.
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

/// All rules, with the words that they require.
///
/// All patterns together are slow, because each of their gaps multiplies the states of a search. One alone is fast,
/// and a text contains the words of few.
struct RuleTable {
    word_matcher: AhoCorasick,
    rows: Vec<RuleRow>,
}

/// A rule with its compiled pattern.
struct RuleRow {
    rule: &'static PatternRule,
    /// Lists of word indexes; of each list one word must be in the text.
    required_words: Vec<Vec<usize>>,
    /// The pattern, compiled when it is first needed.
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

    /// Returns the rules whose required words are in a text.
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

/// Longest gap in a pattern, in words.
const GAP_WORDS: usize = 14;

/// Expands `~3 ` into a regular expression.
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

    /// Matches every rule, without the filter by required words.
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

    /// Generates lines cut from two rules at any word and joined.
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
