//! Turns text into terms: the words that recall and the index compare.
//!
//! A lesson becomes [`DocTerms`] when it is stored, a prompt becomes [`QueryTerms`] when it is searched for, and both
//! go through the same [`words`]. Statistics are handled in [`bm25`](crate::bm25), relevance in
//! [`rank`](crate::rank).

mod common;
mod fold;
mod respelling;
mod term_lookup;
mod typed_word;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use common::{collect_telling_terms, collect_terms, common_share, is_common_word};
pub(crate) use fold::is_unspaced_term;
pub use respelling::Respelling;
pub use term_lookup::TermLookup;
pub use typed_word::TypedWord;
pub(crate) use typed_word::tag_keys;
pub use words::for_each_term;
pub(crate) use words::{FILE_ENDINGS, split_name_words};

use crate::{CleanText, LessonContent, limits, text::floor_char_boundary};

/// Increases whenever the same text would give other terms, so that a store can build its index again.
pub const VERSION: u32 = 5;

/// The weight of one occurrence in the text, in half occurrences.
pub(crate) const HALVES_TEXT: u32 = 2;
/// The weight of one occurrence in the signature, in half occurrences.
pub(crate) const HALVES_SIGNATURE: u32 = 3;
/// The weight of one occurrence in the task, in half occurrences.
pub(crate) const HALVES_TASK: u32 = 1;
/// The weight of a key, in half occurrences.
pub(crate) const HALVES_KEY: u32 = 1;

/// The terms of a lesson in order, as the store keeps and indexes them.
///
/// Packed as text: the signature's terms, a line break, the terms of everything else that it says, and, if there are any, a
/// line break and the terms of the task that taught it, and another and the keys of its [triggers](crate::trigger); terms are
/// separated by single spaces and never contain white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocTerms(String);

impl DocTerms {
    /// Extracts the terms of a lesson, at most [`limits::LESSON_TERMS`]. Of its task it takes at most
    /// [`limits::TASK_TERMS`], each once and without numbers, which differ from task to task.
    pub fn from_content(content: &LessonContent, task: Option<&CleanText>) -> Self {
        let task = task.map(|task| distinct_task_terms(task.as_str()));
        Self::from_content_and_task_terms(content, &task.unwrap_or_default())
    }

    /// Extracts the terms of a lesson of whose task only the terms are known, as [`task_terms`](Self::task_terms)
    /// returned them.
    pub fn from_content_and_task_terms(content: &LessonContent, task: &[String]) -> Self {
        let mut packer = TermPacker::new();
        packer.add_text(content.signature.as_str());
        packer.end_field();
        for part in body_texts(content) {
            packer.add_text(part.as_str());
        }
        if !task.is_empty() {
            packer.end_field();
            packer.text.push_str(&task.join(" "));
        }
        Self(packer.text)
    }

    /// Adds the keys of the lesson's triggers: it is found by them, and they change neither its length nor what a prompt finds.
    #[must_use]
    pub fn with_keys(mut self, keys: &[String]) -> Self {
        if !keys.is_empty() {
            let missing = 3_usize.saturating_sub(self.0.matches('\n').count());
            self.0.push_str(&"\n".repeat(missing));
            self.0.push_str(&keys.join(" "));
        }
        self
    }

    /// Restores terms from the form that [`as_str`](Self::as_str) returns.
    pub fn from_packed(packed: String) -> Self {
        Self(packed)
    }

    /// Returns the packed form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the signature's terms in order.
    pub fn signature_terms(&self) -> impl Iterator<Item = &str> {
        split_terms(self.fields()[0])
    }

    /// Returns the terms of everything else that the lesson says, in order.
    pub fn text_terms(&self) -> impl Iterator<Item = &str> {
        split_terms(self.fields()[1])
    }

    /// Returns the terms of the task that taught it, in order.
    pub fn task_terms(&self) -> impl Iterator<Item = &str> {
        split_terms(self.fields()[2])
    }

    /// Returns the keys of the lesson's triggers.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        split_terms(self.fields()[3])
    }

    /// Returns every occurrence with its weight, in half occurrences.
    pub fn weighted_terms(&self) -> impl Iterator<Item = (&str, u32)> {
        let signature = self.signature_terms().map(|term| (term, HALVES_SIGNATURE));
        let text = self.text_terms().map(|term| (term, HALVES_TEXT));
        signature
            .chain(text)
            .chain(self.task_terms().map(|term| (term, HALVES_TASK)))
            .chain(self.keys().map(|key| (key, HALVES_KEY)))
    }

    /// Returns each distinct term with its weighted count in half occurrences. That is 2 for each time in the text, 3
    /// for each time in the signature, 1 for a word of the task and for a key.
    pub fn term_counts(&self) -> BTreeMap<&str, u32> {
        let mut counts = BTreeMap::new();
        for (term, halves) in self.weighted_terms() {
            *counts.entry(term).or_default() += halves;
        }
        counts
    }

    /// Returns the weighted length of what the lesson says, in half occurrences. The words of its task do not count.
    pub fn weighted_length(&self) -> u32 {
        let count = |terms: usize| u32::try_from(terms).unwrap_or(u32::MAX);
        count(self.signature_terms().count()) * HALVES_SIGNATURE
            + count(self.text_terms().count()) * HALVES_TEXT
    }

    fn fields(&self) -> [&str; 4] {
        split_fields(&self.0)
    }
}

/// Returns the packed terms of the signature, of the other text and of the task, and the keys.
fn split_fields(packed: &str) -> [&str; 4] {
    let (signature, rest) = packed.split_once('\n').unwrap_or(("", packed));
    let (text, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let (task, keys) = rest.split_once('\n').unwrap_or((rest, ""));
    [signature, text, task, keys]
}

/// Returns the terms of a task, each once, in order of appearance.
fn distinct_task_terms(task: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    words::for_each_term(task, |term| {
        let is_new = !has_digit(term) && !terms.iter().any(|known| known == term);
        if is_new && terms.len() < limits::TASK_TERMS {
            terms.push(term.to_owned());
        }
    });
    terms
}

/// Returns whether a text has a digit; such a term belongs to one task and not to its kind.
pub(crate) fn has_digit(term: &str) -> bool {
    term.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the terms of a packed field.
fn split_terms(field: &str) -> impl Iterator<Item = &str> {
    let mut left = field;
    let next = move || {
        if left.is_empty() {
            return None;
        }
        let (term, rest) = left.split_at(find_blank(left.as_bytes()));
        left = rest.get(1..).unwrap_or_default();
        Some(term)
    };
    std::iter::from_fn(next).filter(|term| !term.is_empty())
}

/// Returns the offset of the next space, or of the end.
///
/// A recall splits thousands of words of five letters, for which searches made for long texts are slow: this checks
/// eight bytes in one step, which completes most words.
#[inline]
fn find_blank(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        // A byte is zero where a space was; the lowest marked byte is the first of them.
        let other = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b' '));
        let blank = other.wrapping_sub(ONES) & !other & (ONES << 7);
        if blank != 0 {
            return at + usize::from(blank.trailing_zeros().to_le_bytes()[0] / 8);
        }
        at += 8;
    }
    let blank = bytes[at..].iter().position(|byte| *byte == b' ');
    blank.map_or(bytes.len(), |blank| at + blank)
}

/// Returns the texts of a lesson besides its signature.
///
/// The title is often the text's own first line; repeated it would only make the lesson longer. Tags are left out:
/// they name a language or a kind of lesson more often than a topic, so they find nothing that the text does not, and
/// let prompts on other topics pass the floor.
fn body_texts(content: &LessonContent) -> impl Iterator<Item = &CleanText> {
    let title = &content.title;
    let is_repeated = content.text.as_str().starts_with(title.as_str());
    (!is_repeated)
        .then_some(title)
        .into_iter()
        .chain(&content.situation)
        .chain(&content.mistake)
        .chain([&content.text])
}

/// Packs terms, up to a limit.
struct TermPacker {
    text: String,
    remaining: usize,
}

impl TermPacker {
    fn new() -> Self {
        Self {
            text: String::new(),
            remaining: limits::LESSON_TERMS,
        }
    }

    fn end_field(&mut self) {
        self.text.push('\n');
    }

    fn add_text(&mut self, part: &str) {
        words::for_each_term(part, |term| {
            if self.remaining > 0 {
                self.remaining -= 1;
                if !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push(' ');
                }
                self.text.push_str(term);
            }
        });
    }
}

/// A prompt as a bag of weighted terms, together with their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTerms {
    /// Distinct terms with their saturated weight, in order of first appearance.
    pub terms: Vec<(String, f32)>,
    /// The prompt's terms in order, as indexes into `terms`.
    pub sequence: Vec<u16>,
    /// Which of `terms` stand only beside what the prompt is about: in a path, an address, a number, a ticket, a greeting.
    pub asides: BTreeSet<u16>,
    /// Other spellings of what it says.
    pub respellings: Vec<Respelling>,
    /// How many of `terms`, the last ones, are only in other spellings.
    pub added_terms: usize,
}

impl QueryTerms {
    /// Makes a query of whole terms, each of weight 1.
    pub fn from_keys(keys: Vec<String>) -> Self {
        Self {
            terms: keys.into_iter().map(|key| (key, 1.0)).collect(),
            ..Self::default()
        }
    }

    /// Extracts the terms of a prompt.
    ///
    /// Of a prompt longer than [`limits::PROMPT_BYTES`] the head and the tail are read, because people put the
    /// question before or after what they paste. Of more than [`limits::QUERY_TERMS`] distinct terms the heaviest are
    /// kept, the earlier of equals.
    pub fn from_prompt(prompt: &str) -> Self {
        let (head, tail) = split_head_and_tail(prompt);
        let mut bag = TermBag::default();
        for line in head.lines().chain(tail.lines()) {
            bag.add_line(line, line_weight(line));
        }
        bag.into_heaviest(limits::QUERY_TERMS)
    }
}

/// Returns the parts of a prompt that are read: all of it, or three quarters of the limit from its head and one
/// quarter from its tail.
fn split_head_and_tail(prompt: &str) -> (&str, &str) {
    if prompt.len() <= limits::PROMPT_BYTES {
        return (prompt, "");
    }
    let tail = limits::PROMPT_BYTES / 4;
    let head = floor_char_boundary(prompt, limits::PROMPT_BYTES - tail);
    let tail = floor_char_boundary(prompt, prompt.len() - tail);
    (&prompt[..head], &prompt[tail..])
}

/// Returns the weight of a term in this line: half if less than 60 % of the visible characters are letters, which
/// distinguishes code, carets and tables from sentences.
fn line_weight(line: &str) -> f32 {
    let mut visible = 0_u32;
    let mut letters = 0_u32;
    for c in line.chars().filter(|c| !c.is_whitespace()) {
        visible += 1;
        letters += u32::from(c.is_alphabetic());
    }
    if letters * 10 < visible * 6 { 0.5 } else { 1.0 }
}

/// Returns the weight of a term with this count: long prompts repeat their words, and the third time means less than
/// the first.
pub(crate) fn saturate_count(count: f32) -> f32 {
    3.0 * count / (2.0 + count)
}

/// Counts terms.
#[derive(Default)]
struct TermBag {
    indexes: HashMap<String, usize>,
    counts: Vec<f32>,
    sequence: Vec<usize>,
}

impl TermBag {
    fn add_line(&mut self, line: &str, weight: f32) {
        words::for_each_term(line, |term| {
            let place = self.indexes.get(term).copied().unwrap_or_else(|| {
                self.indexes.insert(term.to_owned(), self.counts.len());
                self.counts.push(0.0);
                self.counts.len() - 1
            });
            self.counts[place] += weight;
            self.sequence.push(place);
        });
    }

    fn into_heaviest(self, most: usize) -> QueryTerms {
        let counts = &self.counts;
        let mut heaviest: Vec<usize> = (0..counts.len()).collect();
        heaviest.sort_by(|&a, &b| counts[b].total_cmp(&counts[a]).then(a.cmp(&b)));
        heaviest.truncate(most.min(usize::from(u16::MAX)));
        heaviest.sort_unstable();
        let mut new_numbers = vec![None; counts.len()];
        for (new, &old) in (0_u16..).zip(&heaviest) {
            new_numbers[old] = Some(new);
        }
        let mut terms = vec![(String::new(), 0.0); heaviest.len()];
        for (term, old) in self.indexes {
            if let Some(new) = new_numbers[old] {
                terms[usize::from(new)] = (term, saturate_count(counts[old]));
            }
        }
        QueryTerms {
            terms,
            sequence: self
                .sequence
                .iter()
                .filter_map(|&old| new_numbers[old])
                .collect(),
            ..QueryTerms::default()
        }
    }
}

#[cfg(test)]
mod tests;
