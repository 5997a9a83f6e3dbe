//! Weighs what speaks for a sentence of a person being a rule: an order that holds on, or how things are here.
//!
//! An order alone is the next task, and a statement alone is a report. A rule is told by what else stands in the sentence:
//! a refusal, a prohibition, "always", a habit of ours, a duty, a reason, a preference, something put in place of
//! something else. A question, a doubt, a turn of speech and what is true of this moment count for nothing. Sentences are
//! not parsed, and what a sentence is about is not looked at.

use super::{
    matching::{
        begins_with, ends_with, holds, is_stop, names_program, split_clauses, strip_phrase,
        suffixes,
    },
    words,
};
use crate::trigger::{begins_order, is_unspaced, says_instead, says_only};

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

/// Points of a sentence that is a rule by one mark alone, and may be a lesson at once.
pub(super) const STRONG: u32 = 4;
/// Points of a mark that makes a rule probable; as many make a correction.
pub(super) const PROBABLE: u32 = 2;

/// Removes objections and filler from the front of a sentence; returns the objection and the rest.
pub(super) fn strip_opener(sentence: &str) -> (Objection, &str) {
    let mut rest = sentence.trim();
    let mut objection = Objection::None;
    // Each round removes at least one word, so the loop ends with the sentence.
    loop {
        let reminder = strip_phrase(rest, words::REMINDERS).filter(|after| has_mark(rest, after));
        let (heard, after) = if let Some(after) = strip_phrase(rest, words::REPEATS).or(reminder) {
            (Objection::Repeated, after)
        } else if let Some(after) = strip_phrase(rest, words::SECOND_THOUGHTS) {
            (Objection::Mild, after)
        } else if let Some(after) = strip_refusal(rest) {
            (Objection::Plain, after)
        } else if let Some(after) = strip_phrase(rest, words::APPROVALS)
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
    let after = strip_phrase(sentence, words::REFUSALS)?;
    let before = sentence[..sentence.len() - after.len()].trim_end();
    let is_phrase = before.contains(' ') || before.chars().filter(|c| is_unspaced(*c)).count() > 2;
    let is_said_twice = begins_with(after, words::REFUSALS);
    let is_order_next = !before.ends_with(is_unspaced)
        && !begins_with(sentence, words::FORBIDDING)
        && begins_with(after, words::FORBIDDING);
    let is_objection = has_mark(sentence, after) || after.is_empty() || is_phrase || is_said_twice;
    (is_objection || is_order_next).then_some(after)
}

/// Returns what follows filler, unless the two make a prohibition: "you must not".
fn strip_filler(sentence: &str) -> Option<&str> {
    let after = strip_phrase(sentence, words::FILLERS)?;
    let forbidden = strip_phrase(sentence, words::FORBIDDING);
    (!after.is_empty() && forbidden.is_none_or(|forbidden| after.len() < forbidden.len()))
        .then_some(after)
}

/// Returns whether a mark stands between the front of a sentence and what follows.
fn has_mark(sentence: &str, after: &str) -> bool {
    sentence[..sentence.len() - after.len()]
        .trim_end()
        .ends_with(is_stop)
}

/// Returns whether a sentence asks something, with a mark or without.
pub(super) fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
    let rest = strip_opener(sentence).1;
    end.ends_with(['?', '？'])
        || begins_with(rest, words::ASKING)
        || holds(sentence, words::ASKING_LAST)
}

/// A sentence without its opener, and what several weights need of it.
struct Statement<'a> {
    text: &'a str,
    clauses: Vec<&'a str>,
    objection: Objection,
    is_refused: bool,
    is_order: bool,
    is_custom: bool,
    /// The points of what it forbids.
    forbids: u32,
    /// The points of the reason that it gives.
    reason: u32,
}

/// Returns the points that speak for a sentence, without its opener, being a rule; 0 if it is none.
pub(super) fn weigh_sentence(text: &str, objection: Objection) -> u32 {
    let said = Statement::read(text, objection);
    if said.is_report() || is_aside(text) {
        return 0;
    }
    let marks = [
        (said.is_custom, STRONG),
        (holds(text, words::TASTES), STRONG),
        (holds(text, words::REMINDERS), 1),
    ];
    let marks = marks.into_iter().filter(|(is_there, _)| *is_there);
    marks.map(|(_, points)| points).sum::<u32>()
        + said.weigh_objection()
        + said.forbids
        + said.reason
        + said.weigh_standing()
        + said.weigh_scope()
        + said.weigh_contrast()
}

impl<'a> Statement<'a> {
    fn read(text: &'a str, objection: Objection) -> Self {
        let clauses = split_clauses(text);
        let is_order = begins_order(text);
        Self {
            text,
            objection,
            is_refused: objection > Objection::Mild,
            is_order,
            is_custom: is_custom(text, &clauses),
            forbids: weigh_prohibition(text, &clauses),
            reason: weigh_reason(text, &clauses, is_order),
            clauses,
        }
    }

    /// Returns whether it says what does not work. In a later clause that is what comes of not keeping to a rule.
    fn is_report(&self) -> bool {
        let first = self.clauses.first().copied().unwrap_or_default();
        let is_rule = self.forbids > 0 || self.is_custom || self.reason > 0;
        !is_rule && holds(first, words::REPORTS)
    }

    fn weigh_objection(&self) -> u32 {
        let program = || u32::from(names_program(self.text));
        let choice = match (self.is_refused, self.forbids > 0) {
            (true, forbids) => PROBABLE * program() + u32::from(forbids) * program(),
            (false, true) => program(),
            (false, false) => 0,
        };
        choice
            + match self.objection {
                Objection::Repeated => STRONG,
                Objection::Plain => PROBABLE,
                Objection::Mild => 1,
                Objection::Approval => u32::from(!self.is_order),
                Objection::None => 0,
            }
    }

    /// Weighs for whom and when it holds: in an order that counts only where something else was refused, or for an
    /// occasion that recurs.
    fn weigh_scope(&self) -> u32 {
        let is_each = holds(self.text, words::EVERY);
        if (self.is_refused || is_each) && holds(self.text, words::OCCASIONS) {
            return PROBABLE;
        }
        if self.is_order && !self.is_refused {
            return 0;
        }
        let is_only = self.forbids == 0 && says_only(self.text);
        let marks = [words::DUTIES, words::HERE].map(|list| u32::from(holds(self.text, list)));
        marks.into_iter().sum::<u32>() * PROBABLE + u32::from(is_each) + u32::from(is_only)
    }

    /// Weighs "always": at either end of a clause it is the point, elsewhere it may only describe.
    fn weigh_standing(&self) -> u32 {
        let at_edge = |clause: &&str| {
            let rest = strip_opener(clause).1;
            let first_words = if begins_order(rest) { 2 } else { 1 };
            let mut places = suffixes(rest).take(first_words);
            places.any(|place| begins_with(place, words::STANDING))
                || ends_with(clause, words::STANDING)
        };
        let is_held = holds(self.text, words::STANDING);
        let is_final = is_held && self.text.contains(is_unspaced);
        if is_final || self.clauses.iter().any(at_edge) {
            STRONG
        } else {
            u32::from(is_held)
        }
    }

    /// Weighs that something is put in place of something else.
    fn weigh_contrast(&self) -> u32 {
        const NOT: &str =
            "not|and not|never|nicht|kein*|und nicht|pas|et pas|et non|y no|e não|а не|不是";
        let mut later = self.clauses.iter().skip(1);
        let says_not = later.any(|clause| begins_with(clause, NOT));
        let says_instead = says_instead(self.text);
        if self.is_refused && (says_not || says_instead) {
            PROBABLE
        } else {
            u32::from(says_instead)
        }
    }
}

/// Weighs a reason. "Otherwise I like it" gives none, "…, otherwise it breaks" does.
fn weigh_reason(text: &str, clauses: &[&str], is_order: bool) -> u32 {
    let is_else = |clause: &&str| begins_with(clause, "otherwise|sonst|sinon|иначе");
    if clauses.iter().skip(1).any(is_else) {
        PROBABLE
    } else if holds(text, words::REASONS) {
        if is_order { 1 } else { PROBABLE }
    } else {
        0
    }
}

/// Weighs a prohibition: what is forbidden in a later clause only bounds the order before it.
fn weigh_prohibition(sentence: &str, clauses: &[&str]) -> u32 {
    const GERMAN_NOT: &str = "nicht|kein*";
    const GERMAN_REPORT: &str = "haben|sind|werden|wurden|waren";
    let first = clauses.first().copied().unwrap_or_default();
    let is_impersonal =
        begins_with(first, GERMAN_NOT) && ends_with(first, "*en") && !holds(first, GERMAN_REPORT);
    let begins = |clause: &&str| begins_with(strip_opener(clause).1, words::FORBIDDING);
    if begins_with(sentence, words::FORBIDDING)
        || is_impersonal
        || holds(sentence, words::FORBIDDING_LAST)
    {
        PROBABLE + 1
    } else if clauses.iter().any(begins) {
        PROBABLE
    } else {
        0
    }
}

/// Returns whether a clause says what people do here by habit.
fn is_custom(sentence: &str, clauses: &[&str]) -> bool {
    let is_habit =
        |text: &str, list: &str| begins_with(text, list) && !begins_with(text, words::PLANS);
    let mut subjects = clauses.iter().map(|clause| strip_opener(clause).1);
    subjects.any(|clause| is_habit(clause, words::CUSTOMS))
        || suffixes(sentence).any(|word| is_habit(word, words::CUSTOM_ENDINGS))
}

/// Returns whether a sentence is a question, a doubt, a turn of speech, or of this moment.
pub(super) fn is_aside(sentence: &str) -> bool {
    let is_of_moment = holds(sentence, words::ONCE) && !holds(sentence, words::STANDING);
    let is_doubt = holds(sentence, words::DOUBTS) && !holds(sentence, words::TASTES);
    is_of_moment || is_doubt || begins_with(sentence, words::TURNS) || is_question(sentence)
}

/// Returns whether a sentence refers only to the task at hand. "This" does, "in this repo" does not.
pub(super) fn is_local(sentence: &str) -> bool {
    const PLACES: &str = "here|hier|ici|aquí|aqui|здесь|这里|ここ|여기";
    let mut rest = sentence.to_owned();
    for phrase in [words::HERE, words::STANDING]
        .into_iter()
        .flat_map(|list| list.split('|'))
    {
        let is_wide = phrase.contains(is_unspaced);
        let is_whole = is_wide || phrase.contains(' ') && !phrase.contains('*');
        if is_whole {
            rest = rest.replace(phrase, " ");
        }
    }
    let is_place = |suffix: &str| names_program(sentence) && begins_with(suffix, PLACES);
    let ends_at_it = |clause: &str| ends_with(clause, "that|those");
    let mut suffixes = suffixes(&rest);
    split_clauses(&rest).into_iter().any(ends_at_it)
        || suffixes.any(|suffix| begins_with(suffix, words::POINTING) && !is_place(suffix))
        || rest.contains(is_unspaced) && holds(&rest, words::POINTING)
}
