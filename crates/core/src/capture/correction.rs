//! Recognises a person's correction of the agent.
//!
//! What is learned is the person's own sentence, without filler words. A correction answers what the agent did, and says
//! what holds beyond the task: a rule, a habit of ours, a fact that the agent got wrong. Questions, new tasks, praise and
//! reports are not corrections, and what answers a question of the agent seldom is. A sentence for which little speaks, or
//! that only refers to the task at hand ("this file", "line 12"), is weak, a candidate lesson at most.

use super::{
    EpisodeWeight,
    parsed_run::{RunCall, UserMessage},
};
use crate::{
    limits,
    shell::{self, is_listed},
    text::quoted::strip_quoted,
    trace::{AgentTurn, failure::strip_error_prefix},
    trigger::{begins_order, is_unspaced},
};

mod agreement;
mod answered;
mod evidence;
mod matching;
#[rustfmt::skip]
mod words;

pub use agreement::{SaidOnce, find_agreeing};
use answered::find_answered;
use evidence::{
    GENERAL, GENERAL_ALONE, Objection, PART, PART_ONLY, POSSIBLE, PROBABLE, Sentence,
    hear_question, is_aside, is_local, is_of_moment, weigh_message, weigh_sentence,
};
use matching::{names_program, split_clauses, split_words};

/// A person's correction of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The person's own sentences, without filler words.
    pub text: String,
    /// The call that it answers, as a signature names it, if that is known.
    pub answers: Option<String>,
    /// How much it proves: whether it is general enough to be a lesson at once.
    pub weight: EpisodeWeight,
    /// How sure it is that it corrects something, 0 to 1.
    pub confidence: f64,
}

/// Longest message that can be a correction, in characters; longer ones are tasks.
const MESSAGE_CHARS: usize = 500;
/// Longest sentence that can be part of a correction, in characters.
const SENTENCE_CHARS: usize = 240;
/// Fewest characters that say something in a script without spaces.
const UNSPACED_CHARS: usize = 7;
/// Most sentences of one correction, and of its message; more are a set of instructions.
const SENTENCES: usize = 3;
const MESSAGE_SENTENCES: usize = 6;

/// Returns the correction in a person's message, or `None` if it is not one. `turn` is what the agent called before it.
pub(super) fn find_correction(said: &UserMessage<'_>, turn: &[RunCall<'_>]) -> Option<Correction> {
    let whole = said.text.as_str();
    let is_first = said.after == AgentTurn::None;
    if is_first || whole.chars().count() > MESSAGE_CHARS || is_machine_text(whole) {
        return None;
    }
    let own = strip_quoted(whole);
    let own: Vec<&str> = own.lines().filter(|line| !is_printed(line)).collect();
    let own = own.join("\n");
    let sentences = split_sentences(&own).into_iter().map(Sentence::read);
    let sentences: Vec<Sentence<'_>> = sentences.collect();
    let rules = find_rules(&sentences);
    let text = join_rules(&rules)?;
    let strongest = rules.iter().max_by_key(|rule| rule.points)?;
    let points = strongest.points + weigh_message(said.after, &own, &sentences);
    let says = |sentence: &&Sentence<'_>| !sentence.text.is_empty();
    let is_alone = sentences.iter().filter(says).count() == 1;
    let general = if is_alone && (split_clauses(&text).len() == 1 || names_thing(&text)) {
        GENERAL_ALONE
    } else {
        GENERAL
    };
    (points >= POSSIBLE).then(|| Correction {
        text,
        answers: find_answered(turn),
        weight: if points >= general && !is_local(strongest.text) {
            EpisodeWeight::Lesson
        } else if points >= PROBABLE {
            EpisodeWeight::CandidateLesson
        } else {
            EpisodeWeight::Tentative
        },
        confidence: agreement::confidence_of(points),
    })
}

/// Returns whether a program wrote this text into the person's turn.
fn is_machine_text(text: &str) -> bool {
    let start = text.trim_start();
    text.contains("```")
        || start.starts_with(['<', '{', '[', '/', '!', '$', '>'])
        || text.contains("Traceback (most recent")
}

/// Returns whether a line begins as programs begin their messages: with a level, the name of an error, or a place in a file.
fn is_printed(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    let has_place = || {
        let place = first
            .split_once('.')
            .and_then(|(_, rest)| rest.split_once(':'));
        place.is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_error = || {
        ["Error:", "Exception:", "Warning:"]
            .iter()
            .any(|end| first.ends_with(end))
    };
    let is_point = line.starts_with(['-', '•', '*', '>']);
    !is_point && strip_error_prefix(line) != line || has_place() || is_error()
}

/// A sentence that says what holds, or goes on with the one before it.
struct Rule<'a> {
    text: &'a str,
    points: i32,
}

/// Finds the sentences of a message that say what holds. An objection stands for all that follow it.
fn find_rules<'a>(sentences: &[Sentence<'a>]) -> Vec<Rule<'a>> {
    let mut objection = Objection::None;
    let mut rules: Vec<Rule<'a>> = Vec::new();
    for sentence in sentences {
        let text = sentence.text;
        objection = objection.max(sentence.objection);
        let is_long = text.chars().count() > SENTENCE_CHARS;
        if sentence.is_question {
            objection = objection.max(hear_question(text));
        } else if !is_long && says_anything(text) && !is_aside(text) {
            let by_itself = says_enough(text).then(|| weigh_sentence(text, objection));
            let points = by_itself.unwrap_or(PART_ONLY);
            rules.push(Rule { text, points });
        }
    }
    let most = rules.iter().map(|rule| rule.points).max();
    keep_with_context(&mut rules, most.unwrap_or(0).min(PART));
    let is_task = rules.len() > SENTENCES || sentences.len() > MESSAGE_SENTENCES;
    if is_task { Vec::new() } else { rules }
}

/// Keeps the sentences with enough points, and what stands beside one and is of no moment: what to do instead, where, with
/// what, why.
fn keep_with_context(rules: &mut Vec<Rule<'_>>, least: i32) {
    let mut is_kept: Vec<bool> = rules.iter().map(|rule| rule.points >= least).collect();
    for at in 1..rules.len() {
        is_kept[at] |= is_kept[at - 1] && is_lasting(rules[at].text);
    }
    for at in (1..rules.len()).rev() {
        is_kept[at - 1] |= is_kept[at] && is_lasting(rules[at - 1].text);
    }
    let mut is_kept = is_kept.into_iter();
    rules.retain(|_| is_kept.next().unwrap_or_default());
}

/// Returns whether a sentence beside a rule belongs to it: it is of no moment, and no order about what it does not name.
fn is_lasting(text: &str) -> bool {
    !is_local(text) && !is_of_moment(text) && (!begins_order(text) || names_thing(text))
}

/// Joins sentences to a lesson's text; `None` if there is none or it is too long.
fn join_rules(rules: &[Rule<'_>]) -> Option<String> {
    let cleaned = rules.iter().map(|rule| clean_sentence(rule.text));
    let whole = cleaned.collect::<Vec<_>>().join(" ");
    (!rules.is_empty() && whole.chars().count() <= limits::CORRECTION_CHARS).then_some(whole)
}

/// Returns whether a sentence can go on with another: it is more than a word, or names something.
fn says_anything(text: &str) -> bool {
    split_words(text).nth(1).is_some() || text.contains(is_unspaced) || names_thing(text)
}

/// Returns whether a sentence has words enough to mean the same in another session.
fn says_enough(text: &str) -> bool {
    let is_unspaced = text.contains(is_unspaced) && text.chars().count() >= UNSPACED_CHARS;
    text.split_whitespace().count() >= 3 || names_program(text) || is_unspaced
}

/// Returns whether a sentence names something specific: code, a file, an option, an identifier.
fn names_thing(text: &str) -> bool {
    let is_name = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/'));
        let inner = word.chars().skip(1);
        word.len() > 2 && inner.clone().any(|c| matches!(c, '.' | '_' | '/' | ':'))
            || word.len() > 1 && word.starts_with('-')
            || word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    text.contains('`') || split_words(text).any(is_name) || names_program(text)
}

/// Removes what only asks whether somebody agrees: "…, ok?".
fn strip_tag_question(sentence: &str) -> &str {
    const TAGS: &str = "ok okay right please ja vale tá ладно";
    let end = sentence.rsplit_once(", ");
    let tag = end.filter(|(_, tag)| is_listed(TAGS, tag.strip_suffix('?').unwrap_or_default()));
    tag.map_or(sentence, |(rest, _)| rest)
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
        let stops = matches!(c, '.' | '!' | '?')
            && !in_code
            && next.is_none_or(char::is_whitespace)
            && !is_abbreviation(&text[start..at])
            && !is_symbol(&text[start..at], &text[at + c.len_utf8()..]);
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

/// Returns whether a mark is a word of its own between these texts, and the sentence goes on: the operator `!!`.
fn is_symbol(before: &str, after: &str) -> bool {
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    !word.chars().any(char::is_alphanumeric) && after.trim_start().starts_with(char::is_lowercase)
}

/// Returns whether a text ends with an abbreviation that has a dot inside: "e.g", "z.B".
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let parts = word.trim_start_matches('(').split('.');
    word.contains('.')
        && parts
            .clone()
            .all(|part| (1..=2).contains(&part.chars().count()))
        && word
            .chars()
            .all(|c| c.is_alphabetic() || c == '.' || c == '(')
}

/// Rewrites a sentence to begin with a capital letter, unless a name begins it, and end with a full stop.
fn clean_sentence(sentence: &str) -> String {
    let sentence = sentence
        .trim()
        .trim_end_matches(['.', '!', ',', ';', ':', ' ', '。', '！', '，', '、']);
    let word = sentence.split_whitespace().next().unwrap_or_default();
    let is_letter = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | ',');
    if shell::is_program_by_name(word) || !word.chars().all(is_letter) {
        return format!("{sentence}.");
    }
    let mut chars = sentence.chars();
    let first: String = chars
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", chars.as_str())
}
