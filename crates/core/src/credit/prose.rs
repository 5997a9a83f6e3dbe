//! Finds the commands that a lesson names in plain words, and marks them as code.
//!
//! People and agents write `run bin/stage open first` and `pass --workspace` without any marks. Text counts as a
//! command only if it can hardly be anything else: a verb says to run it, and it is a known program, a path of a
//! program, or has options. All else stays prose, for which it is unknown whether it was followed. Whether the text
//! advises for or against a command is decided by [`advice`](super::advice).

use crate::shell::{self, is_listed};

/// Verbs that always mean to run what follows.
const RUN_VERBS: &str = "run execute invoke rerun";
/// Verbs that may mean it.
const USE_VERBS: &str = "use call try start prefer";
/// Verbs that say which options a command should or should not have.
const OPTION_VERBS: &str = "pass add use give append drop remove omit avoid skip leave";
/// Words between such a verb and an option.
const FILLERS: &str = "the option options flag flags";
/// Programs whose names are also words of English.
const ENGLISH_PROGRAMS: &str =
    "make go just task service fly mix bundle snap hatch swift pod expo rye act";
/// Words that end a command in a sentence.
const COMMAND_END_WORDS: &str = "is are was were be fails fail failed needs need needed requires require must should when \
    while if unless with without before after on in at as to for of and or but not cannot because until by \
    from via the a an first then instead rather over again once beforehand only here there this that it its \
    every each always never now so too which where else than each yourself";
/// The most words of a command in a sentence.
const COMMAND_WORDS_MAX: usize = 6;
/// Punctuation after a word that ends its clause.
const CLAUSE_ENDS: [char; 7] = ['.', ',', ';', ':', '!', '?', ')'];

/// Marks as code the commands and options that a text names in plain words.
pub(super) fn mark_commands(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let marked = parts.map(|(place, part)| match place % 2 {
        0 => (part.split_inclusive('\n').map(mark_line)).collect(),
        _ => part.to_owned(),
    });
    marked.collect::<Vec<_>>().join("`")
}

fn mark_line(line: &str) -> String {
    let words: Vec<&str> = line.split_inclusive(char::is_whitespace).collect();
    let trimmed: Vec<&str> = words.iter().map(|word| word.trim_end()).collect();
    let mut marked = String::with_capacity(line.len());
    let mut at = 0;
    while at < words.len() {
        let length = command_length(&trimmed[..at], &trimmed[at..]);
        let text = words[at..at + length.max(1)].concat();
        let code = text.trim_end().trim_end_matches(CLAUSE_ENDS);
        match length {
            0 => marked.push_str(&text),
            _ => marked.extend(["`", code, "`", &text[code.len()..]]),
        }
        at += length.max(1);
    }
    marked
}

/// Returns how many of the next words are a command or option that the words before say to use; 0 if none.
fn command_length(before: &[&str], next: &[&str]) -> usize {
    let mut last = before.iter().rev();
    let first = next[0].trim_end_matches(CLAUSE_ENDS);
    if is_option(first) {
        let told = last.find(|word| !is_listed(FILLERS, &word.to_lowercase()));
        return usize::from(told.is_some_and(|word| is_listed(OPTION_VERBS, &word.to_lowercase())));
    }
    let verb = last.next().map_or("", |word| word.trim_end_matches(':'));
    match is_program(&verb.to_lowercase(), first, next) {
        true => 1 + count_operands(next),
        false => 0,
    }
}

/// Returns how many words of the sentence continue the command that it begins with.
fn count_operands(next: &[&str]) -> usize {
    let pairs = next.windows(2).take(COMMAND_WORDS_MAX - 1);
    let goes_on =
        pairs.take_while(|pair| !pair[0].ends_with(CLAUSE_ENDS) && !ends_command(pair[1]));
    goes_on.count()
}

fn ends_command(word: &str) -> bool {
    let bare = word.trim_end_matches(CLAUSE_ENDS).to_lowercase();
    bare.is_empty() || bare.ends_with("ly") || is_listed(COMMAND_END_WORDS, &bare)
}

/// Returns whether a word after such a verb can hardly be anything but a program.
fn is_program(verb: &str, word: &str, next: &[&str]) -> bool {
    let (is_run, is_used) = (is_listed(RUN_VERBS, verb), is_listed(USE_VERBS, verb));
    let has_more = count_operands(next) > 0;
    let has_options = has_more && is_option(next[1]);
    let is_known = match is_listed(ENGLISH_PROGRAMS, word) {
        true => is_run && has_more,
        false => shell::has_subcommands(word) || has_options,
    };
    let is_named = word.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'))
        && !word.contains("://");
    let is_run_path = is_run_path(word) || (is_run && word.contains('/'));
    is_named && (is_run || is_used) && (is_known || is_run_path)
}

/// Returns whether a path is one that programs have.
fn is_run_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let is_there = word.starts_with("bin/") || word.starts_with("./") || word.contains("/bin/");
    is_there && (!name.contains('.') || name.ends_with(".sh"))
}

fn is_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    name.len() < word.len() && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_plain_words() {
        for (text, expected) in [
            ("run bin/stage open first", "run `bin/stage open` first"),
            (
                "Run: make db-up, then go on.",
                "Run: `make db-up`, then go on.",
            ),
            ("use pnpm instead of npm", "use `pnpm` instead of npm"),
            (
                "Execute scripts/gen.py before it",
                "Execute `scripts/gen.py` before it",
            ),
            ("try ruff --fix x.py once", "try `ruff --fix x.py` once"),
            ("then run tool -q check.", "then run `tool -q check`."),
            (
                "pass --workspace, or it skips",
                "pass `--workspace`, or it skips",
            ),
            ("Leave the option -P out", "Leave the option `-P` out"),
            ("`use npm` or use npm ci", "`use npm` or use `npm ci`"),
            (
                "do not run npm test\nuse npm ci",
                "do not run `npm test`\nuse `npm ci`",
            ),
        ] {
            assert_eq!(mark_commands(text), expected);
        }
    }

    #[test]
    fn what_may_be_mere_words_is_left() {
        for text in [
            "",
            "run it again later, and go on",
            "run just before the tests",
            "run the tests with npm test",
            "use src/lib.rs as the example",
            "use the staging account; call me first",
            "start with the slow ones",
            "prefer long names - not short ones -- always",
            "with -n auto it hangs, without --offline it fails",
            "make sure that npm is there",
            "use https://example.com/bin/x",
            "Use Go for it, try make",
        ] {
            assert_eq!(mark_commands(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_stays_what_it_is(text in "[a-z./ \n`-]{0,60}|\\PC{0,60}") {
            let marked = mark_commands(&text);
            proptest::prop_assert_eq!(marked.replace('`', ""), text.replace('`', ""));
        }
    }
}
