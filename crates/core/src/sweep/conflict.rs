//! Whether two lessons may be told as one.
//!
//! They may not if they say the opposite, give another number, name another tool of the same kind, are about different
//! failures or for different people, or differ in just one name. Every doubt is decided against: two lessons that stay
//! apart cost a line, two that are merged wrongly cost one of them.

use super::{
    lexicon::are_antonyms,
    profile::{Profile, WordPlace, is_telling},
};

/// The share of terms in common from which another name in the same place makes another lesson.
const NEARLY_SAME_WORDS: f64 = 0.3;

/// Why two lessons are not told as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// They belong to different projects or agents, or are for different people.
    Audience,
    /// They are about different failures.
    Failure,
    /// They name different tools of one kind.
    Tool,
    /// They say the opposite.
    Opposite,
    /// One advises most of what the other warns of, maybe on another occasion.
    Tension,
    /// They give different numbers for the same thing.
    Value,
    /// They say the same of different things.
    Subject,
}

impl Conflict {
    /// Returns whether it also keeps lessons apart that a model takes for one group. That they say the same of different
    /// things does not: a principle may well be about both.
    #[must_use]
    pub fn is_veto(self) -> bool {
        self != Self::Subject
    }

    /// Says what two lessons are that are in this conflict, to go on after their names.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Audience => "are of different projects or agents, or for different people",
            Self::Failure => "are about different failures",
            Self::Tool => "name different tools of one kind",
            Self::Opposite => "say the opposite",
            Self::Tension => "do not agree: one advises what the other warns of",
            Self::Value => "give different numbers for the same thing",
            Self::Subject => "say the same of different things",
        }
    }
}

impl Conflict {
    /// Says what words are that are in this conflict with what they are to say.
    #[must_use]
    pub fn describe_one(self) -> &'static str {
        match self {
            Self::Audience | Self::Failure | Self::Subject => "is about something else",
            Self::Tool => "names another tool of the same kind",
            Self::Opposite => "says the opposite",
            Self::Tension => "advises what was warned of, or warns of what was advised",
            Self::Value => "gives another number for the same thing",
        }
    }
}

/// Returns why two lessons may not be told as one; `None` if they may.
pub(super) fn find_conflict(a: &Profile, b: &Profile) -> Option<Conflict> {
    if a.project != b.project || a.agent != b.agent || a.targets != b.targets {
        return Some(Conflict::Audience);
    }
    if a.failure.is_some() && b.failure.is_some() && a.failure != b.failure {
        return Some(Conflict::Failure);
    }
    if have_other_tools(a, b) {
        return Some(Conflict::Tool);
    }
    if say_the_opposite(a, b) {
        return Some(Conflict::Opposite);
    }
    if warns_partly(a, b) || warns_partly(b, a) {
        return Some(Conflict::Tension);
    }
    if have_other_numbers(a, b) {
        return Some(Conflict::Value);
    }
    differ_in_a_name(a, b).then_some(Conflict::Subject)
}

/// Returns whether both name tools of one kind, and not one in common.
fn have_other_tools(a: &Profile, b: &Profile) -> bool {
    a.tools.iter().any(|(kind, ours)| {
        b.tools
            .get(kind)
            .is_some_and(|theirs| ours.is_disjoint(theirs))
    })
}

/// Returns whether one says the opposite of the other.
pub(super) fn say_the_opposite(a: &Profile, b: &Profile) -> bool {
    let marked = a.contradicts.contains(&b.id) || b.contradicts.contains(&a.id);
    marked
        || (a.words_key == b.words_key && a.meaning.opposes(&b.meaning))
        || warns_of(a, b)
        || warns_of(b, a)
        || turn_apart(a, b)
}

/// Returns whether one warns of something that the other advises, all of it.
fn warns_of(a: &Profile, b: &Profile) -> bool {
    a.warned.iter().any(|warned| {
        let telling = warned.iter().filter(|it| is_telling(it)).count();
        let is_warned_too = b.warned.iter().any(|other| !other.is_disjoint(warned));
        telling > 0 && !is_warned_too && b.advised.iter().any(|advised| warned.is_subset(advised))
    })
}

/// Returns whether one warns of something of which the other advises or tells a large part.
fn warns_partly(a: &Profile, b: &Profile) -> bool {
    a.warned.iter().any(|warned| {
        let is_warned_too = b.warned.iter().any(|other| !other.is_disjoint(warned));
        !is_warned_too
            && b.advised.iter().chain(&b.told).any(|said| {
                let shared = warned
                    .intersection(said)
                    .filter(|it| is_telling(it))
                    .count();
                shared >= 2 && shared * 5 >= warned.len() * 2
            })
    })
}

/// Returns whether a word stands in one where its opposite stands in the other.
fn turn_apart(a: &Profile, b: &Profile) -> bool {
    a.turns.iter().any(|(word, beside)| {
        let is_there = b.turns.contains(&(word.clone(), beside.clone()));
        !is_there
            && b.turns
                .iter()
                .any(|(other, place)| place == beside && are_antonyms(word, other))
    })
}

/// Returns whether both give numbers for the same thing, and not one in common.
fn have_other_numbers(a: &Profile, b: &Profile) -> bool {
    (a.numbers.iter()).any(|(place, ours)| {
        b.numbers
            .get(place)
            .is_some_and(|theirs| ours.is_disjoint(theirs))
    })
}

/// Returns whether each has a name where the other has another one, between the same words.
fn differ_in_a_name(a: &Profile, b: &Profile) -> bool {
    let both = a.terms.intersection(&b.terms).count();
    let either = a.terms.len() + b.terms.len() - both;
    if (both as f64) < NEARLY_SAME_WORDS * either as f64 {
        return false;
    }
    let own = |it: &&WordPlace, other: &Profile| !other.terms.contains(&it.term);
    let theirs: Vec<&WordPlace> = b.places.iter().filter(|it| own(it, a)).collect();
    let mut ours = a.places.iter().filter(|it| own(it, b));
    ours.any(|it| theirs.iter().any(|other| other.sides == it.sides))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{lexicon::Lexicon, samples::lesson};

    fn check(one: &str, two: &str, expected: Option<Conflict>) {
        let lexicon = Lexicon::shared();
        let profile = |id, text| Profile::from_lesson(&lesson(id, text), lexicon);
        let (a, b) = (profile(1, one), profile(2, two));
        assert_eq!(find_conflict(&a, &b), expected, "{one} / {two}");
        assert_eq!(find_conflict(&b, &a), expected, "{two} / {one}");
    }

    #[test]
    fn what_says_the_opposite_stays_apart() {
        let opposite = Some(Conflict::Opposite);
        check(
            "Run the migrations before deploying.",
            "Run the migrations after deploying.",
            opposite,
        );
        check(
            "Enable strict mode in the parser.",
            "Disable strict mode in the parser.",
            opposite,
        );
        check(
            "Retry on status 429.",
            "Never retry on status 429.",
            opposite,
        );
        check(
            "Mock the clock in token tests.",
            "Avoid mock clock in token tests.",
            opposite,
        );
    }

    #[test]
    fn a_warning_of_what_another_does_keeps_them_apart() {
        let warning =
            "Do not archive invoices before deleting customers; anonymise the customer instead.";
        let tension = Some(Conflict::Tension);
        check(
            warning,
            "Deleting a customer fails with a foreign key violation; archive the invoices first.",
            tension,
        );
        check(
            warning,
            "We archive invoices before customers are deleted, and nothing is lost.",
            tension,
        );
    }

    #[test]
    fn another_number_or_tool_or_name_is_another_lesson() {
        check(
            "Set the gateway timeout to 30 seconds.",
            "Set the gateway timeout to 60 seconds.",
            Some(Conflict::Value),
        );
        check(
            "Use npm ci for clean installs.",
            "Use yarn for clean installs.",
            Some(Conflict::Tool),
        );
        check(
            "Regenerate the billing protobuf stubs after editing the schema.",
            "Regenerate the inventory protobuf stubs after editing the schema.",
            Some(Conflict::Subject),
        );
    }

    #[test]
    fn what_differs_in_wording_may_meet() {
        check(
            "Do not install with pip globally; create a venv first.",
            "pip fails outside of a virtualenv on this machine, so create one and install there.",
            None,
        );
        check(
            "Failed at line 12 of the parser.",
            "Failed at line 98 of the parser.",
            None,
        );
    }
}
