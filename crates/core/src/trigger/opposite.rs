//! Tells whether two lessons say the opposite: one warns of what the other advises, at the same occasion.
//!
//! What they name may be a command or a path, or a word of prose that both have. It is the same occasion if the one that
//! warns has all that the other says beside the name: `use tabs` is the opposite of `use commas in reports, not tabs`,
//! and a rule for one folder is an exception from one for all. That two remedies exclude each other is not seen here, nor is
//! it judged which of the two is right.

use std::collections::BTreeSet;

use super::{
    Sign, Trigger, TriggerKind,
    clause::Part,
    cue::{self, Cue},
    path::ReadingWords,
    sign::{self, SignedName},
    span::{self, Named},
};
use crate::{
    lesson::{LessonContent, LessonTarget},
    text::CleanText,
    tokens,
};

/// What a lesson advises and warns of, and when.
#[derive(Debug)]
pub struct Stance {
    parts: Vec<Part>,
    /// The words of its prose that may be what it speaks of.
    words: BTreeSet<String>,
    /// The terms of all that it says.
    terms: BTreeSet<String>,
    /// Those that say when it applies.
    occasion: BTreeSet<String>,
    targets: Vec<LessonTarget>,
}

impl Stance {
    /// Reads what a lesson says.
    pub fn from_content(content: &LessonContent) -> Self {
        let parts = sign::read_rule(content.text.as_str());
        let words = parts.iter().filter_map(|part| match part {
            Part::Word(word) if is_telling(word) => Some(word.clone()),
            _ => None,
        });
        let mut occasion = BTreeSet::new();
        add_word(content.signature.as_str(), &mut occasion);
        let situation = content.situation.as_ref().map_or("", CleanText::as_str);
        for part in sign::read_rule(situation) {
            add_terms(&part, &mut occasion);
        }
        let mut terms = occasion.clone();
        parts.iter().for_each(|part| add_terms(part, &mut terms));
        Self {
            words: words.collect(),
            terms,
            occasion,
            targets: content.targets.clone(),
            parts,
        }
    }

    /// Returns whether a text may warn of anything. One of two opposites does, and it is soon known.
    pub fn may_warn(text: &CleanText) -> bool {
        cue::says_any(
            text.as_str(),
            &[Cue::Not, Cue::InPlaceOf, Cue::ReplacedBy, Cue::Without],
        )
    }

    /// Returns whether one warns of what the other one advises, at the same occasion.
    pub fn opposes(&self, other: &Self) -> bool {
        let is_same_occasion = self.targets == other.targets
            && (other.has_all(&self.occasion) || self.has_all(&other.occasion));
        if !is_same_occasion || self.terms.is_disjoint(&other.terms) {
            return false;
        }
        let common = self.words.intersection(&other.words).cloned().collect();
        let [ours, theirs] = [self, other].map(|stance| sign::read_parts(&stance.parts, &common));
        !shares_advice(&ours, &theirs)
            && (self.forbids(&ours, other, &theirs) || other.forbids(&theirs, self, &ours))
    }

    /// Returns whether it warns of a name that the other one advises, and has whatever that says beside it: advice for a
    /// narrower occasion is an exception.
    fn forbids<'n>(&self, ours: &'n [SignedName], other: &Self, theirs: &'n [SignedName]) -> bool {
        // What is said after a word of prose may be said of another one.
        let is_clear =
            |name: &&SignedName| !matches!(name.named, Named::Word(_)) || name.is_after_cue;
        let has_sign = |name: &&SignedName, sign| name.sign == Some(sign) && is_clear(name);
        let warnings = || {
            let warnings = ours.iter().filter(|name| has_sign(name, Sign::Warned));
            warnings.filter(|name| !name.is_weak)
        };
        let advised_names = |names: &'n [SignedName]| {
            let names = names.iter();
            names.filter(move |name| has_sign(name, Sign::Advised))
        };
        // Who warns of `make` and advises `make check` has nothing against `make check`.
        let is_advised =
            |advice: &SignedName| advised_names(ours).any(|own| names_same(own, advice));
        advised_names(theirs).any(|advice| {
            !is_advised(advice)
                && warnings().any(|warning| names_same(warning, advice))
                && self.has_all(&other.list_beside(advice))
        })
    }

    /// Returns what a sentence says beside a name, up to the end of the clause in which that stands.
    fn list_beside(&self, name: &SignedName) -> BTreeSet<String> {
        let ends_sentence = |part: &Part| matches!(part, Part::SentenceEnd | Part::Question);
        let (before, after) = self.parts.split_at(name.place);
        let before = before.iter().rev().take_while(|part| !ends_sentence(part));
        let after = after
            .iter()
            .take_while(|part| !ends_sentence(part) && **part != Part::ClauseEnd);
        let mut terms = BTreeSet::new();
        before
            .chain(after.skip(1))
            .for_each(|part| add_terms(part, &mut terms));
        terms
    }

    fn has_all(&self, terms: &BTreeSet<String>) -> bool {
        terms.is_subset(&self.terms)
    }
}

/// Returns whether both advise the same command or path: then one only says in other words, or of more, what the other does.
fn shares_advice(ours: &[SignedName], theirs: &[SignedName]) -> bool {
    let is_advised = |name: &&SignedName| {
        let is_word = matches!(name.named, Named::Word(_));
        !is_word && name.sign == Some(Sign::Advised) && !name.is_weak
    };
    let mut advice = ours.iter().filter(is_advised);
    advice.any(|own| {
        let mut theirs = theirs.iter().filter(is_advised);
        theirs.any(|name| names_same(own, name) && names_same(name, own))
    })
}

/// Returns whether both name the same, or one names all that the other does.
fn names_same(warning: &SignedName, advice: &SignedName) -> bool {
    let kind = |name: &SignedName, sign: Sign| -> TriggerKind {
        Trigger::new(sign, name.named.clone(), ReadingWords::any_use()).what
    };
    kind(warning, Sign::Warned).covers(&kind(advice, Sign::Advised))
}

fn add_terms(part: &Part, terms: &mut BTreeSet<String>) {
    match part {
        Part::Word(word) if is_telling(word) => add_word(word, terms),
        Part::Name(named) => add_name_terms(named, terms),
        _ => {}
    }
}

/// Adds what a name is made of, as it is typed.
fn add_name_terms(named: &Named, terms: &mut BTreeSet<String>) {
    let kind = Trigger::new(Sign::About, named.clone(), ReadingWords::any_use()).what;
    add_word(&kind.typed(), terms);
}

fn add_word(word: &str, terms: &mut BTreeSet<String>) {
    tokens::for_each_term(word, |term| {
        terms.insert(term.to_owned());
    });
}

/// Returns whether a word of prose says what a rule is about.
fn is_telling(word: &str) -> bool {
    let is_other = word.contains(|c: char| c.is_numeric() || cue::is_unspaced(c));
    (span::is_content_word(word) || is_other) && !cue::is_imperative(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(lesson: &str) -> Stance {
        let (signature, text) = lesson.split_once(" :: ").unwrap_or(("", lesson));
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        Stance::from_content(&LessonContent::new(clean(signature), clean(text)))
    }

    fn check(one: &str, other: &str, expected: bool) {
        let (a, b) = (stance(one), stance(other));
        assert_eq!(a.opposes(&b), expected, "{one} / {other}");
        assert_eq!(b.opposes(&a), expected, "{other} / {one}");
    }

    #[test]
    fn the_same_thing_with_the_other_sign() {
        let opposite = |one, other| check(one, other, true);
        opposite(
            "Use commas in exported csv reports, not tabs.",
            "Use tabs in exported csv reports.",
        );
        opposite(
            "When exporting csv reports, use commas, not tabs.",
            "When exporting reports, use tabs, because the importer of finance wants them.",
        );
        opposite("Indent with spaces, never tabs.", "Use tabs.");
        opposite(
            "npm :: Never run `npm install`; use `pnpm install`.",
            "npm :: Run `npm install`.",
        );
        opposite(
            "Use `yarn`, not `npm`.",
            "Use `npm` here. The lockfile is its own.",
        );
        opposite("Do not edit `schema.sql`.", "Edit `schema.sql` directly.");
        opposite(
            "Schreibe Tests mit `vitest`, nicht mit `jest`.",
            "Schreibe Tests mit `jest`.",
        );
        opposite(
            "Use mocks instead of fixtures in the billing tests.",
            "Use fixtures in billing tests.",
        );
    }

    #[test]
    fn another_thing_or_another_occasion() {
        let other = |one, other| check(one, other, false);
        other("Use tabs.", "Use tabs.");
        other("Use tabs in Go files.", "Never use tabs.");
        other("Use commas, not tabs.", "Use semicolons, not tabs.");
        other(
            "Use `docker compose up`, not `docker run`, for tests.",
            "Use `docker run` for one-off scripts.",
        );
        other(
            "Never use `npm install`; use `pnpm install`.",
            "Run `npm install` in `tools/legacy` first.",
        );
        other(
            "go :: Use tabs for indentation.",
            "python :: Do not use tabs for indentation.",
        );
        other(
            "Use commas in csv reports, not tabs.",
            "Use commas, in csv reports never tabs.",
        );
        other(
            "Inject the clock in token refresh tests.",
            "Back off before retrying a token refresh, not after.",
        );
        other(
            "`npm test` does not find the browser. Run `npx playwright install` first.",
            "Run `npm test` before each commit.",
        );
        // Both want the same of it.
        other(
            "make release :: Run `make check` before `make release`.",
            "`make` fails with *tree is unchecked*. Run `make check` first; after it the same command worked.",
        );
        // Both advise the same command.
        other(
            "Run `make check`, never `make all`.",
            "Run `make check`, then run `make all`.",
        );
        other(
            "git push :: Do not force push to `main`.",
            "git push :: Push to `main` only after review.",
        );
    }
}
