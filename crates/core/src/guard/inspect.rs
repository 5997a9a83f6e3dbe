//! Says whether a text is advice, or an order in the clothes of advice.
//!
//! Signals are added up by category: what the [`rules`](super::rules) hit in the text and in what
//! was packed into it, markers, and orders in other languages. The result is a list of reasons a
//! person can read; nothing is decided here about who may say what.

use std::{collections::BTreeMap, fmt};

use super::{encoded, fold, languages, marker::find_markers, meaning, rules};

/// What a text is suspected of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// It holds the marks that divide a prompt.
    Marker,
    /// It meddles with the reader's instructions.
    Override,
    /// It makes the reader somebody without rules.
    Persona,
    /// It asks, as a prompt does, instead of advising.
    Request,
    /// It carries data off.
    Exfiltration,
    /// It sends the reader on an errand to somebody's accounts.
    Errand,
    /// It does damage or takes protection away.
    Destruction,
    /// It keeps something from the user.
    Concealment,
    /// It hides what it says.
    Encoded,
    /// It would fire almost anywhere.
    Broad,
}

impl Category {
    /// Returns the name used in JSON and on the screen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Marker => "marker",
            Self::Override => "instruction-override",
            Self::Persona => "persona",
            Self::Request => "request",
            Self::Exfiltration => "exfiltration",
            Self::Errand => "errand",
            Self::Destruction => "destruction",
            Self::Concealment => "concealment",
            Self::Encoded => "encoded",
            Self::Broad => "over-broad",
        }
    }
}

/// How much a reason weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
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
    pub level: Level,
    /// What the text does, in words for a person.
    pub what: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.category.name(), self.what)
    }
}

/// What the reasons come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// Nothing speaks against it.
    Clean,
    /// A person should look first.
    Pending,
    /// It has no place in a memory.
    Rejected,
}

impl Finding {
    /// Reads the finding off the reasons.
    #[must_use]
    pub fn of(reasons: &[Reason]) -> Self {
        match reasons.iter().map(|reason| reason.level).max() {
            None | Some(Level::Warn) => Self::Clean,
            Some(Level::Hold) => Self::Pending,
            Some(Level::Refuse) => Self::Rejected,
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
const WARN: u32 = 5;
/// Weight from which one category holds a text back.
pub(super) const HOLD: u32 = 10;
/// Weight from which all categories together hold a text back.
const HOLD_TOGETHER: u32 = 13;
/// Weight from which one category turns a text away.
const REFUSE: u32 = 20;

/// Returns what speaks against a text, the heaviest first. An empty list is the common case.
#[must_use]
pub fn inspect(text: &str) -> Vec<Reason> {
    let mut tally = Tally::default();
    for marker in find_markers(text)
        .iter()
        .filter(|marker| marker.kind.is_suspicious())
    {
        tally.add(
            Category::Marker,
            10,
            &format!("holds {:?}", &text[marker.span.clone()]),
        );
    }
    let words = fold::words(text);
    tally.rules(&words);
    for (category, weight, what) in languages::hits(text) {
        tally.add(category, weight, what);
    }
    for packed in encoded::unpack(text, &words) {
        let weight = if tally.rules(&packed.words) {
            HOLD
        } else {
            u32::from(packed.weight)
        };
        tally.add(
            Category::Encoded,
            weight,
            &format!("hides text as {}", packed.how),
        );
    }
    tally.reasons()
}

/// The weights by category, with the heaviest signal's words.
#[derive(Default)]
struct Tally(BTreeMap<Category, Sum>);

#[derive(Default)]
struct Sum {
    total: u32,
    heaviest: u32,
    what: String,
}

impl Tally {
    fn add(&mut self, category: Category, weight: u32, what: &str) {
        let sum = self.0.entry(category).or_default();
        sum.total += weight;
        if weight > sum.heaviest {
            sum.heaviest = weight;
            what.clone_into(&mut sum.what);
        }
    }

    /// Adds every rule that the words hit, and returns whether any did.
    fn rules(&mut self, words: &str) -> bool {
        let mut any = false;
        for rule in rules::hits(words) {
            self.add(rule.category, u32::from(rule.weight), rule.what);
            any = true;
        }
        for rule in meaning::hits(words) {
            self.add(rule.category, HOLD, rule.what);
            any = true;
        }
        any
    }

    fn reasons(self) -> Vec<Reason> {
        let together: u32 = self.0.values().map(|sum| sum.total).sum();
        let mut sums: Vec<(Category, Sum)> = self.0.into_iter().collect();
        sums.sort_by_key(|(category, sum)| (std::cmp::Reverse(sum.total), *category));
        let heaviest = sums.first().map_or(0, |(_, sum)| sum.total);
        let named = sums
            .into_iter()
            .filter(|(_, sum)| sum.total >= WARN || together >= HOLD_TOGETHER);
        named
            .map(|(category, sum)| {
                let leads = sum.total == heaviest && together >= HOLD_TOGETHER;
                let level = match sum.total {
                    REFUSE.. => Level::Refuse,
                    HOLD.. => Level::Hold,
                    _ if leads => Level::Hold,
                    _ => Level::Warn,
                };
                Reason {
                    category,
                    level,
                    what: sum.what,
                }
            })
            .collect()
    }
}
