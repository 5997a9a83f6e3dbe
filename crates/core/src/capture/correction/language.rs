//! Reads what a sentence of a person says to the agent, by the phrases of its language.
//!
//! A phrase matches at the beginning of a sentence (openers, orders) or anywhere as whole words (contrasts, general and
//! local words). Which phrases a language has is data ([`phrases`](super::phrases)); grammar is not parsed.

use super::matching::{
    begins_with_any, ends_with_any, holds_any_phrase, is_stop, names_program, split_clauses,
    strip_interjections, strip_longest_phrase, strip_phrase,
};
use crate::trigger::is_unspaced;

/// Whether a person objected to what the agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Objection {
    /// No objection.
    None,
    /// A second thought: "actually, …".
    Mild,
    /// "No, …", "that's wrong".
    Plain,
    /// An objection that was made before: "I told you …".
    Repeated,
    /// It is to be kept, whatever it says: "remember: …".
    Reminder,
}

/// What an imperative sentence does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    /// It forbids something.
    pub(super) forbids: bool,
    /// It contrasts two things: "… instead of …", "…, not …".
    pub(super) is_contrast: bool,
    /// It is a general rule: "always …", "never …", "use … from now on".
    pub(super) is_general: bool,
    /// It says where or when it applies: "in this repo", "before every commit".
    pub(super) is_scoped: bool,
    /// It chooses a well-known program: "use pnpm".
    pub(super) chooses_program: bool,
    /// It states how things are here and orders nothing: "dates are in UTC, always".
    pub(super) is_statement: bool,
    /// It states what is so and not otherwise, or always, and not that it is so here.
    pub(super) is_bare: bool,
}

/// The phrases of one language, by their function in a sentence.
pub(super) struct Language {
    /// Objections, which are removed from the sentence; single words only before punctuation or an order.
    pub(super) refusals: &'static [&'static str],
    /// Repeated objections, which are removed as well.
    pub(super) repeats: &'static [&'static str],
    /// Second thoughts, which are removed as well.
    pub(super) doubts: &'static [&'static str],
    /// What begins something to keep in mind, before a colon or a comma.
    pub(super) reminders: &'static [&'static str],
    /// Filler that may precede an order, and is removed.
    pub(super) chatter: &'static [&'static str],
    /// Phrases that begin a prohibition.
    pub(super) forbidding: &'static [&'static str],
    /// A word that begins a prohibition when the next word has this ending ("stop adding").
    pub(super) forbidding_verb: Option<(&'static str, &'static str)>,
    /// Phrases that begin an order to do something.
    pub(super) ordering: &'static [&'static str],
    /// Those of them that choose one thing over another ("don't use X, use Y").
    pub(super) choosing: &'static [&'static str],
    /// Verbs that end an impersonal order ("nicht X benutzen").
    pub(super) closing: &'static [&'static str],
    /// Endings of a clause that forbids, in languages whose verb comes last.
    pub(super) closing_not: &'static [&'static str],
    /// Verbs that begin an order only as the continuation of another ("don't edit X. Change Y.").
    pub(super) completing: &'static [&'static str],
    /// Phrases that contrast two things.
    pub(super) contrasts: &'static [&'static str],
    /// Words that begin a general rule.
    pub(super) rules: &'static [&'static str],
    /// Words that make an order a rule wherever they stand.
    pub(super) standing: &'static [&'static str],
    /// The same, if an order precedes or follows; a plain statement may begin with these too.
    pub(super) later: &'static [&'static str],
    /// Phrases that say where or when a rule applies.
    pub(super) scopes: &'static [&'static str],
    /// Phrases that mean the whole project.
    pub(super) premises: &'static [&'static str],
    /// Phrases that begin what is done here: "we use".
    pub(super) customs: &'static [&'static str],
    /// Phrases that begin what is not done here: "we don't use".
    pub(super) declines: &'static [&'static str],
    /// Words of a report that something does not work, which states no rule.
    pub(super) complaints: &'static [&'static str],
    /// Words that tie a sentence to the task at hand.
    pub(super) local: &'static [&'static str],
    /// A word that does so too, but means the whole project where a program is chosen ("don't use npm here").
    pub(super) place: &'static str,
    /// Words that negate the verb of an order wherever they stand.
    pub(super) negations: &'static [&'static str],
    /// The same with a word of politeness, which makes a prohibition of them in any place: "bitte nicht".
    pub(super) pleas: &'static [&'static str],
    /// Phrases that begin a sentence which looks like an order and is none.
    pub(super) exceptions: &'static [&'static str],
}

impl Language {
    /// Removes objections and filler from the front of a sentence; returns the objection and the rest.
    pub(super) fn strip_opener<'a>(&self, sentence: &'a str) -> (Objection, &'a str) {
        let mut rest = strip_interjections(sentence.trim());
        let mut refusal = Objection::None;
        // Each round removes at least one word, so the loop ends with the sentence.
        loop {
            if let Some(after) = self.strip_reminder(rest) {
                refusal = Objection::Reminder;
                rest = after;
            } else if let Some(after) = strip_longest_phrase(rest, self.repeats) {
                refusal = refusal.max(Objection::Repeated);
                rest = after;
            } else if let Some(after) = strip_longest_phrase(rest, self.doubts) {
                refusal = refusal.max(Objection::Mild);
                rest = after;
            } else if let Some(after) = strip_longest_phrase(rest, self.refusals)
                .filter(|after| self.is_objection(rest, after))
            {
                refusal = refusal.max(Objection::Plain);
                rest = after;
            } else {
                match strip_longest_phrase(rest, self.chatter)
                    .filter(|after| self.is_chatter(rest, after))
                {
                    Some(after) => rest = after,
                    None => return (refusal, rest),
                }
            }
        }
    }

    /// Returns what is to be kept in mind: after such a phrase, and a mark that makes it one.
    fn strip_reminder<'a>(&self, sentence: &'a str) -> Option<&'a str> {
        let after = strip_longest_phrase(sentence, self.reminders)?;
        let before = sentence[..sentence.len() - after.len()].trim_end();
        (before.ends_with([':', '：', ',', '，', '、', '-', '–', '—']) && !after.is_empty())
            .then_some(after)
    }

    /// Returns whether a phrase is filler: "you must" is, unless "not" follows and makes it a prohibition.
    fn is_chatter(&self, sentence: &str, after: &str) -> bool {
        let forbidden = strip_longest_phrase(sentence, self.forbidding);
        !after.is_empty() && forbidden.is_none_or(|forbidden| after.len() < forbidden.len())
    }

    /// Returns whether words are an objection; a single word only before punctuation or an order ("no, …", not "no
    /// tests").
    fn is_objection(&self, sentence: &str, after: &str) -> bool {
        let before = sentence[..sentence.len() - after.len()].trim_end();
        let has_mark = before.ends_with(is_stop);
        let is_said_twice = begins_with_any(after, self.refusals);
        let is_phrase =
            before.contains(' ') || before.chars().filter(|c| is_unspaced(*c)).count() > 2;
        has_mark
            || is_said_twice
            || is_phrase
            || after.is_empty()
            || (!before.ends_with(is_unspaced)
                && self.parse_instruction(sentence).is_none()
                && self.parse_instruction(after).is_some())
    }

    /// Parses a sentence as an order; `None` if it is not one.
    pub(super) fn parse_instruction(&self, sentence: &str) -> Option<Instruction> {
        if begins_with_any(sentence, self.exceptions) {
            return None;
        }
        let lower = sentence.to_lowercase();
        let is_rule = begins_with_any(sentence, self.rules)
            || begins_with_any(sentence, self.standing)
            || self.orders_for_later(sentence);
        let forbids = begins_with_any(sentence, self.forbidding)
            || self.forbids_verb(&lower)
            || self.forbids_at_end(&lower);
        let orders = begins_with_any(sentence, self.ordering)
            || self.orders_at_end(&lower)
            || self.orders_then(sentence);
        if !forbids && !orders && !is_rule {
            return None;
        }
        Some(Instruction {
            forbids: forbids || (orders && holds_any_phrase(&lower, self.negations)),
            is_contrast: self.has_contrast(&lower)
                || (forbids && self.offers_alternative(sentence)),
            // "Always nice to see" says nothing to do.
            is_general: is_rule && (forbids || orders || self.names_deed(&lower))
                || (orders && self.is_standing_rule(&lower)),
            is_scoped: holds_any_phrase(&lower, self.scopes)
                || holds_any_phrase(&lower, self.premises),
            chooses_program: (begins_with_any(sentence, self.choosing)
                || self.orders_at_end(&lower))
                && names_program(sentence),
            is_statement: false,
            is_bare: false,
        })
    }

    /// Parses a sentence as a statement of how things are done here; `None` if it is not one. A person states so what is
    /// not done, and after an objection what always holds, what holds in this project, and what is so and not otherwise.
    pub(super) fn parse_statement(
        &self,
        sentence: &str,
        refusing: Objection,
    ) -> Option<Instruction> {
        let lower = sentence.to_lowercase();
        if self.is_idle(sentence) {
            return None;
        }
        let declines = begins_with_any(sentence, self.declines);
        let is_custom = declines || begins_with_any(sentence, self.customs);
        let is_here = holds_any_phrase(&lower, self.premises);
        let is_contrast = holds_any_phrase(&lower, self.contrasts);
        let is_standing = self.is_standing_rule(&lower) || holds_any_phrase(&lower, self.rules);
        let is_refused = refusing > Objection::Mild;
        let is_told = refusing == Objection::Reminder
            || is_refused && (is_custom || is_standing || is_here || is_contrast);
        let counts = is_told || declines || is_custom && (is_here || is_standing);
        counts.then_some(Instruction {
            forbids: declines,
            is_contrast,
            is_general: refusing == Objection::Reminder
                || is_custom && (is_here || is_standing)
                || is_refused && is_standing,
            is_scoped: is_here,
            chooses_program: false,
            is_statement: true,
            is_bare: !(declines || is_custom || is_here) && refusing != Objection::Reminder,
        })
    }

    /// Returns whether an order follows the occasion that a sentence begins with: "before every commit, run …".
    fn orders_then(&self, sentence: &str) -> bool {
        let orders = |clause: &str| begins_with_any(self.strip_opener(clause).1, self.ordering);
        strip_longest_phrase(sentence, self.scopes)
            .is_some_and(|rest| orders(rest) || split_clauses(rest).skip(1).any(orders))
    }

    fn is_standing_rule(&self, lower: &str) -> bool {
        holds_any_phrase(lower, self.standing) || holds_any_phrase(lower, self.later)
    }

    /// Returns whether an order follows a word for the future: "next time run the tests", not "next time it runs".
    fn orders_for_later(&self, sentence: &str) -> bool {
        strip_longest_phrase(sentence, self.later).is_some_and(|rest| {
            let rest = self.strip_opener(rest).1;
            let lists = [self.ordering, self.completing, self.forbidding];
            lists.into_iter().any(|words| begins_with_any(rest, words))
                || self.ends_with_verb(&rest.to_lowercase())
        })
    }

    fn has_contrast(&self, lower: &str) -> bool {
        holds_any_phrase(lower, self.contrasts) && self.names_deed(lower)
    }

    /// Returns whether a text has a verb of an order, wherever it stands.
    fn names_deed(&self, lower: &str) -> bool {
        let lists = [self.ordering, self.completing, self.closing];
        let deeds = |list: &[&str]| holds_any_phrase(lower, list);
        lists.into_iter().any(deeds)
    }

    /// Returns whether a prohibition goes on with an alternative: "don't use X, use Y".
    fn offers_alternative(&self, sentence: &str) -> bool {
        let mut clauses = sentence.split([',', ';', '–', '—', '，', '、']).skip(1);
        clauses.any(|clause| {
            begins_with_any(self.strip_opener(clause).1, self.choosing)
                || self.orders_at_end(&clause.to_lowercase())
        })
    }

    /// Returns whether the verb at the end of the first clause makes it a prohibition: "nicht X benutzen".
    fn forbids_at_end(&self, lower: &str) -> bool {
        let forbids = |clause: &str| ends_with_any(clause, self.closing_not);
        let asks_not =
            holds_any_phrase(lower, self.pleas) || begins_with_any(lower, self.negations);
        asks_not && self.ends_with_verb(lower) || split_clauses(lower).any(forbids)
    }

    /// Returns whether the last clause ends with the verb of an order, in a language whose verb comes last.
    fn orders_at_end(&self, lower: &str) -> bool {
        let last = split_clauses(lower).last();
        !self.closing_not.is_empty()
            && last.is_some_and(|clause| ends_with_any(clause, self.closing))
    }

    /// Returns whether the first clause ends with a verb of an impersonal order.
    fn ends_with_verb(&self, lower: &str) -> bool {
        let clause = lower.split([',', ';', '.', '!']).next().unwrap_or(lower);
        let last = clause.split_whitespace().next_back();
        last.is_some_and(|word| self.closing.contains(&word))
    }

    fn forbids_verb(&self, lower: &str) -> bool {
        self.forbidding_verb.is_some_and(|(start, ending)| {
            let next = strip_phrase(lower, start).and_then(|rest| rest.split_whitespace().next());
            next.is_some_and(|word| word.len() > ending.len() + 1 && word.ends_with(ending))
        })
    }

    /// Returns whether a sentence completes the order before it.
    pub(super) fn completes_order(&self, sentence: &str) -> bool {
        !begins_with_any(sentence, self.exceptions)
            && (begins_with_any(sentence, self.completing)
                || begins_with_any(sentence, self.ordering))
    }

    /// Returns whether a sentence says that it holds beyond the moment: always, from now on, in this project.
    pub(super) fn is_lasting(&self, sentence: &str) -> bool {
        let lower = sentence.to_lowercase();
        let lists = [self.rules, self.standing, self.later, self.premises];
        lists
            .into_iter()
            .any(|words| holds_any_phrase(&lower, words))
            || begins_with_any(sentence, self.customs)
            || begins_with_any(sentence, self.declines)
    }

    /// Returns whether a sentence reports that something does not work, or is a turn of speech.
    pub(super) fn is_idle(&self, sentence: &str) -> bool {
        begins_with_any(sentence, self.exceptions)
            || holds_any_phrase(&sentence.to_lowercase(), self.complaints)
    }

    /// Returns whether a sentence refers only to the task at hand.
    pub(super) fn is_local(&self, sentence: &str) -> bool {
        let mut lower = sentence.to_lowercase();
        // "Now" means this moment; "from now on" does not.
        let lists = [
            self.scopes,
            self.premises,
            self.rules,
            self.standing,
            self.later,
        ];
        for phrase in lists.into_iter().flatten() {
            lower = lower.replace(phrase, " ");
        }
        let means_place = !names_program(sentence) && holds_any_phrase(&lower, &[self.place]);
        means_place || holds_any_phrase(&lower, self.local)
    }
}
