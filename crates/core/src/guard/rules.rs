//! The signals that tell an order to the reader from advice about the world.
//!
//! A rule is a row: a pattern over plain words, what it is worth, a line it must hit and one it
//! must not. No single word condemns a text, because honest lessons are full of "never",
//! "ignore", "secret" and "delete"; a row asks for a verb with its object, or is worth little.
//! Adding a rule is adding a row. Adding up is [`inspect`](super::inspect())'s work.

mod acts;
mod speech;

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

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
pub(super) fn hits(words: &str) -> impl Iterator<Item = &'static Rule> {
    static SETS: LazyLock<(RegexSet, RegexSet)> = LazyLock::new(|| (set(true), set(false)));
    let whole = words.replace('\n', " ");
    let asserted = without_bans(words);
    let found = [
        (true, SETS.0.matches(&whole)),
        (false, SETS.1.matches(&asserted)),
    ];
    found.into_iter().flat_map(|(banned_too, found)| {
        let rules = all().filter(move |rule| rule.banned_too == banned_too);
        rules
            .enumerate()
            .filter(move |(index, _)| found.matched(*index))
            .map(|(_, rule)| rule)
    })
}

fn set(banned_too: bool) -> RegexSet {
    let patterns = all().filter(|rule| rule.banned_too == banned_too);
    RegexSet::new(patterns.map(|rule| expand(rule.pattern))).expect("every pattern is tested")
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
    use super::{super::fold, *};

    #[test]
    fn every_rule_hits_and_misses_its_own_lines() {
        let hits_it =
            |rule: &Rule, text: &str| hits(&fold::words(text)).any(|hit| std::ptr::eq(hit, rule));
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
