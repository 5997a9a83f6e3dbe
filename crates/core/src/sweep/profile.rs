//! What grouping reads in a lesson: its terms, the tools and numbers that it names, what it advises and warns of.
//!
//! Only what the lesson says is read. The task that taught it, who wrote it and what became of it have no part in it,
//! and neither have the words of the form it was written in. Profiles are compared in `similarity` and `conflict`.

use std::collections::{BTreeMap, BTreeSet};

use super::lexicon::{Lexicon, has_antonym, stem_word};
use crate::{
    change::{Meaning, MeaningKey},
    id::{LessonId, ProjectId},
    lesson::{FailureKey, Lesson, LessonContent, LessonTarget},
    text::CleanText,
    tokens::{common_share, has_digit},
    vector::content_fingerprint,
};

/// Words before a number that only say where or how often, so that another number is no other lesson.
const INCIDENTAL_NUMBERS: &[&str] = &[
    "line", "lines", "column", "attempt", "attempts", "step", "steps", "issue", "pr", "row",
    "page", "case", "task", "run", "runs", "test", "tests", "item", "section", "chapter", "figure",
    "build", "ticket", "commit",
];
/// Words that tell of trouble: a clause that holds one describes, and advises nothing.
const TROUBLE: &[&str] = &[
    "fails", "failed", "fail", "failing", "failure", "error", "errors", "breaks", "broke",
    "broken", "hangs", "hung", "leaks", "leaked", "crashes", "crashed", "wrong", "missing",
    "rejected", "rejects", "timed", "lost", "loses", "raced", "races", "raises", "raised", "threw",
    "throws", "dies", "died",
];

/// A name in a lesson, and the terms on both sides.
#[derive(Debug, Clone)]
pub(super) struct WordPlace {
    pub(super) term: String,
    pub(super) sides: (Option<String>, Option<String>),
}

/// A number and the word beside it.
pub(super) type NumberPlace = (String, &'static str);

/// What grouping reads in a lesson.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pub(super) id: LessonId,
    /// Identifies the words, so that nothing depends on the order of lessons.
    pub(super) fingerprint: u64,
    pub(super) project: Option<ProjectId>,
    pub(super) agent: String,
    pub(super) failure: Option<FailureKey>,
    pub(super) targets: Vec<LessonTarget>,
    pub(super) contradicts: Vec<LessonId>,
    /// What it is about, tags included.
    pub(super) terms: BTreeSet<String>,
    /// The names in its signature and text, each with the terms on both sides; none where the text begins or ends.
    pub(super) places: Vec<WordPlace>,
    /// The terms that are names rather than words: they hold a digit, or stand in code.
    pub(super) names: BTreeSet<String>,
    /// The tools it names, by kind.
    pub(super) tools: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// Numbers, by the word beside them.
    pub(super) numbers: BTreeMap<NumberPlace, BTreeSet<String>>,
    /// Words that have an opposite, with the words beside them.
    pub(super) turns: BTreeSet<(String, String)>,
    /// What it advises: the terms of each clause that is an instruction.
    pub(super) advised: Vec<BTreeSet<String>>,
    /// What it tells without naming a trouble, which may be advice that begins with a word nobody listed.
    pub(super) told: Vec<BTreeSet<String>>,
    /// What it warns of: the terms of each clause that forbids.
    pub(super) warned: Vec<BTreeSet<String>>,
    pub(super) meaning: Meaning,
    /// Equal for lessons of the same words; only those can say the opposite.
    pub(super) words_key: MeaningKey,
}

impl Profile {
    /// Reads a lesson.
    pub(super) fn from_lesson(lesson: &Lesson, lexicon: &Lexicon) -> Self {
        Self {
            id: lesson.id,
            project: lesson.scope.project.clone(),
            agent: lesson.scope.agent.to_string(),
            failure: lesson.failure.clone(),
            contradicts: lesson.contradicts.clone(),
            ..Self::from_content(&lesson.content, lexicon)
        }
    }

    /// Reads what a lesson says, whosever it is.
    pub(super) fn from_content(content: &LessonContent, lexicon: &Lexicon) -> Self {
        let optional = [&content.situation, &content.mistake];
        let texts: Vec<&str> = [&content.signature, &content.title, &content.text]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .map(CleanText::as_str)
            .collect();
        let meaning = Meaning::from_content(content);
        let mut profile = Self {
            id: LessonId(0),
            fingerprint: content_fingerprint(content),
            project: None,
            agent: String::new(),
            failure: None,
            targets: content.targets.clone(),
            contradicts: Vec::new(),
            terms: BTreeSet::new(),
            places: Vec::new(),
            names: BTreeSet::new(),
            tools: BTreeMap::new(),
            numbers: BTreeMap::new(),
            turns: BTreeSet::new(),
            advised: Vec::new(),
            told: Vec::new(),
            warned: Vec::new(),
            words_key: meaning.key(),
            meaning,
        };
        for text in &texts {
            profile.read_terms(text, lexicon);
        }
        for name in content.tags.iter().chain(&content.tools) {
            profile.read_terms(name.as_str(), lexicon);
        }
        for text in [content.signature.as_str(), content.text.as_str()] {
            profile.read_places(text, lexicon);
            profile.read_numbers(text);
            profile.read_turns(text);
            profile.read_clauses(text, lexicon);
        }
        profile
    }

    fn read_terms(&mut self, text: &str, lexicon: &Lexicon) {
        for (place, part) in text.split('`').enumerate() {
            let terms = stem_word(part)
                .into_iter()
                .filter_map(|it| lexicon.canonical_term(&it));
            for term in terms {
                if place % 2 == 1 || has_digit(&term) || term.contains('_') {
                    self.names.insert(term.clone());
                }
                self.terms.insert(term);
            }
            for word in split_words(part) {
                if let Some((kind, name)) = lexicon.tool_of(&word) {
                    self.tools.entry(kind).or_default().insert(name);
                }
            }
        }
    }

    fn read_places(&mut self, text: &str, lexicon: &Lexicon) {
        let terms = stem_word(text).into_iter();
        let terms: Vec<String> = terms.filter_map(|it| lexicon.canonical_term(&it)).collect();
        let beside = |at: Option<usize>| at.and_then(|at| terms.get(at)).cloned();
        for (at, term) in terms
            .iter()
            .enumerate()
            .filter(|(_, it)| is_name(it) && !lexicon.is_verb(it))
        {
            let sides = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
            self.places.push(WordPlace {
                term: term.clone(),
                sides,
            });
        }
    }

    fn read_numbers(&mut self, text: &str) {
        let words = split_words(text);
        for (at, word) in words.iter().enumerate() {
            if !word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let beside =
                |at: Option<usize>| at.and_then(|at| words.get(at)).filter(|it| !has_digit(it));
            let before = beside(at.checked_sub(1));
            let after = beside(at.checked_add(1));
            if before.is_some_and(|it| INCIDENTAL_NUMBERS.contains(&it.as_str())) {
                continue;
            }
            for (place, side) in [(before, "before"), (after, "after")] {
                let Some(term) = place.and_then(|it| stem_word(it).into_iter().next()) else {
                    continue;
                };
                self.numbers
                    .entry((term, side))
                    .or_default()
                    .insert(word.clone());
            }
        }
    }

    fn read_turns(&mut self, text: &str) {
        let words = split_words(text);
        for (at, word) in words.iter().enumerate().filter(|(_, it)| has_antonym(it)) {
            let after = words[at + 1..].iter().flat_map(|it| stem_word(it)).next();
            self.turns.extend(after.map(|it| (word.clone(), it)));
        }
    }

    fn read_clauses(&mut self, text: &str, lexicon: &Lexicon) {
        for clause in split_clauses(text) {
            let words = split_words(&clause);
            let (stance, from) = read_stance(&words, lexicon);
            let terms = words[from..].iter().flat_map(|it| stem_word(it));
            let terms: BTreeSet<String> =
                terms.filter_map(|it| lexicon.canonical_term(&it)).collect();
            match stance {
                _ if terms.is_empty() => {}
                Stance::Advises => self.advised.push(terms),
                Stance::Warns => self.warned.push(terms),
                Stance::Tells if !names_trouble(&words) => self.told.push(terms),
                Stance::Tells => {}
            }
        }
    }
}

/// Returns whether a term may be what a lesson is about; a name may be an ordinary word.
fn is_name(term: &str) -> bool {
    common_share(term) < 0.1
}

/// Returns whether a term says what a lesson is about.
pub(super) fn is_telling(term: &str) -> bool {
    common_share(term) < 0.05
}

/// What a clause does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stance {
    Advises,
    Warns,
    Tells,
}

/// Returns what a clause does, and where the words begin that say of what.
fn read_stance(words: &[String], lexicon: &Lexicon) -> (Stance, usize) {
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|it| list.contains(&it.as_str()));
    let mut at = 0;
    while is(
        at,
        &[
            "always", "please", "then", "and", "instead", "first", "just", "so", "but", "you",
            "must", "should",
        ],
    ) {
        at += 1;
    }
    if is(
        at,
        &[
            "never",
            "not",
            "avoid",
            "dont",
            "don't",
            "stop",
            "refrain",
            "no",
            "mustn't",
            "shouldn't",
            "cannot",
        ],
    ) {
        // `not only` takes nothing back.
        let adds = is(at + 1, &["just", "only", "merely", "necessarily", "always"]);
        return (if adds { Stance::Tells } else { Stance::Warns }, at + 1);
    }
    if is(at, &["do"]) && is(at + 1, &["not", "n't"]) {
        return (Stance::Warns, at + 2);
    }
    let is_instruction = words.get(at).is_some_and(|it| lexicon.is_imperative(it));
    match is_instruction && !names_trouble(words) {
        // The verb is part of what is advised, unless it only says that something is.
        true => (Stance::Advises, at),
        false => (Stance::Tells, at),
    }
}

/// Returns whether a clause tells of trouble.
fn names_trouble(words: &[String]) -> bool {
    words.iter().any(|it| TROUBLE.contains(&it.as_str()))
}

/// Splits a text where a thought ends, and before what is said to be worse.
fn split_clauses(text: &str) -> Vec<String> {
    let plain = text.replace('`', "");
    let mut clauses = vec![String::new()];
    for word in plain.split_whitespace() {
        let bare = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        let turns = matches!(
            bare.as_str(),
            "instead" | "rather" | "not" | "never" | "but" | "without" | "avoid"
        ) || (bare == "do" && clauses.last().is_some_and(|it| it.is_empty()));
        // `do not` stays together.
        let joins = bare == "not"
            && clauses
                .last()
                .is_some_and(|it| it.trim_end().ends_with("do"));
        if turns && !joins {
            clauses.push(String::new());
        }
        let word = if matches!(bare.as_str(), "instead" | "rather") {
            "not"
        } else {
            word
        };
        if let Some(last) = clauses.last_mut() {
            last.push_str(word);
            last.push(' ');
        }
        if word.ends_with(['.', ',', ';', ':', '!', '?']) {
            clauses.push(String::new());
        }
    }
    clauses.retain(|it| !it.trim().is_empty());
    clauses
}

/// Splits a text into words in lower case; what belongs to an option, a version or a file name stays together.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '\'' | '%' | '+');
    text.split(|c: char| !is_inner(c))
        .map(|word| {
            word.trim_matches(|c: char| matches!(c, '.' | '\'' | '-'))
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
        .collect()
}
