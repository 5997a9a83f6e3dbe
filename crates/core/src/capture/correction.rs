//! Recognises a person's correction of the agent.
//!
//! What is learned is the person's own imperative sentence, without filler words. A correction comes after the agent
//! did something, and says what to do or not to do: "no, don't …, use …", "stop …ing", "never … in this repo", "I
//! told you to …". Questions, new tasks, praise and plain bug reports are not corrections: an order without refusal,
//! prohibition or "always" is the next task. A sentence that only refers to the task at hand ("this file", "line 12",
//! "my order") is weak, a candidate lesson at most.

use super::{EpisodeWeight, parsed_run::UserMessage};
use crate::{
    lesson::LessonContent,
    limits,
    text::{CleanText, quoted::strip_quoted},
    trigger::{Sign, Triggers},
};

mod language;
mod matching;
mod phrases;

use language::{Instruction, Language, Objection};
use matching::{names_program, split_words};
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
/// Longest message, in characters and in sentences, in which a rule may stand in any words; longer ones are tasks.
const NAMED_RULE_CHARS: usize = 300;
const NAMED_RULE_SENTENCES: usize = 4;
/// Fewest characters that say something in a script without spaces.
const UNSPACED_CHARS: usize = 7;
/// Most sentences of one correction; a message with more is a set of instructions.
const SENTENCES: usize = 3;

/// Returns the correction in a person's message, or `None` if it is not one.
pub(super) fn find_correction(said: &UserMessage<'_>) -> Option<Correction> {
    let whole = said.text.as_str();
    if !said.answers_agent || whole.chars().count() > MESSAGE_CHARS || is_machine_text(whole) {
        return None;
    }
    let text = &*strip_quoted(whole);
    LANGUAGES
        .iter()
        .find_map(|language| find_in_language(text, language))
        .or_else(|| find_named_rule(text))
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
    let mut orders: Vec<String> = Vec::new();
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
        let follows = !orders.is_empty() && language.completes_order(rest);
        let order = language
            .parse_instruction(rest)
            // A prohibition and an "always" correct; others only after a refusal, or as a second thought.
            .filter(|order| {
                let is_doubted = refusing == Objection::Mild && order.is_contrast;
                order.forbids || order.is_general || is_doubted || refusing > Objection::Mild
            })
            .or_else(|| language.parse_statement(rest, refusing))
            .filter(|order| !order.is_bare || names_thing(rest));
        if !follows && order.is_none() {
            continue;
        }
        always |= order.is_some_and(|order| order.is_general);
        is_pointed |= order.is_some_and(|order| order.is_contrast || order.is_scoped);
        strong |= order.is_some_and(|order| is_strong(&order, refusing));
        is_stated |= order.is_some_and(|order| order.is_statement);
        local |= language.is_local(rest);
        orders.push(clean_sentence(rest));
    }
    always |= refusing >= Objection::Repeated && !is_stated;
    let (_, first) = language.strip_opener(sentences.first()?);
    let forbids = (language.parse_instruction(first))
        .or_else(|| language.parse_statement(first, Objection::None))
        .is_some_and(|order| order.forbids);
    let whole = orders.join(" ");
    let fits = (1..=SENTENCES).contains(&orders.len())
        && whole.chars().count() <= limits::CORRECTION_CHARS;
    let is_short = whole.is_ascii() || whole.contains(' ');
    let says_enough = whole.split_whitespace().count() >= 3
        || names_program(&whole)
        || !is_short && whole.chars().count() >= UNSPACED_CHARS;
    if !fits || !says_enough {
        return None;
    }
    let nothing_else =
        orders.len() == sentences.len() && (sentences.len() == 1 || names_program(&whole));
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

/// Finds the sentences that say of something nameable what always holds, what holds here or what is wrong, whatever words a
/// person puts it in.
fn find_named_rule(text: &str) -> Option<CorrectionMatch> {
    let sentences = split_sentences(text);
    let is_long = text.chars().count() > NAMED_RULE_CHARS || sentences.len() > NAMED_RULE_SENTENCES;
    let asks = sentences
        .last()
        .is_some_and(|sentence| sentence.ends_with(['?', '？']));
    if is_long || asks {
        return None;
    }
    let is_lasting = |sentence: &str| {
        LANGUAGES
            .iter()
            .any(|language| language.is_lasting(sentence))
    };
    // "…. Siempre."
    let holds_for_all = |sentence: &&&str| split_words(sentence).count() <= 2;
    let mut general = sentences
        .iter()
        .filter(holds_for_all)
        .any(|sentence| is_lasting(sentence));
    let mut refusing = Objection::None;
    let mut orders: Vec<String> = Vec::new();
    let mut local = false;
    for sentence in &sentences {
        let (refusal, rest) = strip_any_opener(sentence);
        refusing = refusing.max(refusal);
        let says = RuleWords::read(rest);
        let is_refused = refusing > Objection::Mild;
        let lasts = is_lasting(sentence) && says.judges_call;
        let is_rule = is_refused || says.forbids_command || lasts || general;
        let is_task = says.is_order && !is_refused;
        if sentence.ends_with(['?', '？']) || is_task || says.is_idle {
            continue;
        }
        if says.is_named && is_rule || !orders.is_empty() && says.is_order {
            general |= lasts;
            local |= says.is_local;
            orders.push(clean_sentence(rest));
        }
    }
    let whole = orders.join(" ");
    let fits = !orders.is_empty() && whole.chars().count() <= limits::CORRECTION_CHARS;
    let weight = if general && !local {
        EpisodeWeight::Lesson
    } else {
        EpisodeWeight::CandidateLesson
    };
    fits.then_some(CorrectionMatch {
        text: whole,
        weight,
    })
}

/// Removes the objection that a sentence begins with, in any language.
fn strip_any_opener(sentence: &str) -> (Objection, &str) {
    let openers = LANGUAGES
        .iter()
        .map(|language| language.strip_opener(sentence));
    let opener = openers.max_by_key(|(objection, rest)| (*objection, usize::MAX - rest.len()));
    opener.unwrap_or((Objection::None, sentence))
}

/// What the words of a sentence say of what it names, in any language.
struct RuleWords {
    is_named: bool,
    /// It warns of something, or advises something, that a call could be.
    judges_call: bool,
    /// It warns of a command or an option.
    forbids_command: bool,
    is_order: bool,
    is_local: bool,
    /// It reports, or is a turn of speech.
    is_idle: bool,
}

impl RuleWords {
    fn read(sentence: &str) -> Self {
        let text = CleanText::from_stored(sentence.to_owned());
        let triggers = Triggers::from_content(&LessonContent::new(CleanText::default(), text));
        let any = |says: fn(&Language, &str) -> bool| {
            LANGUAGES.iter().any(|language| says(language, sentence))
        };
        Self {
            is_named: triggers.judges_call() || !triggers.is_empty(),
            judges_call: triggers.judges_call(),
            forbids_command: triggers.names_command(Sign::Warned),
            is_order: any(Language::completes_order),
            is_local: any(Language::is_local),
            is_idle: any(Language::is_idle),
        }
    }
}

/// Returns whether a sentence names something specific: code, a file, an option, an identifier.
fn names_thing(text: &str) -> bool {
    let is_name = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let inner = word.chars().skip(1);
        word.len() > 2 && inner.clone().any(|c| matches!(c, '.' | '_' | '/' | ':'))
            || word.starts_with('-')
            || word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    text.contains('`') || split_words(text).any(is_name) || names_program(text)
}

/// Returns whether an order holds beyond the task at hand: it says so, it is repeated, or it corrects what was done.
fn is_strong(order: &Instruction, refusing: Objection) -> bool {
    let is_refused = refusing > Objection::Mild;
    order.is_general
        || refusing >= Objection::Repeated
        || (order.forbids && (order.is_scoped || is_refused))
        || (is_refused && (order.is_contrast || order.is_scoped || order.chooses_program))
}

/// Removes what only asks whether somebody agrees: "…, ok?".
fn strip_tag_question(sentence: &str) -> &str {
    const TAGS: [&str; 8] = [
        ", ok?",
        ", okay?",
        ", right?",
        ", please?",
        ", ja?",
        ", vale?",
        ", tá?",
        ", ладно?",
    ];
    let tag = TAGS.iter().find_map(|tag| sentence.strip_suffix(tag));
    tag.unwrap_or(sentence)
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
            sentences.push(strip_tag_question(text[start..end].trim()));
            start = end;
            in_code = false;
        }
    }
    sentences.push(strip_tag_question(text[start..].trim()));
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
