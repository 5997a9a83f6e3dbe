//! Says whether a text is advice, or an order in the clothes of advice.
//!
//! Signals are added up by category: what the [`rules`](super::rules) hit in the text and in what
//! was packed into it, markers, and orders in other languages. The result is a list of reasons a
//! person can read; nothing is decided here about who may say what.

use std::{collections::BTreeMap, fmt};

use super::{category::Category, encoded, languages, marker::find_markers, meaning, rules};
use crate::text::fold;

/// How much a reason weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuspicionLevel {
    /// Worth a look together with others.
    Warn,
    /// Enough to wait for a person.
    Hold,
    /// Enough to turn it away.
    Refuse,
}

/// Something that speaks against a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What it is suspected of.
    pub category: Category,
    /// How much it weighs.
    pub level: SuspicionLevel,
    /// What the text does, in words for a person.
    pub description: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.category.name(), self.description)
    }
}

/// What the reasons come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InspectionVerdict {
    /// Nothing speaks against it.
    Clean,
    /// A person should look first.
    Pending,
    /// It has no place in a memory.
    Rejected,
}

impl InspectionVerdict {
    /// Reads the finding off the reasons.
    #[must_use]
    pub fn from_reasons(reasons: &[Reason]) -> Self {
        match reasons.iter().map(|reason| reason.level).max() {
            None | Some(SuspicionLevel::Warn) => Self::Clean,
            Some(SuspicionLevel::Hold) => Self::Pending,
            Some(SuspicionLevel::Refuse) => Self::Rejected,
        }
    }

    /// Returns the name used in JSON and on the screen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Pending => "pending",
            Self::Rejected => "rejected",
        }
    }
}

/// Weight from which a category is named at all.
const WARN_WEIGHT: u32 = 5;
/// Weight from which one category holds a text back.
pub(super) const HOLD_WEIGHT: u32 = 10;
/// Weight from which all categories together hold a text back.
const HOLD_TOTAL_WEIGHT: u32 = 13;
/// Weight from which one category turns a text away.
const REFUSE_WEIGHT: u32 = 20;

/// Returns what speaks against a text, the heaviest first. An empty list is the common case.
#[must_use]
pub fn inspect_text(text: &str) -> Vec<Reason> {
    let mut tally = CategoryWeights::default();
    for marker in find_markers(text)
        .iter()
        .filter(|marker| marker.kind.is_suspicious())
    {
        tally.add_signal(
            Category::Marker,
            10,
            &format!("holds {:?}", &text[marker.span.clone()]),
        );
    }
    let words = fold::fold_text(text);
    tally.add_rule_hits(&words);
    for (category, weight, what) in languages::find_signals(text) {
        tally.add_signal(category, weight, what);
    }
    for packed in encoded::decode_payloads(text, &words) {
        let weight = if tally.add_rule_hits(&packed.decoded) {
            HOLD_WEIGHT
        } else {
            u32::from(packed.weight)
        };
        tally.add_signal(
            Category::Encoded,
            weight,
            &format!("hides text as {}", packed.encoding),
        );
    }
    tally.into_reasons()
}

/// The weights by category, with the heaviest signal's words.
#[derive(Default)]
struct CategoryWeights(BTreeMap<Category, CategorySum>);

#[derive(Default)]
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

    /// Adds every rule that the words hit, and returns whether any did.
    fn add_rule_hits(&mut self, words: &str) -> bool {
        let mut any = false;
        for rule in rules::find_rule_hits(words) {
            self.add_signal(rule.category, u32::from(rule.weight), rule.description);
            any = true;
        }
        for rule in meaning::find_meaning_hits(words) {
            self.add_signal(rule.category, HOLD_WEIGHT, rule.description);
            any = true;
        }
        any
    }

    fn into_reasons(self) -> Vec<Reason> {
        let together: u32 = self.0.values().map(|sum| sum.total).sum();
        let mut sums: Vec<(Category, CategorySum)> = self.0.into_iter().collect();
        sums.sort_by_key(|(category, sum)| (std::cmp::Reverse(sum.total), *category));
        let heaviest = sums.first().map_or(0, |(_, sum)| sum.total);
        let named = sums
            .into_iter()
            .filter(|(_, sum)| sum.total >= WARN_WEIGHT || together >= HOLD_TOTAL_WEIGHT);
        named
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
