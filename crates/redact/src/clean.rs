//! Runs the steps of redaction in order, and cuts a clean text to length.

use super::{MARK_START, hidden, mark_range, redact, strip_own_blocks};
use crate::{CleanText, RawText, floor_char_boundary};

/// How much of a text is read before it is redacted and cut, in bytes.
///
/// Larger than every cut by more than the longest secret, so that no secret is halved by the first cut and slips through
/// the second.
pub const INTAKE_BYTES: usize = 16 * 1024;

/// Longest error that is quoted, in bytes.
const ERROR_BYTES: usize = 200;
/// The sign at the place where a text was cut.
const CUT_SIGN: &str = "…";
/// How far back a cut looks for a space, in bytes.
const BLANK_BYTES: usize = 40;

/// Cleans a text and cuts it to at most `bytes` bytes.
///
/// A text that was cut ends in `…`. No more than [`INTAKE_BYTES`] are read.
pub fn clean_to_bytes(text: &RawText, bytes: usize) -> CleanText {
    let whole = clean_uncut(text);
    let fits = whole.text.len() <= bytes;
    let room = bytes.saturating_sub(CUT_SIGN.len());
    whole.cut_to_fit(fits, |text| floor_char_boundary(text, room))
}

/// Words an error that may quote what it is about: without secrets, and cut to 200 bytes.
pub fn quote_error(error: &impl ToString) -> String {
    clean_to_bytes(&error.to_string().into(), ERROR_BYTES).to_string()
}

/// Cleans a text and cuts it to at most `chars` characters, otherwise like [`clean_to_bytes`].
pub fn clean_to_chars(text: &RawText, chars: usize) -> CleanText {
    let whole = clean_uncut(text);
    let fits = whole.text.chars().nth(chars).is_none();
    let room = chars.saturating_sub(1);
    whole.cut_to_fit(fits, |text| {
        let end = text.char_indices().nth(room);
        end.map_or(text.len(), |(end, _)| end)
    })
}

/// Makes a clean text of one that was put together of clean ones and words of ours, or of which somebody else drops
/// blocks of ours and invisible characters.
///
/// It is redacted once more, because together they may be a secret that each was not. Nothing is cut: the caller holds
/// it to a limit.
pub fn clean_derived(text: &str) -> CleanText {
    CleanText::assume_clean(redact(text).into_owned())
}

/// Cleans a text and cuts it to at most `bytes` bytes. Where it was cut stands a fingerprint of the
/// whole, so that texts which differ only behind the cut are not taken for the same one.
pub fn clean_with_fingerprint(text: &RawText, bytes: usize) -> CleanText {
    let whole = clean_uncut(text);
    if whole.text.len() <= bytes {
        return whole.cut_to_fit(true, str::len);
    }
    let print = fingerprint_text(&whole.text);
    let room = bytes - CUT_SIGN.len() - print.len();
    let head = cut_before(&whole.text, floor_char_boundary(&whole.text, room));
    CleanText::assume_clean(head + &print)
}

/// Returns four digits that distinguish texts which were cut at the same place.
///
/// They are stored with the rest of a text that may have contained a secret: so few digits that they cannot confirm a
/// guess at it. Fast rather than cryptographic, because hooks wait for it.
pub fn fingerprint_text(text: &str) -> String {
    let mix = |hash: u64, word: u64| {
        let mix = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mix ^ (mix >> 32)
    };
    let (chunks, rest) = text.as_bytes().as_chunks();
    let words = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let hash = words.chain(rest).fold(text.len() as u64, mix);
    format!("{:04x}", hash & 0xffff)
}

/// A text that is clean but not cut yet.
struct UncutText {
    text: String,
    /// Whether there was more than was read.
    has_more: bool,
}

impl UncutText {
    /// Ends the text at its end if it `fits`, else at what `room` leaves beside the `…`.
    fn cut_to_fit(self, fits: bool, room: impl Fn(&str) -> usize) -> CleanText {
        match (fits, self.has_more) {
            (true, false) => CleanText::assume_clean(self.text),
            _ => CleanText::assume_clean(cut_before(&self.text, room(&self.text))),
        }
    }
}

/// Runs every step but the last cut.
fn clean_uncut(text: &RawText) -> UncutText {
    let read = readable_part(text.expose());
    let plain = hidden::drop_hidden(read);
    let foreign = strip_own_blocks(&plain);
    UncutText {
        text: redact(&foreign).into_owned(),
        has_more: read.len() < text.expose().len(),
    }
}

/// Returns the part of a text that is read.
///
/// What the cut may have halved is dropped too: the last run of characters without a space or a quote, which may be
/// the first half of a secret that no rule would recognise.
fn readable_part(text: &str) -> &str {
    if text.len() <= INTAKE_BYTES {
        return text;
    }
    let head = &text[..floor_char_boundary(text, INTAKE_BYTES)];
    head.trim_end_matches(|c: char| c.is_ascii_graphic() && !"\"'`,(){}[]<>".contains(c))
}

/// Cuts before `end`, at a space if one is near, never inside a character or a mark.
fn cut_before(text: &str, end: usize) -> String {
    let near = floor_char_boundary(text, end + MARK_START.len());
    let mark = text[..near]
        .rfind(MARK_START)
        .map(|at| mark_range(text.as_bytes(), at));
    let mark = mark.filter(|mark| mark.start < end && end < mark.end);
    let head = &text[..mark.map_or(end, |mark| mark.start)];
    let between_words = text[head.len()..]
        .chars()
        .next()
        .is_none_or(char::is_whitespace);
    let near = head.len().saturating_sub(BLANK_BYTES);
    let blank = head.rfind(char::is_whitespace).filter(|&at| at > near);
    let head = match blank {
        Some(at) if !between_words => &head[..at],
        _ => head,
    };
    format!("{}{CUT_SIGN}", head.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ARGS_BYTES: usize = 2000;

    fn check(text: &str, bytes: usize, expected: &str) {
        assert_eq!(
            clean_to_bytes(&text.into(), bytes).as_str(),
            expected,
            "{text:?}"
        );
    }

    #[test]
    fn what_nobody_sees_goes() {
        check("a\r\nb\tc", 99, "a\nb\tc");
        check("10%\r20%", 99, "10%\n20%");
        check("\x1b[1;31mred\x1b[0m \x07bell \x1b", 99, "red bell ");
        check("z\u{200b}ero\u{feff} \u{202e}x", 99, "zero x");
        check("👩\u{200d}💻 a\u{200d}b", 99, "👩\u{200d}💻 ab");
        check(
            "password=hun\u{200b}ter2",
            99,
            "password=[REDACTED:password]",
        );
    }

    #[test]
    fn cuts_fall_between_words_and_never_in_a_mark() {
        check("one two three", 99, "one two three");
        check("one two three", 13, "one two three");
        check("one two three", 12, "one two…");
        check("one two three", 10, "one two…");
        check("one two three", 3, "…");
        check("ééé ééé", 11, "ééé…");
        check("éééééé", 8, "éé…");
        check("password=hunter2 and more", 20, "password=…");
        check(
            "password=hunter2 and more",
            33,
            "password=[REDACTED:password]…",
        );
        assert_eq!(clean_to_chars(&"éééééé".into(), 4).as_str(), "ééé…");
        assert_eq!(clean_to_chars(&"éééé".into(), 4).as_str(), "éééé");
    }

    #[test]
    fn our_own_words_go_before_the_cut() {
        let text = format!(
            "[LOOP DETECTED]\n{}[END LOOP DETECTED]\nok",
            "  /fetch x\n".repeat(99)
        );
        check(&text, 20, "ok");
    }

    /// Returns whether eight consecutive characters of the secret are in the text.
    fn leaks(secret: &str, text: &str) -> bool {
        (0..=secret.len() - 8).any(|at| text.contains(&secret[at..at + 8]))
    }

    #[test]
    fn no_cut_halves_a_secret() {
        let secret = "ghp_k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw";
        for length in 0..60 {
            let text = format!("{} {secret} end", "x".repeat(length));
            let cleaned = clean_to_bytes(&text.as_str().into(), 50);
            assert!(!leaks(secret, cleaned.as_str()), "{cleaned}");
        }
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}",
            "k7Qz2XmR9tVb4WpL8sYd\n".repeat(99)
        );
        for back in 0..80 {
            // Nearly everything is our own preamble, so the text at the first cut is kept.
            let own = format!(
                "[LOOP DETECTED]\n{}[END LOOP DETECTED]",
                "  x\n".repeat(3000)
            );
            let fill = "y ".repeat((INTAKE_BYTES - own.len() - back) / 2);
            for secret in [secret, &key] {
                let text = format!("{own}{fill}{secret} end");
                let cleaned = clean_to_bytes(&text.as_str().into(), INTAKE_BYTES);
                let last = cleaned.as_str().split("y ").last().unwrap();
                assert!(!leaks("k7Qz2XmR9tVb4WpL8sYd", last), "{last}");
                let cut = text.len() > INTAKE_BYTES;
                assert_eq!(last.ends_with(CUT_SIGN), cut, "{last}");
            }
        }
    }

    #[test]
    fn a_fingerprint_tells_texts_apart_that_differ_anywhere() {
        let long = "word ".repeat(500);
        let mut prints = vec![fingerprint_text(&long)];
        prints.extend((0..40).map(|at| {
            let mut other = long.clone();
            other.replace_range(at * 60..at * 60 + 1, "X");
            fingerprint_text(&other)
        }));
        prints.extend(["", "a", "b"].map(|end| fingerprint_text(&format!("{long} {end}"))));
        assert!(prints.iter().all(|print| print.len() == 4), "{prints:?}");
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), count);
    }

    #[test]
    fn arguments_that_differ_behind_the_cut_stay_two() {
        let args = |end: &str| {
            let text = format!("{} {end}", "x".repeat(2500));
            clean_with_fingerprint(&text.into(), ARGS_BYTES)
        };
        assert_eq!(args("one"), args("one"));
        assert_ne!(args("one"), args("two"));
        assert!(args("one").as_str().len() <= ARGS_BYTES);
    }

    proptest! {
        #[test]
        fn no_clean_text_is_too_long(text in "\\PC{0,80}", most in 0_usize..90) {
            let raw = RawText::from(text);
            prop_assert!(clean_to_bytes(&raw, most).as_str().len() <= most.max(CUT_SIGN.len()));
            prop_assert!(clean_to_chars(&raw, most).as_str().chars().count() <= most.max(1));
        }
    }
}
