//! Finds passwords in command lines, after options that only the command gives a meaning.
//!
//! `--password x` names itself and is found by `named`. `-p` is a password to `sshpass`, a port to `docker run` and a
//! path to `mkdir`, so each row here is one command.

use std::ops::Range;

use super::{
    alphabet::{ANY64, Alphabet, BLANK, LETTER, WORD, starts_word},
    command_rows::{SecretCommand, SecretPlacement},
    ending, url,
    value::{self, is_among},
};

/// How much of a command line is read, in bytes.
const LINE_BYTES: usize = 512;

impl SecretCommand {
    /// Finds the secrets in the command line whose command is at `at`.
    pub(super) fn find_secrets(&self, text: &[u8], at: usize) -> Vec<Range<usize>> {
        if !starts_word(text, at) {
            return Vec::new();
        }
        // `mysqldump` counts as `mysql`.
        let end = WORD.run_from(text, at + self.name.trim_end().len(), 16).end;
        let words = split_words(text, end);
        let is_told =
            self.verbs.is_empty() || words.iter().any(|word| self.is_verb(&text[word.clone()]));
        if !is_told || !BLANK.contains(*text.get(end).unwrap_or(&b'\n')) {
            return Vec::new();
        }
        if self.placement == SecretPlacement::Keyed {
            return self.find_keyed_secrets(text, &words);
        }
        if let SecretPlacement::Slash
        | SecretPlacement::Named
        | SecretPlacement::Last
        | SecretPlacement::LastTyped
        | SecretPlacement::Only = self.placement
        {
            return self.find_argument_secrets(text, &words);
        }
        (0..words.len())
            .filter_map(|index| self.find_option_secret(text, &words, index))
            .collect()
    }

    fn is_verb(&self, word: &[u8]) -> bool {
        self.verbs.iter().any(|verb| word == verb.as_bytes())
    }

    /// Finds the secrets of a directive of network devices.
    fn find_keyed_secrets(&self, text: &[u8], words: &[Range<usize>]) -> Vec<Range<usize>> {
        let is_key = |word: &Range<usize>| {
            let is_it = |option: &&str| text[word.clone()] == *option.as_bytes();
            self.options.iter().any(is_it)
        };
        let starts = (0..words.len()).filter(|&at| is_key(&words[at]));
        let starts: Vec<_> = match self.options {
            [] => vec![0],
            _ => starts.map(|at| at + 1).collect(),
        };
        let secret = |start: usize| {
            let mut behind = words.get(start..)?.iter();
            let word = behind.find(|word| !is_key_qualifier(&text[(*word).clone()]))?;
            let bytes = &text[word.clone()];
            // `the key option2 goes`
            let plain = bytes
                .iter()
                .filter(|byte| !byte.is_ascii_lowercase())
                .count()
                < 2;
            (is_typed_password(bytes) && !plain).then(|| word.clone())
        };
        starts.into_iter().filter_map(secret).collect()
    }

    /// Finds the secrets among arguments without an option.
    fn find_argument_secrets(&self, text: &[u8], words: &[Range<usize>]) -> Vec<Range<usize>> {
        let plain: Vec<_> = words
            .iter()
            .filter(|word| !is_option(text, word))
            .cloned()
            .collect();
        match self.placement {
            SecretPlacement::Slash => plain
                .iter()
                .take(1)
                .filter_map(|word| find_slash_password(text, word))
                .collect(),
            SecretPlacement::Last if plain.len() >= 2 || self.name == "ngrok" => {
                let last = plain.last().cloned().into_iter();
                last.filter(|word| word.len() >= 4 && !is_harmless_argument(&text[word.clone()]))
                    .collect()
            }
            SecretPlacement::Only if plain.len() == 1 && words.len() == 1 => {
                let only = plain.into_iter();
                only.filter(|word| word.len() >= 6 && !is_harmless_argument(&text[word.clone()]))
                    .collect()
            }
            // `/add` is an option to Windows, and a typed password is no path.
            SecretPlacement::LastTyped => {
                let names = plain
                    .iter()
                    .filter(|word| !text[(*word).clone()].starts_with(b"/"));
                let names: Vec<_> = names.cloned().collect();
                let last = names
                    .last()
                    .cloned()
                    .filter(|_| names.len() >= 2 || self.name.contains(' '));
                last.filter(|word| is_typed_password(&text[word.clone()]))
                    .into_iter()
                    .collect()
            }
            SecretPlacement::Named => {
                let verb = words
                    .iter()
                    .position(|word| self.is_verb(&text[word.clone()]));
                let from = verb.map_or(0, |at| at + 1);
                let optional = !self.options.is_empty();
                let candidates = words.iter().skip(from).enumerate();
                let candidates = candidates.filter(|(index, word)| {
                    let previous = (from + index).checked_sub(1).map(|at| words[at].clone());
                    let option = |word: Range<usize>| {
                        let bytes = &text[word];
                        self.options
                            .iter()
                            .any(|option| bytes.starts_with(option.as_bytes()))
                    };
                    !optional || option((*word).clone()) || previous.is_some_and(option)
                });
                candidates
                    .filter_map(|(_, word)| find_named_value(text, word))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn find_option_secret(
        &self,
        text: &[u8],
        words: &[Range<usize>],
        index: usize,
    ) -> Option<Range<usize>> {
        let word = words[index].clone();
        let bytes = &text[word.clone()];
        // `-su ann:secret`
        if self.placement == SecretPlacement::Pair && is_option_cluster(bytes, b'u') {
            return self.accept_argument(text, words.get(index + 1)?.clone());
        }
        let option = self
            .options
            .iter()
            .find(|option| bytes.starts_with(option.as_bytes()))?;
        let rest = &bytes[option.len()..];
        if self.placement == SecretPlacement::Glued {
            let range = word.start + option.len()..word.end;
            return (rest.len() >= 3 && !is_harmless_argument(&text[range.clone()]))
                .then_some(range);
        }
        let glued_value = word.start + option.len()..word.end;
        let argument = match rest {
            [] => words.get(index + 1)?.clone(),
            [b'=', ..] => glued_value.start + 1..glued_value.end,
            // `-uann:secret`, with which no other option begins
            _ if self.placement == SecretPlacement::Pair && option.len() == 2 => glued_value,
            _ => return None,
        };
        self.accept_argument(text, argument)
    }

    fn accept_argument(&self, text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        let bytes = &text[range.clone()];
        if self.placement != SecretPlacement::Pair {
            let option = is_option(text, &range) && !bytes.iter().any(u8::is_ascii_digit);
            let secret = bytes.len() >= 3 && !option && !is_harmless_argument(bytes);
            return secret.then_some(range);
        }
        let at = bytes.iter().position(|byte| b":,%".contains(byte))?;
        let (user, password) = (&bytes[..at], &bytes[at + 1..]);
        let secret = password.len() >= 3 && password != user && !is_harmless_argument(password);
        (secret && !user.starts_with(b"$") && !user.starts_with(b"<")).then_some(range)
    }
}

/// Finds the key of a server in a network device's settings, on a line of its own: `aaa-server …`, then ` key …`.
pub(super) fn find_gear_key(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at.saturating_sub(LINE_BYTES / 2)..at];
    let words_of_gear = ["radius", "tacacs", "aaa-server"];
    let words = split_words(text, at + "\n key ".len());
    let secret = words.last().filter(|_| words.len() <= 2)?;
    let is_gear = words_of_gear
        .iter()
        .any(|words_of_gear| value::contains_ignoring_case(near, words_of_gear));
    (is_gear && is_typed_password(&text[secret.clone()])).then(|| secret.clone())
}

/// Finds the password after the `-p` at `at`, if `-u user` precedes it, whatever the command.
pub(super) fn find_password_after_user(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at.saturating_sub(LINE_BYTES / 4)..at];
    let line = near.rsplit(|byte| b"\n|;".contains(byte)).next()?;
    let mut before = line.rsplit(|byte| BLANK.contains(*byte));
    let user = before.next().filter(|user| !user.starts_with(b"-"))?;
    let option = [&b"-u"[..], b"-U", b"--user", b"--username"];
    let follows_user = before.next().is_some_and(|word| option.contains(&word)) && !user.is_empty();
    let secret = split_words(text, at + " -p ".len()).into_iter().next()?;
    let bytes = &text[secret.clone()];
    let is_port = bytes.first()?.is_ascii_digit() && bytes.iter().any(|byte| b":/".contains(byte));
    (follows_user && is_typed_password(bytes) && !is_port).then_some(secret)
}

/// Finds the password behind the name of a user, whatever the command: `-u ann:secret`.
pub(super) fn find_password_of_user(text: &[u8], at: usize) -> Option<Range<usize>> {
    let words = split_words(text, at);
    let option = words.first()?.clone();
    let sign = text[option.clone()].iter().position(|&byte| byte == b'=');
    let value = match sign {
        Some(sign) => option.start + sign + 1..option.end,
        None => words.get(1)?.clone(),
    };
    let colon = text[value.clone()].iter().position(|&byte| byte == b':')?;
    let secret = value.start + colon + 1..value.end;
    let bytes = &text[secret.clone()];
    (colon > 0 && !bytes.contains(&b'/') && is_typed_password(bytes)).then_some(secret)
}

/// Finds the token among the arguments of the command at `at` that logs in: `TOOL login TOKEN`, `auth login -t TOKEN`.
pub(super) fn find_login_token(text: &[u8], at: usize) -> Option<Range<usize>> {
    const VERBS: &[&str] = &["add", "login", "set", "store", "token"];
    let begins = at == 0 || text[at - 1].is_ascii_whitespace() || b"`:".contains(&text[at - 1]);
    let verb = LETTER
        .union(Alphabet::from_chars("-"))
        .run_from(text, at, 16);
    let mut follows_option = false;
    for word in split_words(text, verb.end).into_iter().filter(|_| begins) {
        let option = is_option(text, &word);
        let sign = text[word.clone()].iter().position(|&byte| byte == b'=');
        let start = word.start + sign.filter(|_| option).map_or(0, |at| at + 1);
        let secret = ending::trim_stops(text, start..word.end, b".,;:)'\"");
        let bytes = &text[secret.clone()];
        if is_drawn_token(bytes) && !is_harmless_argument(bytes) {
            return Some(secret);
        }
        let is_host = bytes.iter().any(|byte| b".:/".contains(byte));
        if !option && !follows_option && !is_host && !is_among(bytes, VERBS) {
            return None;
        }
        follows_option = option && sign.is_none();
    }
    None
}

/// Returns whether a word looks as a program draws tokens: no words in it, no path, no number of something.
fn is_drawn_token(bytes: &[u8]) -> bool {
    const TOKEN: Alphabet = ANY64.union(Alphabet::from_chars("~"));
    let path = bytes.starts_with(b"/") || bytes.starts_with(b".");
    bytes.len() >= 16
        && TOKEN.contains_all(bytes)
        && value::count_noise(bytes) >= 12
        && bytes.iter().any(u8::is_ascii_digit)
        && !value::is_uuid(bytes)
        && !value::is_digest(bytes)
        && !path
}

/// Returns whether a word looks like a typed password: letters, with a digit or a sign.
pub(super) fn is_typed_password(bytes: &[u8]) -> bool {
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let other = |byte: &u8| byte.is_ascii_digit() || b"!?#$%&*+@^~".contains(byte);
    let path = bytes.starts_with(b"\\")
        || bytes.ends_with(b":")
        || value::contains_ignoring_case(bytes, "://");
    bytes.len() >= 6 && letter && bytes.iter().any(other) && !path && !is_harmless_argument(bytes)
}

/// Returns whether a word says how the secret after it is written, or for whom it is.
fn is_key_qualifier(bytes: &[u8]) -> bool {
    #[rustfmt::skip]
    const QUALIFIERS: &[&str] = &[
        "address", "aes", "ascii", "ascii-text", "cipher", "cleartext", "des", "encrypted", "enc", "hex",
        "hmac-sha-256", "irreversible-cipher", "local", "md5", "read", "remote", "set-key", "sha", "sha1",
        "sha256", "sha512", "simple", "text", "value", "write",
    ];
    let number = bytes
        .iter()
        .all(|byte| byte.is_ascii_digit() || b"./".contains(byte));
    number || is_among(bytes, QUALIFIERS)
}

/// Returns whether a word is an option; a quoted one is not.
fn is_option(text: &[u8], word: &Range<usize>) -> bool {
    text[word.clone()].starts_with(b"-")
        && !text[..word.start].ends_with(b"'")
        && !text[..word.start].ends_with(b"\"")
}

/// Returns whether several one-letter options end in this one: `-su`.
fn is_option_cluster(bytes: &[u8], last: u8) -> bool {
    let letters = bytes.strip_prefix(b"-").unwrap_or_default();
    (2..=5).contains(&letters.len()) && LETTER.contains_all(letters) && letters.ends_with(&[last])
}

/// Returns the password of `user/password@host`.
pub(super) fn find_slash_password(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let bytes = &text[word.clone()];
    let slash = bytes
        .iter()
        .position(|&byte| byte == b'/')
        .filter(|&at| at > 0)?;
    let host = bytes
        .iter()
        .rposition(|&byte| byte == b'@')
        .filter(|&at| at > slash);
    let range = word.start + slash + 1..host.map_or(word.end, |at| word.start + at);
    let secret = range.len() >= 3 && !is_harmless_argument(&text[range.clone()]);
    secret.then_some(range)
}

/// Returns the value of the last `name=value` in a word: `--from-literal=name=value`.
fn find_named_value(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let bytes = &text[word.clone()];
    let from = if bytes.starts_with(b"--from-literal=") {
        15
    } else {
        0
    };
    let sign = bytes[from..].iter().position(|&byte| byte == b'=')? + from;
    let is_option = from == 0 && bytes.starts_with(b"-");
    let quote_length = usize::from(
        bytes
            .get(sign + 1)
            .is_some_and(|byte| b"\"'".contains(byte)),
    );
    let close_length = usize::from(
        quote_length == 1 && bytes.len() > sign + 2 && bytes.last() == bytes.get(sign + 1),
    );
    let range = word.start + sign + 1 + quote_length..word.end - close_length;
    let value = &text[range.clone()];
    let is_typed = value.iter().any(|byte| !byte.is_ascii_alphabetic()) && value.len() >= 6;
    let secret = is_typed
        && !value.starts_with(b"@")
        && !is_harmless_argument(value)
        && !value::is_technical_word(value);
    (secret && !is_option).then_some(range)
}

fn is_harmless_argument(bytes: &[u8]) -> bool {
    // `SECRETKEY`, as a synopsis names its arguments
    let is_name = bytes
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || b"_-".contains(byte));
    is_name || url::is_stand_in(bytes) || value::contains_ignoring_case(bytes, "[redacted:")
}

/// Splits the rest of a command line into its words, without their quotes.
pub(super) fn split_words(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let limit = text.len().min(start + LINE_BYTES);
    let (mut words, mut at) = (Vec::new(), start);
    while at < limit {
        let is_escaped = text[at] == b'\\' && text[at..].starts_with(b"\\\n");
        match text[at] {
            _ if is_escaped => at += 2,
            b' ' | b'\t' => at += 1,
            b'\n' | b'|' | b';' | b'`' => break,
            b'&' if text[at..].starts_with(b"&&") => break,
            // The target of a redirection is no argument.
            b'>' | b'<' if matches!(text.get(at + 1), Some(b' ' | b'>' | b'<')) => break,
            _ => {
                let (word, end) = read_word(text, at, limit);
                words.push(word);
                at = end;
            }
        }
    }
    words
}

/// Reads one word; returns its range and where the next may begin.
fn read_word(text: &[u8], at: usize, limit: usize) -> (Range<usize>, usize) {
    let escape = usize::from(text[at] == b'\\');
    let quote = text[at + escape..limit].first().copied();
    match quote {
        Some(quote @ (b'"' | b'\'')) => {
            let start = at + escape + 1;
            let length = quoted_length(&text[start..limit], quote);
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
                    // A quote inside a word, as in `-p'secret'`, keeps spaces together.
                    b'\'' => (text[end + 1..limit].iter())
                        .position(|&byte| byte == b'\'')
                        .map_or(1, |length| length + 2),
                    // A shell continues after a line's last backslash.
                    b'\\' if text[end..limit].starts_with(b"\\\n") => 2,
                    _ => 1,
                };
            }
            let end = end + double_quoted_length(text, at..end, limit);
            (at..end.max(at + 1), end.max(at + 1))
        }
    }
}

/// Returns the length of a quoted word, past quotes within it.
fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut end = 0;
    while end < rest.len() {
        match (rest[end] == quote).then(|| ending::inner_quote_length(&rest[end..])) {
            Some(None) => break,
            Some(Some(length)) => end += length,
            None => end += 1,
        }
    }
    end
}

/// Returns the length of a double-quoted argument that follows an option without a space: `--body="x"`.
fn double_quoted_length(text: &[u8], option: Range<usize>, limit: usize) -> usize {
    let rest = &text[option.end.min(limit)..limit];
    let option = &text[option];
    if !(option.starts_with(b"-") || option.ends_with(b"=")) || rest.first() != Some(&b'"') {
        return 0;
    }
    let length = rest[1..]
        .iter()
        .position(|&byte| byte == b'"' || byte == b'\n');
    let end = length.map_or(0, |length| length + 2);
    let after = rest.get(end);
    let ends = rest.get(end.wrapping_sub(1)) == Some(&b'"')
        && after.is_none_or(|byte| b" \t\n'`)".contains(byte));
    if end > 2 && ends { end } else { 0 }
}
