//! Takes out of an error line what differs from run to run.
//!
//! Numbers, hashes, paths, times, hosts, temporary names and the contents of quotes become slots,
//! so that the same trouble reads the same. The line is cut into [`Piece`]s once; a key is made of
//! it with every slot blank, a gist for people with those contents kept that the caller vouches for.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What a slot stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The inside of quotes.
    Quoted,
    /// A path, a file name, a URL or a host.
    Place,
    /// A number, a version, a duration, a time or a hash.
    Number,
}

/// A part of an error line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words that belong to the message.
    Text(&'a str),
    /// What differs from run to run.
    Slot(Slot, &'a str),
}

/// The alternatives are tried in order at each place. `pre` is what must stand before a quote or
/// a path, so that an apostrophe opens nothing.
static SLOTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?P<pre>^|[ \t\r\n(\[{<=:,;])(?:"(?P<q1>[^"\n]+)"|'(?P<q2>[^'\n]+)'|`(?P<q3>[^`'\n]+)[`']|[‘](?P<q4>[^’\n]+)’|[“](?P<q5>[^”\n]+)”)"#,
        r"|(?P<url>(?-u:\b)[a-z][a-z0-9+.-]*://[^ \t\r\n'\x22>)]+)",
        r"|(?P<uuid>(?-u:\b)[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?-u:\b))",
        r"|(?P<time>(?-u:\b)[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:[T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9](?:[.,][0-9]+)?)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?)?|(?-u:\b)[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?)",
        r"|(?P<at>(?-u:\b)[A-Za-z0-9_.+-]+@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+)",
        r"|(?P<path>(?:[A-Za-z]:\\|\\\\|~/|\.{0,2}/)[^ \t\r\n'\x22`:,;)\]}>]+(?::[0-9]+)*|[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+-]+)+(?::[0-9]+)*)",
        r"|(?P<file>(?-u:\b)[A-Za-z0-9_-]+\.(?:py|pyc|rs|js|jsx|mjs|cjs|ts|tsx|json|jsonl|ya?ml|toml|lock|md|txt|sh|go|rb|java|kt|c|h|cc|cpp|hpp|cs|php|html|css|scss|sql|csv|xml|ini|cfg|conf|log|so|db|zip|gz|pdf|png|pcap|bin|class|jar)(?-u:\b)(?::[0-9]+)*)",
        r"|(?P<ip>(?-u:\b)[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?|(?-u:\b)localhost(?::[0-9]+)?)",
        r"|(?P<host>(?-u:\b)(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|local|internal|ai|co|app|edu|gov|de|uk)(?-u:\b)(?::[0-9]+)?)",
        r"|(?P<tmp>(?-u:\b)tmp[a-z0-9_.-]{4,}(?-u:\b))",
        r"|(?P<hex>(?-u:\b)0x[0-9a-fA-F]+(?-u:\b)|(?-u:\b)[0-9a-f]{7,64}(?-u:\b))",
        r"|(?P<num>(?-u:\b)[0-9][0-9.,_]*(?:ns|us|µs|ms|s|sec|min|h|k|kb|mb|gb|kib|mib|gib|b|x|th|st|nd|rd)?(?-u:\b)%?)",
    ))
    .expect("a fixed pattern")
});

/// Cuts an error line into pieces.
#[must_use]
pub fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for found in SLOTS.captures_iter(line) {
        let Some((slot, start, end)) = slot_of(line, &found) else {
            continue;
        };
        if start > done {
            pieces.push(Piece::Text(&line[done..start]));
        }
        pieces.push(Piece::Slot(slot, &line[start..end]));
        done = end;
    }
    if done < line.len() {
        pieces.push(Piece::Text(&line[done..]));
    }
    pieces
}

fn slot_of(line: &str, found: &Captures<'_>) -> Option<(Slot, usize, usize)> {
    let quoted = ["q1", "q2", "q3", "q4", "q5"]
        .into_iter()
        .find_map(|name| found.name(name));
    if let Some(inner) = quoted {
        return Some((Slot::Quoted, inner.start(), inner.end()));
    }
    let places = ["url", "at", "path", "file", "ip", "host", "tmp"]
        .into_iter()
        .find_map(|name| found.name(name));
    if let Some(place) = places {
        return is_place(place.as_str()).then_some((Slot::Place, place.start(), place.end()));
    }
    let number = ["uuid", "time", "hex", "num"]
        .into_iter()
        .find_map(|name| found.name(name))?;
    let kept = is_word(number.as_str()) || is_status(line, number.start(), number.as_str());
    (!kept).then_some((Slot::Number, number.start(), number.end()))
}

/// `and/or`, `N/A` and `I/O` are words.
fn is_place(text: &str) -> bool {
    let short = text.len() <= 6 && text.chars().all(|c| c.is_alphabetic() || c == '/');
    !short || text.starts_with(['/', '.', '~'])
}

/// A run of hexadecimal letters without a digit is a word (`defaced`).
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphabetic())
}

/// Status and exit codes say what went wrong, so they stay.
fn is_status(line: &str, start: usize, text: &str) -> bool {
    let before = line[..start].trim_end_matches([' ', ':', '=', '(', '[', '#']);
    let named = [
        "http", "status", "code", "errno", "error", "http/1.1", "http/2", "http/N",
    ]
    .iter()
    .any(|name| {
        let tail = before
            .len()
            .checked_sub(name.len())
            .and_then(|at| before.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name))
    });
    let alone = line.trim() == text || (start == 0 && text.len() == 3);
    text.len() <= 5
        && text.chars().all(|c| c.is_ascii_digit())
        && (named || (alone && text.len() == 3))
}

/// Returns the line with every slot blank and in lower case: the part of a key.
#[must_use]
pub fn blank(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for piece in pieces(line) {
        match piece {
            Piece::Text(text) => out.extend(text.chars().flat_map(char::to_lowercase)),
            Piece::Slot(_, _) => out.push('*'),
        }
    }
    collapse(&out)
}

/// Returns the line for people: a slot's content stays only where `keep` vouches for it.
#[must_use]
pub fn gist(line: &str, keep: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(line.len());
    for piece in pieces(line) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Slot(_, content) if keep(content) => out.push_str(content),
            Piece::Slot(Slot::Number, _) => out.push('N'),
            Piece::Slot(Slot::Quoted | Slot::Place, _) => out.push('…'),
        }
    }
    collapse(&out)
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_between_runs_becomes_a_slot() {
        for (line, expected) in [
            (
                "Table 'shop.orders' doesn't exist",
                "table '*' doesn't exist",
            ),
            (
                "cp: cannot stat '/tmp/a b': No such file",
                "cp: cannot stat '*': no such file",
            ),
            ("src/main.rs:12:5: oops", "*: oops"),
            ("took 12.5s at 10:22:01", "took * at *"),
            ("commit 3ea751c087f32b16 is bad", "commit * is bad"),
            ("the door was defaced", "the door was defaced"),
            (
                "connect ECONNREFUSED 127.0.0.1:5432",
                "connect econnrefused *",
            ),
            ("GET https://x.org/a?b=1 failed", "get * failed"),
            ("HTTP 403", "http 403"),
            ("403", "403"),
            ("status code: 502", "status code: 502"),
            (
                "total price is 375, but paid 299",
                "total price is *, but paid *",
            ),
            ("can't do that and/or this", "can't do that and/or this"),
            (
                "run 550e8400-e29b-41d4-a716-446655440000 gone",
                "run * gone",
            ),
            ("open tmpr5ro6i02 failed", "open * failed"),
            ("error TS2304: x", "error ts2304: x"),
        ] {
            assert_eq!(blank(line), expected, "{line}");
        }
    }

    #[test]
    fn a_gist_keeps_what_is_vouched_for() {
        let gist = |line| gist(line, |content| content == "test");
        assert_eq!(gist("Missing script: \"test\""), "Missing script: \"test\"");
        assert_eq!(gist("Missing script: \"secret\""), "Missing script: \"…\"");
        assert_eq!(gist("paid 299 of 375"), "paid N of N");
    }

    proptest! {
        #[test]
        fn any_line_is_cut(line in "[a-z0-9'\"`‘’/.: @x-]{0,80}") {
            prop_assert!(blank(&line).len() <= 2 * line.len());
            let whole: String = pieces(&line).iter().map(|piece| match piece {
                Piece::Text(text) | Piece::Slot(_, text) => *text,
            }).collect();
            prop_assert_eq!(whole, line);
        }
    }
}
