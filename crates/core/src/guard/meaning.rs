//! Judges a text by what its words mean together, not by their order.
//!
//! Every word belongs to some small classes or to none ([`lexicon`]): who is addressed, limits,
//! release, secrets, places outside. A [`rule`](rules) is a combination of classes close together,
//! each asserted or denied: "send … key … forum" asserts all three, "without asking" denies the
//! asking, and what "never" stands before is denied, too, so that a ban of a bad deed is advice.
//! The order of the words and what stands between them do not matter. What is spelled like a
//! prompt or like code is for the patterns of [`rules`](super::rules).

mod lexicon;
mod rules;

use std::{
    borrow::Cow,
    collections::HashMap,
    ops::{BitOr, Range},
    sync::LazyLock,
};

use frostem::{Algorithm, Stemmer};

pub(super) use self::rules::Rule;

/// A set of classes of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Classes(u128);

impl Classes {
    const fn of(bit: u32) -> Self {
        Self(1 << bit)
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Classes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

/// What a word, or all words of a stretch, mean.
#[derive(Debug, Clone, Copy, Default)]
struct Sense {
    /// What is asserted.
    said: Classes,
    /// What is denied: "never", "without", "rather than" stand before it.
    denied: Classes,
}

impl Sense {
    fn new(classes: Classes, is_denied: bool) -> Self {
        let (said, denied) = match is_denied {
            true => (Classes::default(), classes),
            false => (classes, Classes::default()),
        };
        Self { said, denied }
    }

    fn of_all(words: &[Self]) -> Self {
        words.iter().fold(Self::default(), |all, word| Self {
            said: all.said | word.said,
            denied: all.denied | word.denied,
        })
    }
}

/// Returns the rules that the folded `words` of a text hit.
pub(super) fn hits(words: &str) -> Vec<&'static Rule> {
    let (senses, ends) = read(words);
    let all = Sense::of_all(&senses);
    let likely = rules::RULES.iter().filter(|rule| rule.may_hit(all));
    let hits_somewhere = |rule: &&Rule| {
        let mut from = 0;
        ends.iter().enumerate().any(|(at, &end)| {
            let start = std::mem::replace(&mut from, end);
            let end = ends.get(at + 1).copied().filter(|_| rule.spans_two);
            rule.hits(&senses[start..end.unwrap_or(from)])
        })
    };
    likely.filter(hits_somewhere).collect()
}

/// Returns what each word means, and where sentences end.
fn read(words: &str) -> (Vec<Sense>, Vec<usize>) {
    let tokens = tokens(words);
    let mut senses = Vec::with_capacity(tokens.len());
    let mut ends = Vec::new();
    let mut denial = Denial::default();
    let mut at = 0;
    while at < tokens.len() {
        let sentence = &tokens[at..tokens.len().min(at + PHRASE_WORDS)];
        let (mut classes, taken) = LEXICON.look_up(sentence);
        let is_denied = denial.denies();
        match taken {
            1 => denial.read(&tokens[at..]),
            _ => denial.pass(taken),
        }
        let is_noun = classes.meets(lexicon::NOUNISH) && !is_order(&tokens, at);
        let describes = taken == 1 && describes(&tokens[..=at]);
        if is_noun || describes || denial.is_supposed() {
            classes = classes.without(lexicon::DEEDS);
        }
        senses.push(Sense::new(classes, is_denied));
        at += taken;
        let last = tokens[at - 1].end;
        if last >= End::Clause {
            denial = Denial::default();
        }
        if last == End::Sentence {
            ends.push(senses.len());
        }
    }
    if ends.last() != Some(&senses.len()) {
        ends.push(senses.len());
    }
    (senses, ends)
}

/// Returns whether the last verb tells what happens, instead of asking for it: "deletes", "was sent".
fn describes(words: &[Token<'_>]) -> bool {
    let before = |count| words.iter().rev().nth(count).map_or("", |token| token.word);
    let word = before(0);
    let is_past = word.ends_with("ed") || word == "sent";
    let is_asked = before(1) == "be" && matches!(before(2), "must" | "should" | "to" | "shall");
    word.ends_with('s') && !word.ends_with("ss") && word != "mkfs" || is_past && !is_asked
}

/// Returns whether a word that can be a noun, too, is an order where it stands.
fn is_order(words: &[Token<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &words[before]) else {
        return true;
    };
    let begins_code = words[at].code.is_some_and(|code| code.starts_with('`'));
    let leads = matches!(
        before.word,
        "and"
            | "then"
            | "or"
            | "to"
            | "must"
            | "should"
            | "please"
            | "always"
            | "just"
            | "also"
            | "you"
            | "now"
            | "first"
            | "simply"
            | "will"
            | "may"
            | "can"
            | "be"
            | "by"
            | "run"
    );
    let is_named = is_article(before.word);
    let has_object = words.get(at + 1).is_some_and(|next| is_article(next.word)) && !is_named;
    before.end >= End::Clause || begins_code || leads || has_object || before.word.ends_with("ly")
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "all"
            | "every"
            | "each"
            | "any"
            | "your"
            | "its"
            | "their"
            | "it"
            | "them"
            | "this"
            | "that"
            | "these"
            | "whatever"
            | "everything"
    )
}

/// What ends behind a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Nothing,
    Clause,
    Sentence,
}

/// A word, or a part of a name.
#[derive(Debug)]
struct Token<'a> {
    word: &'a str,
    stem: Cow<'a, str>,
    /// What stands between two blanks, if this is its first word and it looks like code.
    code: Option<&'a str>,
    end: End,
}

fn tokens(words: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(words.len() / 5);
    for line in words.split('\n') {
        for chunk in line.split(' ') {
            let is_letter = |ch: char| ch.is_ascii_alphanumeric() || ch == '\'';
            let parts = chunk.split(|ch| !is_letter(ch));
            let parts = parts.map(|part| part.trim_matches('\''));
            let parts = parts.map(|part| part.strip_suffix("'s").unwrap_or(part));
            let first = tokens.len();
            tokens.extend(parts.filter(|part| !part.is_empty()).map(|word| Token {
                word,
                stem: LEXICON.stemmer.stem(word),
                code: None,
                end: End::Nothing,
            }));
            let is_code = chunk.contains(|ch: char| !ch.is_ascii_alphabetic());
            if first == tokens.len() && is_code {
                tokens.push(Token {
                    word: "",
                    stem: Cow::Borrowed(""),
                    code: None,
                    end: End::Nothing,
                });
            }
            if let Some(token) = tokens.get_mut(first) {
                token.code = is_code.then_some(chunk);
            }
            if let Some(last) = tokens.last_mut() {
                last.end = last.end.max(end_of(chunk));
            }
        }
        if let Some(last) = tokens.last_mut() {
            last.end = End::Sentence;
        }
    }
    tokens
}

fn end_of(chunk: &str) -> End {
    match chunk.trim_end_matches(['"', '\'', '`', ')', '*', '_']) {
        chunk if chunk.ends_with(['.', '!', '?']) => End::Sentence,
        chunk if chunk.ends_with([',', ';', ':']) => End::Clause,
        _ => End::Nothing,
    }
}

/// How far the word goes that denies or supposes what follows.
#[derive(Debug, Default)]
struct Denial {
    denied_words: usize,
    supposed_words: usize,
}

/// Words that "never" reaches.
const BAN_WORDS: usize = 14;
/// Words that "no" and "without" reach.
const LACK_WORDS: usize = 6;
/// Words that "before" reaches: "before you delete".
const SUPPOSED_WORDS: usize = 3;

impl Denial {
    /// Goes on by a phrase, whose own "no" is part of what it means.
    fn pass(&mut self, words: usize) {
        self.denied_words = self.denied_words.saturating_sub(words);
        self.supposed_words = self.supposed_words.saturating_sub(words);
    }

    fn read(&mut self, words: &[Token<'_>]) {
        self.pass(1);
        let next = words.get(1).map_or("", |token| token.word);
        match words.first().map_or("", |token| token.word) {
            "never" | "not" | "cannot" | "dont" | "avoid" | "refrain" | "needn't" => {
                self.denied_words = BAN_WORDS;
            }
            word if word.ends_with("n't") => self.denied_words = BAN_WORDS,
            "rather" | "instead" if matches!(next, "than" | "of") => {
                self.denied_words = BAN_WORDS;
            }
            "no" | "without" | "zero" | "nobody" | "none" | "nothing" | "neither" | "noone" => {
                // Two of them take each other away: "never delete it without asking".
                self.denied_words = if self.denied_words > 0 { 0 } else { LACK_WORDS };
            }
            "before" | "when" | "while" | "if" | "after" | "whenever" => {
                self.denied_words = 0;
                self.supposed_words = SUPPOSED_WORDS;
            }
            "until" | "unless" | "but" | "because" | "so" | "then" => self.denied_words = 0,
            _ => {}
        }
    }

    fn denies(&self) -> bool {
        self.denied_words > 0
    }

    fn is_supposed(&self) -> bool {
        self.supposed_words > 0
    }
}

/// Most words of a phrase, and between the parts of one that may be parted.
const PHRASE_WORDS: usize = 5;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// The classes of all words, to be looked up by stem.
struct Lexicon {
    stemmer: Stemmer,
    /// Words that do not share the classes of their stem.
    exact: HashMap<&'static str, Classes>,
    stems: HashMap<String, Entry>,
}

#[derive(Default)]
struct Entry {
    classes: Classes,
    /// Phrases that begin here, the longest first.
    phrases: Vec<Phrase>,
}

struct Phrase {
    /// What it begins with, if its words count as they stand only.
    head: Option<&'static str>,
    /// What follows, by stem.
    rest: Vec<String>,
    /// Whether other words may stand between.
    is_parted: bool,
    classes: Classes,
}

impl Lexicon {
    fn new() -> Self {
        let mut lexicon = Self {
            stemmer: Stemmer::new(Algorithm::English),
            exact: HashMap::new(),
            stems: HashMap::new(),
        };
        for &(classes, words) in lexicon::WORDS {
            for word in words.split_ascii_whitespace() {
                lexicon.add(classes, word);
            }
        }
        for entry in lexicon.stems.values_mut() {
            let phrases = &mut entry.phrases;
            phrases.sort_by_key(|phrase| (phrase.is_parted, std::cmp::Reverse(phrase.rest.len())));
        }
        lexicon
    }

    /// Adds a word, `=a_word_as_it_stands`, a `phrase_of_words` or a `parted~phrase`.
    fn add(&mut self, classes: Classes, word: &'static str) {
        let exact = word.strip_prefix('=');
        if let Some(word) = exact.filter(|word| !word.contains('_')) {
            let known = self.exact.entry(word).or_default();
            *known = *known | classes;
            return;
        }
        let stem = |part| self.stemmer.stem(part).into_owned();
        let parts: Vec<&str> = exact.unwrap_or(word).split(['_', '~']).collect();
        let rest: Vec<String> = match exact {
            Some(_) => parts[1..].iter().map(ToString::to_string).collect(),
            None => parts[1..].iter().copied().map(stem).collect(),
        };
        // Whatever a phrase says of the user, it names the user.
        let names_user = parts[..]
            .iter()
            .any(|part| matches!(*part, "user" | "developer" | "human"));
        let classes = match names_user && !rest.is_empty() {
            true => classes | lexicon::USER,
            false => classes,
        };
        let entry = self.stems.entry(stem(parts[0])).or_default();
        if rest.is_empty() {
            entry.classes = entry.classes | classes;
            return;
        }
        let known = entry
            .phrases
            .iter_mut()
            .find(|phrase| phrase.rest == rest && phrase.head.is_some() == exact.is_some());
        match known {
            Some(phrase) => phrase.classes = phrase.classes | classes,
            None => entry.phrases.push(Phrase {
                rest,
                is_parted: word.contains('~'),
                head: exact.is_some().then_some(parts[0]),
                classes,
            }),
        }
    }

    /// Returns the classes of what `tokens` begin with, and how many of them it takes.
    fn look_up(&self, tokens: &[Token<'_>]) -> (Classes, usize) {
        let Token {
            word, stem, code, ..
        } = &tokens[0];
        let code = code.map_or(Classes::default(), lexicon::of_code);
        let entry = self.stems.get(&**stem);
        let phrases = entry.map_or(&[][..], |entry| &entry.phrases);
        let found = phrases.iter().find(|phrase| self.begins(tokens, phrase));
        if let Some(phrase) = found.filter(|phrase| !phrase.is_parted) {
            return (phrase.classes | code, phrase.rest.len() + 1);
        }
        let exact = self.exact.get(*word).copied().unwrap_or_default();
        let stem = entry.map_or(Classes::default(), |entry| entry.classes);
        let phrase = found.map_or(Classes::default(), |phrase| phrase.classes);
        (exact | stem | phrase | code, 1)
    }

    fn begins(&self, tokens: &[Token<'_>], phrase: &Phrase) -> bool {
        let inside = tokens.iter().position(|token| token.end == End::Sentence);
        let mut rest = tokens[1..inside.map_or(tokens.len(), |end| end + 1)].iter();
        let is = |token: &Token<'_>, part: &String| match phrase.head {
            Some(_) => token.word == part,
            None => token.stem == **part,
        };
        phrase.head.is_none_or(|head| head == tokens[0].word)
            && phrase.rest.iter().all(|part| match phrase.is_parted {
                true => rest.any(|token| is(token, part)),
                false => rest.next().is_some_and(|token| is(token, part)),
            })
    }
}

/// Returns the stretches of so many words at most that `words` are judged in.
fn stretches(words: usize, within: usize) -> impl Iterator<Item = Range<usize>> {
    (0..words.saturating_sub(within) + 1).map(move |from| from..words.min(from + within))
}

#[cfg(test)]
mod tests;
