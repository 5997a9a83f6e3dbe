//! The words of each class: reads the table `words.txt` once, and looks words up.
//!
//! An entry of the table is a stem, as the English stemmer makes it, and stands for all words of it (`polici`), `=word` for itself
//! alone, also as a part of a phrase; `two_stems` is a phrase, whose words then have no meaning of their own, and `turn~off` a
//! phrase that other words may separate. `%part` matches a part of a name or path. Entries under `neutral` mean something else
//! than their words do. It has stems because stemming thousands of words took longer than storing a lesson.

use std::{borrow::Cow, collections::HashMap, hash::BuildHasherDefault};

use aho_corasick::AhoCorasick;
use frostem::{Algorithm, Stemmer};

use super::{
    WordClasses,
    tokens::{ClauseBreak, WordToken},
};
use crate::text::word_hash::{WordHasher, WordMap};

const WORDS_TABLE: &str = include_str!("words.txt");

/// Most words of a phrase, and between the parts of a separable one.
const PHRASE_WORDS: usize = 5;

/// Classes of verbs that count only if the text asks for the act.
const DEED_CLASSES: &[&str] = &[
    "transfer", "destroy", "weaken", "hide", "tell", "waive", "quietly",
];

/// Classes that a phrase has if one of its words does.
const ADDRESSEE_CLASSES: &[&str] = &["reader", "user", "audience", "agentware"];

/// The classes of all words.
pub(super) struct MeaningLexicon {
    /// The names of the classes, one bit each.
    class_names: Vec<&'static str>,
    stemmer: Stemmer,
    /// Words that do not share the classes of their stem.
    exact: WordMap<WordClasses>,
    stems: HashMap<Cow<'static, str>, LexiconEntry, BuildHasherDefault<WordHasher>>,
    /// The parts of names and paths.
    parts: AhoCorasick,
    part_classes: Vec<WordClasses>,
    account: WordClasses,
    address: WordClasses,
    dearest: WordClasses,
    /// The classes for whom a text addresses or mentions.
    addressees: WordClasses,
    /// Verbs that count only if the text asks for the act.
    pub(super) deeds: WordClasses,
    /// What a text must not carry out.
    pub(super) secrets: WordClasses,
    /// Verbs that are also other words, so they count only where an order begins.
    pub(super) nounish: WordClasses,
}

#[derive(Default)]
struct LexiconEntry {
    classes: WordClasses,
    /// Phrases that begin with this word, the longest first.
    phrases: Vec<LexiconPhrase>,
}

struct LexiconPhrase {
    /// The first word, if the words match only literally.
    head: Option<&'static str>,
    /// The following words, by stem.
    rest: Vec<Cow<'static, str>>,
    /// Whether other words may stand between.
    is_parted: bool,
    classes: WordClasses,
}

impl MeaningLexicon {
    /// Parses the table; errors in it are found by its tests.
    pub(super) fn new() -> Self {
        let names = read_class_names();
        let class = |name| class_bit(&names, name);
        let (words, parts): (Vec<_>, Vec<_>) = read_entries(&names)
            .into_iter()
            .partition(|(_, word)| !word.starts_with('%'));
        let part_names = parts.iter().map(|(_, part)| &part[1..]);
        let mut lexicon = Self {
            stemmer: Stemmer::new(Algorithm::English),
            exact: WordMap::default(),
            stems: HashMap::default(),
            parts: AhoCorasick::new(part_names).expect("a few dozen parts"),
            part_classes: parts.iter().map(|(classes, _)| *classes).collect(),
            account: class("account"),
            address: class("address"),
            dearest: class("dearest"),
            addressees: ADDRESSEE_CLASSES.iter().copied().map(class).collect(),
            deeds: DEED_CLASSES.iter().copied().map(class).collect(),
            secrets: class("secret") | class("private"),
            nounish: class("nounish"),
            class_names: names,
        };
        let is_phrase = |word: &str| word.contains(['_', '~']);
        let (phrases, words): (Vec<_>, Vec<_>) =
            words.into_iter().partition(|(_, word)| is_phrase(word));
        for (classes, word) in words.into_iter().chain(phrases) {
            lexicon.add_word(classes, word);
        }
        for entry in lexicon.stems.values_mut() {
            let phrases = &mut entry.phrases;
            phrases.sort_by_key(|phrase| {
                let length = std::cmp::Reverse(phrase.rest.len());
                (phrase.is_parted, length, phrase.head.is_none())
            });
        }
        lexicon
    }

    /// Returns the class with that name.
    pub(super) fn class_named(&self, name: &str) -> WordClasses {
        class_bit(&self.class_names, name)
    }

    /// Adds a word, a literal `=word`, a `phrase_of_words` or a `separable~phrase`.
    fn add_word(&mut self, classes: WordClasses, word: &'static str) {
        let exact = word.strip_prefix('=');
        if let Some(word) = exact.filter(|word| !word.contains('_')) {
            let entry = self.exact.entry(word).or_default();
            *entry = *entry | classes;
            return;
        }
        let parts: Vec<&'static str> = exact.unwrap_or(word).split(['_', '~']).collect();
        // A word that stands for itself is written whole in a phrase too.
        let stems = parts.iter().map(|part| match exact {
            None if !self.exact.contains_key(part) => Cow::Borrowed(*part),
            _ => self.stemmer.stem(part),
        });
        let mut stems: Vec<Cow<'static, str>> = stems.collect();
        // A phrase about the user also names the user, whatever its classes.
        let classes = if classes == WordClasses::default() || parts.len() == 1 {
            classes
        } else {
            (parts.iter().zip(&stems))
                .fold(classes, |all, it| all | self.addressee_classes(it.0, it.1))
        };
        let rest = match exact {
            Some(_) => parts[1..].iter().copied().map(Cow::Borrowed).collect(),
            None => stems.split_off(1),
        };
        let first = stems.swap_remove(0);
        let entry = self.stems.entry(first).or_default();
        if rest.is_empty() {
            entry.classes = entry.classes | classes;
            return;
        }
        let same_phrase = entry
            .phrases
            .iter_mut()
            .find(|phrase| phrase.rest == rest && phrase.head.is_some() == exact.is_some());
        match same_phrase {
            Some(phrase) => phrase.classes = phrase.classes | classes,
            None => entry.phrases.push(LexiconPhrase {
                rest,
                is_parted: word.contains('~'),
                head: exact.is_some().then_some(parts[0]),
                classes,
            }),
        }
    }

    /// Returns the addressee classes of a word in a phrase.
    fn addressee_classes(&self, word: &str, stem: &str) -> WordClasses {
        let exact = self.exact.get(word).copied().unwrap_or_default();
        let entry = self.stems.get(stem).map(|entry| entry.classes);
        let all = exact | entry.unwrap_or_default();
        all.difference(all.difference(self.addressees))
    }

    /// Returns the classes of the word or phrase at the start of `tokens`, and its number of tokens.
    pub(super) fn look_up(&self, tokens: &[WordToken<'_>]) -> (WordClasses, usize) {
        let token = &tokens[0];
        let code = token.code.map(|code| self.classify_code(code));
        let code = code.unwrap_or_default();
        let exact = self.exact.get(token.word).copied().unwrap_or_default();
        let Some(entry) = self.stems.get(token.stem(&self.stemmer)) else {
            return (exact | code, 1);
        };
        let near = &tokens[..tokens.len().min(PHRASE_WORDS)];
        let mut phrases = entry.phrases.iter();
        let phrase_here = phrases.find(|phrase| self.begins_phrase(near, phrase));
        if let Some(phrase) = phrase_here.filter(|phrase| !phrase.is_parted) {
            return (phrase.classes | code, phrase.rest.len() + 1);
        }
        let phrase = phrase_here.map_or(WordClasses::default(), |phrase| phrase.classes);
        (exact | entry.classes | phrase | code, 1)
    }

    fn begins_phrase(&self, tokens: &[WordToken<'_>], phrase: &LexiconPhrase) -> bool {
        let inside = tokens
            .iter()
            .position(|token| token.break_after == ClauseBreak::Sentence);
        let mut rest = tokens[1..inside.map_or(tokens.len(), |end| end + 1)].iter();
        let is = |token: &WordToken<'_>, part: &str| match phrase.head {
            Some(_) => token.word == part,
            // A stem keeps the first letter.
            None if token.word.as_bytes().first() != part.as_bytes().first() => false,
            None => token.stem(&self.stemmer) == part,
        };
        phrase.head.is_none_or(|head| head == tokens[0].word)
            && phrase.rest.iter().all(|part| {
                if phrase.is_parted {
                    rest.any(|token| is(token, part))
                } else {
                    rest.next().is_some_and(|token| is(token, part))
                }
            })
    }

    /// Returns the classes of a chunk between two spaces that looks like code.
    fn classify_code(&self, chunk: &str) -> WordClasses {
        let code = chunk.trim_end_matches(['.', '`', ',', ';', ':', ')']);
        if code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return WordClasses::default();
        }
        let matches = self.parts.find_overlapping_iter(chunk);
        let classes = matches.map(|part| self.part_classes[part.pattern().as_usize()]);
        let classes: WordClasses = classes.collect();
        let is_bare = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '.' | '~' | '/');
        match code.trim_matches(|ch| !is_bare(ch)) {
            "~" | "~/" => classes | self.dearest,
            sum if code.starts_with('$') && is_sum(sum) => classes | self.account,
            bare if is_mail_address(bare) || is_host_name(bare) => classes | self.address,
            _ => classes,
        }
    }
}

/// Returns the names of the classes. The first one carries no meaning.
fn read_class_names() -> Vec<&'static str> {
    let mut names = vec!["neutral"];
    let heads = WORDS_TABLE.lines().filter_map(parse_class_head);
    for name in heads.flat_map(|(names, _)| names.split(" + ")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn class_bit(names: &[&str], name: &str) -> WordClasses {
    match names.iter().position(|known| *known == name) {
        None => panic!("no class: {name}"),
        Some(0) => WordClasses::default(),
        Some(at @ ..=128) => WordClasses(1 << (at - 1), 0),
        Some(at) => WordClasses(0, 1 << (at - 129)),
    }
}

/// Returns every word of the table with its classes.
fn read_entries(names: &[&str]) -> Vec<(WordClasses, &'static str)> {
    let mut classes = WordClasses::default();
    let mut entries = Vec::new();
    for line in WORDS_TABLE.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line;
        if let Some((heads, rest)) = parse_class_head(line) {
            let heads = heads.split(" + ").map(|name| class_bit(names, name));
            classes = heads.collect();
            words = rest;
        }
        entries.extend(words.split_ascii_whitespace().map(|word| (classes, word)));
    }
    entries
}

/// Returns the names and the words of a line that begins a class.
fn parse_class_head(line: &'static str) -> Option<(&'static str, &'static str)> {
    let is_head = line.starts_with(|ch: char| ch.is_ascii_lowercase());
    line.split_once(':').filter(|_| is_head)
}

/// Returns whether a chunk is a sum of money, and no position of an argument: `500`, `30,000`.
fn is_sum(chunk: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b',' | b'.');
    chunk.len() > 1 && chunk.bytes().all(is_part)
}

fn is_mail_address(chunk: &str) -> bool {
    chunk
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains(':'))
}

/// Endings of host names that are not endings of file names.
const HOST_ENDS: &[&str] = &[
    "com", "net", "org", "io", "dev", "example", "app", "cloud", "xyz", "site",
];

fn is_host_name(chunk: &str) -> bool {
    let is_part = |part: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !part.is_empty() && part.bytes().all(is_sign)
    };
    let is_number = |part: &str| part.parse::<u8>().is_ok();
    let mut parts = chunk.split('.');
    if !parts.clone().all(is_part) {
        return false;
    }
    if parts.clone().count() == 4 && parts.clone().all(is_number) {
        return true;
    }
    let end = parts.next_back();
    parts.next().is_some() && end.is_some_and(|end| HOST_ENDS.contains(&end))
}
