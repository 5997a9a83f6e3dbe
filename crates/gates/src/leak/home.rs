//! Finds the home folders of people: `/home/NAME/…`, `/Users/NAME/…`, `C:\Users\NAME\…`.
//!
//! A name that services use (`runner`, `vagrant`) or that stands for any (`user`, `$USER`) tells nothing. `~NAME` is a
//! matter of the names that are searched for, since a tilde precedes much.

use std::ops::Range;

use hardwon_redact::finder::{WordGroups, count_words};

use super::common_words::is_common;

/// The longest name of an account, in bytes.
const ACCOUNT_BYTES: usize = 32;

const HEADS: &[&[&str]] = &[&["/home/", "/users/", "\\users\\"]];

static HEAD_FINDER: WordGroups<{ count_words(HEADS) }> = WordGroups::new(HEADS);

/// Finds the home folders in a text, each with the name and without what follows it.
pub(super) fn find_home_paths(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    HEAD_FINDER
        .find_iter(bytes)
        .filter_map(|(at, _)| read_home_path(bytes, at))
        .collect()
}

fn read_home_path(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let start = find_start(text, at)?;
    let head = rest.iter().skip(1).position(|byte| b"/\\".contains(byte))? + 2;
    let escape = usize::from(rest.get(head) == Some(&b'\\'));
    let name = read_account(text, at + head + escape)?;
    // A folder of a home must follow: `/home/index` may be the address of a page.
    let follows = text.get(name.end).is_some_and(|byte| b"/\\".contains(byte));
    let goes_on = text
        .get(name.end + 1)
        .is_some_and(|byte| byte.is_ascii_graphic() && !b"\"'`)>,;".contains(byte));
    (follows && goes_on && !stands_for_any(&text[name.clone()])).then_some(start..name.end)
}

/// Returns where the path begins whose folder of homes is at `at`: there, or at a drive's letter before.
fn find_start(text: &[u8], at: usize) -> Option<usize> {
    let is_drive = |from: usize| text[from].is_ascii_alphabetic() && text[from + 1] == b':';
    let backslash = at.checked_sub(3).filter(|_| text[at - 1] == b'\\');
    let drive = at.checked_sub(2).filter(|from| is_drive(*from));
    let drive = drive.or(backslash.filter(|from| is_drive(*from)));
    // `/users/7` is an address of a web service, `/Users/` a folder.
    let is_unix = text[at..].starts_with(b"/home/") || text[at..].starts_with(b"/Users/");
    drive.or((is_unix && begins_path(text, at)).then_some(at))
}

/// Returns whether a path may begin at `at`: nothing before it belongs to a longer path or to the host of a URL.
fn begins_path(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let leads = [&b"file://"[..], b"-I", b"-L", b"\\n"];
    let is_led = leads.iter().any(|lead| before.ends_with(lead));
    let last = before.last();
    is_led
        || last
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_-./\\~*}>]$%)".contains(byte))
}

fn read_account(text: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let length = rest
        .iter()
        .take(ACCOUNT_BYTES + 1)
        .take_while(is_part)
        .count();
    let starts = rest.first().is_some_and(u8::is_ascii_alphabetic);
    (starts && (2..=ACCOUNT_BYTES).contains(&length)).then_some(start..start + length)
}

fn stands_for_any(name: &[u8]) -> bool {
    const STAND_INS: &[&str] = &[
        "your", "some", "my", "user", "name", "example", "test", "foo", "bar", "xxx",
    ];
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    is_common(&name)
        || is_common(stem)
        || stem.len() < 2
        || STAND_INS.iter().any(|ins| name.starts_with(ins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_of_people() {
        for (text, expected) in [
            ("see /home/kestrel/src/x", Some("/home/kestrel")),
            ("\"/Users/kestrel/Library\"", Some("/Users/kestrel")),
            ("C:\\Users\\kestrel\\x", Some("C:\\Users\\kestrel")),
            (
                "\"C:\\\\Users\\\\kestrel\\\\x\"",
                Some("C:\\\\Users\\\\kestrel"),
            ),
            ("C:/Users/kestrel/x", Some("C:/Users/kestrel")),
            ("file:///home/kestrel/x", Some("/home/kestrel")),
            ("-I/home/kestrel/x", Some("/home/kestrel")),
            ("/home/user/x", None),
            ("/home/runner/work", None),
            ("/home/kestrel", None),
            ("get \"/home/index\"", None),
            ("https://x.example/home/kestrel/x", None),
            ("/home/$USER/x", None),
            ("/users/kestrel/posts", None),
            ("./home/kestrel/x", None),
        ] {
            let found = find_home_paths(text);
            let found = found.first().map(|range| &text[range.clone()]);
            assert_eq!(found, expected, "{text}");
        }
    }
}
