//! Reads the meaning of each word in context: requested or described, asserted or denied.
//!
//! The meaning of words together is left to the rules.

use super::{
    Sense, WordClasses,
    lexicon::MeaningLexicon,
    tokens::{ClauseBreak, WordToken, tokenize},
};
use crate::shell::is_listed;

/// Returns the meaning of each word, and the positions at which sentences end.
pub(super) fn read_senses(lexicon: &MeaningLexicon, words: &str) -> (Vec<Sense>, Vec<usize>) {
    let tokens = tokenize(words);
    let mut senses = Vec::with_capacity(tokens.len());
    let mut ends = Vec::new();
    let mut denial = Denial::default();
    let mut at = 0;
    let mut is_reason = false;
    let mut masked_words = 0;
    while at < tokens.len() {
        let (mut classes, taken) = lexicon.look_up(&tokens[at..]);
        let is_denied = denial.denied_words > 0;
        match taken {
            1 => denial.read_word(&tokens[at..]),
            _ => denial.skip_words(taken),
        }
        let is_noun = classes.intersects(lexicon.nounish) && !is_order(&tokens, at)
            || at > 0 && is_name(&tokens[at]);
        let describes =
            taken == 1 && (describes_event(&tokens[..=at]) || describes_manner(&tokens, at));
        masked_words = if masks(&tokens[at]) {
            MASKED_WORDS
        } else {
            masked_words.saturating_sub(1)
        };
        if masked_words > 0 {
            classes = classes.difference(lexicon.secrets);
        }
        if is_noun || describes || denial.supposed_words > 0 {
            classes = classes.difference(lexicon.deeds);
        }
        is_reason = is_reason && !resumes_order(&tokens[..=at]) || begins_reason(&tokens[..=at]);
        if is_reason {
            classes = WordClasses::default();
        }
        senses.push(Sense::new(classes, is_denied));
        at += taken;
        let last = tokens[at - 1].break_after;
        if last >= ClauseBreak::Clause {
            denial = Denial::default();
        }
        if last == ClauseBreak::Sentence {
            is_reason = false;
            ends.push(senses.len());
        }
    }
    if ends.last() != Some(&senses.len()) {
        ends.push(senses.len());
    }
    (senses, ends)
}

/// Returns whether what follows a word is taken out before anything is carried: "after replacing the tokens".
fn masks(token: &WordToken<'_>) -> bool {
    const MASKS: &str =
        "redact redacting mask masking strip stripping replacing removing scrub scrubbing blanking";
    is_listed(MASKS, token.word)
}

/// Returns whether the last word begins the reason of what its sentence asks for.
fn begins_reason(words: &[WordToken<'_>]) -> bool {
    let [.., before, word] = words else {
        return false;
    };
    match word.word {
        "because" => before.break_after != ClauseBreak::Sentence,
        "since" | "as" => before.break_after == ClauseBreak::Clause,
        _ => false,
    }
}

/// Returns whether the last word leads back to what is asked for: "…, because it fails, and then send".
fn resumes_order(words: &[WordToken<'_>]) -> bool {
    let [.., before, word] = words else {
        return false;
    };
    before.break_after == ClauseBreak::Clause && is_listed("and so then but now", word.word)
}

/// Returns whether the last verb describes an event instead of asking for it: "deletes", "was sent".
fn describes_event(words: &[WordToken<'_>]) -> bool {
    let before = |count| words.iter().rev().nth(count).map_or("", |token| token.word);
    let word = before(0);
    let is_past = word.ends_with("ed") || word == "sent";
    let is_asked =
        before(1) == "be" && matches!(before(2), "must" | "should" | "to" | "shall" | "may");
    is_third_person(word) || is_past && !is_asked
}

/// Returns whether a word says how something is or is done that the text only describes: "quietly drops the rest", "are
/// silently empty".
fn describes_manner(words: &[WordToken<'_>], at: usize) -> bool {
    let is_manner = words[at].word.ends_with("ly") && words[at].break_after == ClauseBreak::Nothing;
    let is_state = at > 0 && is_listed("is are was were", words[at - 1].word);
    let next = words.get(at + 1);
    is_manner && (is_state || next.is_some_and(|verb| is_third_person(verb.word)))
}

fn is_third_person(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss") && word != "mkfs"
}

/// Returns whether a word is marked as code by itself and nothing follows that it would do something to: "before `delete`,".
fn is_name(token: &WordToken<'_>) -> bool {
    let code = token.code.unwrap_or_default();
    let word = code.trim_end_matches([',', ';', ':', '.']);
    word != code
        && word
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'))
            == Some(token.word)
}

/// Returns whether a word that can also be a noun is an order in this place.
fn is_order(words: &[WordToken<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &words[before]) else {
        return true;
    };
    let begins_code = words[at].code.is_some_and(|code| code.starts_with('`'));
    const LEADS: &str = "and then or to must should please always just also you now first simply will may can be by run";
    let leads = is_listed(LEADS, before.word);
    before.break_after >= ClauseBreak::Clause || begins_code || leads || before.word.ends_with("ly")
}

/// How many more words the current negation or supposition covers.
#[derive(Debug, Default)]
struct Denial {
    denied_words: usize,
    supposed_words: usize,
}

/// How many words "never" covers.
const BAN_WORDS: usize = 14;
/// How many words "no" and "without" cover.
const LACK_WORDS: usize = 6;
/// How many words behind it "redact" covers, with itself.
const MASKED_WORDS: usize = 5;
/// How many words "before" covers: "before you delete".
const SUPPOSED_WORDS: usize = 3;

impl Denial {
    /// Advances past a phrase, whose own "no" is part of its meaning.
    fn skip_words(&mut self, words: usize) {
        self.denied_words = self.denied_words.saturating_sub(words);
        self.supposed_words = self.supposed_words.saturating_sub(words);
    }

    fn read_word(&mut self, words: &[WordToken<'_>]) {
        self.skip_words(1);
        let next = words.get(1).map_or("", |token| token.word);
        match words.first().map_or("", |token| token.word) {
            "never" | "not" | "cannot" | "dont" | "avoid" | "refrain" | "needn't" => {
                self.denied_words = BAN_WORDS;
            }
            word if word.ends_with("n't") => self.denied_words = BAN_WORDS,
            "rather" | "instead" if matches!(next, "than" | "of") => {
                self.denied_words = BAN_WORDS;
            }
            "no" | "without" | "zero" | "nobody" | "none" | "nothing" | "neither" | "noone" => {
                // Two negations cancel each other out: "never delete it without asking".
                self.denied_words = if self.denied_words > 0 { 0 } else { LACK_WORDS };
            }
            "before" | "when" | "while" | "if" | "after" | "whenever" => {
                self.denied_words = 0;
                self.supposed_words = SUPPOSED_WORDS;
            }
            "until" | "unless" | "but" | "because" | "so" | "then" => self.denied_words = 0,
            _ => {}
        }
    }
}
