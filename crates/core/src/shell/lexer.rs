//! Splits a command line into words, redirects and the operators that join commands.
//!
//! Quotes, backslashes, `$(…)`, backticks, comments and here-documents are handled as a shell handles them. Every
//! step moves on, so any text is read in one pass without recursion.

use crate::{Join, ShellWord};

pub(super) enum ShellToken {
    Word(ShellWord),
    Join(Join),
    /// `&`: the command before it runs in the background.
    Background,
    Redirect(Redirect),
}

pub(super) struct Redirect {
    pub(super) stream: RedirectStream,
    pub(super) target: String,
}

#[derive(Clone, Copy)]
pub(super) enum RedirectStream {
    In,
    Out,
    Errors,
    Both,
}

pub(super) struct Lexer<'a> {
    rest: &'a str,
    heredocs: Vec<String>,
    pub(super) saw_heredoc: bool,
    /// The body of the last here-document of the line that just ended, until it is taken.
    pub(super) heredoc_body: Option<&'a str>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            heredocs: Vec::new(),
            saw_heredoc: false,
            heredoc_body: None,
        }
    }

    pub(super) fn next_token(&mut self) -> Option<ShellToken> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return None;
        }
        if let Some(rest) = self.rest.strip_prefix('\n') {
            self.rest = rest;
            self.skip_heredocs();
            return Some(ShellToken::Join(Join::Then));
        }
        if let Some(redirect) = self.read_redirect() {
            return Some(ShellToken::Redirect(redirect));
        }
        for (mark, join) in [
            ("&&", Join::And),
            ("||", Join::Or),
            ("|&", Join::Pipe),
            ("|", Join::Pipe),
            (";", Join::Then),
            ("(", Join::Then),
            (")", Join::Then),
        ] {
            if let Some(rest) = self.rest.strip_prefix(mark) {
                self.rest = rest;
                return Some(ShellToken::Join(join));
            }
        }
        if let Some(rest) = self.rest.strip_prefix('&') {
            self.rest = rest;
            return Some(ShellToken::Background);
        }
        Some(ShellToken::Word(self.read_word()))
    }

    fn skip_blanks(&mut self) {
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if let Some(rest) = self.rest.strip_prefix("\\\n") {
                self.rest = rest;
            }
            if self.rest.starts_with('#') {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
            }
            if self.rest.len() == before {
                return;
            }
        }
    }

    /// Skips the bodies of the here-documents opened on the line that just ended.
    fn skip_heredocs(&mut self) {
        for end_word in std::mem::take(&mut self.heredocs) {
            let body = self.rest;
            loop {
                let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
                let (line, rest) = self.rest.split_at(end);
                self.rest = rest;
                if line.trim() == end_word || line.is_empty() {
                    self.heredoc_body = Some(&body[..body.len() - rest.len() - line.len()]);
                    break;
                }
            }
        }
    }

    fn read_redirect(&mut self) -> Option<Redirect> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (stream_mark, after) = self.rest.split_at(digits);
        let (stream, after) = if let Some(after) = after.strip_prefix("<<<") {
            (RedirectStream::In, after)
        } else if let Some(after) = after.strip_prefix("<<") {
            return Some(self.read_heredoc(after.strip_prefix('-').unwrap_or(after)));
        } else if let Some(after) = after.strip_prefix('<') {
            (RedirectStream::In, after)
        } else if let Some(after) = after.strip_prefix("&>").filter(|_| digits == 0) {
            (RedirectStream::Both, after)
        } else if let Some(after) = after.strip_prefix('>') {
            let stream = if stream_mark == "2" {
                RedirectStream::Errors
            } else {
                RedirectStream::Out
            };
            (stream, after)
        } else {
            return None;
        };
        // `<(…)` and `>(…)` are words, not redirects.
        if after.starts_with('(') {
            return None;
        }
        let after = after.trim_start_matches(['>', '|']);
        if let Some(copied) = after.strip_prefix('&') {
            let end = copied.bytes().take_while(u8::is_ascii_alphanumeric).count();
            self.rest = &copied[end..];
            return Some(Redirect {
                stream,
                target: "&".to_owned(),
            });
        }
        self.rest = after.trim_start_matches([' ', '\t']);
        Some(Redirect {
            stream,
            target: self.read_word().text,
        })
    }

    fn read_heredoc(&mut self, after: &'a str) -> Redirect {
        self.rest = after.trim_start_matches([' ', '\t']);
        let word = self.read_word();
        self.saw_heredoc = true;
        self.heredocs.push(word.text);
        Redirect {
            stream: RedirectStream::In,
            target: String::new(),
        }
    }

    fn read_word(&mut self) -> ShellWord {
        let bytes = self.rest.as_bytes();
        let mut text = String::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'<' | b'>' if bytes.get(at + 1) == Some(&b'(') => {
                    at = end_of_paren(bytes, at + 2);
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b')' | b'<' | b'>' => break,
                b'(' if at == 0 => break,
                b'\'' => {
                    at = end_of_quote(self.rest, at + 1, b'\'');
                    text.push_str(strip_marks(self.rest, start, at, b'\''));
                    continue;
                }
                b'"' => {
                    at = end_of_double_quote(bytes, at + 1);
                    unescape_into(&mut text, strip_marks(self.rest, start, at, b'"'));
                    continue;
                }
                b'`' => at = end_of_quote(self.rest, at + 1, b'`'),
                b'$' if bytes.get(at + 1) == Some(&b'(') => at = end_of_paren(bytes, at + 2),
                b'(' => at = end_of_paren(bytes, at + 1),
                b'\\' => {
                    at = (at + 1).min(bytes.len());
                    let next = self.rest[at..].chars().next();
                    if let Some(c) = next {
                        at += c.len_utf8();
                        if c != '\n' {
                            text.push(c);
                        }
                    }
                    continue;
                }
                _ => at += self.rest[at..].chars().next().map_or(1, char::len_utf8),
            }
            text.push_str(&self.rest[start..at]);
        }
        // An operator that nothing else consumed: move on, or the caller would never end.
        if at == 0 {
            at = self.rest.chars().next().map_or(0, char::len_utf8);
            text.push_str(&self.rest[..at]);
        }
        let raw = self.rest[..at].to_owned();
        self.rest = &self.rest[at..];
        ShellWord { raw, text }
    }
}

/// Returns where the text quoted from `start` ends, past its closing mark.
fn end_of_quote(text: &str, start: usize, mark: u8) -> usize {
    text.as_bytes()[start..]
        .iter()
        .position(|byte| *byte == mark)
        .map_or(text.len(), |at| start + at + 1)
}

fn end_of_double_quote(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'$' if bytes.get(at + 1) == Some(&b'(') => at = end_of_paren(bytes, at + 2),
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_paren(bytes: &[u8], start: usize) -> usize {
    let mut depth = 1_usize;
    let mut at = start;
    let mut quote = None;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            (None, _) => {}
        }
    }
    bytes.len()
}

/// Returns the scripts substituted in a word: the `make` of `$(make)`, `<(make)` and `` `make` ``.
pub(super) fn find_substitutions(raw: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut rest = raw;
    while let Some(at) = rest.find(['$', '`', '\\', '<', '>']) {
        let after = &rest[at + 1..];
        let (start, end) = match rest.as_bytes()[at] {
            b'\\' => {
                let skip = after.chars().next().map_or(0, char::len_utf8);
                (at + 1 + skip, at + 1 + skip)
            }
            b'`' => (at + 1, end_of_quote(rest, at + 1, b'`')),
            _ if after.starts_with('(') => (at + 2, end_of_paren(rest.as_bytes(), at + 2)),
            _ => (at + 1, at + 1),
        };
        let script = rest[start..end]
            .strip_suffix([')', '`'])
            .unwrap_or_default();
        // `$((…))` is a sum.
        if !script.is_empty() && !script.starts_with('(') {
            scripts.push(script.to_owned());
        }
        rest = &rest[end..];
    }
    scripts
}

/// Returns the text between the mark at `start` and the closing one before `end`.
fn strip_marks(text: &str, start: usize, end: usize, mark: u8) -> &str {
    let inner = &text[start + 1..end];
    inner.strip_suffix(char::from(mark)).unwrap_or(inner)
}

fn unescape_into(out: &mut String, quoted: &str) {
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(next @ ('"' | '\\' | '$' | '`')) => out.push(next),
            Some('\n') => {}
            Some(next) => {
                out.push('\\');
                out.push(next);
            }
            None => out.push('\\'),
        }
    }
}
