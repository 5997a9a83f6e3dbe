//! Tells whether two lessons give the same advice for the same occasion in other words.
//!
//! They share a name that cannot be there by chance, an option, a setting or a command, and judge all that both name alike:
//! for it, or against it, with the same values; and neither advises a command of which the other says nothing. A sentence
//! model finds `use npm ci` as near to `never use npm ci` as to another wording of it, so nearness proves nothing here, and is
//! asked for besides by whoever takes one lesson for another. Every doubt is decided for *different*: lessons that name
//! nothing, or only a file that both are about, are never taken for the same.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Sign, Trigger, TriggerKind, Triggers,
    clause::Part,
    cue::{self, Cue},
    opposite::Stance,
    path::ReadingWords,
    sign::{self, SignedName},
};
use crate::{lesson::LessonContent, text::CleanText, tokens::is_common_word};

/// Words that say against what they stand before.
const DENIALS: &[Cue] = &[
    Cue::Not,
    Cue::Without,
    Cue::Except,
    Cue::InPlaceOf,
    Cue::ReplacedBy,
];
/// Verbs that do.
const DENYING_VERBS: [&str; 3] = ["drop", "remove", "unset"];
/// Beginnings of words that tell of trouble, and deny nothing by themselves.
const TROUBLE: [&str; 7] = ["fail", "break", "broke", "hang", "crash", "slow", "refuse"];
/// How many parts a denial reaches.
const DENIED_PARTS: usize = 6;

/// Returns whether two lessons are about the same and judge the same names alike, in whatever words.
pub fn restates(one: &LessonContent, other: &LessonContent) -> bool {
    let [ours, theirs] = [one, other].map(Triggers::from_content);
    if !ours.may_be_about_subject_of(&theirs) {
        return false;
    }
    let signatures = [one, other].map(|content| split_words(content.signature.as_str()));
    let subject: BTreeSet<String> = signatures.into_iter().flatten().collect();
    let [own, others] = [(&ours, one), (&theirs, other)]
        .map(|(triggers, content)| Wording::read(triggers, content, &subject));
    own.shares_advice(&others)
        && own.judges_as(&others)
        && own.values_agree(&others)
        && gives_same_values(&one.text, &other.text)
        && !Stance::from_content(one).opposes(&Stance::from_content(other))
}

impl Triggers {
    /// Returns whether both are bound to the same command, file or error, if both are bound to one.
    fn may_be_about_subject_of(&self, other: &Self) -> bool {
        let command = |triggers: &Self| {
            let form = triggers.signature.command.as_ref()?;
            Some((form.program.clone(), form.verb.clone()))
        };
        let (ours, theirs) = (&self.signature, &other.signature);
        ours.is_empty()
            || theirs.is_empty()
            || ours.head == theirs.head
            || command(self).is_some() && command(self) == command(other)
    }
}

/// What a lesson says of what it names, without what both are about.
struct Wording {
    /// All words that it says, in their order.
    words: Vec<String>,
    /// What it types in code.
    typed: BTreeSet<String>,
    names: Vec<JudgedName>,
}

impl Wording {
    fn read(triggers: &Triggers, content: &LessonContent, subject: &BTreeSet<String>) -> Self {
        let text = content.text.as_str();
        let code = text.split('`').skip(1).step_by(2).flat_map(split_words);
        let parts = sign::read_rule(text);
        let names = sign::read_parts(&parts, &BTreeSet::new()).into_iter();
        let names = names.map(|name| JudgedName::read(name, triggers, &parts, subject));
        let names = names.chain(list_settings(&parts, subject));
        let texts = [&content.text, &content.signature].into_iter();
        Self {
            words: texts.flat_map(|text| split_words(text.as_str())).collect(),
            typed: code.filter(|word| !subject.contains(word)).collect(),
            names: names.filter(JudgedName::is_telling).collect(),
        }
    }

    /// Returns whether either says a name of the other one for which it cannot be by chance, one types nothing in code that the
    /// other one does not say, and no command is advised by one of them alone.
    fn shares_advice(&self, other: &Self) -> bool {
        let has_common = |one: &Self, other: &Self| {
            let mut names = one.names.iter();
            names.any(|name| other.says_as(name))
        };
        let says_code =
            |one: &Self, other: &Self| other.typed.iter().all(|word| one.words.contains(word));
        let has_all = |one: &Self, other: &Self| {
            let mut commands = one.names.iter().filter(|name| {
                name.is_command() && name.sign == Some(Sign::Advised) && !name.is_denied
            });
            commands.all(|command| other.says(command))
        };
        (has_common(self, other) || has_common(other, self))
            && (says_code(self, other) || says_code(other, self))
            && has_all(self, other)
            && has_all(other, self)
    }

    /// Returns whether it says all the words of a name, those of a command beside each other.
    fn says(&self, name: &JudgedName) -> bool {
        let is_option = |word: &String| word.starts_with('-');
        let verb = name.words.get(..2).filter(|verb| !is_option(&verb[1]));
        let is_beside = |verb: &[String]| self.words.windows(2).any(|pair| pair == verb);
        let has_words = name.words.iter().all(|word| self.words.contains(word));
        has_words && (!name.is_command() || verb.is_none_or(is_beside))
            || self.names.iter().any(|own| own.words == name.words)
    }

    /// Returns whether it says a name, and advises it or warns of it as another lesson does.
    fn says_as(&self, name: &JudgedName) -> bool {
        let mut same = self.names.iter().filter(|own| own.shares_word(name));
        let is_judged = matches!(name.sign, Some(Sign::Advised | Sign::Warned));
        is_judged && self.says(name) && same.any(|own| own.sign == name.sign)
    }

    /// Returns whether no name of both is advised by one and denied by the other.
    fn judges_as(&self, other: &Self) -> bool {
        self.names.iter().all(|name| {
            let mut same = other.names.iter().filter(|theirs| name.shares_word(theirs));
            same.all(|theirs| name.is_judged_as(theirs))
        })
    }

    /// Returns whether one gives no numbers and versions but those of the other.
    fn values_agree(&self, other: &Self) -> bool {
        let is_value = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
        let [ours, theirs] = [self, other].map(|wording| {
            wording
                .words
                .iter()
                .filter(is_value)
                .collect::<BTreeSet<_>>()
        });
        ours.is_subset(&theirs) || theirs.is_subset(&ours)
    }
}

/// A name in a lesson, with what is said of it.
struct JudgedName {
    words: Vec<String>,
    /// What it names; `None` for a setting in prose.
    kind: Option<TriggerKind>,
    sign: Option<Sign>,
    /// Whether the words around it speak against it.
    is_denied: bool,
}

impl JudgedName {
    fn read(
        name: SignedName,
        triggers: &Triggers,
        parts: &[Part],
        subject: &BTreeSet<String>,
    ) -> Self {
        let own_words = |kind: &TriggerKind| -> Vec<String> {
            let words = split_words(&kind.typed()).into_iter();
            let is_own = |word: &String| word.chars().count() > 1 && !subject.contains(word);
            let words = words.filter(|word| !word.contains(['<', '>', '…']));
            words.filter(is_own).collect()
        };
        let kind = Trigger::new(Sign::About, name.named, ReadingWords::any_use()).what;
        let words = own_words(&kind);
        let find_settled = || {
            let mut all = triggers.all.iter();
            all.find(|trigger| own_words(&trigger.what) == words)
        };
        Self {
            sign: name.sign.or_else(|| Some(find_settled()?.sign)),
            kind: Some(kind),
            is_denied: is_denied(parts, name.place),
            words,
        }
    }

    /// Returns whether it can be in two lessons only because they speak of the same: several words, or one that is typed.
    fn is_telling(&self) -> bool {
        let is_act = matches!(self.kind, Some(TriggerKind::Act(_)));
        self.words.len() > 1 && !is_act || self.words.iter().any(|word| is_marked(word))
    }

    fn is_command(&self) -> bool {
        matches!(self.kind, Some(TriggerKind::Command(_)))
    }

    fn shares_word(&self, other: &Self) -> bool {
        let mut words = other.words.iter();
        self.words == other.words || words.any(|word| is_marked(word) && self.words.contains(word))
    }

    fn is_judged_as(&self, other: &Self) -> bool {
        let is_warned = |name: &Self| name.sign == Some(Sign::Warned);
        self.is_denied == other.is_denied && is_warned(self) == is_warned(other)
    }
}

/// Lists the settings in the prose, `NAME=value`, of which no sign is known.
fn list_settings(parts: &[Part], subject: &BTreeSet<String>) -> Vec<JudgedName> {
    let words = parts.iter().enumerate().filter_map(|(place, part)| {
        let Part::Word(word) = part else { return None };
        let is_setting = word.contains('=') && !subject.contains(word);
        is_setting.then(|| (place, split_words(word)))
    });
    let settings = words.map(|(place, words)| JudgedName {
        words,
        kind: None,
        sign: None,
        is_denied: is_denied(parts, place),
    });
    settings.collect()
}

/// Returns whether the words before a part in its clause deny it, and do not deny that in turn, or a sentence after it does: `Leave
/// it out`, `run it without`.
fn is_denied(parts: &[Part], place: usize) -> bool {
    let is_joined = |part: &&Part| matches!(part, Part::Word(_) | Part::Name(_));
    let before = parts[..place].iter().rev().take_while(is_joined);
    let denials = before.take(DENIED_PARTS).filter(|part| match part {
        Part::Word(word) => denies(word),
        _ => false,
    });
    let is_left_out = parts[place..].windows(3).any(|parts| match parts {
        [
            Part::SentenceEnd | Part::ClauseEnd,
            Part::Word(verb),
            Part::Word(what),
        ] => cue::says_any(verb, &[Cue::Not]) && matches!(what.as_str(), "it" | "them"),
        [.., Part::Word(last), Part::SentenceEnd | Part::ClauseEnd] => {
            cue::says_any(last, &[Cue::Without])
        }
        _ => false,
    });
    (denials.count() + usize::from(is_left_out)) % 2 == 1
}

fn denies(word: &str) -> bool {
    let is_trouble = TROUBLE.iter().any(|stem| word.starts_with(stem));
    !is_trouble && cue::says_any(word, DENIALS) || DENYING_VERBS.contains(&word)
}

/// Lists the words of a text in lower case, options and names whole, without the punctuation around them.
fn split_words(text: &str) -> Vec<String> {
    let begins = |c: char| c.is_alphanumeric() || "-/.*@$_".contains(c);
    let ends = |c: char| c.is_alphanumeric() || "/*_".contains(c);
    let parts = text.split(|c: char| c.is_whitespace() || c == '`');
    let words = parts.flat_map(|part| {
        // The value of an option is a word of its own; that of a variable is not.
        let is_option = part.trim_start_matches(|c| !begins(c)).starts_with('-');
        part.split(move |c: char| is_option && c == '=')
    });
    let words = words.map(|word| {
        word.trim_start_matches(|c| !begins(c))
            .trim_end_matches(|c| !ends(c))
    });
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether a word can be nothing but an option, a file, a setting or an identifier.
fn is_marked(word: &str) -> bool {
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
    !is_number && (word.starts_with('-') || word.contains(|c: char| "_/\\$@:*.=".contains(c)))
}

/// Returns whether both give each option that both name the same value, where they give one at all.
fn gives_same_values(one: &CleanText, other: &CleanText) -> bool {
    let theirs = list_option_values(other);
    list_option_values(one)
        .iter()
        .all(|(option, value)| theirs.get(option).is_none_or(|other| other == value))
}

fn list_option_values(text: &CleanText) -> BTreeMap<String, String> {
    let words = split_words(text.as_str());
    let pairs = words.windows(2).filter(|pair| {
        pair[0].starts_with('-') && !pair[1].starts_with('-') && !is_common_word(&pair[1])
    });
    pairs
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect()
}
