//! Small pieces that several wire formats share: text that borrows, and content that is a string
//! or a list of blocks.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Text that borrows from the record when it holds no escapes, also inside an `Option`.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Returns the text of an optional field, empty when it is absent.
pub(crate) fn text_or_empty<'t>(text: Option<&'t Text<'_>>) -> &'t str {
    text.map_or("", Text::as_str)
}

/// Returns the raw JSON of an optional field, empty when it is absent.
pub(crate) fn json_or_empty(raw: Option<&RawValue>) -> &str {
    raw.map_or("", RawValue::get)
}

/// Content that is a string, a list of blocks `B`, or something else, which is ignored.
#[derive(Debug, Default)]
pub(crate) enum WireContent<'a, B> {
    Text(Text<'a>),
    Blocks(Vec<B>),
    #[default]
    Other,
}

impl<'de: 'a, 'a, B: Deserialize<'de>> Deserialize<'de> for WireContent<'a, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor<B>(std::marker::PhantomData<B>);
        impl<'de, B: Deserialize<'de>> Visitor<'de> for ContentVisitor<B> {
            type Value = WireContent<'de, B>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(WireContent::Text(Text(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(WireContent::Text(Text(Cow::Owned(text.to_owned()))))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(WireContent::Blocks(blocks))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(WireContent::Other)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(WireContent::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(WireContent::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(WireContent::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(WireContent::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(WireContent::Other)
            }
        }
        deserializer
            .deserialize_any(ContentVisitor(std::marker::PhantomData))
            .map_err(D::Error::custom)
    }
}

/// A block of which only the text matters.
#[derive(Debug, Deserialize)]
pub(crate) struct TextBlock<'a> {
    #[serde(borrow, default)]
    pub(crate) text: Option<Text<'a>>,
}

/// Content of which only the text matters.
pub(crate) type PlainContent<'a> = WireContent<'a, TextBlock<'a>>;

impl PlainContent<'_> {
    /// Returns all text, blocks joined by line breaks.
    pub(crate) fn joined_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_str()),
            Self::Other => Cow::Borrowed(""),
            Self::Blocks(blocks) => join_lines(
                blocks
                    .iter()
                    .filter_map(|block| block.text.as_ref())
                    .map(Text::as_str),
            ),
        }
    }
}

/// Returns the text of content that is still JSON: a string, or a list of blocks.
pub(crate) fn text_from_json(json: &str) -> Cow<'_, str> {
    let content: PlainContent<'_> = serde_json::from_str(json).unwrap_or_default();
    match content {
        WireContent::Text(text) => text.0,
        blocks => Cow::Owned(blocks.joined_text().into_owned()),
    }
}

/// Returns the first and the last lines of a long JSON string without decoding the middle; `None` for a short one, or
/// one that cannot be cut.
pub(crate) fn json_text_ends(json: &str) -> Option<String> {
    const END: usize = 2048;
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.len() < 4 * END {
        return None;
    }
    let head = &inner[..find_json_cut(inner, END)?];
    let tail = &inner[find_json_cut(inner, inner.len() - END)?..];
    serde_json::from_str(&format!("\"{head}\\n{tail}\"")).ok()
}

/// Returns a position near `from` where a JSON string can be cut: between two characters, and not inside an escape, the
/// longest of which is a pair of `\u` with four digits each.
fn find_json_cut(inner: &str, from: usize) -> Option<usize> {
    const PAIR: usize = 12;
    let bytes = inner.as_bytes();
    (from..bytes.len().min(from + 1024))
        .find(|&at| inner.is_char_boundary(at) && !bytes[at - PAIR..at].contains(&b'\\'))
}

/// Joins texts by line breaks, without copying when there is one.
pub(crate) fn join_lines<'t>(mut texts: impl Iterator<Item = &'t str>) -> Cow<'t, str> {
    let Some(first) = texts.next() else {
        return Cow::Borrowed("");
    };
    let mut all = Cow::Borrowed(first);
    for text in texts {
        let all = all.to_mut();
        all.push('\n');
        all.push_str(text);
    }
    all
}

/// Returns every string of a JSON value, one a line; invalid JSON as it is.
pub(crate) fn strings_from_json(json: &str) -> String {
    fn collect(value: &serde_json::Value, into: &mut String) {
        match value {
            serde_json::Value::String(text) => {
                into.push_str(text);
                into.push('\n');
            }
            serde_json::Value::Array(list) => list.iter().for_each(|list| collect(list, into)),
            serde_json::Value::Object(map) => map.values().for_each(|value| collect(value, into)),
            _ => {}
        }
    }
    let Ok(value) = serde_json::from_str(json) else {
        return json.to_owned();
    };
    let mut text = String::new();
    collect(&value, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_long_string_are_its_first_and_last_lines() {
        for middle in ["x\n", "\\", "é\t", "\u{1f980}\"", "\u{1}"] {
            let text = format!("first\n{}\nlast", middle.repeat(20_000));
            let json = serde_json::to_string(&text).unwrap();
            let escaped = json
                .replace('é', "\\u00e9")
                .replace('\u{1f980}', "\\ud83e\\udd80");
            for json in [json, escaped] {
                let Some(ends) = json_text_ends(&json) else {
                    continue;
                };
                assert!(
                    ends.starts_with("first\n") && ends.ends_with("\nlast"),
                    "{middle:?}"
                );
                assert!(ends.len() < 9000);
            }
        }
        assert_eq!(json_text_ends("\"short\""), None);
        assert_eq!(json_text_ends("[]"), None);
    }
}
