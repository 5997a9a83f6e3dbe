//! Values written as YAML: plain where every reader reads them alike, in quotes everywhere else.

use serde_json::{Map, Value as Json};

use hardwon_core::limits;

/// The fields of a front matter, of a trigger and of a piece of evidence, in the order they are
/// written in. Other fields stand behind them.
pub(super) const FRONT_MATTER: Order = &[
    "schema",
    "slug",
    "title",
    "trigger",
    "outcome",
    "evidence",
    "confidence",
    "success_count",
    "failure_count",
    "supersedes",
    "expires_at",
    "metadata",
];
const TRIGGER: Order = &["description", "tags", "targets"];
const EVIDENCE: Order = &["kind", "ref", "note"];

/// The order of a map's fields; empty for a map of which the specification says nothing.
pub(super) type Order = &'static [&'static str];

/// Words that some reader of YAML takes for something else than text.
const RESERVED: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf",
];

/// Writes the fields of a map in lines, each with this indent.
pub(super) fn format_fields(map: &Map<String, Json>, order: Order, indent: usize) -> String {
    let ordered_fields = order.iter().filter_map(|name| map.get_key_value(*name));
    let others = map
        .iter()
        .filter(|(name, _)| !order.contains(&name.as_str()));
    let fields = ordered_fields.chain(others);
    let write = |(name, value): (&String, &Json)| {
        format!(
            "{:indent$}{}\n",
            "",
            format_field(name, value, order, indent)
        )
    };
    fields.map(write).collect()
}

/// Writes a field: its name, the colon, and a value on the same line or in lines below.
pub(super) fn format_field(name: &str, value: &Json, order: Order, indent: usize) -> String {
    let below = indent + 2;
    let value = match (name, value) {
        ("evidence" | "targets", Json::Array(items)) if order.contains(&name) => {
            items.iter().map(|item| format_item(item, below)).collect()
        }
        ("trigger", Json::Object(map)) if order == FRONT_MATTER => {
            format!("\n{}", format_fields(map, TRIGGER, below).trim_end())
        }
        // A time is plain; no other reader takes it for something else here.
        ("expires_at", Json::String(time)) if order.contains(&name) => format!(" {time}"),
        (_, value) => format_value(value, below),
    };
    format!("{}:{value}", format_scalar(name))
}

/// Writes an item of a list in lines.
fn format_item(item: &Json, indent: usize) -> String {
    match item {
        Json::Object(map) if !map.is_empty() => {
            let fields = format_fields(map, EVIDENCE, indent + 2);
            format!("\n{:indent$}- {}", "", fields.trim())
        }
        item => format!("\n{:indent$}-{}", "", format_value(item, indent + 2)),
    }
}

/// Writes a text as a scalar.
fn format_scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quote_scalar(text)
    }
}

/// Writes a list in brackets.
fn format_list(items: &[Json]) -> String {
    let is_short = |text: &str| is_plain(text) && !text.contains([',', '[', ']', '{', '}', ':']);
    let texts = items.iter().filter_map(Json::as_str);
    let items: Vec<String> = texts
        .map(|text| match text {
            text if is_short(text) => text.to_owned(),
            text => quote_scalar(text),
        })
        .collect();
    format!("[{}]", items.join(", "))
}

/// Writes what stands after a colon: a value on the same line, or lines below with this indent.
fn format_value(value: &Json, indent: usize) -> String {
    let is_deep = json_depth(value) + indent / 2 + 2 > limits::YAML_DEPTH;
    match value {
        // A reader that bounds nesting, as this one does, gets it as text.
        value if is_deep => format!(" {}", quote_scalar(&value.to_string())),
        Json::Object(map) if !map.is_empty() => {
            let fields = format_fields(map, &[], indent);
            format!("\n{}", fields.trim_end())
        }
        Json::Array(items) if items.iter().all(Json::is_string) => {
            format!(" {}", format_list(items))
        }
        Json::String(text) => format!(" {}", format_scalar(text)),
        // JSON is YAML, as long as every character is one that YAML prints: the others stand in
        // quotes, where numbers are read.
        other => {
            let json = other.to_string();
            format!(
                " {}",
                json.chars().map(escape_unprinted).collect::<String>()
            )
        }
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
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        c => escape_unprinted(c),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// Writes a character that YAML does not print by its number.
fn escape_unprinted(c: char) -> String {
    match u32::from(c) {
        _ if !is_unprinted(c) => c.to_string(),
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
            format_list(&["a", "c++", "a, b", "no"].map(Json::from)),
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
            let source = format!("a: {}\nb: {}\n", format_scalar(&text), format_list(&[json!(text)]));
            let read = yaml::parse(&source).map(|it| it.to_json());
            prop_assert_eq!(read, Ok(json!({"a": text, "b": [text]})), "{}", source);
        }
    }
}
