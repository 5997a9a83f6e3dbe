//! JSON as clients really write it, made readable: half surrogate pairs, a mark of byte order, values glued together.
//!
//! Nothing is repaired that could mean two things. Half a pair says nothing and becomes `\u{fffd}`; two whole values on a
//! line are two records.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::to_text;

/// The mark of byte order before UTF-8.
pub(crate) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Converts a JSON record's bytes to text that can be parsed: without a mark of byte order and without half pairs.
pub(crate) fn to_json_text(bytes: &[u8]) -> Cow<'_, str> {
    match to_text(bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes)) {
        Cow::Borrowed(text) => mend_pairs(text),
        Cow::Owned(text) => Cow::Owned(mend_pairs(&text).into_owned()),
    }
}

/// Replaces each escaped half of a surrogate pair that stands alone, as JavaScript leaves it where it cuts a text.
pub(crate) fn mend_pairs(json: &str) -> Cow<'_, str> {
    // Whether it is there at all is found many bytes at a time, where it is not.
    if !json.contains("\\u") {
        return Cow::Borrowed(json);
    }
    let mut text = String::new();
    let mut rest = json;
    while let Some(at) = find_lone_half(rest) {
        text += &rest[..at];
        text += "\\ufffd";
        rest = &rest[at + ESCAPE..];
    }
    if text.is_empty() {
        return Cow::Borrowed(json);
    }
    text += rest;
    Cow::Owned(text)
}

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Returns the position of the first escaped half that is not one of a pair.
fn find_lone_half(json: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = json[from..].find("\\u") {
        let at = from + found;
        let before = json[..at].bytes().rev();
        let is_escaped = before.take_while(|byte| *byte == b'\\').count() % 2 == 1;
        let (first, second) = (read_half(json, at), read_half(json, at + ESCAPE));
        from = match (first, second) {
            _ if is_escaped => at + 1,
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at + 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => return Some(at),
            _ => at + 2,
        };
    }
    None
}

/// Returns the code of an escape at a position.
fn read_half(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// Splits a line on which several objects stand; returns them, and whether something else follows. `None` if it is not
/// more than one object, or one with something behind it.
pub(crate) fn split_objects(line: &str) -> Option<(Vec<&str>, bool)> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<&RawValue>();
    let mut objects = Vec::new();
    let mut has_rest = false;
    for value in values.by_ref() {
        match value {
            Ok(value) if value.get().starts_with('{') => objects.push(value.get()),
            _ => has_rest = true,
        }
    }
    let is_several = objects.len() > 1 || (has_rest && !objects.is_empty());
    is_several.then_some((objects, has_rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""plain""#, r#""plain""#),
            (r#""npm test # \ud83d""#, r#""npm test # \ufffd""#),
            (
                r#""\udd80 \uD83D\uDD80 \ud83dx\ud83d""#,
                r#""\ufffd \uD83D\uDD80 \ufffdx\ufffd""#,
            ),
            (r#""\\ud83d \\\ud83d""#, r#""\\ud83d \\\ufffd""#),
            (r#""\u00e9 \u12""#, r#""\u00e9 \u12""#),
        ] {
            assert_eq!(mend_pairs(json), expected);
        }
        assert_eq!(to_json_text(b"\xef\xbb\xbf{}"), "{}");
    }

    #[test]
    fn objects_on_a_line_are_told_apart() {
        for (line, expected) in [
            (r#"{"a":1}"#, None),
            (
                r#"{"a":1}{"b":2}"#,
                Some((vec![r#"{"a":1}"#, r#"{"b":2}"#], false)),
            ),
            (
                r#"{"a":"}{"} {"b":2}"#,
                Some((vec![r#"{"a":"}{"}"#, r#"{"b":2}"#], false)),
            ),
            (r#"{"a":1}{"b":"#, Some((vec![r#"{"a":1}"#], true))),
            (r#"{"a":{"b":1}"#, None),
            ("1 2", None),
        ] {
            assert_eq!(split_objects(line), expected, "{line}");
        }
    }
}
