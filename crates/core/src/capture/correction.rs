//! Recognises a person's correction of the agent.
//!
//! What is learned is the person's own imperative sentence, without filler words. A correction comes after the agent
//! did something, and says what to do or not to do: "no, don't …, use …", "stop …ing", "never … in this repo", "I
//! told you to …". Questions, new tasks, praise and plain bug reports are not corrections: an order without refusal,
//! prohibition or "always" is the next task. A sentence that only refers to the task at hand ("this file", "line 12",
//! "my order") is weak, a candidate lesson at most.

use super::{EpisodeWeight, parsed_run::UserMessage};
use crate::limits;

mod language;
mod phrases;

use language::{Instruction, Language, Objection, names_program, split_words};
use phrases::LANGUAGES;

/// A person's correction of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The person's own sentences, without filler words.
    pub text: String,
    /// The command or tool that the agent called just before, if any.
    pub previous_call: Option<String>,
    /// How much it proves: whether it is general enough to be a lesson at once.
    pub weight: EpisodeWeight,
}

/// Longest message that can be a correction, in characters; longer ones are tasks.
const MESSAGE_CHARS: usize = 700;
/// Longest sentence that can be part of a correction, in characters.
const SENTENCE_CHARS: usize = 240;
/// Fewest characters that say something in a script without spaces.
const UNSPACED_CHARS: usize = 7;
/// Most sentences of one correction; a message with more is a set of instructions.
const SENTENCES: usize = 3;

/// Returns the correction in a person's message, or `None` if it is not one.
pub(super) fn find_correction(said: &UserMessage<'_>) -> Option<Correction> {
    let text = said.text.as_str();
    if !said.answers_agent || text.chars().count() > MESSAGE_CHARS || is_machine_text(text) {
        return None;
    }
    LANGUAGES
        .iter()
        .find_map(|language| find_in_language(text, language))
        .map(|heard| Correction {
            text: heard.text,
            previous_call: said.previous_call.clone(),
            weight: heard.weight,
        })
}

/// Returns whether a program wrote this text into the person's turn.
fn is_machine_text(text: &str) -> bool {
    let start = text.trim_start();
    text.contains("```")
        || start.starts_with(['<', '{', '[', '/', '!', '$', '>'])
        || text.contains("Traceback (most recent")
}

struct CorrectionMatch {
    text: String,
    weight: EpisodeWeight,
}

fn find_in_language(text: &str, language: &Language) -> Option<CorrectionMatch> {
    let mut kept: Vec<String> = Vec::new();
    let mut strong = false;
    let mut always = false;
    let mut is_pointed = false;
    let mut local = false;
    let mut is_stated = false;
    let mut refusing = Objection::None;
    let sentences = split_sentences(text);
    for sentence in &sentences {
        let (refusal, rest) = language.strip_opener(sentence);
        refusing = refusing.max(refusal);
        if sentence.ends_with(['?', '？']) || rest.chars().count() > SENTENCE_CHARS {
            continue;
        }
        let follows = !kept.is_empty() && language.completes_order(rest);
        let order = language
            .parse_instruction(rest)
            // A prohibition and an "always" correct; others only after a refusal, or as a second thought.
            .filter(|order| {
                let is_doubted = refusing == Objection::Mild && order.is_contrast;
                order.forbids || order.is_general || is_doubted || refusing > Objection::Mild
            })
            .or_else(|| language.parse_statement(rest, refusing));
        if !follows && order.is_none() {
            continue;
        }
        always |= order.is_some_and(|order| order.is_general);
        is_pointed |= order.is_some_and(|order| order.is_contrast || order.is_scoped);
        strong |= order.is_some_and(|order| is_strong(&order, refusing));
        is_stated |= order.is_some_and(|order| order.is_statement);
        local |= language.is_local(rest);
        kept.push(clean_sentence(rest));
    }
    always |= refusing >= Objection::Repeated && !is_stated;
    let (_, first) = language.strip_opener(sentences.first()?);
    let forbids = (language.parse_instruction(first))
        .or_else(|| language.parse_statement(first, Objection::None))
        .is_some_and(|order| order.forbids);
    let whole = kept.join(" ");
    let fits =
        (1..=SENTENCES).contains(&kept.len()) && whole.chars().count() <= limits::CORRECTION_CHARS;
    let is_short = whole.is_ascii() || whole.contains(' ');
    let says_enough = whole.split_whitespace().count() >= 3
        || names_program(&whole)
        || !is_short && whole.chars().count() >= UNSPACED_CHARS;
    if !fits || !says_enough {
        return None;
    }
    let nothing_else =
        kept.len() == sentences.len() && (sentences.len() == 1 || names_program(&whole));
    // An order in several clauses that names no identifier and no occasion is mostly about the task at hand.
    let is_about_something = is_pointed || names_thing(&whole) || !whole.contains([',', ';']);
    let general =
        (always || ((strong || (nothing_else && forbids)) && is_about_something)) && !local;
    Some(CorrectionMatch {
        text: whole,
        weight: if general {
            EpisodeWeight::Lesson
        } else {
            EpisodeWeight::CandidateLesson
        },
    })
}

/// Returns whether a sentence names something specific: code, a file, an option, an identifier.
fn names_thing(text: &str) -> bool {
    let is_name = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let inner = word.chars().skip(1);
        word.len() > 2 && inner.clone().any(|c| matches!(c, '.' | '_' | '/' | ':'))
            || word.starts_with('-')
    };
    text.contains('`') || split_words(text).any(is_name) || names_program(text)
}

/// Returns whether an order holds beyond the task at hand: it says so, it is repeated, or it corrects what was done.
fn is_strong(order: &Instruction, refusing: Objection) -> bool {
    let refused = refusing > Objection::Mild;
    order.is_general
        || refusing >= Objection::Repeated
        || (order.forbids && (order.is_scoped || refused))
        || (refused && (order.is_contrast || order.is_scoped || order.chooses_program))
}

/// Splits a message into sentences; a dot inside a word (`foo.py`, `1.2`) does not end one.
fn split_sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if c == '`' {
            in_code = !in_code;
        }
        let stops =
            matches!(c, '.' | '!' | '?') && !in_code && next.is_none_or(char::is_whitespace);
        let stops = stops || matches!(c, '。' | '！' | '？') && !in_code;
        if c == '\n' || stops {
            let end = at + c.len_utf8();
            sentences.push(text[start..end].trim());
            start = end;
            in_code = false;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| sentence.chars().any(char::is_alphabetic));
    sentences
}

/// Rewrites a sentence to begin with a capital letter and end with a full stop.
fn clean_sentence(sentence: &str) -> String {
    let sentence = sentence
        .trim()
        .trim_end_matches(['.', '!', ',', ';', ':', ' ', '。', '！', '，', '、']);
    let mut chars = sentence.chars();
    let first: String = chars
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
