//! Finds secrets that a command reads from another or from the lines below it: `echo … | chpasswd`, `login <<< …`.
//!
//! What the command is called and how it is told decide whether it reads one; `command` handles arguments.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, LETTER, SLUG},
    command, placeholder,
    value::{count_noise, is_among},
};

/// How much of a command is read, in bytes.
const CALL_BYTES: usize = 512;
/// The most lines of a here-document.
const MAX_LINES: usize = 8;

/// Words of commands that read nothing but a secret.
#[rustfmt::skip]
const READER_WORDS: &[&str] = &[
    "chpasswd", "cryptsetup", "kinit", "passin", "passphrase", "passwd", "password", "smbpasswd", "stdin", "token",
];

/// Words of commands that may read one.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &[
    "apikey", "auth", "authenticate", "credential", "credentials", "htpasswd", "key", "keychain", "keyring", "login",
    "pass", "secret", "secrets", "signin", "su", "unlock", "vault",
];

/// Programs that pass on or search what they read.
#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "awk", "cat", "cut", "egrep", "fgrep", "grep", "head", "jq", "less", "rg", "sed", "sort", "tail", "tee", "tr", "wc", "xargs",
];

/// What a command does with what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// It reads a secret.
    Secret,
    /// It may read one.
    MaybeSecret,
    /// It reads a user with a password.
    Pair,
    /// It encodes what it reads.
    Encoded,
}

/// Finds what the `echo` or `printf` at `at` hands to a command that reads a secret: `echo x | tool`, `tool < <(echo x)`.
pub(super) fn find_piped_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let name = LETTER.run_from(text, at, 8);
    let words = command::split_words(text, name.end).into_iter();
    let words = words.take_while(|word| !text[word.clone()].starts_with(b"#"));
    let word = words
        .filter(|word| !text[word.clone()].starts_with(b"-"))
        .last()?;
    let pipe = Alphabet::from_chars("\"' \t")
        .run_from(text, word.end, 8)
        .end;
    let reading = if text[..at].ends_with(b"<(") {
        read_command(line_before(text, at - 2))
    } else {
        read_command(line_after(text, pipe).strip_prefix(b"|")?)
    };
    let word_end = word.end - usize::from(text[word.clone()].ends_with(b")"));
    accept_input(text, word.start..word_end, reading?)
}

/// Finds what a command that reads a secret is given by the `<<` at `at`: a word, or lines.
pub(super) fn find_here_secrets(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let next_command = line_after(text, at).split(|&byte| byte == b'|').nth(1);
    let reading = read_command(line_before(text, at)).or_else(|| read_command(next_command?));
    let inputs = if text[at..].starts_with(b"<<<") {
        command::split_words(text, at + 3)
            .into_iter()
            .take(1)
            .collect()
    } else {
        read_here_document(text, at)
    };
    let inputs = inputs
        .into_iter()
        .filter_map(|word| accept_input(text, word, reading?));
    inputs.collect()
}

/// Returns the command before `at`, on its line.
fn line_before(text: &[u8], at: usize) -> &[u8] {
    let near = &text[at.saturating_sub(CALL_BYTES)..at];
    near.rsplit(|byte| b"\n|;`".contains(byte))
        .next()
        .unwrap_or_default()
}

/// Returns the rest of the line at `at`.
fn line_after(text: &[u8], at: usize) -> &[u8] {
    let near = text
        .get(at..text.len().min(at + CALL_BYTES))
        .unwrap_or_default();
    near.split(|&byte| byte == b'\n').next().unwrap_or_default()
}

pub(super) fn find_pair_password(text: &[u8], pair: Range<usize>) -> Option<Range<usize>> {
    let user = SLUG
        .union(Alphabet::from_chars("@."))
        .run_from(text, pair.start, 64);
    let long = pair.end >= user.end + 1 + 6;
    let divides = !user.is_empty() && long && text[user.end] == b':';
    divides.then(|| accept_input(text, pair, Reading::Pair))?
}

/// Returns what the first command of a pipe that is no filter reads, if it may be a secret.
fn read_command(pipe: &[u8]) -> Option<Reading> {
    let is_name = |word: &&[u8]| !word.is_empty() && ![&b"sudo"[..], b"$", b"-S"].contains(word);
    let asks = |command: &[u8]| command.trim_ascii_start().starts_with(b"sudo -S");
    let mut commands = pipe.split(|&byte| byte == b'|').map(|command| {
        let words = command.split(|byte| BLANK.contains(*byte));
        (command, words.clone().find(is_name).unwrap_or_default())
    });
    let (command, program) =
        commands.find(|(command, program)| asks(command) || !is_among(program, FILTERS))?;
    let has = |listed: &[&str]| {
        let mut words = command.split(|byte| !ALNUM.contains(*byte));
        words.any(|word| is_among(word, listed))
    };
    match program {
        b"" => None,
        b"chpasswd" => Some(Reading::Pair),
        b"base64" => Some(Reading::Encoded),
        _ if asks(command) || has(READER_WORDS) => Some(Reading::Secret),
        _ => has(SECRET_WORDS).then_some(Reading::MaybeSecret),
    }
}

/// Returns the lines below `<<EOF` up to the word behind it.
fn read_here_document(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let signs = Alphabet::from_chars("<-\"' ").run_from(text, at, 6);
    let word = &text[ALNUM.run_from(text, signs.end, 16)];
    let rest = &text[signs.end..text.len().min(signs.end + CALL_BYTES)];
    let mut start = signs.end + line_after(text, signs.end).len() + 1;
    let mut lines = Vec::new();
    for row in rest.split(|&byte| byte == b'\n').skip(1).take(MAX_LINES) {
        if row.trim_ascii() == word {
            return lines;
        }
        lines.push(start..start + row.len());
        start += row.len() + 1;
    }
    Vec::new()
}

/// Returns the secret in the input: all of it, or the part after the user.
fn accept_input(text: &[u8], word: Range<usize>, reading: Reading) -> Option<Range<usize>> {
    if reading == Reading::Encoded {
        return find_pair_password(text, word);
    }
    let bytes = &text[word.clone()];
    let colon = bytes.iter().position(|&byte| byte == b':');
    let colon = colon.filter(|_| reading == Reading::Pair);
    let start = colon.map_or(word.start, |at| word.start + at + 1);
    let secret = &text[start..word.end];
    let whole = match reading {
        Reading::Pair => colon.is_some(),
        _ => text[..start].ends_with(b"'") || !secret.iter().any(|byte| BLANK.contains(*byte)),
    };
    let likely = reading != Reading::MaybeSecret
        || command::is_typed_password(secret)
        || count_noise(secret) >= 12;
    let worth = whole && likely && secret.len() >= 4 && !placeholder::is_stand_in(secret);
    worth.then_some(start..word.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_reads() {
        for (text, expected) in [
            ("echo 'ann:Fern-4' | chpasswd", vec!["Fern-4"]),
            ("chpasswd <<< \"ann:Fern-4\"", vec!["Fern-4"]),
            (
                "chpasswd <<EOF\nann:Fern-4\nbob:Moss-5\nEOF",
                vec!["Fern-4", "Moss-5"],
            ),
            ("echo \"$USER:$PASS\" | chpasswd", vec![]),
            ("cat list | chpasswd", vec![]),
            ("echo Fern-4 | tool login --password-stdin", vec!["Fern-4"]),
            ("printf '%s' Fern-4 | sudo -S tee x", vec!["Fern-4"]),
            ("echo Fern-4 | sudo tee /etc/passwd", vec![]),
            ("echo Fern-4 | grep password", vec![]),
            ("echo done | tool login", vec![]),
            ("echo Fern-45 | tool login", vec!["Fern-45"]),
            ("echo Fern-45 || tool login", vec![]),
            ("tool secret put x <<< \"Fern-45\"", vec!["Fern-45"]),
            ("cat <<EOF\nsecret\nEOF", vec![]),
        ] {
            let bytes = text.as_bytes();
            let found = match text.find("<<") {
                Some(at) => find_here_secrets(bytes, at),
                None => find_piped_secret(bytes, 0).into_iter().collect(),
            };
            let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
