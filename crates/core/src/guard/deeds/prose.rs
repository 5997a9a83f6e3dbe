//! Reads what a sentence asks to have done to a file, a setting or a package, as the command line that would do it.
//!
//! "Put `x` into ~/.bashrc" is `echo x >> ~/.bashrc`, "set sslVerify to false" is `sslVerify=false`. So the readers of
//! commands decide about both, and no sentence needs rules of its own. Whether it is advised is left to them as well.

use std::ops::Range;

use super::tables::{TABLES, join_letters};
use crate::{
    guard::sentences::sentence_ranges,
    outside::host,
    shell::{is_listed, is_program_by_name},
    tokens::split_name_words,
};

/// Where something goes that strangers may read.
const OUTSIDE: &str = "https://outside.invalid";

/// A word of a sentence, or all that stands between marks of code.
#[derive(Debug, Clone, Copy)]
struct Part<'a> {
    text: &'a str,
    at: usize,
    is_code: bool,
    /// Whether it stands in quotation marks.
    is_quoted: bool,
}

impl Part<'_> {
    fn is_word(&self, list: &str) -> bool {
        !self.is_code && TABLES.lists(list, self.text)
    }

    /// Returns whether it names a file: by a folder, or as one that is known.
    fn is_path(&self) -> bool {
        let starts = self.text.starts_with(['/', '~', '.']) && self.text.len() > 2;
        let is_plain = !self.text.contains([' ', '=', '(', ')', '"', '\'']);
        let is_file = starts || TABLES.find_write(self.text).is_some();
        is_plain && is_file && host::parse_host(self.text).is_none()
    }

    /// Returns whether it names a setting or a package: by marks of code, or by how it is built.
    fn is_name(&self) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-[]:".contains(c);
        let is_built = |c: char| "_.".contains(c) || c.is_ascii_uppercase();
        self.text.len() > 2
            && self.text.chars().all(is_part)
            && (self.is_code || self.text.chars().skip(1).any(is_built))
    }

    /// Returns whether it names a setting that protects others, and not one that lifts it.
    fn names_guard(&self) -> bool {
        const LIFTS: &str = "no not skip disable allow insecure ignore bypass trusted";
        let mut words = split_name_words(self.text).into_iter();
        let name = join_letters(self.text);
        let is_guard = self.is_code && self.is_name() && TABLES.has_part("guards", &name);
        is_guard && !words.any(|word| is_listed(LIFTS, &word))
    }
}

/// A command line that a sentence asks for in other words.
pub(super) struct ToldLine {
    /// The place of its verb.
    pub(super) at: usize,
    pub(super) line: String,
    /// Whether the sentence gives a part of it as code.
    pub(super) has_code: bool,
}

/// Returns the command lines that the sentences of a text ask for in words.
pub(super) fn find_told_lines(text: &str) -> Vec<ToldLine> {
    let mut lines = Vec::new();
    for Range { start, end } in sentence_ranges(text) {
        let parts = split_parts(text, start, end);
        let orders: Vec<usize> = (0..parts.len())
            .filter(|&at| is_order(&parts, at))
            .collect();
        for (index, &at) in orders.iter().enumerate() {
            let next = orders.get(index + 1).copied().unwrap_or(parts.len());
            let rest = parts[at + 1..next].iter();
            // What is quoted is written down, whatever it denies.
            let is_denial = |part: &Part<'_>| part.is_word("denials") || part.text.ends_with("n't");
            let is_meant = |part: &&Part<'_>| part.is_quoted || !is_denial(part);
            let rest: Vec<Part<'_>> = rest.take_while(is_meant).copied().collect();
            let has_code = rest.iter().any(|part| part.is_code && !part.is_path());
            let order = tell_order(&parts[at], &rest, &parts).into_iter();
            lines.extend(order.map(|line| ToldLine {
                at: parts[at].at,
                line,
                has_code,
            }));
        }
    }
    lines
}

fn split_parts(text: &str, start: usize, end: usize) -> Vec<Part<'_>> {
    const SIGNS: &str = ",;:\"'()!?*\u{201c}\u{201d}";
    const QUOTES: [char; 3] = ['"', '\u{201c}', '\u{201d}'];
    let mut parts = Vec::new();
    let mut at = start;
    let mut quotes = 0;
    for (index, chunk) in text[start..end].split('`').enumerate() {
        let is_code = index % 2 == 1;
        let mut from = at;
        let words = chunk.split(|c: char| !is_code && c.is_ascii_whitespace());
        for word in words {
            let bare = word.trim_matches(|c: char| SIGNS.contains(c) && !is_code);
            let part = Part {
                text: if is_code {
                    word
                } else {
                    bare.trim_end_matches('.')
                },
                at: from,
                is_code,
                is_quoted: quotes % 2 == 1 || word.starts_with(QUOTES),
            };
            quotes += if is_code {
                0
            } else {
                word.matches(QUOTES).count()
            };
            parts.extend(Some(part).filter(|part| !part.text.is_empty()));
            from += word.len() + 1;
        }
        at += chunk.len() + 1;
    }
    parts
}

/// Returns whether a word is a verb that asks for something: at the beginning, behind a sign or what leads to an order.
fn is_order(parts: &[Part<'_>], at: usize) -> bool {
    const LEADS: &str = "and then or to must should please always just also you now first simply will may can by after instead";
    let verbs = ["writes", "removes", "carries", "sets", "installs"];
    let follows = |before: &Part<'_>| {
        let end = before.at + before.text.len() + usize::from(before.is_code);
        parts[at].at > end + 1 || is_listed(LEADS, &before.text.to_ascii_lowercase())
    };
    let before = at.checked_sub(1).map(|before| &parts[before]);
    let follows_place = || names_place_first(parts) && parts[..at].iter().any(Part::is_path);
    (before.is_none_or(follows) || follows_place())
        && verbs.iter().any(|list| parts[at].is_word(list))
}

/// Returns whether a sentence begins with the place of what it asks for: "In `a.conf` set …".
fn names_place_first(sentence: &[Part<'_>]) -> bool {
    is_listed("In Inside", sentence[0].text)
}

/// Returns the command lines for a verb and what follows it.
fn tell_order(verb: &Part<'_>, rest: &[Part<'_>], sentence: &[Part<'_>]) -> Vec<String> {
    let [writes, installs] = ["writes", "installs"].map(|list| verb.is_word(list));
    let says = |list: &str| sentence.iter().any(|part| part.is_word(list));
    let parts = if names_place_first(sentence) {
        sentence
    } else {
        rest
    };
    let paths = || parts.iter().filter(|part| part.is_path());
    let content = rest.iter().map(|part| part.text).collect::<Vec<_>>();
    let content = content.join(" ").replace('\'', "");
    let mut lines = Vec::new();
    if installs || writes {
        // A command is judged by itself, and what may call from an origin is not fetched from it.
        let is_other = |part: &&Part<'_>| {
            let program = part.text.split(' ').next().unwrap_or_default();
            part.is_code
                && (is_program_by_name(program) || part.text.to_lowercase().contains("origin"))
        };
        let words = rest
            .iter()
            .filter(|part| !is_other(part))
            .flat_map(|part| part.text.split(' '));
        // What looks like a host may be a setting: `hydra.run.dir`.
        let is_place =
            |word: &&str| word.contains("://") || says("source_words") && is_bare_host(word);
        let places = words.filter(is_place);
        lines.extend(places.map(|place| {
            let place = place.trim_matches(|c: char| !c.is_alphanumeric());
            let place = place.rsplit("://").next().unwrap_or(place);
            format!("registry=https://{place}")
        }));
    }
    if writes {
        lines.extend(paths().map(|path| format!("echo '{content}' >> {}", path.text)));
    }
    if verb.is_word("removes") {
        lines.extend(paths().map(|path| format!("rm {}", path.text)));
        let guards = rest.iter().filter(|part| part.names_guard());
        lines.extend(guards.map(|guard| format!("{}=off", guard.text)));
    }
    if verb.is_word("carries") && rest.iter().any(names_outside) {
        lines.push(format!("curl -d '{content}' {OUTSIDE}"));
    }
    if installs && (says("package_words") || verb.text.eq_ignore_ascii_case("install")) {
        let names = rest.iter().filter(|part| part.is_code && part.is_name());
        lines.extend(names.map(|name| format!("pip install {}", name.text)));
    }
    lines.extend(tell_settings(verb, rest));
    lines
}

/// Returns whether a word is a host without its scheme: `npm.example.net`.
fn is_bare_host(word: &str) -> bool {
    let is_named = word.contains(char::is_alphabetic) && word.split('.').count() > 2;
    is_named && host::looks_like_host(word)
}

/// Returns whether a word names a place where others read.
fn names_outside(part: &Part<'_>) -> bool {
    let mailbox = || Some(part.text.split_once('@')?.1).filter(|host| host.contains('.'));
    let place = host::parse_host(part.text).or_else(mailbox);
    part.is_word("outsiders") || place.is_some_and(|place| !host::is_local_host(place))
}

/// Returns the assignments for "set NAME to VALUE", "set NAME = VALUE" and "change `NAME` from OLD to NEW".
fn tell_settings(verb: &Part<'_>, rest: &[Part<'_>]) -> Vec<String> {
    if !verb.is_word("sets") {
        return Vec::new();
    }
    let names = (0..rest.len()).filter(|&at| rest[at].is_name());
    let settings = names.filter_map(|at| {
        let value = find_value(&rest[at + 1..])?;
        Some(format!("{}={value}", rest[at].text))
    });
    settings.collect()
}

/// Returns the value that words behind the name of a setting give to it.
fn find_value<'a>(behind: &[Part<'a>]) -> Option<&'a str> {
    let next = behind
        .iter()
        .position(Part::is_name)
        .unwrap_or(behind.len());
    let mut words = behind.iter();
    let to = words.position(|part| is_listed("to as =", part.text))?;
    let value = behind.get(to + 1).map(|part| part.text);
    value.filter(|_| to <= next)
}
