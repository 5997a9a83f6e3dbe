//! Hears a person correcting the agent.
//!
//! What is learned is the person's own imperative sentence, cleaned of chatter. A correction comes
//! after the agent did something, and says what to do or not to do: "no, don't …, use …", "stop …ing",
//! "never … in this repo", "I told you to …". Questions, new tasks, praise and plain bug reports are
//! none. A sentence that only means the task at hand ("this file", "line 12", "my order") is weak, and
//! a witness at most.

use super::{Weight, reading::Said};
use crate::limits;

mod language;

use language::{LANGUAGES, Language};

/// What a person corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The person's own sentences, cleaned.
    pub text: String,
    /// What the agent called just before, if anything.
    pub before: Option<String>,
    /// Whether it is general enough to stand by itself.
    pub weight: Weight,
}

/// Longest message that is taken for a correction, in characters; longer ones are tasks.
const MESSAGE_CHARS: usize = 700;
/// Longest sentence that is taken for one, in characters.
const SENTENCE_CHARS: usize = 240;

/// Returns the correction in what the person said, if it is one.
pub(super) fn find(said: &Said<'_>) -> Option<Correction> {
    let text = said.text.as_str();
    if !said.answers_agent || text.chars().count() > MESSAGE_CHARS || is_machine_text(text) {
        return None;
    }
    LANGUAGES
        .iter()
        .find_map(|language| in_language(text, language, said.before.as_deref()))
}

/// Text that programs wrote into the person's turn is nobody's word.
fn is_machine_text(text: &str) -> bool {
    let start = text.trim_start();
    text.contains("```")
        || start.starts_with(['<', '{', '[', '/', '!', '$', '>'])
        || text.contains("Traceback (most recent")
}

fn in_language(text: &str, language: &Language, before: Option<&str>) -> Option<Correction> {
    let mut kept: Vec<String> = Vec::new();
    let mut is_refusing = false;
    let mut is_general = false;
    let mut is_local = false;
    for sentence in sentences(text) {
        let (refuses, rest) = language.without_opener(sentence);
        is_refusing |= refuses;
        if sentence.ends_with('?') || rest.chars().count() > SENTENCE_CHARS {
            continue;
        }
        let Some(order) = language.order(rest) else {
            continue;
        };
        let is_correcting = order.is_general || order.is_contrast || order.forbids || is_refusing;
        if !is_correcting || (!order.forbids && !order.is_general && !is_refusing) {
            continue;
        }
        is_general |= order.is_general || order.is_contrast || (is_refusing && order.forbids);
        is_local |= language.is_local(rest);
        kept.push(cleaned(rest));
    }
    let text = kept.join(" ");
    if kept.is_empty()
        || kept.len() > 3
        || text.split_whitespace().count() < 3
        || text.chars().count() > limits::CORRECTION_CHARS
    {
        return None;
    }
    let weight = if is_general && !is_local {
        Weight::Lesson
    } else {
        Weight::Witness
    };
    Some(Correction {
        text,
        before: before.map(str::to_owned),
        weight,
    })
}

/// Cuts a message into sentences; a dot inside a word (`foo.py`, `1.2`) ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if c == '`' {
            in_code = !in_code;
        }
        let ends = c == '\n'
            || (matches!(c, '.' | '!' | '?') && !in_code && next.is_none_or(char::is_whitespace));
        if ends {
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

/// Begins with a capital, ends with a full stop.
fn cleaned(sentence: &str) -> String {
    let sentence = sentence
        .trim()
        .trim_end_matches(['.', '!', ',', ';', ':', ' ']);
    let mut chars = sentence.chars();
    let first: String = chars
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
