//! Words by which a text says what to do or what goes wrong, and what it forbids.
//!
//! They say which sentences of a long text stay where it must be cut. No text is left out for want of them: there is no
//! list of such words in all languages. Whether advice is safe is the guard's question, and whether it is any good that
//! of what comes of it.

/// Words by which a text says what to do or what goes wrong.
#[rustfmt::skip]
const ADVICE_WORDS: &[&str] = &[
    "abort", "add", "after", "always", "ask", "avoid", "because", "before", "beware", "break", "breaks", "broke", "broken",
    "bug", "call", "can't", "cannot", "careful", "check", "confirm", "corrupts", "crash", "crashes", "delete",
    "doesn't", "don't", "ensure", "error", "errors", "export", "fail", "failed", "fails", "failure", "first", "fix", "flaky", "forget",
    "gotcha", "hang", "hangs", "if", "ignore", "install", "instead", "isn't", "keep", "leak", "leaks", "lost", "miss", "missing",
    "must", "mustn't", "need", "needs", "never", "no", "not", "only", "otherwise", "pass", "pitfall", "prefer", "race", "rather",
    "read", "rebuild", "regenerate", "reject", "rejects", "remember", "remove", "required", "requires", "rerun", "restart",
    "retry", "root-cause", "run", "set", "should", "shouldn't", "skip", "start", "stop", "test", "timeout", "times", "treat",
    "try", "unless", "until", "use", "verify", "wait", "warning", "when", "without", "won't", "workaround", "write", "wrong",
];

/// Words that every English sentence has one of.
#[rustfmt::skip]
const ENGLISH_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "by", "contains", "for", "from", "has", "in", "is", "it", "lives", "of", "on", "our",
    "the", "this", "to", "uses", "was", "we", "with",
];

/// Words that forbid, alone or before `not`, and words that may.
const BANS: &[&str] = &["never", "don't", "dont", "avoid", "mustn't", "shouldn't"];
const BANS_WITH_NOT: &[&str] = &["do", "must", "should", "may"];
const LIKE_BANS: &[&str] = &["not", "cannot", "can't", "stop"];

/// Returns whether new words forbid something where the old ones forbade nothing, or have lost that they did.
///
/// Who forbids what was advised has turned it around; but what is not there, or cannot be done, is often only told.
pub fn changes_ban(old: &str, new: &str) -> bool {
    let (old, new) = (split_plain(old), split_plain(new));
    let is_like = |it: &String| BANS.contains(&&**it) || LIKE_BANS.contains(&&**it);
    if new.iter().any(is_like) {
        !old.iter().any(is_like)
    } else {
        has_ban(&old)
    }
}

/// Returns whether a text may forbid something, and not only tell of trouble: it does in English, or is not English.
pub fn may_forbid(text: &str) -> bool {
    let words = split_plain(text);
    has_ban(&words) || !words.iter().any(|word| is_english(word))
}

fn is_english(word: &str) -> bool {
    ENGLISH_WORDS.binary_search(&word).is_ok()
}

fn has_ban(words: &[String]) -> bool {
    let is_ban = |word: &String| BANS.contains(&word.as_str());
    let is_pair = |pair: &[String]| BANS_WITH_NOT.contains(&pair[0].as_str()) && pair[1] == "not";
    words.iter().any(is_ban) || words.windows(2).any(is_pair)
}

fn split_plain(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns a line without the mark of a list before it, and without the spaces around it.
pub fn strip_list_mark(line: &str) -> &str {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let signs: &[char] = match digits {
        0 => &['-', '*', '+'],
        _ => &['.', ')'],
    };
    match line[digits..].strip_prefix(signs) {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// Returns whether a text says in words that are known here what to do or what goes wrong, or is in none of them.
pub fn says_what_to_do(text: &str) -> bool {
    if quotes_command(text) {
        return true;
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words = || {
        let words = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')));
        words.filter(|word| !word.is_empty())
    };
    words().any(|word| ADVICE_WORDS.binary_search(&word).is_ok())
        || !words().any(is_english) && is_sentence(text)
}

/// Returns whether a text quotes something that one could type: several words, of which the first is a program.
fn quotes_command(text: &str) -> bool {
    let is_command = |quoted: &str| {
        let mut words = quoted.split_whitespace();
        let program = words.next().unwrap_or_default();
        words.next().is_some()
            && program.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/' | '$'))
    };
    text.split('`').skip(1).step_by(2).any(is_command)
}

/// Returns whether a text has words enough to be one: a name or a list of paths has not.
fn is_sentence(text: &str) -> bool {
    let is_path = |word: &&str| word.contains(['/', '`', '=', '_']);
    let (paths, words): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(is_path);
    words.len() >= 4 && words.len() > paths.len() || text.chars().any(is_wide)
}

/// Returns whether a character is of a script that is written without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_stays_forbidden() {
        let check =
            |old: &str, new: &str, expected| assert_eq!(changes_ban(old, new), expected, "{new}");
        check("Never push.", "Push.", true);
        check("Do not push.", "Push.", true);
        check("Push.", "Do not push.", true);
        check("Push, or it cannot be seen.", "Push.", false);
        check("Never push.", "Don’t push.", false);
        check("It is not there. Push.", "Push.", false);
    }

    #[test]
    fn the_words_are_in_order() {
        // They are searched for as in a dictionary.
        assert!(ADVICE_WORDS.is_sorted_by_key(|it| it.as_bytes()), "advice");
        assert!(
            ENGLISH_WORDS.is_sorted_by_key(|it| it.as_bytes()),
            "English"
        );
    }

    #[test]
    fn advice_says_what_to_do_or_what_goes_wrong() {
        for text in [
            "Use `npm run test:unit` instead of `npm test`.",
            "Never push to upstream.",
            "The migration hangs with an open psql.",
            "Build: `cargo build --release`",
            "symptom: 403 -> cause: no token -> fix: log in",
            "Tests don\u{2019}t see the fixture.",
            "Vor jedem Deploy die Migration ausf\u{fc}hren.",
            "\u{30c6}\u{30b9}\u{30c8}\u{306f}\u{5fc5}\u{305a}\u{5b9f}\u{884c}",
        ] {
            assert!(says_what_to_do(text), "{text}");
        }
        // A long text is still cut to what its words say to do.
        assert!(!says_what_to_do("The schema lives in `db/schema.rb`."));
    }
}
