//! Matches names with shell patterns.
//!
//! Of one part of a path at a time: a slash is a character like any other here.

/// Returns whether a name matches a shell pattern: `*` stands for any sequence of characters, `?` for any one,
/// `[a-z]` for one of these and `[!a-z]` for one of the others.
///
/// Case is ignored. Only the last star is ever retried, so the time is bounded by the product of the two lengths.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(length) = match_one_char(&pattern[p..], name[n]) {
            p += length;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            star = Some((star_p, star_n + 1));
            p = star_p + 1;
            n = star_n + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&pattern| pattern == '*')
}

/// Returns the length of the pattern element at the beginning, if it stands for one character and matches this one. A
/// bracket that is not closed stands for itself.
fn match_one_char(pattern: &[char], c: char) -> Option<usize> {
    let is_one = match pattern.first()? {
        '?' => true,
        '[' => match parse_char_set(pattern) {
            Some((set, length)) => return set_contains(set, c).then_some(length),
            None => c == '[',
        },
        other => *other == c,
    };
    is_one.then_some(1)
}

/// Returns the content of the brackets at the beginning of a pattern, and the length of both.
fn parse_char_set(pattern: &[char]) -> Option<(&[char], usize)> {
    // A bracket in the first place belongs to the set.
    let first = if pattern.get(1) == Some(&'!') { 3 } else { 2 };
    let end = first + pattern.get(first..)?.iter().position(|c| *c == ']')?;
    Some((&pattern[1..end], end + 1))
}

fn set_contains(set: &[char], c: char) -> bool {
    let (set, is_held) = match set {
        ['!', rest @ ..] => (rest, false),
        _ => (set, true),
    };
    let mut rest = set;
    while let Some((first, after)) = rest.split_first() {
        let (last, after) = match after {
            ['-', last, after @ ..] => (last, after),
            _ => (first, after),
        };
        if (*first..=*last).contains(&c) {
            return is_held;
        }
        rest = after;
    }
    !is_held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, name, expected) in [
            ("reviewer", "Reviewer", true),
            ("reviewer", "reviewers", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("acme/*", "acme/billing", true),
            ("*-bot", "deploy-bot", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**x", "aax", true),
            ("é*", "ÉCOLE", true),
            ("sql-?ine", "sql-line", true),
            ("sql-?ine", "sql-ine", false),
            ("?*", "", false),
            ("[st]ql", "sql", true),
            ("[st]ql", "pql", false),
            ("v[0-9].[!0-3]", "v2.4", true),
            ("v[0-9].[!0-3]", "v2.3", false),
            ("*-[a-c]", "x-y-B", true),
            ("[]]", "]", true),
            ("[-a]", "-", true),
            ("a[b", "a[b", true),
        ] {
            assert_eq!(matches_glob(pattern, name), expected, "{pattern} {name}");
        }
    }
}
