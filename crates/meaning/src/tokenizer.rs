//! Splits a text into the words and parts of words that a BERT model without case knows (Devlin et al.; WordPiece of
//! Wu et al.).

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// Words longer than this are unknown as a whole.
const WORD_CHARS: usize = 100;

/// Punctuation beyond ASCII, by ranges of Unicode's general category P that texts have.
const PUNCTUATION: [(char, char); 14] = [
    ('\u{a1}', '\u{a1}'),
    ('\u{a7}', '\u{a7}'),
    ('\u{ab}', '\u{ab}'),
    ('\u{b6}', '\u{b7}'),
    ('\u{bb}', '\u{bb}'),
    ('\u{bf}', '\u{bf}'),
    ('\u{2010}', '\u{2027}'),
    ('\u{2030}', '\u{205e}'),
    ('\u{3001}', '\u{3003}'),
    ('\u{3008}', '\u{3011}'),
    ('\u{3014}', '\u{301f}'),
    ('\u{ff01}', '\u{ff0f}'),
    ('\u{ff1a}', '\u{ff20}'),
    ('\u{ff3b}', '\u{ff65}'),
];

/// Letters that are words by themselves: the ideographs of Chinese, Japanese and Korean.
const IDEOGRAPHS: [(char, char); 5] = [
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{20000}', '\u{2ceaf}'),
    ('\u{2f800}', '\u{2fa1f}'),
];

/// The words that a model knows, sorted by their bytes; a word's place is its row.
pub(crate) struct Vocabulary {
    text: String,
    /// Where each word begins, and the end of the last one.
    starts: Vec<u32>,
}

impl Vocabulary {
    /// Takes words that are sorted, each with a line break behind it; `None` if they are not.
    pub(crate) fn from_sorted(text: String) -> Option<Self> {
        let mut starts = vec![0];
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        for (at, _) in breaks {
            starts.push(u32::try_from(at + 1).ok()?);
        }
        let vocabulary = Self { text, starts };
        let is_sorted =
            (1..vocabulary.len()).all(|row| vocabulary.word(row - 1) < vocabulary.word(row));
        is_sorted.then_some(vocabulary)
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a word's row.
    pub(crate) fn find(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn word(&self, row: usize) -> &str {
        // A line break stands between two words.
        &self.text[self.starts[row] as usize..self.starts[row + 1] as usize - 1]
    }

    /// Returns the rows of a text's words, between the marks of its beginning and its end: at most `most` in all. Of a
    /// longer text the head and the tail are taken.
    pub(crate) fn tokenize(&self, text: &str, most: usize) -> Vec<usize> {
        let mut rows: Vec<usize> = Vec::new();
        for word in split_words(text) {
            self.push_parts(&word, &mut rows);
        }
        let room = most.saturating_sub(2);
        if rows.len() > room {
            let head = room.div_ceil(2);
            rows.drain(head..rows.len() - (room - head));
        }
        let mark = |name: &str| self.find(name);
        [mark("[CLS]")]
            .into_iter()
            .flatten()
            .chain(rows)
            .chain(mark("[SEP]"))
            .collect()
    }

    /// Appends the longest parts that a word consists of; the mark of the unknown if there are none.
    fn push_parts(&self, word: &str, rows: &mut Vec<usize>) {
        let before = rows.len();
        let mut rest = word;
        while !rest.is_empty() && word.chars().count() <= WORD_CHARS {
            let ends = rest
                .char_indices()
                .map(|(at, letter)| at + letter.len_utf8())
                .rev();
            let is_first = rows.len() == before;
            let part = ends.into_iter().find_map(|end| {
                let part = &rest[..end];
                let row = if is_first {
                    self.find(part)
                } else {
                    self.find(&format!("##{part}"))
                };
                Some((row?, end))
            });
            let Some((row, end)) = part else { break };
            rows.push(row);
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            rows.truncate(before);
            rows.extend(self.find("[UNK]"));
        }
    }
}

/// Returns a text's words without case and accents; a sign of punctuation and an ideograph is a word of its own.
fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let plain = text.chars().flat_map(char::to_lowercase).nfd();
    for letter in plain.filter(|letter| !is_combining_mark(*letter)) {
        if letter.is_whitespace() {
            words.push(String::new());
        } else if letter.is_control() || letter == '\u{fffd}' {
        } else if stands_alone(letter) {
            words.push(letter.to_string());
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn stands_alone(letter: char) -> bool {
    let mut ranges = PUNCTUATION.iter().chain(&IDEOGRAPHS);
    letter.is_ascii_punctuation() || ranges.any(|(first, last)| (*first..=*last).contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let mut words = vec![
            "[CLS]", "[SEP]", "[UNK]", "run", "##ning", "##s", "test", "!", "uber", "中", "a",
            "##b", "-",
        ];
        words.sort_unstable();
        Vocabulary::from_sorted(words.iter().map(|word| format!("{word}\n")).collect()).unwrap()
    }

    fn check(text: &str, expected: &str) {
        let vocabulary = vocabulary();
        let rows = vocabulary.tokenize(text, 8);
        let words: Vec<&str> = rows.iter().map(|row| vocabulary.word(*row)).collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn texts_are_split_as_the_model_learned_them() {
        check("Running tests!", "[CLS] run ##ning test ##s ! [SEP]");
        check("Über-run", "[CLS] uber - run [SEP]");
        check("中中", "[CLS] 中 中 [SEP]");
        check("zebra run", "[CLS] [UNK] run [SEP]");
        check("runz", "[CLS] [UNK] [SEP]");
        check("", "[CLS] [SEP]");
        check("a\u{0}b\u{7}", "[CLS] a ##b [SEP]");
        // Of a long text, its head and its tail.
        check(
            "a a a test run run run run",
            "[CLS] a a a run run run [SEP]",
        );
    }

    #[test]
    fn a_vocabulary_is_sorted() {
        assert!(Vocabulary::from_sorted("b\na\n".to_owned()).is_none());
        assert_eq!(
            vocabulary()
                .find("run")
                .map(|row| vocabulary().word(row).to_owned())
                .as_deref(),
            Some("run")
        );
        assert_eq!(vocabulary().find("runs"), None);
    }
}
