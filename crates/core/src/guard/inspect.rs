//! Judges whether a text is advice, or an order in the disguise of advice.
//!
//! Signals are added up by category: what the words [mean](meaning) in the text and in what was encoded in it, what
//! its [commands](deeds) do, markers, and orders in other languages. The result is a list of reasons that a person can read; who may say what
//! is not decided here.

use std::{collections::BTreeMap, fmt};

use super::{category::Category, deeds, languages, marker::find_markers, meaning};
use crate::named_enum::named_enum;
use crate::shell::is_listed;
use crate::text::encoded;
use crate::text::{fold, quoted::strip_quoted};

/// How serious a suspicion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuspicionLevel {
    /// Only serious together with others.
    Warn,
    /// Serious enough to wait for a person.
    Hold,
    /// Serious enough to reject the text.
    Refuse,
}

/// A reason to suspect a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The kind of suspicion.
    pub category: Category,
    /// How serious it is.
    pub level: SuspicionLevel,
    /// What the text does, in words for a person.
    pub description: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.category.name(), self.description)
    }
}

named_enum! {
    /// The verdict on a text, from all reasons.
    InspectionVerdict {
        /// Nothing serious was found.
        Clean = "clean",
        /// A person should review it first.
        Pending = "pending",
        /// It must not be stored.
        Rejected = "rejected",
    }
}

impl InspectionVerdict {
    /// Returns the verdict that these reasons lead to.
    pub fn from_reasons(reasons: &[Reason]) -> Self {
        match reasons.iter().map(|reason| reason.level).max() {
            None | Some(SuspicionLevel::Warn) => Self::Clean,
            Some(SuspicionLevel::Hold) => Self::Pending,
            Some(SuspicionLevel::Refuse) => Self::Rejected,
        }
    }
}

/// The weight from which a category is mentioned at all.
const WARN_WEIGHT: u32 = 5;
/// The weight of one category from which a text must wait for a person.
const HOLD_WEIGHT: u32 = 10;
/// The weight of all categories together from which a text must wait.
const HOLD_TOTAL_WEIGHT: u32 = 13;
/// The weight of one category from which a text is rejected.
const REFUSE_WEIGHT: u32 = 20;

/// Returns the reasons to suspect a text, the most serious first; usually empty.
pub fn inspect_text(text: &str) -> Vec<Reason> {
    let mut tally = weigh_words(text);
    tally.add_deed(text);
    tally.into_reasons()
}

/// Weighs what speaks against the words of a text, whatever its commands do.
pub(super) fn weigh_words(text: &str) -> CategoryWeights {
    let mut tally = CategoryWeights::default();
    let mut markers = find_markers(text);
    markers.retain(|marker| marker.kind.is_suspicious());
    for marker in markers {
        tally.add_signal(
            Category::Marker,
            10,
            &format!("holds {:?}", &text[marker.span]),
        );
    }
    let own_words = strip_quoted(text);
    // What is longer than what is told of it is the message itself.
    let may_tell = own_words.len() < text.len() && own_words.len() * 2 > text.len();
    let is_told = may_tell && speaks_of_attack(&own_words);
    tally.add_rule_hits(&fold::fold_text(if is_told { &own_words } else { text }));
    for (category, weight, what) in languages::find_signals(text) {
        tally.add_signal(category, weight, what);
    }
    for packed in encoded::decode_payloads(text) {
        let is_order = tally.add_rule_hits(&packed.decoded);
        let weight = if is_order {
            HOLD_WEIGHT
        } else {
            packed.weight.into()
        };
        let what = format!("hides text as {}", packed.encoding);
        tally.add_signal(Category::Encoded, weight, &what);
    }
    tally
}

/// Weighs what a text advises to run.
pub(super) fn weigh_commands(text: &str) -> CategoryWeights {
    let mut tally = CategoryWeights::default();
    tally.add_deed(text);
    tally
}

/// Returns whether a text, without what it quotes, tells of an attack or calls it data: then what it quotes is no advice of its own.
fn speaks_of_attack(told: &str) -> bool {
    const ALARMS: &str = "attack attacker malicious injection injected phishing malware fixture fixtures payload jailbreak spam scam";
    let lower = told.to_ascii_lowercase();
    let mut words = lower.split(|ch: char| !ch.is_alphabetic());
    words.any(|word| is_listed(ALARMS, word))
        || [" is data", " are data", " as data", " as text"]
            .iter()
            .any(|phrase| lower.contains(phrase))
}

/// The weights by category, with the description of the heaviest signal.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CategoryWeights(BTreeMap<Category, CategorySum>);

#[derive(Debug, Clone, Default, PartialEq)]
struct CategorySum {
    total: u32,
    heaviest: u32,
    description: String,
}

impl CategoryWeights {
    fn add_signal(&mut self, category: Category, weight: u32, what: &str) {
        let sum = self.0.entry(category).or_default();
        sum.total += weight;
        if weight > sum.heaviest {
            sum.heaviest = weight;
            what.clone_into(&mut sum.description);
        }
    }

    fn add_deed(&mut self, text: &str) {
        if let Some(deed) = deeds::find_deed(text) {
            let description = format!("following it {}", deed.sentence);
            let weight = HOLD_WEIGHT / if deed.is_grave { 1 } else { 2 };
            self.add_signal(Category::Command, weight, &description);
        }
    }

    pub(super) fn into_reasons(self) -> Vec<Reason> {
        self.into_reasons_beside(&Self::default())
    }

    /// Adds every rule that matches the words, and returns whether any did.
    fn add_rule_hits(&mut self, words: &str) -> bool {
        let rules = meaning::find_meaning_hits(words);
        for rule in &rules {
            self.add_signal(rule.category, HOLD_WEIGHT, rule.description);
        }
        !rules.is_empty()
    }

    /// Returns the reasons, the most serious first, for a text beside which these others stand.
    pub(super) fn into_reasons_beside(self, others: &Self) -> Vec<Reason> {
        let sums = self.0.values().chain(others.0.values());
        let together: u32 = sums.map(|sum| sum.total).sum();
        let mut sums: Vec<(Category, CategorySum)> = self.0.into_iter().collect();
        sums.sort_by_key(|(category, sum)| (std::cmp::Reverse(sum.total), *category));
        let heaviest = sums.first().map_or(0, |(_, sum)| sum.total);
        let sums_over_limit = sums
            .into_iter()
            .filter(|(_, sum)| sum.total >= WARN_WEIGHT || together >= HOLD_TOTAL_WEIGHT);
        sums_over_limit
            .map(|(category, sum)| {
                let leads = sum.total == heaviest && together >= HOLD_TOTAL_WEIGHT;
                let level = match sum.total {
                    REFUSE_WEIGHT.. => SuspicionLevel::Refuse,
                    HOLD_WEIGHT.. => SuspicionLevel::Hold,
                    _ if leads => SuspicionLevel::Hold,
                    _ => SuspicionLevel::Warn,
                };
                Reason {
                    category,
                    level,
                    description: sum.description,
                }
            })
            .collect()
    }
}
