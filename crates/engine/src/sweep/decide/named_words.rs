//! The words of a text that name something: commands, paths, numbers, dates, errors, names of people and products.
//!
//! Whoever says the same in other words keeps them, and adds none. A name that begins a sentence looks like any other
//! word there, and is not listed.

use std::collections::BTreeSet;

use hardwon_core::trace::call::has_apart;

/// Programs that are named without a mark, and of which none may come from nowhere.
const PROGRAMS: &str = " bash bun cargo chmod chown curl dd docker eval git kubectl nc npm npx node perl pip pip3 pnpm \
    podman poetry powershell python python3 rm ruby scp sh ssh sudo uv wget yarn zsh ";
/// Words with a mark in them that name nothing.
const NO_NAMES: &str = " e.g i.e etc and/or a.m p.m ";

/// Returns the words of a text that name something, in lower case.
pub(super) fn find_named_words(text: &str) -> BTreeSet<String> {
    let words = list_words(text).into_iter();
    let words = words.filter(|word| word.is_code || is_name(word.bare, word.begins_sentence));
    words.map(|word| word.bare.to_lowercase()).collect()
}

/// A word of a text, and where it stands.
struct PlacedWord<'t> {
    bare: &'t str,
    is_code: bool,
    begins_sentence: bool,
}

fn list_words(text: &str) -> Vec<PlacedWord<'_>> {
    let mut words = Vec::new();
    let mut begins = true;
    for (place, part) in text.split('`').enumerate() {
        let is_code = place % 2 == 1;
        for word in part.split_whitespace() {
            let bare = trim_word(word);
            if bare.chars().any(char::is_alphanumeric) {
                words.push(PlacedWord {
                    bare,
                    is_code,
                    begins_sentence: begins,
                });
            }
            begins = !is_code && ends_sentence(word);
        }
        // What follows code goes on with its sentence.
        begins &= !is_code;
    }
    words
}

/// Returns whether a name stands in a text, and not only as a part of another word. Both are in lower case.
pub(super) fn has_name(text: &str, name: &str) -> bool {
    has_apart(text, name, char::is_alphanumeric)
}

fn trim_word(word: &str) -> &str {
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | '~' | '.' | '$' | '@');
    word.trim_start_matches(|c| !is_part(c))
}

fn is_name(word: &str, begins_sentence: bool) -> bool {
    let lower = word.to_lowercase();
    let word_in_blanks = format!(" {lower} ");
    if NO_NAMES.contains(&word_in_blanks) {
        return false;
    }
    let has_mark = word.starts_with('-')
        || word.contains(|c: char| {
            c.is_ascii_digit() || matches!(c, '_' | ':' | '/' | '.' | '@' | '\\' | '=' | '$' | '~')
        });
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
    let is_capital = word.starts_with(char::is_uppercase) && lower != "i" && !begins_sentence;
    has_mark || has_inner_capital || is_capital || PROGRAMS.contains(&word_in_blanks)
}

/// Returns whether the next word begins a sentence.
fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['"', '\'', ')', '*', '”', '’']);
    word.ends_with(['.', '!', '?', ':', ';']) || word.is_empty() || matches!(word, "-" | "*" | "#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_something_is_found() {
        let check = |text: &str, expected: &str| {
            let names: Vec<String> = find_named_words(text).into_iter().collect();
            assert_eq!(names.join(" "), expected, "{text}");
        };
        check("Use tabs. Never mix them, e.g. in lists.", "");
        check(
            "Run `npm run test:unit` in src/client.rs, not make.",
            "npm run src/client.rs test:unit",
        );
        check(
            "It failed with TypeError and ENOENT on 2026-03-01.",
            "2026-03-01 enoent typeerror",
        );
        check(
            "Ask Ada's team before Friday; they keep v1.2 of the API.",
            "ada api friday v1.2",
        );
        check("Pass --force to git, then curl it.", "--force curl git");
        check("see ~/.ssh/config (or ./run.sh)", "./run.sh ~/.ssh/config");
        check("Say: Do it. *Then* do 3 more", "3");
    }

    #[test]
    fn a_name_is_no_part_of_another() {
        let check = |text: &str, name: &str, expected| assert_eq!(has_name(text, name), expected);
        check("run make db first", "make", true);
        check("run cmake first", "make", false);
        check("in src/a.rs:12, twice", "src/a.rs", true);
    }
}
