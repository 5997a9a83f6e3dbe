//! Values written as YAML: plain where every reader reads them alike, in quotes everywhere else.

use serde_json::Value as Json;

use crate::limits;

/// Words that some reader of YAML takes for something else than text.
const RESERVED: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf",
];

/// Writes a text as a scalar.
pub(super) fn format_scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quote_scalar(text)
    }
}

/// Writes texts as a list in brackets.
pub(super) fn format_list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let is_short = |text: &str| is_plain(text) && !text.contains([',', '[', ']', '{', '}', ':']);
    let items: Vec<String> = texts
        .into_iter()
        .map(|text| match text.as_ref() {
            text if is_short(text) => text.to_owned(),
            text => quote_scalar(text),
        })
        .collect();
    format!("[{}]", items.join(", "))
}

/// Writes what stands after a name and its colon: a value on the same line, or lines below, each
/// with this indent and a line break before it.
pub(super) fn format_value(value: &Json, indent: usize) -> String {
    let deep = json_depth(value) + indent / 2 + 2 > limits::YAML_DEPTH;
    match value {
        // A reader that bounds nesting, as this one does, gets it as text.
        value if deep => format!(" {}", quote_scalar(&value.to_string())),
        Json::Object(map) if !map.is_empty() => map
            .iter()
            .map(|(key, value)| {
                let below = format_value(value, indent + 2);
                format!("\n{:indent$}{}:{below}", "", format_scalar(key))
            })
            .collect(),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            format!(" {}", format_list(items.iter().filter_map(Json::as_str)))
        }
        Json::String(text) => format!(" {}", format_scalar(text)),
        // JSON is YAML, as long as every character is one that YAML prints.
        other => format!(" {}", escape_unprinted(&other.to_string())),
    }
}

fn json_depth(value: &Json) -> usize {
    match value {
        Json::Object(map) => 1 + map.values().map(json_depth).max().unwrap_or(0),
        Json::Array(items) => 1 + items.iter().map(json_depth).max().unwrap_or(0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    }
}

fn is_plain(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '(' | '_'));
    let divides = |text: &str| text.contains(": ") || text.contains(" #") || text.ends_with(':');
    starts_well
        && text.trim() == text
        && !divides(text)
        && !text.contains(is_unprinted)
        && !RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn quote_scalar(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_unprinted(c) => out.push_str(&unicode_escape(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Writes what YAML does not print by its number. Inside of JSON that is always inside of quotes.
fn escape_unprinted(json: &str) -> String {
    if !json.contains(is_unprinted) {
        return json.to_owned();
    }
    json.chars()
        .map(|c| {
            if is_unprinted(c) {
                unicode_escape(c)
            } else {
                c.to_string()
            }
        })
        .collect()
}

fn unicode_escape(c: char) -> String {
    match u32::from(c) {
        number @ 0..=0xffff => format!("\\u{number:04x}"),
        number => format!("\\U{number:08x}"),
    }
}

/// Returns whether a character is one that YAML does not print or breaks lines at.
fn is_unprinted(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::yaml, *};

    #[test]
    fn what_everybody_reads_alike_is_plain() {
        for (text, expected) in [
            (
                "Use `npm run unit`, not npm test.",
                "Use `npm run unit`, not npm test.",
            ),
            ("/fetch behind cloudflare", "/fetch behind cloudflare"),
            ("Größe", "Größe"),
            ("a: b", "\"a: b\""),
            ("https://x.example", "https://x.example"),
            ("ends:", "\"ends:\""),
            ("a #b", "\"a #b\""),
            ("a#b", "a#b"),
            ("Yes", "\"Yes\""),
            ("12", "\"12\""),
            ("- a", "\"- a\""),
            ("", "\"\""),
            ("a\nb\\", "\"a\\nb\\\\\""),
            ("a\u{2028}\u{1b}", "\"a\\u2028\\u001b\""),
        ] {
            assert_eq!(format_scalar(text), expected);
        }
        assert_eq!(
            format_list(["a", "c++", "a, b", "no"]),
            "[a, c++, \"a, b\", \"no\"]"
        );
    }

    #[test]
    fn maps_are_written_in_lines() {
        let value =
            json!({"a": {"x": 1, "y": ["p", "q"]}, "b": [], "c": {}, "d": [1, {"e": null}]});
        assert_eq!(
            format!("m:{}", format_value(&value, 2)),
            "m:\n  a:\n    x: 1\n    \"y\": [p, q]\n  b: []\n  c: {}\n  d: [1,{\"e\":null}]"
        );
    }

    fn values() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            any::<Option<bool>>().prop_map(|it| json!(it)),
            any::<i64>().prop_map(|it| json!(it)),
            (-1e9..1e9_f64).prop_map(|it| json!(it)),
            "\\PC{0,12}|[a-z:#\\-\"'\\\\\n\t ,\\[{&*!|>%@`]{0,8}|\\x{0}-\\x{2029}"
                .prop_map(|it| json!(it)),
        ];
        leaf.prop_recursive(20, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(|it| json!(it)),
                prop::collection::btree_map("\\PC{1,6}|[a-z:# \n]{1,4}", inner, 0..3)
                    .prop_map(|it| json!(it)),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in values()) {
            let source = format!("top:{}\n", format_value(&value, 2));
            let read = yaml::parse(&source).map(|it| it.to_json()["top"].clone());
            let shallow = json_depth(&value) + 3 <= limits::YAML_DEPTH;
            if shallow {
                prop_assert_eq!(read, Ok(value), "{}", source);
            } else {
                prop_assert!(read.is_ok(), "{}", source);
            }
        }

        #[test]
        fn any_text_is_read_back(text in any::<String>()) {
            let source = format!("a: {}\nb: {}\n", format_scalar(&text), format_list([&text]));
            let read = yaml::parse(&source).map(|it| it.to_json());
            prop_assert_eq!(read, Ok(json!({"a": text, "b": [text]})), "{}", source);
        }
    }
}
