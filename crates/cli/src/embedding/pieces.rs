//! From a text to the numbers of its tokens, as `tokenizer.json` of a static embedding says.
//!
//! What BERT's models use is read, because the published static models do: clean, split at blanks,
//! punctuation and ideographs, lower-case, drop accents, then cut each word greedily into the longest
//! pieces that are known (WordPiece). Other tokenizers are refused by their name. A special token
//! that stands in a text is a text like any other: nobody outside says what is special.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fmt,
    sync::LazyLock,
};

use regex_syntax::hir::ClassUnicode;
use serde::{
    Deserialize, Deserializer as _,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use unicode_normalization::UnicodeNormalization as _;

/// The kind of model that is known.
const WORDPIECE: &str = "WordPiece";

/// A tokenizer.
#[derive(Debug)]
pub(super) struct Pieces {
    /// As it stands in the file: of some 30,000 pieces a text needs a few dozen.
    vocabulary: Box<RawValue>,
    unknown: String,
    prefix: String,
    /// Longest word that is cut into pieces, in characters.
    word_chars: usize,
    normalizer: Normalizer,
    classes: Classes,
}

#[derive(Deserialize)]
struct File {
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<Named>,
    model: Model,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "type")]
    name: String,
}

/// What kind of model a file holds, for one that is none of ours.
#[derive(Deserialize)]
struct Kind {
    model: Named,
}

/// How a text is cleaned.
#[derive(Debug, Clone, Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    name: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    /// As lower-casing, if nothing is said.
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: Box<RawValue>,
    unk_token: Option<String>,
    #[serde(default = "hashes")]
    continuing_subword_prefix: String,
    #[serde(default = "hundred")]
    max_input_chars_per_word: usize,
}

fn yes() -> bool {
    true
}

fn hashes() -> String {
    "##".to_owned()
}

fn hundred() -> usize {
    100
}

impl Pieces {
    /// Reads `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// Returns what about it cannot be read, in words.
    pub(super) fn read(json: &str) -> Result<Self, String> {
        let other = |what: &str, name: &str| {
            format!("its tokenizer has the {what} {name:?}; only BERT's WordPiece is known")
        };
        let file: File = match serde_json::from_str(json) {
            Ok(file) => file,
            Err(error) => {
                // What is no WordPiece has another form, and is named all the same.
                return Err(match serde_json::from_str::<Kind>(json) {
                    Ok(kind) if kind.model.name != WORDPIECE => other("model", &kind.model.name),
                    _ => format!("tokenizer.json is not what it should be: {error}"),
                });
            }
        };
        if let Some(kind) = &file.model.kind
            && kind != WORDPIECE
        {
            return Err(other("model", kind));
        }
        let normalizer = match file.normalizer {
            Some(it) if it.name == "BertNormalizer" => it,
            it => return Err(other("normalizer", &it.map_or_else(none, |it| it.name))),
        };
        match file.pre_tokenizer {
            Some(it) if it.name == "BertPreTokenizer" => {}
            it => return Err(other("pre-tokenizer", &it.map_or_else(none, |it| it.name))),
        }
        let model = file.model;
        Ok(Self {
            unknown: model.unk_token.unwrap_or_else(|| "[UNK]".to_owned()),
            vocabulary: model.vocab,
            prefix: model.continuing_subword_prefix,
            word_chars: model.max_input_chars_per_word,
            normalizer,
            classes: Classes::new(),
        })
    }

    /// Returns of each text the first tokens that are known, at most so many.
    ///
    /// # Errors
    ///
    /// Returns what about the vocabulary cannot be read.
    pub(super) fn tokens(&self, texts: &[&str], most: usize) -> Result<Vec<Vec<u32>>, String> {
        let texts: Vec<Vec<String>> = texts.iter().map(|text| self.words(text)).collect();
        let mut wanted: HashSet<Cow<'_, str>> = HashSet::new();
        for word in texts.iter().flatten().collect::<HashSet<_>>() {
            self.want(word, &mut wanted);
        }
        let known = self.known(&wanted)?;
        let unknown = known.get(self.unknown.as_str()).copied();
        let cut = |words: &Vec<String>| {
            let mut tokens = Vec::new();
            for word in words {
                self.cut(word, &known, unknown, &mut tokens);
                if tokens.len() >= most {
                    break;
                }
            }
            tokens.truncate(most);
            tokens
        };
        Ok(texts.iter().map(cut).collect())
    }

    /// Splits a text at blanks and around punctuation; words too long to be cut are left out.
    fn words(&self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut word = String::new();
        for c in self.normalized(text).chars().chain([' ']) {
            let is_mark = self.classes.is_punctuation(c);
            if !c.is_whitespace() && !is_mark {
                word.push(c);
                continue;
            }
            words.push(std::mem::take(&mut word));
            words.extend(is_mark.then(|| c.to_string()));
        }
        words.retain(|word| (1..=self.word_chars).contains(&word.chars().count()));
        words
    }

    /// Adds all that a word could be cut into.
    fn want<'w>(&self, word: &'w str, wanted: &mut HashSet<Cow<'w, str>>) {
        for (start, _) in word.char_indices() {
            let rest = &word[start..];
            for end in rest.char_indices().map(|(at, c)| at + c.len_utf8()) {
                wanted.insert(match start {
                    0 => Cow::Borrowed(&rest[..end]),
                    _ => Cow::Owned(format!("{}{}", self.prefix, &rest[..end])),
                });
            }
        }
    }

    /// Reads the numbers of wanted pieces, and of the one that stands for what is unknown.
    fn known(&self, wanted: &HashSet<Cow<'_, str>>) -> Result<HashMap<String, u32>, String> {
        let mut reader = serde_json::Deserializer::from_str(self.vocabulary.get());
        let wanted = Wanted {
            pieces: wanted,
            unknown: &self.unknown,
        };
        let known = reader.deserialize_map(wanted);
        known.map_err(|error| format!("the vocabulary is not what it should be: {error}"))
    }

    fn normalized(&self, text: &str) -> String {
        let how = &self.normalizer;
        let mut cleaned = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\t' | '\n' | '\r' => cleaned.push(' '),
                _ if how.clean_text && self.classes.is_dropped(c) => {}
                _ if how.clean_text && c.is_whitespace() => cleaned.push(' '),
                _ if how.handle_chinese_chars && is_ideograph(c) => cleaned.extend([' ', c, ' ']),
                _ => cleaned.push(c),
            }
        }
        if how.strip_accents.unwrap_or(how.lowercase) && !cleaned.is_ascii() {
            let is_accent = |c: &char| self.classes.accents.contains(*c);
            cleaned = cleaned.nfd().filter(|c| !is_accent(c)).collect();
        }
        match how.lowercase {
            // Letter by letter: what a letter becomes does not depend on where it stands.
            true => cleaned.chars().flat_map(char::to_lowercase).collect(),
            false => cleaned,
        }
    }

    /// Adds the pieces of one word; nothing if any part of it is unknown.
    fn cut(
        &self,
        word: &str,
        known: &HashMap<String, u32>,
        unknown: Option<u32>,
        tokens: &mut Vec<u32>,
    ) {
        let before = tokens.len();
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| {
                piece.clear();
                if rest.len() < word.len() {
                    piece.push_str(&self.prefix);
                }
                piece.push_str(&rest[..end]);
                Some((end, *known.get(&piece)?))
            });
            let Some((end, token)) = longest else {
                tokens.truncate(before);
                return;
            };
            if Some(token) != unknown {
                tokens.push(token);
            }
            rest = &rest[end..];
        }
    }
}

/// Reads a vocabulary, and keeps what is wanted of it.
struct Wanted<'w> {
    pieces: &'w HashSet<Cow<'w, str>>,
    unknown: &'w str,
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = HashMap<String, u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pieces and their numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut known = HashMap::new();
        while let Some((Piece(piece), number)) = map.next_entry::<Piece<'de>, u32>()? {
            if self.pieces.contains(&*piece) || piece == self.unknown {
                known.insert(piece.into_owned(), number);
            }
        }
        Ok(known)
    }
}

/// A piece, lent by the text it stands in unless something in it is escaped.
#[derive(Deserialize)]
struct Piece<'a>(#[serde(borrow)] Cow<'a, str>);

fn none() -> String {
    "none".to_owned()
}

/// Ideographs, each of which is a word; not the syllables of Japanese and Korean.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

/// Kinds of characters that the standard library does not tell, made when a text first asks: most
/// hold nothing but ASCII.
#[derive(Debug)]
struct Classes {
    punctuation: LazyLock<Class>,
    accents: LazyLock<Class>,
    /// Controls, formats, and what is not assigned or for private use.
    other: LazyLock<Class>,
}

impl Classes {
    fn new() -> Self {
        Self {
            punctuation: LazyLock::new(|| Class::of(r"\p{P}")),
            accents: LazyLock::new(|| Class::of(r"\p{Mn}")),
            other: LazyLock::new(|| Class::of(r"[\p{Cc}\p{Cf}\p{Cn}\p{Co}]")),
        }
    }

    fn is_punctuation(&self, c: char) -> bool {
        match c.is_ascii() {
            true => c.is_ascii_punctuation(),
            false => self.punctuation.contains(c),
        }
    }

    fn is_dropped(&self, c: char) -> bool {
        match c.is_ascii() {
            true => c.is_ascii_control(),
            false => c == '\u{fffd}' || self.other.contains(c),
        }
    }
}

/// A kind of characters, as ranges in order.
#[derive(Debug)]
struct Class(ClassUnicode);

impl Class {
    fn of(pattern: &str) -> Self {
        let hir = regex_syntax::parse(pattern).expect("the tables of this class are built in");
        match hir.into_kind() {
            regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
                Self(class)
            }
            kind => unreachable!("a class is a class, not {kind:?}"),
        }
    }

    fn contains(&self, c: char) -> bool {
        let ranges = self.0.ranges();
        let after = ranges.partition_point(|range| range.end() < c);
        ranges.get(after).is_some_and(|range| range.start() <= c)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WORDS: [&str; 18] = [
        "[PAD]", "[UNK]", "[CLS]", "un", "##aff", "##able", "cafe", "npm", "test", ":", "-", "the",
        "##s", "北", "京", "[", "]", "cls",
    ];

    fn tokenizer(change: impl FnOnce(&mut serde_json::Value)) -> String {
        let vocabulary: HashMap<&str, usize> =
            WORDS.iter().enumerate().map(|(at, it)| (*it, at)).collect();
        let mut json = json!({
            "version": "1.0",
            "truncation": null,
            "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}],
            "normalizer": {"type": "BertNormalizer", "clean_text": true,
                "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": null,
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
            "model": {"type": "WordPiece", "unk_token": "[UNK]",
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 12,
                "vocab": vocabulary},
        });
        change(&mut json);
        json.to_string()
    }

    fn told(pieces: &Pieces, text: &str) -> String {
        let tokens = pieces.tokens(&[text], 16).unwrap();
        let tokens: Vec<&str> = tokens
            .concat()
            .into_iter()
            .map(|it| WORDS[usize::try_from(it).unwrap()])
            .collect();
        tokens.join(" ")
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let pieces = Pieces::read(&tokenizer(|_| {})).unwrap();
        let check = |text, expected| assert_eq!(told(&pieces, text), expected, "{text:?}");
        check("unaffable", "un ##aff ##able");
        check("NPM test", "npm test");
        check("npm:test-tests", "npm : test - test ##s");
        check("un known", "un");
        check("unaff\u{fffd}able", "un ##aff ##able");
        check("unaffableunaffable", "");
        check("Café cafe\u{301}\tCAFE\u{a0}cafe", "cafe cafe cafe cafe");
        check("the北京", "the 北 京");
        check("un\u{200b}aff", "un ##aff");
        check("the…test", "the test");
        // What is special to the model is a text here.
        check("[CLS] [UNK]", "[ cls ] [ ]");
        check("", "");
        check("\0 \u{1f600}", "");
        check(&"the ".repeat(40), &["the"; 16].join(" "));
    }

    #[test]
    fn what_the_file_says_is_done() {
        let cased = tokenizer(|it| it["normalizer"]["lowercase"] = false.into());
        assert_eq!(
            told(&Pieces::read(&cased).unwrap(), "NPM npm café cafe"),
            "npm cafe"
        );
        let marked = tokenizer(|it| it["normalizer"]["strip_accents"] = false.into());
        assert_eq!(told(&Pieces::read(&marked).unwrap(), "Café cafe"), "cafe");
    }

    #[test]
    fn other_tokenizers_are_refused() {
        let no = |change: fn(&mut serde_json::Value)| Pieces::read(&tokenizer(change)).unwrap_err();
        insta::assert_snapshot!(no(|it| it["model"] = json!({"type": "Unigram", "vocab": [["a", -1.0]]})),
            @r#"its tokenizer has the model "Unigram"; only BERT's WordPiece is known"#);
        insta::assert_snapshot!(no(|it| it["model"]["type"] = "BPE".into()),
            @r#"its tokenizer has the model "BPE"; only BERT's WordPiece is known"#);
        insta::assert_snapshot!(no(|it| it["normalizer"] = json!({"type": "Lowercase"})),
            @r#"its tokenizer has the normalizer "Lowercase"; only BERT's WordPiece is known"#);
        insta::assert_snapshot!(no(|it| it["pre_tokenizer"] = json!(null)),
            @r#"its tokenizer has the pre-tokenizer "none"; only BERT's WordPiece is known"#);
        // The vocabulary is read when a text asks for it.
        for vocabulary in [json!(["a"]), json!({"a": "b"}), json!({"a": -1})] {
            let odd = tokenizer(|it| it["model"]["vocab"] = vocabulary);
            let told = Pieces::read(&odd).unwrap().tokens(&["a"], 8).unwrap_err();
            assert!(
                told.starts_with("the vocabulary is not what it should be"),
                "{told}"
            );
        }
        assert!(Pieces::read("{").is_err());
        assert!(Pieces::read("[]").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_tokens(text: String) {
            let pieces = Pieces::read(&tokenizer(|_| {})).unwrap();
            let tokens = pieces.tokens(&[text.as_str()], 8).unwrap();
            proptest::prop_assert!(tokens[0].len() <= 8);
        }
    }
}
