//! YAML with places: values, and the bytes of the source that each came from.
//!
//! What is read is bounded: nesting, values, and what aliases may grow to. Scalars get the types
//! of YAML's core schema, so a time or a `yes` is text. Nothing here knows what a lesson is.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use serde_json::{Number, Value as Json};

use hardwon_core::limits;

/// How many bytes of what an alias stands for are bounded as one value.
const BYTES_AS_VALUE: usize = 16;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlNode {
    /// Its bytes in the source.
    pub(super) at: Range<usize>,
    /// What it is.
    pub(super) value: YamlValue,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum YamlValue {
    /// Text, a number, a truth or nothing.
    Scalar(Json),
    /// A list.
    List(Vec<YamlNode>),
    /// Names with values, in the order they stand in.
    Map(Vec<YamlEntry>),
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlEntry {
    /// The name.
    pub(super) key: String,
    /// Where the name stands.
    pub(super) key_at: Range<usize>,
    /// The value.
    pub(super) value: YamlNode,
}

/// Why a text is not YAML that is read here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlError {
    /// Where, in bytes.
    pub(super) at: usize,
    /// What is wrong.
    pub(super) message: String,
}

impl YamlError {
    fn new(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { at, message }
    }
}

impl YamlNode {
    /// Returns the entry of this name, if it is a map that has one.
    pub(super) fn find_entry(&self, key: &str) -> Option<&YamlEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Returns the value of this name, if it is a map that has one.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.find_entry(key).map(|entry| &entry.value)
    }

    /// Returns the entries of a map; none of anything else.
    pub(super) fn entries(&self) -> &[YamlEntry] {
        match &self.value {
            YamlValue::Map(entries) => entries,
            YamlValue::Scalar(_) | YamlValue::List(_) => &[],
        }
    }

    /// Returns the items of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            YamlValue::List(items) => items,
            YamlValue::Scalar(_) | YamlValue::Map(_) => &[],
        }
    }

    /// Returns the value as JSON.
    pub(super) fn to_json(&self) -> Json {
        match &self.value {
            YamlValue::Scalar(scalar) => scalar.clone(),
            YamlValue::List(items) => items.iter().map(Self::to_json).collect(),
            YamlValue::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.value.to_json()))
                .collect(),
        }
    }
}

/// Reads one document whose top is a map.
pub(super) fn parse(source: &str) -> Result<YamlNode, YamlError> {
    let options = granit_parser::options! {
        disallow_directives: true,
        flow_nesting_limit: limits::YAML_DEPTH,
        block_nesting_limit: limits::YAML_DEPTH,
    };
    let mut reader = YamlReader {
        source,
        events: Parser::new_from_str_with_options(source, options),
        anchors: Vec::new(),
        count: 0,
    };
    let mut top = None;
    while let Some((event, at)) = reader.next_event()? {
        if event.is_node() {
            top = Some(reader.read_node(event, at)?);
        }
    }
    top.filter(|top| matches!(top.value, YamlValue::Map(_)))
        .ok_or_else(|| YamlError::new(0, "the front matter is not a map of fields"))
}

/// Puts values together as their parts come. How deep they go is bounded by the parser.
struct YamlReader<'a> {
    source: &'a str,
    events: Parser<'a, StrInput<'a>>,
    /// The values that have an anchor, and how many values each holds.
    anchors: Vec<(usize, YamlNode, usize)>,
    count: usize,
}

impl<'a> YamlReader<'a> {
    fn next_event(&mut self) -> Result<Option<(Event<'a>, Range<usize>)>, YamlError> {
        let next = self.events.next_event().transpose();
        let next = next.map_err(|error| {
            let message =
                hardwon_redact::clean_to_bytes(&error.info().into(), limits::REASON_CHARS);
            let at = error.marker().byte_offset().unwrap_or(0);
            let message = format!("the front matter is not YAML: {message}");
            YamlError::new(at.min(self.source.len()), message)
        })?;
        Ok(next.map(|(event, span)| (event, span.byte_range().unwrap_or_default())))
    }

    /// Reads the value that begins with this event.
    fn read_node(&mut self, event: Event<'a>, at: Range<usize>) -> Result<YamlNode, YamlError> {
        let (start, before) = (at.start, self.count);
        let anchor = match &event {
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => *anchor,
            event => event.anchor_id().unwrap_or(0),
        };
        self.count += 1;
        let mut end = at.end;
        let value = match event {
            Event::Scalar(text, style, _, tag) => {
                let scalar = read_scalar(&text, style, tag.as_deref());
                YamlValue::Scalar(scalar.ok_or_else(|| unsupported_error(start, "a tag"))?)
            }
            Event::SequenceStart(_, _, None) => YamlValue::List(self.read_items(&mut end)?),
            Event::MappingStart(_, _, None) => {
                YamlValue::Map(pair_entries(self.read_items(&mut end)?)?)
            }
            Event::Alias(id) => {
                let anchor = self.anchors.iter().find(|(anchor, ..)| *anchor == id);
                let Some((_, node, size)) = anchor else {
                    return Err(unsupported_error(start, "an alias of what it stands in"));
                };
                self.count += size - 1;
                node.value.clone()
            }
            _ => return Err(unsupported_error(start, "a tag")),
        };
        if self.count > limits::YAML_VALUES {
            let message = format!("there are more than {} values", limits::YAML_VALUES);
            return Err(YamlError::new(start, message));
        }
        let at = start..end;
        let node = YamlNode { at, value };
        if anchor != 0 {
            // What is long counts as several, so that texts do not grow without bound either.
            let size = self.count - before + node.at.len() / BYTES_AS_VALUE;
            self.anchors.push((anchor, node.clone(), size));
        }
        Ok(node)
    }

    /// Reads what is in a list or a map, and moves `end` there.
    fn read_items(&mut self, end: &mut usize) -> Result<Vec<YamlNode>, YamlError> {
        let mut items: Vec<YamlNode> = Vec::new();
        while let Some((event, at)) = self.next_event()? {
            if !event.is_node() {
                *end = at.end;
                break;
            }
            items.push(self.read_node(event, at)?);
        }
        Ok(items)
    }
}

/// Makes entries of names and values, which come in turns.
fn pair_entries(nodes: Vec<YamlNode>) -> Result<Vec<YamlEntry>, YamlError> {
    let mut entries: Vec<YamlEntry> = Vec::new();
    let mut nodes = nodes.into_iter();
    while let (Some(name), Some(value)) = (nodes.next(), nodes.next()) {
        let at = name.at.start;
        let key = match name.value {
            YamlValue::Scalar(Json::String(text)) => text,
            YamlValue::Scalar(scalar) => scalar.to_string(),
            _ => return Err(unsupported_error(at, "a list or a map as a name")),
        };
        if entries.iter().any(|entry| entry.key == key) {
            let key = hardwon_redact::clean_to_chars(&key.into(), limits::TAG_CHARS);
            return Err(YamlError::new(at, format!("{key} stands there twice")));
        }
        let key_at = name.at;
        entries.push(YamlEntry { key, key_at, value });
    }
    Ok(entries)
}

fn unsupported_error(at: usize, what: &str) -> YamlError {
    YamlError::new(at, format!("{what} is not read here"))
}

/// Gives a scalar the type that YAML's core schema gives it. What is quoted is text.
fn read_scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Option<Json> {
    let is_text = match tag {
        None => style != ScalarStyle::Plain,
        Some(tag) if tag.is_yaml_core_schema_tag("str") => true,
        Some(_) => return None,
    };
    Some(match text {
        _ if is_text => Json::from(text),
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        text => parse_number(text).map_or_else(|| Json::from(text), Json::Number),
    })
}

fn parse_number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Number::from);
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !is_number {
        return None;
    }
    let whole = text.strip_prefix('+').unwrap_or(text);
    let integer = whole.parse::<i64>().ok().map(Number::from);
    integer
        .or_else(|| whole.parse::<u64>().ok().map(Number::from))
        .or_else(|| whole.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let found = match parse(source) {
            Ok(node) => node.to_json().to_string(),
            Err(trouble) => format!("{}: {}", trouble.at, trouble.message),
        };
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn values_have_the_types_of_the_core_schema() {
        check(
            "a: 1\nb: 0.7\nc: yes\nd: true\ne:\nf: 2026-10-01T00:00:00Z",
            r#"{"a":1,"b":0.7,"c":"yes","d":true,"e":null,"f":"2026-10-01T00:00:00Z"}"#,
        );
        check(
            "a: '1'\nb: \"\\u00e9\"\nc: |\n  x\n   y\nd: >-\n  one\n  two",
            r#"{"a":"1","b":"é","c":"x\n y\n","d":"one two"}"#,
        );
        check(
            "a: 1e3\nb: .5\nc: .inf\nd: 1.2.3\ne: 0x1f\nf: -7\ng: '~'\nh: +1\ni: 1-2",
            r#"{"a":1000.0,"b":0.5,"c":".inf","d":"1.2.3","e":31,"f":-7,"g":"~","h":1,"i":"1-2"}"#,
        );
        check(
            "a: !!str 1\nb: &x [1]\nc: *x",
            r#"{"a":"1","b":[1],"c":[1]}"#,
        );
    }

    #[test]
    fn what_is_not_read() {
        for (source, expected) in [
            ("- a", "0: the front matter is not a map of fields"),
            ("", "0: the front matter is not a map of fields"),
            ("a: 1\na: 2", "5: a stands there twice"),
            ("a: !x 1", "6: a tag is not read here"),
            ("a: !x [1]", "6: a tag is not read here"),
            ("[1]: 2", "0: a list or a map as a name is not read here"),
            (
                "a: &x [*x]",
                "7: an alias of what it stands in is not read here",
            ),
        ] {
            check(source, expected);
        }
        for source in ["a: [", "%YAML 1.2\n---\na: 1", "a: *b", &"[".repeat(10_000)] {
            assert!(parse(source).is_err(), "{source}");
        }
    }

    #[test]
    fn what_grows_by_aliases_is_bounded() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        let trouble = parse(&bomb).unwrap_err();
        assert!(trouble.message.contains("values"), "{trouble:?}");
    }

    #[test]
    fn values_are_found_in_the_source() {
        let source =
            "t:\n  Folded over\n  two lines.\nb:\n  - x: 1 # why\n    y: [1, 2]\n\nd: {k: v}\n";
        let top = parse(source).unwrap();
        for (name, expected) in [("t", "Folded over"), ("b", "- x: 1"), ("d", "{k: v}")] {
            let at = top.get(name).unwrap().at.start;
            assert!(source[at..].starts_with(expected), "{name}");
        }
    }
}
