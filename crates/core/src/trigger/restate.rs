//! Tells whether two lessons give the same advice for the same occasion in other words.
//!
//! They are about the same command, file or error, and judge the same names alike, with the same values. A sentence model
//! finds `use npm ci` as near to `never use npm ci` as to another wording of it, so nearness proves nothing here, and is
//! asked for besides by whoever takes one lesson for another. Every doubt is decided for *different*: a lesson that names
//! nothing but what it is about, or that denies something where the other one denies nothing, is never taken for the same.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Sign, TriggerKind, Triggers,
    cue::{self, Cue},
};
use crate::{lesson::LessonContent, text::CleanText, tokens::is_common_word};

/// Words that say against something, so that a name near them may be meant either way.
const DENIALS: &[Cue] = &[Cue::Not, Cue::Without, Cue::Except, Cue::Lacking];
/// Of two denials so near one another nobody knows what they come to: `never X without Y`, `don't forget X`.
const DOUBLED_WORDS: usize = 4;
/// Beginnings of words that tell of trouble, and deny nothing by themselves.
const TROUBLE: &[&str] = &["fail", "break", "broke", "hang", "crash", "slow", "refuse"];
/// What follows these words happens if the advice is not followed, or is why it is given.
const ASIDES: &[&str] = &[" or ", " otherwise", " else ", " because ", " since "];

/// Returns whether two lessons are about the same and judge the same names alike, in whatever words.
pub fn restates(one: &LessonContent, other: &LessonContent) -> bool {
    let [ours, theirs] = [one, other].map(Triggers::from_content);
    let mut subject: BTreeSet<String> = split_words(one.signature.as_str()).into_iter().collect();
    subject.extend(split_words(other.signature.as_str()));
    let [own, others] = [(&ours, one), (&theirs, other)]
        .map(|(triggers, content)| Claim::read(triggers, content, &subject));
    ours.has_subject_of(&theirs)
        && own.agrees_with(&others)
        && own.values_agree(&others)
        && gives_same_values(&one.text, &other.text)
}

impl Triggers {
    /// Returns whether both are bound to the same command, file or error, or come up at the same calls.
    fn has_subject_of(&self, other: &Self) -> bool {
        let command = |triggers: &Self| {
            let form = triggers.signature.command.as_ref()?;
            Some((form.program.clone(), form.verb.clone()))
        };
        let (ours, theirs) = (&self.signature, &other.signature);
        if ours.is_empty() || theirs.is_empty() {
            return ours.is_empty() && theirs.is_empty() && self.comes_up_as(other);
        }
        ours.head == theirs.head || command(self).is_some() && command(self) == command(other)
    }
}

/// What a lesson says of what it names, without what both are about.
struct Claim {
    advised: BTreeSet<String>,
    warned: BTreeSet<String>,
    /// Options, files and settings.
    marked: BTreeSet<String>,
    /// What it types in code.
    typed: BTreeSet<String>,
    /// All words that it says.
    words: BTreeSet<String>,
    /// Whether it denies anything; `None` if nobody knows.
    denies: Option<bool>,
}

impl Claim {
    fn read(triggers: &Triggers, content: &LessonContent, subject: &BTreeSet<String>) -> Self {
        let names = |sign: Sign| -> BTreeSet<String> {
            let kinds = triggers.with_sign(sign).map(|trigger| &trigger.what);
            let kinds =
                kinds.filter(|kind| kind.is_known() && !matches!(kind, TriggerKind::Act(_)));
            let words = kinds.flat_map(list_names);
            words.filter(|word| !subject.contains(word)).collect()
        };
        let (advised, warned) = (names(Sign::Advised), names(Sign::Warned));
        let text_words = split_words(content.text.as_str());
        let code = content.text.as_str().split('`').skip(1).step_by(2);
        let marks = text_words.iter().filter(|word| is_marked(word));
        Self {
            marked: marks
                .filter(|word| !subject.contains(*word))
                .cloned()
                .collect(),
            words: text_words
                .into_iter()
                .chain(split_words(content.signature.as_str()))
                .collect(),
            typed: code
                .flat_map(split_words)
                .filter(|word| !subject.contains(word))
                .collect(),
            advised: advised.difference(&warned).cloned().collect(),
            warned: warned.difference(&advised).cloned().collect(),
            denies: find_denial(content.text.as_str()),
        }
    }

    /// Returns whether both judge the same names alike. Where nothing is denied, what is named is advised.
    fn agrees_with(&self, other: &Self) -> bool {
        let crosses =
            !self.advised.is_disjoint(&other.warned) || !self.warned.is_disjoint(&other.advised);
        if crosses || self.denies.is_none() || self.denies != other.denies {
            return false;
        }
        let is_plain = self.denies == Some(false);
        if is_plain && !self.marked.is_empty() {
            let has_all = |one: &Self, other: &Self| one.typed.is_subset(&other.words);
            return self.marked == other.marked && has_all(self, other) && has_all(other, self);
        }
        let same = |ours: &BTreeSet<String>, theirs: &BTreeSet<String>| {
            (!ours.is_empty() && !theirs.is_empty()).then_some(ours == theirs)
        };
        // What takes the place of the advice, or the reason of a warning, only one of them need name.
        match (
            same(&self.advised, &other.advised),
            same(&self.warned, &other.warned),
        ) {
            (Some(advice), Some(warning)) => advice && warning,
            (Some(is_same), None) | (None, Some(is_same)) => is_same,
            (None, None) => false,
        }
    }

    /// Returns whether one gives no numbers and versions but those of the other.
    fn values_agree(&self, other: &Self) -> bool {
        let is_value = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
        let [ours, theirs] =
            [self, other].map(|claim| claim.words.iter().filter(is_value).collect::<BTreeSet<_>>());
        ours.is_subset(&theirs) || theirs.is_subset(&ours)
    }
}

/// Returns whether a text denies anything, whatever happens if it is not followed; `None` if it denies twice in a row.
/// Trouble and lack in a sentence that names no option, file or setting speak against none.
fn find_denial(text: &str) -> Option<bool> {
    let colons = text.replace(": ", "; ");
    let sentences = colons
        .split_inclusive(['.', ';', '!', '?'])
        .map(|sentence| {
            let ends = ASIDES.iter().filter_map(|mark| sentence.find(mark));
            &sentence[..ends.min().unwrap_or(sentence.len())]
        });
    let words = sentences.flat_map(list_denying_words);
    let words: Vec<&str> = words.collect();
    let is_doubled = |near: &[&str]| {
        let denies = |word: &&&str| cue::says_any(word, DENIALS);
        near.iter().filter(denies).count() > 1
    };
    (!words.windows(DOUBLED_WORDS).any(is_doubled))
        .then(|| cue::says_any(&words.join(" "), DENIALS))
}

/// Lists the words of a sentence that may deny what a lesson names.
fn list_denying_words(sentence: &str) -> Vec<&str> {
    let mut words: Vec<&str> = sentence.split_whitespace().collect();
    let is_idle = |word: &str| {
        let lower = word.to_lowercase();
        let is_trouble = TROUBLE.iter().any(|stem| lower.starts_with(stem));
        is_trouble || cue::says_any(word, &[Cue::Without])
    };
    if !split_words(sentence).iter().any(|word| is_marked(word)) {
        words.retain(|word| !is_idle(word));
    }
    words
}

/// Lists the words of a name, without those that stand for anything.
fn list_names(kind: &TriggerKind) -> Vec<String> {
    let words = split_words(&kind.typed()).into_iter();
    let words = words.filter(|word| word.chars().count() > 1 && !word.contains(['<', '>', '…']));
    words.collect()
}

/// Lists the words of a text in lower case, options and names whole, without the punctuation around them.
fn split_words(text: &str) -> Vec<String> {
    let begins = |c: char| c.is_alphanumeric() || "-/.*@$_".contains(c);
    let ends = |c: char| c.is_alphanumeric() || "/*_".contains(c);
    let parts = text.split(|c: char| c.is_whitespace() || c == '`');
    let words = parts.flat_map(|part| {
        // The value of an option is a word of its own; that of a variable is not.
        let is_option = part.trim_start_matches(|c| !begins(c)).starts_with('-');
        part.split(move |c: char| is_option && c == '=')
    });
    let words = words.map(|word| {
        word.trim_start_matches(|c| !begins(c))
            .trim_end_matches(|c| !ends(c))
    });
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether a word can be nothing but an option, a file, a setting or an identifier.
fn is_marked(word: &str) -> bool {
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
    !is_number && (word.starts_with('-') || word.contains(|c: char| "_/\\$@:*.=".contains(c)))
}

/// Returns whether both give each option that both name the same value, where they give one at all.
fn gives_same_values(one: &CleanText, other: &CleanText) -> bool {
    let theirs = list_option_values(other);
    list_option_values(one)
        .iter()
        .all(|(option, value)| theirs.get(option).is_none_or(|other| other == value))
}

fn list_option_values(text: &CleanText) -> BTreeMap<String, String> {
    let words = split_words(text.as_str());
    let pairs = words.windows(2).filter(|pair| {
        pair[0].starts_with('-') && !pair[1].starts_with('-') && !is_common_word(&pair[1])
    });
    pairs
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect()
}
