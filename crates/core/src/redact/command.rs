//! Passwords in command lines, behind options that only the command gives a meaning.
//!
//! `--password x` names itself and is found by `named`. `-p` is a password to `sshpass`, a port to
//! `docker run` and a path to `mkdir`, so each row here is one command.

use std::ops::Range;

use super::{
    alphabet::{BLANK, WORD, starts_word},
    url, value,
};

/// How much of a command line is read, in bytes.
const LINE_BYTES: usize = 512;

/// How an option takes what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `-pSECRET`
    Glued,
    /// `-p SECRET`
    Next,
    /// `-u user:SECRET`
    Pair,
    /// `-U user%SECRET`
    Percent,
}

/// A command with an option that takes a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Command {
    /// How the command's name begins.
    pub(super) name: &'static str,
    /// A word that must stand in the line, if any.
    verb: &'static str,
    options: &'static [&'static str],
    takes: Takes,
}

const fn command(
    name: &'static str,
    verb: &'static str,
    options: &'static [&'static str],
    takes: Takes,
) -> Command {
    Command {
        name,
        verb,
        options,
        takes,
    }
}

/// All commands.
#[rustfmt::skip]
pub(super) const COMMANDS: &[Command] = &[
    command("curl", "", &["-u", "--user", "-U", "--proxy-user"], Takes::Pair),
    command("xh ", "", &["-a", "--auth"], Takes::Pair),
    command("http ", "", &["-a", "--auth"], Takes::Pair),
    command("https ", "", &["-a", "--auth"], Takes::Pair),
    command("mysql", "", &["-p"], Takes::Glued),
    command("mariadb", "", &["-p"], Takes::Glued),
    command("sshpass", "", &["-p"], Takes::Next),
    command("sshpass", "", &["-p"], Takes::Glued),
    command("redis-cli", "", &["-a", "--pass"], Takes::Next),
    command("docker", "login", &["-p"], Takes::Next),
    command("podman", "login", &["-p"], Takes::Next),
    command("helm", "login", &["-p"], Takes::Next),
    command("skopeo", "login", &["-p"], Takes::Next),
    command("buildah", "login", &["-p"], Takes::Next),
    command("oc login", "", &["-p"], Takes::Next),
    command("az login", "", &["-p"], Takes::Next),
    command("mongo", "", &["-p"], Takes::Next),
    command("twine", "", &["-p"], Takes::Next),
    command("sqlcmd", "", &["-P"], Takes::Next),
    command("sqlcmd", "", &["-P"], Takes::Glued),
    command("ldapsearch", "", &["-w"], Takes::Next),
    command("ldapmodify", "", &["-w"], Takes::Next),
    command("unzip", "", &["-P"], Takes::Next),
    command("zip ", "", &["-P"], Takes::Next),
    command("7z ", "", &["-p"], Takes::Glued),
    command("mosquitto_", "", &["-P"], Takes::Next),
    command("smbclient", "", &["-U"], Takes::Percent),
    command("rsync", "", &["--password"], Takes::Next),
];

impl Command {
    /// Finds the secrets in the command line whose command stands at `at`.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Vec<Range<usize>> {
        if !starts_word(text, at) {
            return Vec::new();
        }
        let end = WORD.run(text, at + self.name.trim_end().len(), 16).end;
        let words = words(text, end);
        let told = self.verb.is_empty()
            || words
                .iter()
                .any(|word| &text[word.clone()] == self.verb.as_bytes());
        if !told || !BLANK.has(*text.get(end).unwrap_or(&b'\n')) {
            return Vec::new();
        }
        (0..words.len())
            .filter_map(|index| self.secret(text, &words, index))
            .collect()
    }

    fn secret(&self, text: &[u8], words: &[Range<usize>], index: usize) -> Option<Range<usize>> {
        let word = words[index].clone();
        let bytes = &text[word.clone()];
        let option = self
            .options
            .iter()
            .find(|option| bytes.starts_with(option.as_bytes()))?;
        let rest = &bytes[option.len()..];
        if self.takes == Takes::Glued {
            let range = word.start + option.len()..word.end;
            return (rest.len() >= 3 && !is_harmless(&text[range.clone()])).then_some(range);
        }
        let argument = match rest {
            [] => words.get(index + 1)?.clone(),
            [b'=', ..] => word.start + option.len() + 1..word.end,
            _ => return None,
        };
        self.argument(text, argument)
    }

    fn argument(&self, text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        let bytes = &text[range.clone()];
        let divider = match self.takes {
            Takes::Pair => b':',
            Takes::Percent => b'%',
            Takes::Glued | Takes::Next => {
                let secret = bytes.len() >= 3 && !bytes.starts_with(b"-") && !is_harmless(bytes);
                return secret.then_some(range);
            }
        };
        let at = bytes.iter().position(|&byte| byte == divider)?;
        let (user, password) = (&bytes[..at], &bytes[at + 1..]);
        let secret = password.len() >= 3 && password != user && !is_harmless(password);
        (secret && !user.starts_with(b"$") && !user.starts_with(b"<")).then_some(range)
    }
}

fn is_harmless(bytes: &[u8]) -> bool {
    url::is_stand_in(bytes) || value::contains(bytes, "[redacted:")
}

/// Splits the rest of a command line into its words, without their quotes.
fn words(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let limit = text.len().min(start + LINE_BYTES);
    let (mut words, mut at) = (Vec::new(), start);
    while at < limit {
        let escaped = text[at] == b'\\' && text[at..].starts_with(b"\\\n");
        match text[at] {
            _ if escaped => at += 2,
            b' ' | b'\t' => at += 1,
            b'\n' | b'|' | b';' | b'`' => break,
            _ => {
                let (word, end) = word(text, at, limit);
                words.push(word);
                at = end;
            }
        }
    }
    words
}

/// Reads one word, and returns where the next may begin.
fn word(text: &[u8], at: usize, limit: usize) -> (Range<usize>, usize) {
    let escape = usize::from(text[at] == b'\\');
    let quote = text[at + escape..limit].first().copied();
    match quote {
        Some(quote @ (b'"' | b'\'')) => {
            let start = at + escape + 1;
            let length = text[start..limit]
                .iter()
                .take_while(|&&byte| byte != quote)
                .count();
            let backslash = usize::from(escape == 1 && text[..start + length].ends_with(b"\\"));
            (
                start..start + length - backslash.min(length),
                (start + length + 1).min(limit),
            )
        }
        _ => {
            let mut end = at;
            while end < limit && !b" \t\n|;`\"".contains(&text[end]) {
                end += match text[end] {
                    // A quote inside a word, as in `-p'secret'`, holds blanks together.
                    b'\'' => closing(&text[end + 1..limit]).map_or(1, |length| length + 2),
                    _ => 1,
                };
            }
            (at..end.max(at + 1), end.max(at + 1))
        }
    }
}

fn closing(rest: &[u8]) -> Option<usize> {
    rest.iter().position(|&byte| byte == b'\'')
}
