//! Gives each name in a rule the sign that the words around it say.
//!
//! One walk through the parts of a text: a cue holds for the names after it until another cue or the end of its clause;
//! a name without one takes what is said after it. What no word says is settled in [`settle`](super::settle).

use std::collections::BTreeSet;

use super::{
    Sign,
    clause::{Part, split_parts},
    cue::{self, Cue},
    span::{self, Named},
};
use crate::shell::is_listed;

/// A name with what the words around it say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SignedName {
    pub(super) sign: Option<Sign>,
    pub(super) named: Named,
    /// Whether only a preposition says so: `with X`.
    pub(super) is_weak: bool,
    /// Whether it begins its sentence, as that of which the sentence speaks.
    pub(super) is_subject: bool,
    /// The number of its sentence.
    pub(super) sentence: usize,
    /// Whether its sign was said before it.
    pub(super) is_after_cue: bool,
    /// Its place among the parts of the rule.
    pub(super) place: usize,
    /// Whether a word before it says that something is there: `in X`.
    pub(super) is_location: bool,
    /// Whether words follow it in its clause.
    pub(super) is_spoken_of: bool,
    /// Whether at most one word stands before it in its clause.
    pub(super) opens_clause: bool,
    /// Whether words stand between it and a name before it in its clause.
    pub(super) follows_words: bool,
    /// Whether only an `and` or `or` stands between it and the name before it in its clause.
    pub(super) is_joined: bool,
    /// Whether it is what the name before it is not to be done with: `don't commit with X`.
    pub(super) is_with: bool,
}

impl SignedName {
    /// Takes the name for an occasion, whatever the words say.
    pub(super) fn into_occasion(self) -> Self {
        Self {
            sign: Some(Sign::About),
            ..self
        }
    }
}

/// How many words after a negation a verb is still negated: `don't ever run`.
const NEGATED_VERB_WORDS: usize = 3;
/// What a word may say of the name before it.
const JUDGING: [Cue; 2] = [Cue::Not, Cue::Fine];
/// How many words after a program in plain prose may speak of it.
const PROGRAM_WORDS: usize = 3;

/// The state of the walk.
#[derive(Default)]
struct Walk {
    /// Words of prose that are read as names.
    named_words: BTreeSet<String>,
    names: Vec<SignedName>,
    /// What holds for the next name.
    held: Option<Sign>,
    /// Whether a preposition alone says so.
    is_weak: bool,
    /// Whether a name came since.
    is_used: bool,
    /// Whether it holds until the end of the clause.
    is_fixed: bool,
    /// Whether what holds is a condition of what its clause said before.
    is_condition: bool,
    /// Whether an exception holds.
    is_exception: bool,
    /// Whether what holds is that a name is replaced, and of no other one.
    is_replaced: bool,
    /// Whether it holds for nothing else.
    is_only: bool,
    /// How many names there were when this clause began to say what must not be missing.
    lacks: Option<usize>,
    /// Words since the last negation.
    since_not: usize,
    /// Words since the last cue, and since the last name.
    since_cue: usize,
    since_name: usize,
    /// Words since the beginning of the clause.
    clause_words: usize,
    sentence: usize,
    /// The place of the part that is read.
    place: usize,
    /// Whether this sentence says what comes first.
    has_first: bool,
    /// The first name of this clause, and of this sentence.
    clause_start: usize,
    sentence_start: usize,
    /// Whether a word came last that says where something is.
    is_after_place: bool,
    /// Whether the last word says with what something is done.
    is_after_with: bool,
    /// Whether the last word joins two names.
    is_after_joining: bool,
    /// Whether the last word is one for whoever does it.
    is_after_pronoun: bool,
    /// What a heading without names says of each point below it: `forbidden:`.
    heading: Option<Sign>,
    /// Whether the text is Portuguese, in which `no` is `in the`.
    is_portuguese: bool,
    /// Whether nothing but names of a list came in this sentence so far.
    is_at_start: bool,
}

/// Reads the names of a text with the signs that its words give them.
pub(super) fn read_names(text: &str) -> Vec<SignedName> {
    read_parts(&read_rule(text), &BTreeSet::new())
}

/// Splits a rule into its parts.
pub(super) fn read_rule(text: &str) -> Vec<Part> {
    split_parts(&mark_lines(text))
}

/// Reads the names of a rule, and these words of its prose as such, with the signs that its words give them.
pub(super) fn read_parts(parts: &[Part], named_words: &BTreeSet<String>) -> Vec<SignedName> {
    let mut walk = Walk {
        named_words: named_words.clone(),
        is_at_start: true,
        is_portuguese: parts.iter().any(is_portuguese),
        ..Walk::default()
    };
    for (at, part) in parts.iter().enumerate() {
        walk.place = at;
        match part {
            Part::Word(word) => {
                let next = match parts.get(at + 1) {
                    Some(Part::Word(next)) => next.as_str(),
                    _ => "",
                };
                walk.take_word(word, next);
            }
            Part::Name(named) => {
                walk.take_name(named.clone(), is_verb_first(parts.get(at + 1)));
            }
            Part::ClauseEnd => {
                let is_name = matches!(parts.get(at + 1), Some(Part::Name(_)));
                let is_word =
                    (walk.names.last()).is_some_and(|name| matches!(name.named, Named::Word(_)));
                let is_other =
                    (walk.held.is_some() || is_word) && is_judged(&parts[at + 1..], &JUDGING);
                walk.end_clause(walk.since_name == 0 && is_name && !is_other);
            }
            Part::Colon => {
                walk.take_colon();
                // `Remember: X needs Y`
                let is_order = walk.held == Some(Sign::Advised);
                if is_order && is_judged(&parts[at + 1..], &[&JUDGING[..], &[Cue::Do]].concat()) {
                    walk.held = None;
                }
            }
            Part::Question => walk.end_question(),
            Part::SentenceEnd => walk.end_sentence(),
        }
    }
    walk.end_lack();
    walk.names
}

/// Returns whether a part goes on in a language whose verbs stand before what they are about: a name before them is spoken of.
fn is_verb_first(part: Option<&Part>) -> bool {
    matches!(part, Some(Part::Word(word)) if !word.chars().any(cue::is_unspaced))
}

/// Returns whether a name is followed by what is said of it alone: `X is forbidden`, `X breaks`.
fn is_judged(parts: &[Part], judging: &[Cue]) -> bool {
    let (Some(Part::Word(word)), next) = (parts.get(1), parts.get(2)) else {
        return false;
    };
    let next = match next {
        Some(Part::Word(next)) => next.as_str(),
        _ => "",
    };
    let cues = cue::find_cues(word, next);
    is_listed("is was ist est es é", word) || cues.iter().any(|cue| judging.contains(cue))
}

/// Returns whether a part is a word that only Portuguese has.
fn is_portuguese(part: &Part) -> bool {
    matches!(part, Part::Word(word) if is_listed("não são está estão uma pelo pela também", word))
}

/// Ends a sentence at each line that begins a point of a list or follows a blank one.
fn mark_lines(text: &str) -> String {
    text.replace("orce push", "orce-push")
        .replace("\n\n", " — ")
        .replace("\n- ", " — ")
        .replace("\n* ", " — ")
}

impl Walk {
    fn take_word(&mut self, word: &str, next: &str) {
        // `except in staging`
        let is_excepted = self.is_exception
            && self.held == Some(Sign::Exempt)
            && !self.is_used
            && self.since_cue < PROGRAM_WORDS
            && span::is_content_word(word);
        let may_be_program =
            span::may_be_program(word) || self.named_words.contains(word) || is_excepted;
        if may_be_program {
            self.names.push(self.sign_word(word));
        }
        self.since_not += 1;
        self.since_name = if may_be_program {
            0
        } else {
            self.since_name + 1
        };
        self.since_cue += 1;
        self.is_at_start &= cue::is_joining(word);
        let begins = self.clause_words == 0;
        self.is_after_place = span::is_place_word(word);
        self.clause_words += 1;
        let mut cues = cue::find_cues(word, next);
        // `no` is `in the` in one language, `se` is `if` in one.
        let said_otherwise = if self.is_portuguese { "no" } else { "se" };
        cues.retain(|_| word != said_otherwise);
        let says = |cue: &&Cue| **cue != Cue::Fine || cue::is_predicate(word, next);
        cues.iter().filter(says).for_each(|cue| self.take_cue(*cue));
        // What is replaced is one name, and in languages whose verbs come last a negation is of the name before it.
        let is_past =
            self.is_replaced && self.is_used && cues.is_empty() && !cue::joins_names(word);
        let is_of_last = self.since_name == 1 && cues == [Cue::Not] && cue::is_verb_last(word);
        if is_past || is_of_last {
            self.held = None;
        }
        self.is_after_pronoun = cue::is_pronoun(word);
        self.is_after_joining = cue::joins_names(word);
        self.is_after_with = cues.contains(&Cue::By);
        if cues.is_empty() && begins && cue::is_imperative(word) {
            self.take_cue(Cue::Do);
        }
    }

    /// Signs a word that may be the name of a program. It is warned of or advised only right after the cue.
    fn sign_word(&self, word: &str) -> SignedName {
        let is_near = self.since_cue < PROGRAM_WORDS && !self.is_used;
        let sign = self.held.filter(|_| is_near);
        SignedName {
            is_after_cue: sign.is_some(),
            sign,
            named: Named::Word(word.to_owned()),
            is_weak: self.is_weak,
            is_subject: self.is_at_start,
            sentence: self.sentence,
            place: self.place,
            is_location: false,
            is_spoken_of: false,
            opens_clause: self.clause_words <= 1,
            follows_words: false,
            is_joined: false,
            is_with: false,
        }
    }

    fn take_cue(&mut self, cue: Cue) {
        // `other than`, `anything but`
        let is_of_pair = self.is_exception && self.since_cue == 1;
        if is_of_pair && matches!(cue, Cue::But | Cue::InPlaceOf) {
            return;
        }
        let sign = match cue {
            Cue::Not | Cue::InPlaceOf => Sign::Warned,
            Cue::Then if self.has_first => Sign::About,
            Cue::Do
            | Cue::Only
            | Cue::By
            | Cue::From
            | Cue::First
            | Cue::Then
            | Cue::Without
            | Cue::Lacking
            | Cue::But
            | Cue::ReplacedBy
            | Cue::Instead => Sign::Advised,
            Cue::When | Cue::OnlyWhen => Sign::About,
            Cue::Except | Cue::Fine => Sign::Exempt,
        };
        match cue {
            Cue::Not | Cue::ReplacedBy => self.sign_unsigned(Sign::Warned),
            // `never X without Y`
            Cue::Without if self.held == Some(Sign::Warned) => {
                let last = self.names[self.sentence_start..].last_mut();
                last.into_iter()
                    .for_each(|name| name.sign = Some(Sign::About));
            }
            Cue::Without | Cue::Lacking if sign == Sign::Advised => self.sign_unsigned(Sign::About),
            Cue::Fine => self.sign_unsigned(Sign::Exempt),
            Cue::Only | Cue::OnlyWhen if self.since_name == 1 => self.sign_restricted(),
            _ => {}
        }
        // `before you run X`
        let is_of_occasion =
            cue == Cue::Do && self.is_after_pronoun && self.held == Some(Sign::About);
        if is_of_occasion && !self.is_used {
            return;
        }
        let is_verb = matches!(cue, Cue::Do | Cue::Only | Cue::By | Cue::From | Cue::Fine);
        // `never X, run Y` without its comma
        let is_preposition = matches!(cue, Cue::By | Cue::From);
        let is_over = self.is_used && !self.is_after_joining && !is_preposition;
        let is_negated_verb = is_verb
            && self.held == Some(Sign::Warned)
            && self.since_not <= NEGATED_VERB_WORDS
            && !is_over;
        // A preposition says less than what was said before it, unless that was said of a name that came since.
        let is_outdone = is_preposition && self.held.is_some() && !self.is_weak && !self.is_used;
        let says_nothing_new = is_negated_verb || is_outdone || is_verb && self.is_fixed;
        if !says_nothing_new && cue != Cue::Instead {
            self.held = Some(sign);
            let was_used = std::mem::take(&mut self.is_used);
            self.is_weak = cue == Cue::By;
            self.is_fixed = cue == Cue::OnlyWhen || self.is_fixed && cue == Cue::When;
            self.is_condition = cue == Cue::OnlyWhen && self.clause_words > 1
                || self.is_condition && cue == Cue::When;
            self.is_exception = cue == Cue::Except;
            self.is_replaced = cue == Cue::InPlaceOf;
            self.is_only = cue == Cue::Only || self.is_only && is_verb && !was_used;
        }
        if cue == Cue::Without {
            self.lacks = Some(self.names.len());
        }
        self.has_first |= cue == Cue::First;
        self.since_cue = 0;
        if sign == Sign::Warned {
            self.since_not = 0;
        }
    }

    /// Takes a command or an option right before `only` for what the rule is about.
    fn sign_restricted(&mut self) {
        let last = self.names[self.clause_start..].last_mut();
        let open = last.filter(|name| {
            name.sign.is_none() && matches!(name.named, Named::Command(_) | Named::Option(_))
        });
        open.into_iter()
            .for_each(|name| name.sign = Some(Sign::About));
    }

    /// Gives the names of this clause that have no sign the one that is said after them.
    fn sign_unsigned(&mut self, sign: Sign) {
        for name in &mut self.names[self.clause_start..] {
            let is_word = matches!(name.named, Named::Word(_));
            if !is_word && (name.sign.is_none() || name.is_weak && sign == Sign::Warned) {
                name.sign = Some(sign);
                name.is_weak = false;
            }
        }
    }

    fn take_name(&mut self, named: Named, is_spoken_of: bool) {
        let is_act = matches!(
            named,
            Named::Act(_) | Named::Text(_) | Named::Path(_) | Named::Program(_)
        );
        // `not X unless Y` says to do Y first, or with X.
        let is_owed = self.is_exception
            && self.held == Some(Sign::Exempt)
            && matches!(named, Named::Command(_) | Named::Option(_) | Named::Tool(_));
        // `X only after Y` says to do Y first, too; `only after Y do X` does not.
        let is_due_first = self.is_condition && matches!(named, Named::Command(_));
        let is_lone_path =
            self.is_only && self.since_cue < PROGRAM_WORDS && matches!(named, Named::Path(_));
        // An occasion is what comes right after its word, and what is joined to that.
        let is_occasion = self.held == Some(Sign::About);
        // `before each commit X`
        let follows_at_once = self.names.last().is_some_and(|last| {
            last.place + 1 == self.place && matches!(last.named, Named::Act(_))
        });
        let is_other = is_occasion && self.is_used && (self.since_name > 1 || follows_at_once);
        let sign = match () {
            () if is_other => None,
            () if is_owed || is_due_first => Some(Sign::Advised),
            () if is_lone_path && self.held == Some(Sign::Advised) => Some(Sign::Exempt),
            () => self.held.or(self.heading.filter(|_| self.is_at_start)),
        };
        self.names.push(SignedName {
            is_after_cue: sign.is_some(),
            sign,
            is_weak: self.is_weak && self.held.is_some(),
            is_subject: self.is_at_start && is_act,
            named,
            sentence: self.sentence,
            place: self.place,
            is_location: self.is_after_place,
            is_spoken_of,
            opens_clause: self.clause_words <= 1,
            follows_words: self.since_name > 1 && self.clause_start < self.names.len(),
            is_joined: self.since_name == 1 && self.is_after_joining,
            is_with: self.is_after_with
                && self.held == Some(Sign::Warned)
                && self.since_name <= self.since_not,
        });
        self.is_after_place = false;
        self.is_after_joining = false;
        self.since_name = 0;
        self.is_used = true;
        self.clause_words += 1;
    }

    /// What a sentence names before a colon is what it is about.
    fn take_colon(&mut self) {
        for name in &mut self.names[self.sentence_start..] {
            let is_advised_act =
                name.sign == Some(Sign::Advised) && matches!(name.named, Named::Act(_));
            // `give migrations a name: X`
            if name.sign.is_none() || is_advised_act {
                name.sign = Some(Sign::About);
            }
        }
        self.heading = self
            .held
            .filter(|_| self.names.len() == self.sentence_start);
        self.held = self
            .held
            .filter(|_| self.since_cue == 0 && self.since_name > 0);
        self.clause_words = 0;
        self.since_not = NEGATED_VERB_WORDS + 1;
    }

    /// Ends a clause. In a list of names the sign goes on.
    fn end_clause(&mut self, is_list: bool) {
        self.end_lack();
        self.clause_words = 0;
        if !is_list {
            self.held = None;
            self.is_fixed = false;
            self.is_condition = false;
            self.clause_start = self.names.len();
        }
    }

    /// What must not be missing and has no name of its own is an operand: `never X without a file`. Then X is meant alone.
    fn end_lack(&mut self) {
        let Some(count) = self.lacks.take() else {
            return;
        };
        let is_word = |name: &SignedName| matches!(name.named, Named::Word(_) | Named::Program(_));
        if !self.names[count..].iter().all(is_word) {
            return;
        }
        let names = self.names[..count].iter_mut().rev();
        let last = names
            .filter(|name| !is_word(name))
            .map(|name| &mut name.named);
        if let Some(Named::Command(form)) = last.into_iter().next() {
            form.is_bare = true;
        }
    }

    /// What a question names is an occasion: `a new column? Then …`.
    fn end_question(&mut self) {
        let names = self.names[self.sentence_start..].iter_mut();
        let open = names.filter(|name| name.sign.is_none() || name.is_weak);
        open.for_each(|name| name.sign = Some(Sign::About));
        // `touched a query? X`
        let is_plain = self.names.len() == self.sentence_start;
        self.end_sentence();
        self.heading = self.heading.or(is_plain.then_some(Sign::Advised));
    }

    fn end_sentence(&mut self) {
        self.end_clause(false);
        self.sentence += 1;
        self.has_first = false;
        self.sentence_start = self.names.len();
        self.is_at_start = true;
    }
}
