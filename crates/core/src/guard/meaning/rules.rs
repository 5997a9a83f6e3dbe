//! Which classes of words together make a harmful order: reads the table `rules.txt` once.
//!
//! A heading names the category and describes the act for a person. Each line under it gives the longest distance in
//! words between the first and the last class (`+`: the next sentence counts as well), and the required classes:
//! asserted, `!denied` or `?either`, with alternatives separated by `|`. `unless` names classes that must be absent.
//! To add a rule, add a line; a missing word's stem belongs in `words.txt`.

use super::{Sense, WordClasses, lexicon::MeaningLexicon};
use crate::guard::category::Category;

const RULES_TABLE: &str = include_str!("rules.txt");

/// A combination of word classes that a text must have.
#[derive(Debug)]
pub(in crate::guard) struct MeaningRule {
    /// The category that a match counts for.
    pub(in crate::guard) category: Category,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(in crate::guard) description: &'static str,
    /// The line of the table, for the tests.
    #[cfg(test)]
    pub(super) row: &'static str,
    /// Most words between the first and the last class.
    max_words: usize,
    /// Whether the next sentence counts as well.
    pub(super) spans_two_sentences: bool,
    /// The required classes; each term needs one of its alternatives.
    terms: Vec<Sense>,
    /// Classes that must be absent.
    forbidden: WordClasses,
}

impl MeaningRule {
    /// Returns whether a text has all required classes, wherever they stand.
    pub(super) fn may_hit(&self, all: Sense) -> bool {
        self.terms.iter().all(|&term| all.intersects(term))
    }

    /// Returns whether a stretch of words within the distance has all required classes.
    pub(super) fn matches_senses(&self, words: &[Sense]) -> bool {
        let all = Sense::union_of(words);
        self.may_hit(all)
            && !(all.asserted | all.denied).intersects(self.forbidden)
            && (0..=words.len().saturating_sub(self.max_words)).any(|from| {
                let end = words.len().min(from + self.max_words);
                self.may_hit(Sense::union_of(&words[from..end]))
            })
    }
}

/// Parses the table; errors in it are found by its tests.
pub(super) fn read_table(lexicon: &MeaningLexicon) -> Vec<MeaningRule> {
    let mut head = (Category::Override, "");
    let mut rules = Vec::new();
    for line in RULES_TABLE.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix(' ') {
            Some(row) => rules.push(parse_rule(lexicon, head, row.trim_start())),
            None => head = parse_heading(line),
        }
    }
    rules
}

fn parse_heading(line: &'static str) -> (Category, &'static str) {
    let (category, what) = line.split_once(": ").expect("a heading");
    let category = match category {
        "override" => Category::Override,
        "concealment" => Category::Concealment,
        "exfiltration" => Category::Exfiltration,
        "destruction" => Category::Destruction,
        "persona" => Category::Persona,
        "request" => Category::Request,
        "errand" => Category::Errand,
        _ => unreachable!("no category: {category}"),
    };
    (category, what)
}

fn parse_rule(
    lexicon: &MeaningLexicon,
    (category, what): (Category, &'static str),
    row: &'static str,
) -> MeaningRule {
    let (within, classes) = row.split_once(' ').expect("a width and classes");
    let (terms, unless) = classes.split_once(" unless ").unwrap_or((classes, ""));
    let terms = terms.split(',');
    let names = unless.split('|').filter(|name| !name.is_empty());
    MeaningRule {
        category,
        description: what,
        #[cfg(test)]
        row,
        max_words: within.trim_end_matches('+').parse().expect("a width"),
        spans_two_sentences: within.ends_with('+'),
        terms: terms
            .map(|term| parse_sense(lexicon, term.trim()))
            .collect(),
        forbidden: names.map(|name| lexicon.class_named(name)).collect(),
    }
}

fn parse_sense(lexicon: &MeaningLexicon, term: &str) -> Sense {
    let mut all = Sense::default();
    for name in term.split('|') {
        let bare = name.trim_start_matches(['!', '?']);
        let classes = lexicon.class_named(bare);
        if !name.starts_with('!') {
            all.asserted = all.asserted | classes;
        }
        if name != bare {
            all.denied = all.denied | classes;
        }
    }
    all
}
