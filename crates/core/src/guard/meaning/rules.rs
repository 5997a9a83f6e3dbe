//! Which classes of words together make an order of advice: the table `rules.txt`, read once.
//!
//! Under what the text is suspected of, in words for a person, each line says how many words may lie
//! between the first and the last (`+`: the next sentence counts as well), and which classes have to
//! be there: asserted, `!denied` or `?either`, one of those parted by `|`. `unless` names what must
//! not be there. Adding a rule is adding a line; a word that is missing belongs into `words.txt`.

use super::{Classes, Sense, lexicon::Lexicon};
use crate::guard::inspect::Category;

const TABLE: &str = include_str!("rules.txt");

/// A combination of classes.
#[derive(Debug)]
pub(in crate::guard) struct Rule {
    /// What it speaks for.
    pub(in crate::guard) category: Category,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(in crate::guard) what: &'static str,
    /// The line of the table, for the tests.
    #[cfg(test)]
    pub(super) row: &'static str,
    /// How many words may lie between the first and the last.
    within: usize,
    /// Whether the next sentence counts as well.
    pub(super) spans_two: bool,
    /// What has to be there: of each one.
    terms: Vec<Sense>,
    /// What must not be there.
    unless: Classes,
}

impl Rule {
    /// Returns whether the words of a text could be enough.
    pub(super) fn may_hit(&self, all: Sense) -> bool {
        self.terms.iter().all(|&term| all.meets(term))
    }

    /// Returns whether a stretch of the words has all it takes.
    pub(super) fn hits(&self, words: &[Sense]) -> bool {
        let all = Sense::of_all(words);
        self.may_hit(all)
            && !(all.said | all.denied).meets(self.unless)
            && (0..=words.len().saturating_sub(self.within)).any(|from| {
                let end = words.len().min(from + self.within);
                self.may_hit(Sense::of_all(&words[from..end]))
            })
    }
}

/// Reads the table. What is wrong with it, its tests say.
pub(super) fn table(lexicon: &Lexicon) -> Vec<Rule> {
    let mut head = (Category::Override, "");
    let mut rules = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix(' ') {
            Some(row) => rules.push(rule(lexicon, head, row.trim_start())),
            None => head = heading(line),
        }
    }
    rules
}

fn heading(line: &'static str) -> (Category, &'static str) {
    let (category, what) = line.split_once(": ").expect("a heading");
    let category = match category {
        "override" => Category::Override,
        "concealment" => Category::Concealment,
        "exfiltration" => Category::Exfiltration,
        "destruction" => Category::Destruction,
        _ => unreachable!("no category: {category}"),
    };
    (category, what)
}

fn rule(lexicon: &Lexicon, (category, what): (Category, &'static str), row: &'static str) -> Rule {
    let (within, classes) = row.split_once(' ').expect("a width and classes");
    let (terms, unless) = classes.split_once(" unless ").unwrap_or((classes, ""));
    let names = unless.split('|').filter(|name| !name.is_empty());
    Rule {
        category,
        what,
        #[cfg(test)]
        row,
        within: within.trim_end_matches('+').parse().expect("a width"),
        spans_two: within.ends_with('+'),
        terms: terms
            .split(',')
            .map(|term| sense(lexicon, term.trim()))
            .collect(),
        unless: names.fold(Classes::default(), |all, name| all | lexicon.class(name)),
    }
}

fn sense(lexicon: &Lexicon, term: &str) -> Sense {
    let mut all = Sense::default();
    for name in term.split('|') {
        let bare = name.trim_start_matches(['!', '?']);
        let classes = lexicon.class(bare);
        if !name.starts_with('!') {
            all.said = all.said | classes;
        }
        if name != bare {
            all.denied = all.denied | classes;
        }
    }
    all
}
