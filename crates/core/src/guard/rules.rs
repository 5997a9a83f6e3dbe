//! The signals that tell an order to the reader from advice about the world.
//!
//! A rule is a row: a pattern over plain words, what it is worth, a line it must hit and one it
//! must not. No single word condemns a text, because honest lessons are full of "never",
//! "ignore", "secret" and "delete"; a row asks for a verb with its object, or is worth little.
//! Adding a rule is adding a row. Adding up is [`inspect`](super::inspect())'s work.

mod acts;
mod need;

mod speech;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use self::need::needs;
use super::inspect::Category;

/// One signal.
pub(super) struct Rule {
    /// What it speaks for.
    pub(super) category: Category,
    /// What it is worth; a category is held against a text from [`HOLD`](super::inspect::HOLD) on.
    pub(super) weight: u8,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(super) what: &'static str,
    /// The pattern, over [`fold::words`](super::fold::words) on one line. `~3 ` stands for up to
    /// three words.
    pattern: &'static str,
    /// Whether a ban on doing it counts as well: "never send the key" is advice.
    banned_too: bool,
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
) -> Rule {
    Rule {
        category,
        weight,
        what,
        pattern,
        banned_too: false,
        hit,
        miss,
    }
}

impl Rule {
    /// Makes the rule count a ban as well.
    const fn even_banned(self) -> Self {
        Self {
            banned_too: true,
            ..self
        }
    }
}

fn all() -> impl Iterator<Item = &'static Rule> {
    speech::RULES.iter().chain(acts::RULES)
}

/// Returns the rules that `words` hits.
pub(super) fn hits(words: &str) -> Vec<&'static Rule> {
    static TABLE: LazyLock<Table> = LazyLock::new(Table::new);
    let whole = words.replace('\n', " ");
    let likely = TABLE.likely(&whole);
    let (even_banned, asserting): (Vec<&Row>, Vec<&Row>) =
        likely.into_iter().partition(|row| row.rule.banned_too);
    let mut hits = even_banned;
    hits.retain(|row| row.hits(&whole));
    if !asserting.is_empty() {
        let asserted = without_bans(words);
        hits.extend(asserting.into_iter().filter(|row| row.hits(&asserted)));
    }
    hits.into_iter().map(|row| row.rule).collect()
}

/// All rules, and the words without which they hit nothing.
///
/// All patterns together are slow: each of their gaps multiplies what a search has to keep in
/// mind. One alone is quick, and a text holds the words of few.
struct Table {
    words: AhoCorasick,
    rows: Vec<Row>,
}

/// A rule that can be asked.
struct Row {
    rule: &'static Rule,
    /// Of each list one of these words must be there, by its number.
    needs: Vec<Vec<usize>>,
    /// The pattern, made when it is first needed.
    regex: LazyLock<Regex, Box<dyn FnOnce() -> Regex + Send>>,
}

impl Table {
    fn new() -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut number = |word: String| {
            let known = words.iter().position(|it| *it == word);
            known.unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            })
        };
        let rows = all().map(|rule| {
            let pattern = expand(rule.pattern);
            let needs = needs(&pattern).into_iter();
            Row {
                rule,
                needs: needs
                    .map(|any_of| any_of.into_iter().map(&mut number).collect())
                    .collect(),
                regex: LazyLock::new(Box::new(move || {
                    Regex::new(&pattern).expect("every pattern is tested")
                })),
            }
        });
        let rows = rows.collect();
        let words = AhoCorasick::new(words).expect("a few hundred words");
        Self { words, rows }
    }

    /// Returns the rules whose words a text holds.
    fn likely(&self, text: &str) -> Vec<&Row> {
        let mut holds = vec![false; self.words.patterns_len()];
        for found in self.words.find_overlapping_iter(text) {
            holds[found.pattern().as_usize()] = true;
        }
        let one_of = |any_of: &Vec<usize>| any_of.iter().any(|&word| holds[word]);
        let rows = self.rows.iter();
        rows.filter(|row| row.needs.iter().all(one_of)).collect()
    }
}

impl Row {
    fn hits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Longest gap that a pattern may ask for, in words.
const GAP_WORDS: usize = 14;

/// Writes `~3 ` out as a pattern.
fn expand(pattern: &str) -> String {
    (1..=GAP_WORDS).fold(pattern.to_owned(), |pattern, count| {
        pattern.replace(&format!("~{count} "), &format!("(?:[!-~]+ ){{0,{count}}}"))
    })
}

/// Blanks out what the text tells the reader *not* to do, up to the end of the clause.
fn without_bans(words: &str) -> String {
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

    use super::{super::fold, *};

    #[test]
    fn every_rule_hits_and_misses_its_own_lines() {
        let hits_it = |rule: &Rule, text: &str| {
            hits(&fold::words(text))
                .iter()
                .any(|hit| std::ptr::eq(*hit, rule))
        };
        let mut wrong = Vec::new();
        for rule in all() {
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
    fn hits_of_all(words: &str) -> Vec<&'static Rule> {
        static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| Table::new().rows);
        let (whole, asserted) = (words.replace('\n', " "), without_bans(words));
        let text = |row: &Row| match row.rule.banned_too {
            true => whole.clone(),
            false => asserted.clone(),
        };
        let (mut hits, others): (Vec<&Row>, Vec<&Row>) =
            ROWS.iter().partition(|row| row.rule.banned_too);
        hits.extend(others);
        hits.retain(|row| row.hits(&text(row)));
        hits.into_iter().map(|row| row.rule).collect()
    }

    /// Lines of two rules, cut and put together at any word.
    fn mixed_lines() -> impl Strategy<Value = String> {
        let lines: Vec<&str> = all().flat_map(|rule| [rule.hit, rule.miss]).collect();
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
            let words = fold::words(&text);
            let what = |hits: Vec<&'static Rule>| -> Vec<_> {
                hits.iter().map(|rule| rule.pattern).collect()
            };
            prop_assert_eq!(what(hits(&words)), what(hits_of_all(&words)));
        }
    }

    #[test]
    fn nearly_every_rule_needs_words() {
        let table = Table::new();
        let always = table.rows.iter().filter(|row| row.needs.is_empty());
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
            assert_eq!(without_bans(words), rest);
        }
    }
}
