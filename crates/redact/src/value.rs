//! Decides whether a value looks random, or like something a person or a program wrote.
//!
//! Entropy alone is not enough: `max_concurrent_requests` has more of it than many a key. The question is whether
//! words and numbers explain the value. [`count_noise`] counts the characters that they do not explain. What
//! surrounds the value is not read here.

use super::{
    alphabet::{ALNUM, DIGIT, HEX, LETTER, SLUG},
    decoded,
};

/// The longest run of letters in one case that may still be a word.
const WORD_LETTERS: usize = 18;

/// Returns the Shannon entropy of the bytes, in bits a byte.
pub(super) fn shannon_entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX)).max(1.0);
    let bits = |count: f64| -count / total * (count / total).log2();
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| bits(f64::from(count)))
        .sum()
}

/// Returns how many characters of the value belong to parts that are neither words nor numbers.
pub(super) fn count_noise(value: &[u8]) -> usize {
    let (mut noise, mut doubtful, mut doubts) = (0, 0, 0);
    for piece in value.split(|&byte| !ALNUM.contains(byte)) {
        match read_piece(piece) {
            PieceReading::Word => {}
            PieceReading::Doubtful => {
                doubtful += piece.len();
                doubts += 1;
            }
            PieceReading::Noise => noise += piece.len(),
        }
    }
    // One `utf8mb4` may be a word, several side by side are not.
    if doubts >= 2 { noise + doubtful } else { noise }
}

/// How a part of letters and digits reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceReading {
    /// A word, a number, or a word and a number.
    Word,
    /// Short, and ambiguous: `i18n`, `utf8mb4`.
    Doubtful,
    /// Neither a word nor a number.
    Noise,
}

fn read_piece(piece: &[u8]) -> PieceReading {
    let letters = piece.iter().filter(|&&byte| LETTER.contains(byte)).count();
    if letters <= 2 {
        return PieceReading::Word;
    }
    let pieces = split_runs(piece, |byte| DIGIT.contains(byte));
    let mut words = pieces.clone().filter(|run| LETTER.contains(run[0]));
    let long = words.clone().all(|word| word.len() >= 3);
    let reads = words.all(reads_as_words);
    match pieces.count() {
        _ if !reads => PieceReading::Noise,
        1 => PieceReading::Word,
        2 if piece.len() < 24 => PieceReading::Word,
        3 if long => PieceReading::Word,
        3 if piece.len() <= 8 => PieceReading::Doubtful,
        4 if piece.len() <= 10 => PieceReading::Doubtful,
        _ => PieceReading::Noise,
    }
}

/// Returns whether letters read as words: `camelCase`, `SCREAMING`, `plain`, not `qXbRzWk`.
fn reads_as_words(letters: &[u8]) -> bool {
    let (mut small_runs, mut small) = (0, 0);
    for run in split_runs(letters, |byte| byte.is_ascii_uppercase()) {
        if !is_pronounceable(run) {
            return false;
        }
        if run[0].is_ascii_lowercase() {
            small_runs += 1;
            small += run.len();
        }
    }
    // Where the case is random, lower-case letters come in runs of two on average.
    let few = if letters.len() < 10 { 4 } else { 3 };
    small_runs < few || small * 5 >= small_runs * 12
}

/// Returns whether letters of one case are few enough for a word, or have the vowels of several words.
fn is_pronounceable(letters: &[u8]) -> bool {
    let vowels = letters.iter().filter(|byte| b"aeiouAEIOU".contains(byte));
    letters.len() <= WORD_LETTERS || vowels.count() * 100 >= letters.len() * 26
}

/// Splits at every change of `class`.
fn split_runs(
    bytes: &[u8],
    class: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = &[u8]> + Clone {
    bytes.chunk_by(move |&left, &right| class(left) == class(right))
}

/// Returns whether the value is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    let lengths = value.split(|&byte| byte == b'-').map(<[u8]>::len);
    lengths.eq([8, 4, 4, 4, 12]) && value.iter().all(|&byte| byte == b'-' || HEX.contains(byte))
}

/// Returns whether a sample was filled up by running along the alphabet or the digits.
pub(super) fn is_typed_sample(value: &[u8]) -> bool {
    let follows =
        |pair: &&[u8]| pair[0].to_ascii_lowercase().wrapping_add(1) == pair[1].to_ascii_lowercase();
    let following = value.windows(2).filter(follows).count();
    value.len() >= 60 && following * 5 >= value.len() * 2
}

/// Returns whether the value lists the characters of an alphabet, in order or all of them once.
pub(super) fn lists_alphabet(value: &[u8]) -> bool {
    let in_order = value
        .windows(2)
        .filter(|pair| pair[0].wrapping_add(1) == pair[1]);
    let letters = value.iter().filter(|&&byte| ALNUM.contains(byte)).count();
    let once = letters >= 40 && count_distinct(value) == value.len();
    value.len() >= 16 && (in_order.count() * 5 >= value.len() * 3 || once)
}

/// Returns how many different bytes the value has.
pub(super) fn count_distinct(value: &[u8]) -> usize {
    let mut has_byte = [false; 256];
    for &byte in value {
        has_byte[usize::from(byte)] = true;
    }
    has_byte.iter().filter(|&&has_byte| has_byte).count()
}

/// Returns whether `value` is one of the words, in any case.
pub(super) fn is_among(value: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether `value` contains `word` in any case.
pub(super) fn contains_ignoring_case(value: &[u8], word: &str) -> bool {
    value
        .windows(word.len())
        .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether the value is `user:password` in Base64.
pub(super) fn is_encoded_pair(value: &[u8]) -> bool {
    let body = value.trim_ascii_end();
    let body = body
        .strip_suffix(b"==")
        .or(body.strip_suffix(b"="))
        .unwrap_or(body);
    let plain: Vec<u8> = decoded::decode_base64(body).collect();
    let mut halves = plain.splitn(2, |&byte| byte == b':');
    let printable = |half: &[u8]| !half.is_empty() && !half.iter().any(u8::is_ascii_control);
    body.len() >= 10
        && plain.len() == body.len() * 3 / 4
        && halves.next().is_some_and(printable)
        && halves.next().is_some_and(printable)
}

/// Returns whether the value is a public key, which is not secret.
pub(super) fn is_public_key(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const HEADS: &[&[u8]] = &[
        b"AAAAB3Nza", b"AAAAC3Nza", b"AAAAE2Vj", b"AAAAGnNr", b"ssh-", b"ecdsa-", b"MIIBIjAN", b"MIICIjAN",
    ];
    HEADS.iter().any(|head| value.starts_with(head))
}

/// Returns whether the value names a digest and its algorithm: `sha256:…`, `sha512-…`, `h1:…`.
pub(super) fn is_digest(value: &[u8]) -> bool {
    let name = SLUG.run_from(value, 0, 12);
    let algorithm = &value[name.clone()];
    [
        "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "h1", "blake3",
    ]
    .iter()
    .any(|known| {
        let rest = value.get(known.len()..).unwrap_or_default();
        algorithm.len() >= known.len()
            && value[..known.len()].eq_ignore_ascii_case(known.as_bytes())
            && rest.first().is_some_and(|byte| b":-=".contains(byte))
    })
}

/// Returns whether the value is a technical word with a digit: `sha256`, `scram-sha-256`, `OAuth2.0`, `0x0300`.
pub(super) fn is_technical_word(value: &[u8]) -> bool {
    const STEMS: &[&str] = &[
        "aes", "argon", "base", "char", "ed", "http", "int", "ipv", "md", "oauth", "p", "pbkdf",
        "rsa", "sha", "uint", "utf", "v", "varchar", "win", "x",
    ];
    let is_stem = |piece: &[u8]| {
        let letters = LETTER.run_from(piece, 0, piece.len()).end;
        is_among(&piece[..letters], STEMS) && DIGIT.contains_all(&piece[letters..])
    };
    let is_number = value.starts_with(b"0x") && value.len() <= 10 && HEX.contains_all(&value[2..]);
    let mut pieces = value.split(|byte| b"-_.()".contains(byte));
    let plain = value
        .iter()
        .all(|byte| ALNUM.contains(*byte) || b"-_.()/:".contains(byte));
    is_number || plain && value.len() <= 20 && count_noise(value) == 0 && pieces.any(is_stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_words_and_numbers_explain() {
        for value in [
            "max_concurrent_requests",
            "OPENAI_API_KEY",
            "getTokenV2",
            "sha256sum",
            "base64url",
            "utf8mb4",
            "x86_64",
            "i18n",
            "gpt-4o-mini-2024-07-18",
            "2024-01-01T00:00:00Z",
            "python3.13",
            "v1beta1",
            "us-east-1",
            "settreatarraybufferviewsashostobjectsflag",
            "1.2.3-beta.4",
            "abcdef123",
            "12345678901234567890",
        ] {
            assert_eq!(count_noise(value.as_bytes()), 0, "{value}");
        }
        for value in [
            "r6zpryd6kunbsqtuzdjr",
            "3f2a9c0d11aa4b2c",
            "qXbRzWkTpLmNvCyH",
            "y9wdz-o4qhr-03i9zsb",
            "qzxkvjwmpltrbnghdfsc",
        ] {
            let least = value.bytes().filter(u8::is_ascii_alphanumeric).count();
            assert_eq!(count_noise(value.as_bytes()), least, "{value}");
        }
    }

    #[test]
    fn alphabets() {
        for (value, expected) in [
            ("23456789abcdefghijkmnopqrstuvwxyz", true),
            ("ZYXWabcdefghijklmnopqrstuv0123456789", true),
            ("q0wertyuiopasdfghjklzxcvbnm1QWERTYUIOP23ASDFGH", true),
            ("3f2a9c0d-11aa-4b2c-9d3e-0123456789ab", false),
            ("k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw", false),
        ] {
            assert_eq!(lists_alphabet(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn technical_words() {
        for (value, expected) in [
            ("sha256", true),
            ("scram-sha-256", true),
            ("OAuth2.0", true),
            ("0x0300C0A4", true),
            ("varchar(255)", true),
            ("hunter2", false),
            ("v8jk3l2q9x", false),
        ] {
            assert_eq!(is_technical_word(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn encoded_pairs_digests_and_uuids() {
        for (value, expected) in [
            ("YWxpY2U6bm90LWEtcGFzcw==", true),
            ("YWxpY2U6bm90LWEtcGFzcw", true),
            ("YWxpY2Vub3RhcGFzcw==", false),
            ("authentication", false),
            ("a:b", false),
            ("", false),
        ] {
            assert_eq!(is_encoded_pair(value.as_bytes()), expected, "{value}");
        }
        assert!(is_digest(b"sha256:5adf09a5"));
        assert!(is_digest(b"SHA512-5adf09a5"));
        assert!(!is_digest(b"sha256~5adf09a5"));
        assert!(is_uuid(b"3f2a9c0d-11aa-4b2c-9d3e-0123456789ab"));
        assert!(!is_uuid(b"3f2a9c0d-11aa-4b2c-9d3e-0123456789zz"));
    }
}
