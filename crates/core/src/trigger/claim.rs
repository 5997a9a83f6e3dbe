//! Reads what a lesson states of the world: that a program is not there, or is down.
//!
//! A rule ("do not run `npm`") holds whatever a run does. A statement ("`xxd` is not installed") is not so where the
//! program ran and worked, whether or not anybody followed the lesson. It begins its sentence with what it is about, and
//! has no condition. What comes of a statement that was not so is for whoever learns from the run.

use std::collections::BTreeSet;

use super::{
    clause::Part,
    cue::{self, Cue, is_in_list},
    sign,
    signature::Signature,
    span::{self, Named},
};
use crate::lesson::LessonContent;

/// Words that say that something is there, in the languages of [`cue`].
const THERE: &str = "installed available present found running reachable accessible there up \
    installiert verfügbar vorhanden erreichbar installé* disponible* présent* instalad* disponíve* accesible* установлен* доступ* запущен*";
/// Words that say that something is not there.
const GONE: &str = "missing absent down offline unreachable unavailable uninstalled fehlt fehlen manqu* falta* отсутств*";
/// The same in languages that put no spaces between words.
const UNSPACED_THERE: [&str; 6] = ["安装", "可用", "运行", "インストール", "利用", "설치"];

/// Returns the programs of which a lesson states that they are not there, or do not run.
pub fn absent_programs(content: &LessonContent) -> BTreeSet<String> {
    let parts = sign::read_rule(content.text.as_str());
    let sentences = parts.split(|part| matches!(part, Part::SentenceEnd | Part::Question));
    let mut absent: BTreeSet<String> = sentences.flat_map(read_statement).collect();
    let signature = Signature::parse(content.signature.as_str());
    absent.extend(signature.missing_program().map(str::to_owned));
    absent
}

/// Returns the programs that a sentence begins with, if the rest states that they are not there.
fn read_statement(sentence: &[Part]) -> Vec<String> {
    let names_none = |words: &[Part]| {
        let mut words = words.iter().filter_map(prose_word);
        words.next() == Some("there") && words.next().is_some() && words.next() == Some("no")
    };
    let (sentence, is_none) = match sentence.get(..3).filter(|words| names_none(words)) {
        Some(_) => (&sentence[3..], true),
        None => (sentence, false),
    };
    let is_subject = |part: &&Part| match part {
        Part::Name(_) | Part::ClauseEnd => true,
        Part::Word(word) => cue::is_joining(word),
        _ => false,
    };
    let count = sentence.iter().take_while(is_subject).count();
    let (subject, rest) = sentence.split_at(count);
    let mut programs: Vec<String> = subject.iter().filter_map(named_program).collect();
    let rest = match rest.split_first() {
        // `redis is down`
        Some((Part::Word(word), rest)) if programs.is_empty() && is_thing(word) => {
            programs.push(word.clone());
            rest
        }
        _ => rest,
    };
    let clause: Vec<&str> = rest.iter().map_while(prose_word).collect();
    let all: Vec<&str> = rest.iter().filter_map(prose_word).collect();
    let is_absent = is_none || states_absence(&clause);
    if is_absent && !has_condition(&clause, &all) {
        programs
    } else {
        Vec::new()
    }
}

/// Returns whether a word of prose may be the name of something.
fn is_thing(word: &str) -> bool {
    span::is_content_word(word) && cue::find_cues(word, "").is_empty()
}

fn prose_word(part: &Part) -> Option<&str> {
    match part {
        Part::Word(word) => Some(word),
        _ => None,
    }
}

/// Returns the program that is named, and nothing more of it.
fn named_program(part: &Part) -> Option<String> {
    match part {
        Part::Name(Named::Program(name)) => Some(name.clone()),
        Part::Name(Named::Command(form)) if form.words.is_empty() && !form.path.contains('/') => {
            Some(form.program.clone())
        }
        _ => None,
    }
}

/// Returns whether what is said of a subject is that it is not there, whatever else is so.
fn states_absence(words: &[&str]) -> bool {
    let says = |list: &str| words.iter().any(|word| is_in_list(list, word));
    let is_there = says(THERE)
        || (words.iter()).any(|word| UNSPACED_THERE.iter().any(|there| word.contains(there)));
    let is_denied = says_any(words, &[Cue::Not]);
    if says(GONE) {
        !is_denied
    } else {
        is_denied && is_there
    }
}

/// Returns whether it is so only now and then: by what the sentence says, or by what its first clause says.
fn has_condition(clause: &[&str], sentence: &[&str]) -> bool {
    let conditions = [Cue::When, Cue::OnlyWhen, Cue::Lacking, Cue::Without];
    says_any(sentence, &conditions) || says_any(clause, &[Cue::By, Cue::From, Cue::Do])
}

fn says_any(words: &[&str], wanted: &[Cue]) -> bool {
    cue::says_any(&words.join(" "), wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::CleanText;

    fn check(signature: &str, text: &str, expected: &[&str]) {
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        let absent = absent_programs(&LessonContent::new(clean(signature), clean(text)));
        assert_eq!(Vec::from_iter(absent), expected, "{signature} :: {text}");
    }

    #[test]
    fn a_statement_names_what_is_not_there() {
        let states = |text: &str, expected: &[&str]| check("", text, expected);
        states("`xxd` is not installed here. Use `od` instead.", &["xxd"]);
        states("docker isn't available in this sandbox.", &["docker"]);
        states(
            "`xxd` and `hexdump` are missing on this machine.",
            &["hexdump", "xxd"],
        );
        states("There is no `xxd` here.", &["xxd"]);
        states("redis is down.", &["redis"]);
        states("The database is not reachable from here.", &["database"]);
        states("`docker` ist hier nicht installiert.", &["docker"]);
        states("`docker` n'est pas disponible ici.", &["docker"]);
        states("`docker` не установлен.", &["docker"]);
        states("`docker` 没有安装。", &["docker"]);
        check(
            "xxd (command not found)",
            "Read the bytes with `od`.",
            &["xxd"],
        );
    }

    #[test]
    fn a_rule_states_nothing() {
        for text in [
            "Do not run `npm` here.",
            "`npm` is not allowed here; use `pnpm`.",
            "`npm test` is not available before `make db`.",
            "If `docker` is not installed, use `podman`.",
            "`docker` is not available until `colima start` ran.",
            "`docker` is not running by default. Run `colima start` first.",
            "Is `xxd` missing?",
            "`xxd` is not missing.",
            "Use `od`, not `xxd`.",
            "The active model is small.",
        ] {
            check("", text, &[]);
        }
        check("npm test (Missing script)", "Run `npm run unit`.", &[]);
    }
}
