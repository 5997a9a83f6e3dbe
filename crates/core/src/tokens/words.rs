//! Splits text into terms.
//!
//! A word is a sequence of letters and digits; an underscore joins words into an identifier, a change of case joins
//! words into a name. Identifiers and names give the whole and the parts, because a prompt may contain either.
//! Scripts without spaces give overlapping pairs of characters, of those that carry meaning. The language of a text is
//! not determined, because a prompt is too short for that: the script decides between Russian stems and English ones,
//! which leave other languages nearly unchanged. Compounds stay whole.

use frostem::{Algorithm, Stemmer};

use super::fold;
use crate::{limits, text::floor_char_boundary};

/// Passes every term of a text to `emit`, in order.
///
/// A term is not empty, is at most [`limits::TERM_BYTES`] long, and contains no white space and no control character.
pub fn for_each_term(text: &str, mut emit: impl FnMut(&str)) {
    // Many words are looked up one by one.
    if is_plain_word(text) {
        if !STOP_WORDS.contains(&text) {
            emit(cut_plural(&Stemmer::new(Algorithm::English).stem(text)));
        }
        return;
    }
    let mut cutter = TermCutter::new(emit);
    for c in fold::compose_characters(text).chars() {
        if c.is_ascii() || fold::is_unspaced(c) {
            cutter.push(c);
        } else {
            fold::emit_plain_letters(c, |part| cutter.push(part));
        }
    }
    cutter.finish();
}

/// Returns whether a text is one word of small Latin letters.
fn is_plain_word(text: &str) -> bool {
    (1..=limits::TERM_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns whether nearly every English sentence contains this word (Lucene's classic list).
#[rustfmt::skip]
const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
    "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
    "will", "with",
];

/// Cuts the plural that German and Dutch share off a word that English stemming left as it is.
fn cut_plural(stem: &str) -> &str {
    const SHORTEST: usize = 4;
    let rest = stem.strip_suffix("en");
    rest.filter(|rest| rest.len() >= SHORTEST).unwrap_or(stem)
}

/// Returns whether a word is a number of one or two digits: a count, a column, a list item.
fn is_short_number(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit())
}

/// Endings of the names of files: a project has many of each, so after a name none tells what a text is about.
pub(crate) const FILE_ENDINGS: &str = "py pyc rs js jsx mjs cjs ts tsx json jsonl yaml yml toml lock md txt sh go rb java kt c h cc cpp hpp cs php html css scss sql csv xml ini cfg conf log so db zip gz pdf png pcap bin class jar";

/// What joins the two words of a contraction.
const APOSTROPHE: char = '\'';

/// Returns the words that a run with apostrophes is about: `deploy's` is about `deploy`, `don't` about nothing, as *not* is, and
/// of `l'image` the article says nothing.
fn contracted_words(run: &str) -> impl Iterator<Item = &str> {
    let is_negation = |part: &str| part.ends_with("n't") || part.ends_with("N'T");
    let is_joint = move |part: &&str| {
        let is_ending = matches!(part.to_ascii_lowercase().as_str(), "re" | "ve" | "ll");
        run.contains(APOSTROPHE) && (part.len() == 1 || is_ending)
    };
    let words = (!is_negation(run)).then(|| run.split(APOSTROPHE));
    words
        .into_iter()
        .flatten()
        .filter(move |part| !is_joint(part))
}

/// Returns the offsets at which the parts of a name such as `parseHTTPHeader` begin.
///
/// A capital begins a part after a lower-case letter, and before one if more than a plural `s` follows (`HTTP|Header`
/// but `URLs`).
fn part_starts(name: &str) -> impl Iterator<Item = usize> {
    let mut before = None;
    name.char_indices().filter_map(move |(at, c)| {
        let previous = before.replace(c)?;
        let begins = c.is_uppercase() && {
            let mut rest = name[at + c.len_utf8()..].chars();
            let next_is_small = rest.next().is_some_and(char::is_lowercase);
            previous.is_lowercase() || (next_is_small && rest.next().is_some())
        };
        begins.then_some(at)
    })
}

/// Returns the words of a name in lower case: `mcp__linear__getIssue` is `mcp`, `linear`, `get`,
/// `issue`.
pub(crate) fn split_name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
    {
        let mut from = 0;
        for to in part_starts(run).chain([run.len()]) {
            words.push(run[from..to].to_lowercase());
            from = to;
        }
    }
    words
}

/// The word or pair of characters being read, and the receiver of finished terms.
struct TermCutter<F> {
    emit: F,
    stemmer: Stemmer,
    /// Letters, digits and underscores read so far, in their own case.
    run: String,
    /// Whether a dot joins the run to a word before it.
    is_after_dot: bool,
    /// The last character of a script without spaces, and whether it stands alone so far.
    unspaced: Option<(char, bool)>,
    /// A buffer for one finished term.
    term: String,
}

impl<F: FnMut(&str)> TermCutter<F> {
    fn new(emit: F) -> Self {
        Self {
            emit,
            stemmer: Stemmer::new(Algorithm::English),
            run: String::new(),
            is_after_dot: false,
            unspaced: None,
            term: String::new(),
        }
    }

    fn push(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || c == '_' {
            self.end_unspaced();
            self.run.push(c);
        } else if c == APOSTROPHE && !self.run.is_empty() {
            self.run.push(c);
        } else if c.is_ascii() || fold::is_grammar(c) {
            let is_dot = c == '.' && !self.run.is_empty();
            self.finish();
            self.is_after_dot = is_dot;
        } else if fold::is_unspaced(c) {
            self.end_run();
            self.push_unspaced(c);
        } else if fold::is_wordlike(c) {
            self.end_unspaced();
            self.run.push(c);
        } else {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.end_run();
        self.end_unspaced();
    }

    fn push_unspaced(&mut self, c: char) {
        if let Some((previous, _)) = self.unspaced {
            self.emit_unspaced(&[previous, c]);
        }
        self.unspaced = Some((c, self.unspaced.is_none()));
    }

    fn end_unspaced(&mut self) {
        if let Some((c, true)) = self.unspaced.take() {
            self.emit_unspaced(&[c]);
        }
    }

    fn emit_unspaced(&mut self, chars: &[char]) {
        self.term.clear();
        self.term.extend(chars);
        (self.emit)(&self.term);
    }

    /// Emits the word that was being read, if any.
    fn end_run(&mut self) {
        if !self.run.is_empty() {
            let run = std::mem::take(&mut self.run);
            let is_ending = |name: &str| FILE_ENDINGS.split(' ').any(|ending| ending == name);
            if std::mem::take(&mut self.is_after_dot) && is_ending(&run) {
                return;
            }
            for part in contracted_words(&run) {
                self.emit_identifier(part.trim_matches('_'));
            }
            self.run = run;
            self.run.clear();
        }
    }

    fn emit_identifier(&mut self, identifier: &str) {
        if identifier.contains('_') {
            self.lowercase_into_term(identifier);
            (self.emit)(&self.term);
        }
        for name in identifier.split('_').filter(|name| !name.is_empty()) {
            self.emit_name(name);
        }
    }

    /// Emits a name and its parts; of one too long to be a name, such as a key, only the head, so that noise stays
    /// one term.
    fn emit_name(&mut self, name: &str) {
        self.emit_word(name);
        if name.len() > limits::TERM_BYTES {
            return;
        }
        let mut start = 0;
        for end in part_starts(name) {
            self.emit_word(&name[start..end]);
            start = end;
        }
        if start > 0 {
            self.emit_word(&name[start..]);
        }
    }

    fn emit_word(&mut self, word: &str) {
        self.lowercase_into_term(word);
        if STOP_WORDS.contains(&self.term.as_str()) || is_short_number(&self.term) {
            return;
        }
        if self.term.bytes().all(|b| b.is_ascii_lowercase()) {
            (self.emit)(cut_plural(&self.stemmer.stem(&self.term)));
        } else if (self.term.chars()).all(|c| matches!(c, '\u{0400}'..='\u{04FF}')) {
            (self.emit)(&Stemmer::new(Algorithm::Russian).stem(&self.term));
        } else {
            (self.emit)(&self.term);
        }
    }

    /// Writes a text in lower case into the term buffer, up to the longest term.
    fn lowercase_into_term(&mut self, text: &str) {
        self.term.clear();
        if text.is_ascii() {
            self.term
                .push_str(&text[..text.len().min(limits::TERM_BYTES)]);
            self.term.make_ascii_lowercase();
        } else {
            let lower = text.chars().flat_map(char::to_lowercase);
            self.term.extend(lower.take(limits::TERM_BYTES));
            self.term
                .truncate(floor_char_boundary(&self.term, limits::TERM_BYTES));
        }
    }
}
