//! Weighs what speaks for a sentence of a person being a rule: an order that holds on, or how things are here.
//!
//! An order alone is the next task, and a statement alone is a report. A rule is told by marks that agree: a refusal, a
//! prohibition, "always", a habit of ours, "here", a duty, a reason, a preference, something put in place of something
//! else. One of them may be chance. Questions and turns of speech count for nothing; a doubt, this moment, the person's own
//! wish and a report speak against it. Sentences are not parsed, and what a sentence is about is not looked at.

use super::{
    matching::{
        PhraseList, PhraseText, begins_with, ends_with, holds, is_stop, names_program,
        split_clauses, strip_phrase, suffixes,
    },
    names_thing, words,
};
use crate::{
    trace::AgentTurn,
    trigger::{begins_order, is_unspaced, says_instead, says_not, says_only},
};

/// Whether a person objected to what the agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Objection {
    /// No objection.
    None,
    /// An approval: "works, thanks. …".
    Approval,
    /// A second thought: "actually, …".
    Mild,
    /// "No, …", "that's wrong".
    Plain,
    /// It was said before, or is to be kept: "I told you …", "remember: …".
    Repeated,
}

/// A message of more characters than this is probably a task.
const LONG_CHARS: usize = 300;
/// Points of a message that may be a correction: if another session says the same.
pub(super) const POSSIBLE: i32 = -4;
/// Points of a message that is probably a correction.
pub(super) const PROBABLE: i32 = 9;
/// Points of one that may be a lesson at once; fewer do for one that says nothing else.
pub(super) const GENERAL: i32 = 16;
pub(super) const GENERAL_ALONE: i32 = 10;
/// Points of a sentence that belongs to the rule beside the one that has most.
pub(super) const PART: i32 = 6;
/// Points of a sentence that only belongs to another.
pub(super) const PART_ONLY: i32 = -24;

/// Removes objections and filler from the front of a sentence; returns the objection and the rest.
pub(super) fn strip_opener(sentence: &str) -> (Objection, &str) {
    let mut rest = sentence.trim();
    let mut objection = Objection::None;
    // Each round removes at least one word, so the loop ends with the sentence.
    loop {
        let reminder = strip_phrase(rest, &words::REMINDERS).filter(|after| has_mark(rest, after));
        let (heard, after) = if let Some(after) = strip_phrase(rest, &words::REPEATS).or(reminder) {
            (Objection::Repeated, after)
        } else if let Some(after) = strip_phrase(rest, &words::SECOND_THOUGHTS) {
            (Objection::Mild, after)
        } else if let Some(after) = strip_refusal(rest) {
            (Objection::Plain, after)
        } else if let Some(after) = strip_phrase(rest, &words::APPROVALS)
            .filter(|after| has_mark(rest, after) || after.is_empty())
        {
            (Objection::Approval, after)
        } else if let Some(after) = strip_filler(rest) {
            (Objection::None, after)
        } else {
            return (objection, rest);
        };
        objection = objection.max(heard);
        rest = after;
    }
}

/// Returns what follows an objection; a single word is one only before a mark or an order ("no, …", not "no tests").
fn strip_refusal(sentence: &str) -> Option<&str> {
    let after = strip_phrase(sentence, &words::REFUSALS)?;
    let before = sentence[..sentence.len() - after.len()].trim_end();
    let is_phrase = before.contains(' ') || before.chars().filter(|c| is_unspaced(*c)).count() > 2;
    let is_said_twice = begins_with(after, &words::REFUSALS);
    let is_order_next = !before.ends_with(is_unspaced)
        && !begins_with(sentence, &words::FORBIDDING)
        && begins_with(after, &words::FORBIDDING);
    let is_objection = has_mark(sentence, after) || after.is_empty() || is_phrase || is_said_twice;
    (is_objection || is_order_next).then_some(after)
}

/// Returns what follows filler, unless the two make a prohibition: "you must not".
fn strip_filler(sentence: &str) -> Option<&str> {
    let after = strip_phrase(sentence, &words::FILLERS)?;
    let forbidden = strip_phrase(sentence, &words::FORBIDDING);
    (!after.is_empty() && forbidden.is_none_or(|forbidden| after.len() < forbidden.len()))
        .then_some(after)
}

/// Returns whether a mark stands between the front of a sentence and what follows.
fn has_mark(sentence: &str, after: &str) -> bool {
    let before = &sentence[..sentence.len() - after.len()];
    before.trim_end().ends_with(is_stop)
}

/// A sentence and what it begins with.
pub(super) struct Sentence<'a> {
    /// The objection before it.
    pub(super) objection: Objection,
    /// What it says after objections and filler.
    pub(super) text: &'a str,
    /// Whether it asks something, with a mark or without.
    pub(super) is_question: bool,
}

impl<'a> Sentence<'a> {
    pub(super) fn read(sentence: &'a str) -> Self {
        let (objection, text) = strip_opener(sentence);
        let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？');
        let has_mark = sentence.trim_end_matches(is_mark).ends_with(['?', '？']);
        Self {
            objection,
            text,
            is_question: has_mark
                || begins_with(text, &words::ASKING)
                || holds(sentence, &words::ASKING_LAST),
        }
    }
}

/// Returns how much a question objects to what the agent did: whoever asks for its reason, or that it was done again, does.
pub(super) fn hear_question(text: &str) -> Objection {
    if begins_with(text, &words::ASKING_REASON) || ends_with(text, &words::AGAIN) {
        Objection::Plain
    } else {
        Objection::None
    }
}

/// Returns whether a sentence is of this moment: it has a word of time, asks for more, reports, doubts, or is about the person.
pub(super) fn is_of_moment(text: &str) -> bool {
    let sentence = PhraseText::new(text);
    let lists = [
        &words::ONCE,
        &words::NEXT,
        &words::REPORTS,
        &words::DOUBTS,
        &words::SELF,
    ];
    lists.iter().any(|list| sentence.holds(list)) || begins_with(text, &words::APPROVALS)
}

/// The classes of words that mark a rule wherever they stand, and the points of each beside being one mark more.
///
/// All points are quarters of a unit of log-odds, fitted to messages read by eye (`docs/design/capture.md`).
static RULE_CLASSES: [(&PhraseList, i32); 8] = [
    (&words::STANDING, 0),
    (&words::OCCASIONS, 5),
    (&words::HERE, 2),
    (&words::EVERY, 0),
    (&words::DUTIES, 0),
    (&words::PLACES, 0),
    (&words::REASONS, 0),
    (&words::TASTES, 0),
];

/// Returns the points that speak for a sentence, without its opener, being a rule. One mark of a rule may be chance; two
/// that agree are not.
pub(super) fn weigh_sentence(text: &str, objection: Objection) -> i32 {
    let clauses = split_clauses(text);
    let bodies = clauses.iter().map(|clause| strip_opener(clause).1);
    let bodies: Vec<&str> = bodies.collect();
    let sentence = PhraseText::new(text);
    let classes = RULE_CLASSES.map(|(list, points)| (sentence.holds(list), points));
    let forms = list_rule_forms(&sentence, &bodies);
    let objection_mark = weigh_objection(objection);
    let marks = [&classes[..], &forms[..], &[objection_mark][..]].concat();
    let agreement = match marks.iter().filter(|(is_there, _)| *is_there).count() {
        0 => -6,
        1 => 0,
        _ => 6,
    };
    agreement + sum_points(&marks) + sum_points(&list_other_marks(&sentence, objection, &bodies))
}

fn sum_points(marks: &[(bool, i32)]) -> i32 {
    let present = marks.iter().filter(|(is_there, _)| *is_there);
    present.map(|(_, points)| points).sum()
}

fn weigh_objection(objection: Objection) -> (bool, i32) {
    match objection {
        Objection::None | Objection::Approval => (false, 0),
        Objection::Mild | Objection::Repeated => (true, 5),
        Objection::Plain => (true, 3),
    }
}

/// Lists the forms that mark a rule, and the points of each beside being one mark more. A prohibition of this moment is
/// none.
fn list_rule_forms(sentence: &PhraseText<'_>, bodies: &[&str]) -> [(bool, i32); 8] {
    let text = sentence.text;
    let begins = |list: &PhraseList| bodies.iter().any(|body| begins_with(body, list));
    let is_standing = sentence.holds(&words::STANDING);
    let is_lasting = is_standing || !sentence.holds(&words::ONCE);
    let is_last = sentence.holds(&words::FORBIDDING_LAST);
    let is_custom = begins(&words::CUSTOMS) && !sentence.holds(&words::NEXT);
    let is_final = is_standing && text.contains(is_unspaced);
    let forbids_first = begins_with(text, &words::FORBIDDING) || is_last;
    [
        (is_lasting && (begins(&words::FORBIDDING) || is_last), 2),
        (is_lasting && forbids_first, 3),
        (begins(&words::NO_SUCH), 0),
        (is_custom, 0),
        (is_custom && says_not(text), 4),
        (is_final || bodies.iter().any(|body| is_at_edge(body)), 4),
        (says_only(text), 0),
        (says_instead(text), 1),
    ]
}

/// Lists what else makes a sentence likely or unlikely to be a rule, and the points of each.
fn list_other_marks(
    sentence: &PhraseText<'_>,
    objection: Objection,
    bodies: &[&str],
) -> [(bool, i32); 12] {
    let text = sentence.text;
    let has = |list: &PhraseList| sentence.holds(list);
    let is_refused = objection > Objection::Mild;
    let is_program = names_program(text);
    let is_order = begins_order(text);
    let is_request = has(&words::NEXT) && !begins_with(text, &words::FORBIDDING);
    [
        (objection == Objection::Approval, -2),
        (names_thing(text), 3),
        (is_program, 5),
        (is_program && is_refused, 2),
        (is_order && !has(&words::STANDING), -3),
        (is_order && is_refused && !has(&words::ONCE), 9),
        (bodies.iter().any(|body| is_generic(body)), 2),
        (bodies.len() > 1, 4),
        (bodies.len() > 2, 2),
        (has(&words::REPORTS), -6),
        (has(&words::LOOKS) && !has(&words::STANDING), -12),
        (is_request, -6),
    ]
}

/// Weighs what speaks for and against a message, whatever its sentences say: that it answers a question or asks one, is of
/// this moment, a doubt, or about the person alone, and that a sentence is explained by another.
pub(super) fn weigh_message(after: AgentTurn, whole: &str, sentences: &[Sentence<'_>]) -> i32 {
    let message = PhraseText::new(whole);
    let has = |list: &PhraseList| message.holds(list);
    sum_points(&[
        (after == AgentTurn::Question, -5),
        (sentences.iter().any(asks_only), -5),
        (sentences.len() > 1, 4),
        (sentences.len() > 4, -4),
        (whole.chars().count() > LONG_CHARS, -8),
        (has(&words::ONCE) && !has(&words::STANDING), -3),
        (has(&words::DOUBTS), -5),
        (has(&words::SELF), -5),
    ])
}

/// Returns whether a sentence asks something, and objects to nothing.
fn asks_only(sentence: &Sentence<'_>) -> bool {
    sentence.is_question && hear_question(sentence.text) == Objection::None
}

/// Returns whether "always" stands at either end of a clause, where it is the point; elsewhere it may only describe.
fn is_at_edge(clause: &str) -> bool {
    let mut places = suffixes(clause).take(2);
    places.any(|place| begins_with(place, &words::STANDING)) || ends_with(clause, &words::STANDING)
}

/// Returns whether a clause begins with what is many or does something in general: "sleeps are …", "CI collects …".
fn is_generic(clause: &str) -> bool {
    static OTHERS: PhraseList = PhraseList::new(
        "this|thanks|let's|that's|it's|what's|here's|always|looks|seems|theres|unless|does|yes|pls|is|was|its|as|has|alles|das|dies|mais|mas|tous|sans|dans|nous|vous|pas|les|des|los|las|es|os",
    );
    static MANY: PhraseList = PhraseList::new("*s");
    let mut firsts = suffixes(clause).take(2);
    firsts.any(|word| begins_with(word, &MANY) && !begins_with(word, &OTHERS))
}

/// Returns whether a sentence is a question or a turn of speech.
pub(super) fn is_aside(sentence: &str) -> bool {
    begins_with(sentence, &words::TURNS) || Sentence::read(sentence).is_question
}

/// Returns whether a sentence refers only to the task at hand. "This" does, "in this repo" and "we … here" do
/// not.
pub(super) fn is_local(sentence: &str) -> bool {
    static PLACES: PhraseList = PhraseList::new("here|hier|ici|aquí|aqui|здесь|这里|ここ|여기");
    static POINTERS: PhraseList = PhraseList::new("that|those");
    let mut rest = sentence.to_owned();
    for phrase in words::HERE.phrases().chain(words::STANDING.phrases()) {
        let is_wide = phrase.contains(is_unspaced);
        let is_whole = is_wide || phrase.contains(' ') && !phrase.contains('*');
        if is_whole && rest.contains(phrase) {
            rest = rest.replace(phrase, " ");
        }
    }
    let names_place = names_program(sentence) || begins_with(sentence, &words::CUSTOMS);
    let is_place = |suffix: &str| names_place && begins_with(suffix, &PLACES);
    let ends_at_it = |clause: &str| ends_with(clause, &POINTERS);
    let clauses = split_clauses(&rest);
    let points_at = |clause: &str, list: &PhraseList| {
        suffixes(clause).any(|suffix| begins_with(suffix, list) && !is_place(suffix))
    };
    // What a pronoun in a later clause stands for is named before it.
    let first = clauses.first().copied().unwrap_or_default();
    clauses
        .iter()
        .any(|clause| ends_at_it(clause) || points_at(clause, &words::POINTING))
        || points_at(first, &words::PRONOUNS)
        || rest.contains(is_unspaced) && holds(&rest, &words::POINTING)
}
