//! Small pieces that several wire formats share: text that borrows, and content that is a string
//! or a list of blocks.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::value::RawValue;

/// Text that borrows from the record when it holds no escapes; empty where the field is absent or null.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the other text if this one is absent.
    pub(crate) fn or<'t>(&'t self, other: &'t Self) -> &'t Self {
        if self.is_empty() { other } else { self }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
        let text: Option<Borrowed<'_>> = Option::deserialize(deserializer)?;
        Ok(Self(text.map_or(Cow::Borrowed(""), |text| text.0)))
    }
}

/// A value that is still JSON; empty where the field is absent or null.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text that it is; empty if it is none.
    pub(crate) fn to_text(self) -> Cow<'a, str> {
        serde_json::from_str::<Text<'_>>(self.0)
            .unwrap_or_default()
            .0
    }

    /// Returns a member of the object that it is; nothing if it has none.
    pub(crate) fn member(self, name: &str) -> Self {
        let members: BTreeMap<Cow<'_, str>, Json<'a>> =
            serde_json::from_str(self.0).unwrap_or_default();
        members.get(name).copied().unwrap_or_default()
    }

    /// Reads it as a number or a truth; `None` if it is none.
    pub(crate) fn to_plain<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(self.0).ok()
    }

    /// Reads it as the content of a message.
    pub(crate) fn to_content(self) -> Result<WireContent<'a>, serde_json::Error> {
        if self.is_empty() {
            return Ok(WireContent::Other);
        }
        serde_json::from_str(self.0)
    }

    /// Returns the other value if this one is absent.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_empty() { other } else { self }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw: Option<&RawValue> = Option::deserialize(deserializer)?;
        Ok(Self(raw.map_or("", RawValue::get)))
    }
}

/// Content that is a string, a list of blocks, or something else, which is ignored.
#[derive(Debug, Default)]
pub(crate) enum WireContent<'a> {
    Text(Text<'a>),
    Blocks(Vec<ContentBlock<'a>>),
    #[default]
    Other,
}

/// A block of a message: text, a call, or its result.
#[derive(Debug, Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
pub(crate) struct ContentBlock<'a> {
    #[serde(rename = "type")]
    kind: Json<'a>,
    pub(crate) text: Text<'a>,
    pub(crate) id: Json<'a>,
    pub(crate) name: Json<'a>,
    input: Json<'a>,
    arguments: Json<'a>,
    pub(crate) tool_use_id: Json<'a>,
    pub(crate) is_error: Json<'a>,
    pub(crate) content: Json<'a>,
}

impl<'a> ContentBlock<'a> {
    /// Returns the arguments of a call, under either name: a block may have both.
    pub(crate) fn args(&self) -> Json<'a> {
        self.input.or(self.arguments)
    }

    pub(crate) fn is_of_kind(&self, kind: &str) -> bool {
        self.kind.to_text() == kind
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for WireContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?.as_str();
        Ok(match json.as_bytes().first() {
            Some(b'"') => Self::Text(serde_json::from_str(json).map_err(D::Error::custom)?),
            Some(b'[') => Self::Blocks(serde_json::from_str(json).map_err(D::Error::custom)?),
            _ => Self::Other,
        })
    }
}

impl WireContent<'_> {
    pub(crate) fn blocks(&self) -> &[ContentBlock<'_>] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Text(_) | Self::Other => &[],
        }
    }

    /// Returns all text, blocks joined by line breaks.
    pub(crate) fn joined_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_str()),
            Self::Other => Cow::Borrowed(""),
            Self::Blocks(blocks) => join_lines(blocks.iter().map(|block| block.text.as_str())),
        }
    }
}

/// A block of text, and nothing more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "'de: 'a")]
struct TextBlock<'a> {
    #[serde(default, rename = "type")]
    _kind: Json<'a>,
    text: Text<'a>,
}

/// Returns the text of content that is still JSON: a string, or a list of blocks. Of any other shape it returns all strings,
/// because an agent reads them too; of one with a picture only the text.
pub(crate) fn text_from_json(json: &str) -> Cow<'_, str> {
    if let Ok(text) = serde_json::from_str::<Text<'_>>(json) {
        return text.0;
    }
    match serde_json::from_str::<Vec<TextBlock<'_>>>(json) {
        Ok(blocks) => join_lines(blocks.iter().map(|block| block.text.as_str()))
            .into_owned()
            .into(),
        Err(_) if has_picture(json) => {
            let content: WireContent<'_> = serde_json::from_str(json).unwrap_or_default();
            content.joined_text().into_owned().into()
        }
        Err(_) => strings_from_json(json).into(),
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
pub(crate) fn join_lines<'t>(texts: impl Iterator<Item = &'t str>) -> Cow<'t, str> {
    let mut texts = texts.filter(|text| !text.is_empty());
    let Some(first) = texts.next() else {
        return Cow::Borrowed("");
    };
    let mut all = Cow::Borrowed(first);
    for text in texts {
        let all = all.to_mut();
        all.push('\n');
        *all += text;
    }
    all
}

/// Returns whether content that is still JSON has a picture in it, whose words are not known.
pub(crate) fn has_picture(json: &str) -> bool {
    let mut kinds = json.match_indices("\"image\"");
    kinds.any(|(at, kind)| json[at + kind.len()..].trim_start().starts_with([',', '}']))
        || json.contains("\"inlineData\":")
}

/// Returns every string of a JSON value, one a line; invalid JSON as it is.
pub(crate) fn strings_from_json(json: &str) -> String {
    fn collect(value: &serde_json::Value, into: &mut String) {
        match value {
            serde_json::Value::String(text) => {
                *into += text;
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

    /// Whatever shape a server gives its answer, an agent reads it: so none of it is forgotten.
    #[test]
    fn all_that_an_answer_says_is_read() {
        for json in [
            r#""words""#,
            r#"[{"type":"text","text":"words"}]"#,
            r#"[{"text":"words"}]"#,
            r#"["well","words"]"#,
            r#"[["words"]]"#,
            r#"[{"title":"x","body":"words"}]"#,
            r#"[{"type":"text","text":"well"},{"type":"other","body":"words"}]"#,
            r#"[{"type":"text","text":"well","annotations":{"note":"words"}}]"#,
            r#"[{"type":"resource","resource":{"uri":"x://y","text":"words"}}]"#,
            r#"[{"type":"resource_link","uri":"x://y","description":"words"}]"#,
            r#"{"functionResponse":{"response":{"output":"words"}}}"#,
        ] {
            let text = text_from_json(json);
            assert!(text.lines().any(|line| line == "words"), "{json}: {text}");
        }
        for json in ["", "null", "[]", "12"] {
            assert_eq!(text_from_json(json), "", "{json}");
        }
    }

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
