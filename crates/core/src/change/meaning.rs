//! Decides whether two lessons mean the same, the opposite, or different things.
//!
//! A lesson's words are read as a sequence of phrases. Template and function words are dropped, inflection is
//! normalised, and words under a negation are marked. Two lessons are the same only if nothing else differs: another
//! object, number, flag or name makes another lesson, and so does another order where order matters (`copy from a to
//! b`). They are opposites if the same phrases differ only in a mark (`use x`, `avoid x`), or the same words stand in
//! the same order (`it works`, `it does not work`).
//!
//! Merging two different lessons loses one of them; keeping two similar ones costs a line. So every doubt is decided
//! for *different*. This module knows no synonyms and only English: words of other languages count as they stand,
//! negations among them.

mod inflection;
mod words;

use std::{borrow::Cow, collections::BTreeSet};

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use self::words::{WordRole, word_role};
use crate::{CleanText, LessonContent, digest};

/// Increases whenever the same lesson would get another key, so that a store can compute its keys again.
pub const MEANING_VERSION: u32 = 2;

/// A hash by which a store finds lessons that may be the same. Equal meanings have equal keys; lessons with equal
/// keys are compared before they count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeaningKey(pub i64);

impl MeaningKey {
    fn from_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let digest = digest::hash_parts(parts.into_iter().map(str::as_bytes));
        let (first, _) = digest.split_first_chunk().expect("32 bytes hold 8");
        Self(i64::from_be_bytes(*first))
    }
}

/// Returns the key under which exact duplicates are found.
pub fn twin_key(content: &LessonContent) -> MeaningKey {
    let parts = exact_parts(content);
    MeaningKey::from_parts(parts.iter().map(String::as_str))
}

/// Returns whether two lessons have the same signature, text, situation, name and audience, apart from white space
/// and a full stop.
pub(super) fn is_exact(a: &LessonContent, b: &LessonContent) -> bool {
    let is_verbatim = a.signature == b.signature
        && a.text == b.text
        && a.situation == b.situation
        && a.reference == b.reference
        && a.targets == b.targets;
    is_verbatim || exact_parts(a) == exact_parts(b)
}

fn exact_parts(content: &LessonContent) -> Vec<String> {
    let plain = |text: &CleanText| {
        let words: Vec<&str> = text.as_str().split_whitespace().collect();
        normalize_nfc(words.join(" ").trim_end_matches('.')).into_owned()
    };
    let targets: BTreeSet<String> = content
        .targets
        .iter()
        .map(|target| format!("{}:{}", target.kind.name(), target.glob))
        .collect();
    let mut parts: Vec<String> = vec![plain(&content.signature), plain(&content.text)];
    parts.push(content.situation.as_ref().map(plain).unwrap_or_default());
    parts.push(match &content.reference {
        Some(name) => format!("={name}"),
        None => String::new(),
    });
    parts.extend(targets);
    parts
}

/// Normalises a text to Unicode NFC.
fn normalize_nfc(text: &str) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// What a lesson says, independent of its exact wording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    phrases: Vec<MeaningPhrase>,
}

/// How a phrase relates to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PhraseLink {
    /// A phrase of its own.
    Main,
    /// A circumstance, whose position does not matter: `in`, `for`, `when`.
    Loose,
    /// A phrase that this word relates to the rest: `from`, `before`, `than`.
    Tight(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct MeaningPhrase {
    link: PhraseLink,
    words: Vec<String>,
    negated: bool,
}

impl Meaning {
    /// Reads the meaning from a lesson's signature, text and situation.
    pub fn from_content(content: &LessonContent) -> Self {
        let mut reader = PhraseReader::default();
        let situation = content.situation.iter();
        for part in [&content.signature, &content.text]
            .into_iter()
            .chain(situation)
        {
            reader.read_text(&normalize_nfc(part.as_str()));
            reader.end_clause();
        }
        Self {
            phrases: reader.phrases,
        }
    }

    /// Returns the key under which lessons about the same words are found, in any order and whether they are for or
    /// against.
    pub fn key(&self) -> MeaningKey {
        let words: BTreeSet<&str> = self
            .phrases
            .iter()
            .flat_map(|phrase| phrase.words.iter().map(String::as_str))
            .collect();
        MeaningKey::from_parts(words)
    }

    /// Returns the share of words that both have of those that either has, 0 to 1 (Jaccard).
    pub fn word_overlap(&self, other: &Self) -> f64 {
        let words = |it: &'_ Self| -> BTreeSet<String> {
            let phrases = it.phrases.iter();
            phrases.flat_map(|phrase| phrase.words.clone()).collect()
        };
        let (ours, theirs) = (words(self), words(other));
        let both = ours.intersection(&theirs).count();
        let either = ours.len() + theirs.len() - both;
        both as f64 / either.max(1) as f64
    }

    /// Returns whether both mean the same.
    pub fn is_same(&self, other: &Self) -> bool {
        !self.phrases.is_empty() && self.canonical_phrases() == other.canonical_phrases()
    }

    /// Returns whether this says all that the other says, and nothing else. The order and what is negated must be the
    /// same, and further words must occur in the other as well: no other number, name, flag or circumstance.
    pub fn covers(&self, other: &Self) -> bool {
        let own_words: BTreeSet<(&str, bool)> = other
            .marked_words()
            .map(|marked_word| (marked_word.1, marked_word.2))
            .collect();
        let mut theirs = other.marked_words().peekable();
        for ours in self.marked_words() {
            let is_next = theirs.next_if_eq(&ours).is_some();
            if !is_next && !own_words.contains(&(ours.1, ours.2)) {
                return false;
            }
        }
        theirs.peek().is_none()
    }

    /// Returns whether this says all that the other says, in any order, and beside it at most more statements: no other
    /// circumstance, and no other word in a statement of both.
    pub fn says_all_of(&self, other: &Self) -> bool {
        let bag = |phrase: &MeaningPhrase| {
            let words: BTreeSet<String> = phrase.words.iter().cloned().collect();
            (phrase.link, phrase.negated, words)
        };
        let [ours, theirs] = [self, other].map(|meaning| {
            let phrases = meaning.phrases.iter();
            phrases.map(bag).collect::<BTreeSet<_>>()
        });
        let is_statement = |link: PhraseLink| link == PhraseLink::Main;
        !theirs.is_empty()
            && theirs.is_subset(&ours)
            && ours.difference(&theirs).all(|extra| is_statement(extra.0))
    }

    /// Returns whether both are about the same, one for it and the other against.
    pub fn opposes(&self, other: &Self) -> bool {
        let bare = |it: &'_ MeaningPhrase| (it.link, it.words.clone());
        if collect_sorted(self.phrases.iter().map(bare))
            == collect_sorted(other.phrases.iter().map(bare))
        {
            return collect_sorted(self.phrases.iter()) != collect_sorted(other.phrases.iter());
        }
        self.linked_words().eq(other.linked_words())
            && !self.negation_marks().eq(other.negation_marks())
    }

    /// Returns every word in its place, with the link of its phrase. A negation divides a phrase; here it is whole.
    fn linked_words(&self) -> impl Iterator<Item = (PhraseLink, &str)> {
        let words = |it: &'_ MeaningPhrase| it.words.len();
        let links = self
            .phrases
            .iter()
            .flat_map(move |phrase| std::iter::repeat_n(phrase.link, words(phrase)));
        links.zip(
            self.phrases
                .iter()
                .flat_map(|phrase| phrase.words.iter().map(String::as_str)),
        )
    }

    /// Returns every word in its place, with the link of its phrase and whether it is negated.
    fn marked_words(&self) -> impl Iterator<Item = (PhraseLink, &str, bool)> {
        (self.linked_words().zip(self.negation_marks()))
            .map(|((link, word), mark)| (link, word, mark))
    }

    /// Returns for every word in its place whether it is negated.
    fn negation_marks(&self) -> impl Iterator<Item = bool> {
        let marks = |it: &MeaningPhrase| std::iter::repeat_n(it.negated, it.words.len());
        self.phrases.iter().flat_map(marks)
    }

    /// Returns the phrases in a canonical order where order carries no meaning: where each is linked to the rest in
    /// another way.
    fn canonical_phrases(&self) -> Vec<&MeaningPhrase> {
        let links: BTreeSet<PhraseLink> = self.phrases.iter().map(|phrase| phrase.link).collect();
        if links.len() == self.phrases.len() {
            collect_sorted(self.phrases.iter())
        } else {
            self.phrases.iter().collect()
        }
    }
}

fn collect_sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}

/// The state of reading: the phrase being read, and those that are complete.
#[derive(Debug)]
struct PhraseReader {
    phrases: Vec<MeaningPhrase>,
    open: MeaningPhrase,
}

impl Default for PhraseReader {
    fn default() -> Self {
        Self {
            phrases: Vec::new(),
            open: MeaningPhrase {
                link: PhraseLink::Main,
                words: Vec::new(),
                negated: false,
            },
        }
    }
}

impl PhraseReader {
    /// Reads a text, alternating between prose and code in backticks.
    fn read_text(&mut self, text: &str) {
        for (place, part) in text.split('`').enumerate() {
            if place % 2 == 0 {
                self.read_prose(part);
            } else {
                let words = part.split_whitespace().map(str::to_owned);
                self.open.words.extend(words);
            }
        }
    }

    fn read_prose(&mut self, text: &str) {
        let mut pieces = text
            .split_whitespace()
            .map(PunctuatedWord::from_chunk)
            .peekable();
        while let Some(mut piece) = pieces.next() {
            if piece.begins_clause {
                self.end_clause();
            }
            let word = piece.word;
            let pair = pieces.peek().filter(|_| !piece.ends_clause);
            let pair = pair.and_then(|next| words::pair_role(word, next.word));
            if let Some(role) = pair {
                piece = pieces.next().expect("the second word was peeked at");
                self.apply_role(role, word);
            } else if !(word.is_empty() || piece.is_label()) {
                self.apply_role(word_role(word), word);
            }
            if piece.ends_clause {
                self.end_clause();
            }
        }
    }

    fn apply_role(&mut self, role: WordRole, word: &str) {
        match role {
            WordRole::Content => self.open.words.push(inflection::normalize_inflection(word)),
            WordRole::Empty => {}
            WordRole::Advice => self.begin_phrase(PhraseLink::Main, false),
            WordRole::Loose => self.begin_phrase(PhraseLink::Loose, false),
            WordRole::Tight(head) => self.begin_phrase(PhraseLink::Tight(head), false),
            WordRole::Not => self.begin_phrase_as(PhraseLink::Main, true),
            WordRole::Cannot => {
                self.open.words.push("can".to_owned());
                self.begin_phrase_as(PhraseLink::Main, true);
            }
            WordRole::Against => self.begin_phrase_as(PhraseLink::Main, !self.open.negated),
            WordRole::Without => self.begin_phrase_as(PhraseLink::Loose, !self.open.negated),
            WordRole::Unless => self.begin_phrase_as(PhraseLink::Tight("if"), !self.open.negated),
        }
    }

    /// Begins a phrase. A negation that has not reached a word yet applies to it.
    fn begin_phrase(&mut self, link: PhraseLink, negated: bool) {
        let pending = self.open.negated && self.open.words.is_empty();
        self.begin_phrase_as(link, negated || pending);
    }

    fn begin_phrase_as(&mut self, link: PhraseLink, negated: bool) {
        let before = std::mem::replace(
            &mut self.open,
            MeaningPhrase {
                link,
                words: Vec::new(),
                negated,
            },
        );
        if !before.words.is_empty() {
            self.phrases.push(before);
        }
    }

    fn end_clause(&mut self) {
        // `before it` says something, though it names nothing.
        let is_bare = self.open.words.is_empty() && matches!(self.open.link, PhraseLink::Tight(_));
        if is_bare {
            self.phrases.push(self.open.clone());
        }
        self.begin_phrase_as(PhraseLink::Main, false);
    }
}

/// A word with the punctuation around it.
struct PunctuatedWord<'a> {
    word: &'a str,
    tail: &'a str,
    begins_clause: bool,
    ends_clause: bool,
}

impl<'a> PunctuatedWord<'a> {
    fn from_chunk(chunk: &'a str) -> Self {
        let is_quote = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»');
        let is_stop = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '…' | '–' | '—');
        let open = chunk.trim_start_matches(|c| is_quote(c) || c == '(');
        let word = open.trim_end_matches(|c| is_quote(c) || is_stop(c) || c == ')');
        let is_dash = matches!(word, "-" | "--");
        Self {
            word: if is_dash { "" } else { word },
            tail: &open[word.len()..],
            begins_clause: chunk[..chunk.len() - open.len()].contains('('),
            ends_clause: is_dash || open[word.len()..].contains(|c| is_stop(c) || c == ')'),
        }
    }

    fn is_label(&self) -> bool {
        self.tail.starts_with(':') && words::is_label(self.word)
    }
}
