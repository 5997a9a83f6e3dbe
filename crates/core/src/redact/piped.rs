//! Finds passwords that a command reads from another or from the lines below it: `echo … | chpasswd`.
//!
//! The table of shapes lists the commands that read one; `command` handles arguments.

use std::ops::Range;

use super::{
    alphabet::{Alphabet, BLANK, SLUG},
    command, placeholder,
};

/// How far from a command its input may begin, in bytes.
const CALL_BYTES: usize = 512;

/// Finds the passwords that are piped into a command: `echo 'user:…' | chpasswd`.
pub(super) fn find_piped_passwords(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let mut found: Vec<_> = find_echo_argument(text, at).into_iter().collect();
    found.extend(read_here_document(text, at));
    let pairs = text[at..].starts_with(b"chpasswd");
    found
        .into_iter()
        .filter_map(|word| extract_password(text, word, pairs))
        .collect()
}

/// Finds the password in a pair that is piped into an encoder: `echo -n 'user:…' | base64`.
pub(super) fn find_encoded_pair(text: &[u8], at: usize) -> Option<Range<usize>> {
    find_pair_password(text, find_echo_argument(text, at)?)
}

pub(super) fn find_pair_password(text: &[u8], pair: Range<usize>) -> Option<Range<usize>> {
    let user = SLUG
        .union(Alphabet::from_chars("@."))
        .run_from(text, pair.start, 64);
    let long = pair.end >= user.end + 1 + 6;
    let divides = !user.is_empty() && long && text[user.end] == b':';
    divides.then(|| extract_password(text, pair, true))?
}

/// Returns the last argument of the `echo` or `printf` before a pipe.
fn find_echo_argument(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = at.saturating_sub(CALL_BYTES);
    let line = text[near..at].iter().rposition(|&byte| byte == b'\n');
    let line = near + line.map_or(0, |at| at + 1);
    let before = &text[line..at + usize::from(text[at] == b'|')];
    let pipe = before.iter().rposition(|&byte| byte == b'|')?;
    let command = &before[..pipe];
    let starts = |word: &[u8]| {
        command
            .windows(word.len())
            .rposition(|window| window == word)
    };
    let start = starts(b"echo ")
        .map(|at| at + 5)
        .or(starts(b"printf ").map(|at| at + 7))?;
    let words = command::split_words(text, line + start);
    words
        .into_iter()
        .rfind(|word| word.end <= line + pipe + 1 && !text[word.clone()].starts_with(b"-"))
}

/// Returns the word or the line of a here-document after `<<<` or `<<EOF`.
fn read_here_document(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let rest = &text[at..text.len().min(at + CALL_BYTES)];
    let line = rest
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(rest.len());
    let Some(sign) = rest[..line].windows(2).position(|window| window == b"<<") else {
        return Vec::new();
    };
    if rest[sign..].starts_with(b"<<<") {
        return command::split_words(text, at + sign + 3)
            .into_iter()
            .take(1)
            .collect();
    }
    let (mut lines, mut start) = (Vec::new(), at + line + 1);
    for row in rest
        .get(line + 1..)
        .unwrap_or_default()
        .split(|&byte| byte == b'\n')
        .take(8)
    {
        if !row.contains(&b':') {
            break;
        }
        lines.push(start..start + row.len());
        start += row.len() + 1;
    }
    lines
}

/// Returns the password in the input: all of it, or the part after the user.
fn extract_password(text: &[u8], word: Range<usize>, pairs: bool) -> Option<Range<usize>> {
    let bytes = &text[word.clone()];
    let colon = bytes
        .iter()
        .position(|&byte| byte == b':')
        .filter(|_| pairs);
    let start = colon.map_or(word.start, |at| word.start + at + 1);
    let secret = &text[start..word.end];
    let whole = if pairs {
        colon.is_some()
    } else {
        text[..start].ends_with(b"'") || !secret.iter().any(|byte| BLANK.contains(*byte))
    };
    (whole && secret.len() >= 4 && !placeholder::is_stand_in(secret)).then_some(start..word.end)
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
        ] {
            let at = text.find("chpasswd").unwrap();
            let found = find_piped_passwords(text.as_bytes(), at);
            let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
