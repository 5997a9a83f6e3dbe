//! YAML with places: values, and the bytes of the source that each came from.
//!
//! What is read is bounded: nesting, values, and what aliases may grow to. Scalars get the types
//! of YAML's core schema, so a time or a `yes` is text. Nothing here knows what a lesson is.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::{Map, Number, Value as Json};

use crate::{limits, redact};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlNode {
    /// Its bytes in the source, without what stands around it.
    pub(super) at: Range<usize>,
    /// What it is.
    pub(super) value: YamlValue,
    /// Whether it is a list or a map in lines, whose end its parts tell; everything else has its
    /// end in `at`.
    pub(super) in_lines: bool,
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

impl YamlNode {
    fn new(at: Range<usize>, value: YamlValue, in_lines: bool) -> Self {
        Self {
            at,
            value,
            in_lines,
        }
    }

    /// Returns the entry of this name, if it is a map that has one.
    pub(super) fn find_entry(&self, key: &str) -> Option<&YamlEntry> {
        match &self.value {
            YamlValue::Map(entries) => entries.iter().find(|entry| entry.key == key),
            YamlValue::Scalar(_) | YamlValue::List(_) => None,
        }
    }

    /// Returns the value that a path of names leads to.
    pub(super) fn get(&self, path: &[&str]) -> Option<&Self> {
        path.iter()
            .try_fold(self, |node, key| node.find_entry(key).map(|it| &it.value))
    }

    /// Returns where it ends, without the blank lines and comments after it.
    pub(super) fn content_end(&self) -> usize {
        let last = match &self.value {
            YamlValue::List(items) => items.last(),
            YamlValue::Map(entries) => entries.last().map(|it| &it.value),
            YamlValue::Scalar(_) => None,
        };
        match last {
            Some(last) if self.in_lines => last.content_end().max(self.at.end),
            _ => self.at.end,
        }
    }

    /// Returns the value as JSON.
    pub(super) fn to_json(&self) -> Json {
        match &self.value {
            YamlValue::Scalar(scalar) => scalar.clone(),
            YamlValue::List(items) => items.iter().map(Self::to_json).collect(),
            YamlValue::Map(entries) => {
                let pairs = entries
                    .iter()
                    .map(|it| (it.key.clone(), it.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Counts it and everything in it.
    fn count_values(&self) -> usize {
        1 + match &self.value {
            YamlValue::Scalar(_) => 0,
            YamlValue::List(items) => items.iter().map(Self::count_values).sum(),
            YamlValue::Map(entries) => entries.iter().map(|it| it.value.count_values()).sum(),
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
    let mut builder = YamlBuilder::default();
    for event in Parser::new_from_str_with_options(source, options) {
        let (event, span) = event.map_err(|error| convert_scan_error(source, &error))?;
        builder.handle_event(event, &span)?;
    }
    match builder.top {
        Some(top) if matches!(top.value, YamlValue::Map(_)) => Ok(top),
        _ => Err(YamlError {
            at: 0,
            message: "the front matter is not a map of fields".to_owned(),
        }),
    }
}

fn convert_scan_error(source: &str, error: &ScanError) -> YamlError {
    let what = redact::clean_to_bytes(&error.info().into(), limits::REASON_CHARS);
    YamlError {
        at: error.marker().byte_offset().unwrap_or(0).min(source.len()),
        message: format!("the front matter is not YAML: {what}"),
    }
}

/// Puts values together as their parts come.
#[derive(Default)]
struct YamlBuilder {
    top: Option<YamlNode>,
    open: Vec<OpenCollection>,
    anchors: Vec<(usize, YamlNode)>,
    count: usize,
}

/// A list or a map that is not complete.
struct OpenCollection {
    node: YamlNode,
    key: Option<(String, Range<usize>)>,
    anchor: usize,
}

impl YamlBuilder {
    fn handle_event(&mut self, event: Event<'_>, span: &Span) -> Result<(), YamlError> {
        let at = span.byte_range().unwrap_or_default();
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = match tag {
                    None => style != ScalarStyle::Plain,
                    Some(tag) if tag.is_yaml_core_schema_tag("str") => true,
                    Some(_) => return Err(unsupported_error(at.start, "a tag")),
                };
                let value = if is_text {
                    Json::String(text.into_owned())
                } else {
                    resolve_scalar(&text, at.is_empty())
                };
                self.complete_node(
                    YamlNode::new(at, YamlValue::Scalar(value), false),
                    anchor,
                    1,
                )
            }
            Event::SequenceStart(style, anchor, None) => {
                self.begin_collection(at, YamlValue::List(Vec::new()), style, anchor);
                Ok(())
            }
            Event::MappingStart(style, anchor, None) => {
                self.begin_collection(at, YamlValue::Map(Vec::new()), style, anchor);
                Ok(())
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                Err(unsupported_error(at.start, "a tag"))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.open.pop() else {
                    return Ok(());
                };
                if !open.node.in_lines {
                    open.node.at.end = at.end;
                }
                self.complete_node(open.node, open.anchor, 1)
            }
            Event::Alias(id) => {
                let known = self.anchors.iter().find(|(anchor, _)| *anchor == id);
                let Some((_, node)) = known else {
                    return Err(unsupported_error(at.start, "an alias of what it stands in"));
                };
                let size = node.count_values();
                let node = YamlNode {
                    at,
                    in_lines: false,
                    ..node.clone()
                };
                self.complete_node(node, 0, size)
            }
            _ => Ok(()),
        }
    }

    fn begin_collection(
        &mut self,
        at: Range<usize>,
        value: YamlValue,
        style: StructureStyle,
        anchor: usize,
    ) {
        self.open.push(OpenCollection {
            node: YamlNode::new(at, value, style == StructureStyle::Block),
            key: None,
            anchor,
        });
    }

    /// Puts a complete value where it belongs; `more` is how many values came with it that were
    /// not counted yet.
    fn complete_node(
        &mut self,
        node: YamlNode,
        anchor: usize,
        more: usize,
    ) -> Result<(), YamlError> {
        self.count += more;
        if self.count > limits::YAML_VALUES {
            return Err(YamlError {
                at: node.at.start,
                message: format!("there are more than {} values", limits::YAML_VALUES),
            });
        }
        if anchor != 0 {
            self.anchors.push((anchor, node.clone()));
        }
        let Some(open) = self.open.last_mut() else {
            self.top = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            YamlValue::List(items) => items.push(node),
            YamlValue::Map(entries) => match open.key.take() {
                None => open.key = Some((node_to_key(&node)?, node.at)),
                Some((key, key_at)) if entries.iter().any(|it| it.key == key) => {
                    let key = redact::clean_to_chars(&key.into(), limits::TAG_CHARS);
                    return Err(YamlError {
                        at: key_at.start,
                        message: format!("{key} stands there twice"),
                    });
                }
                Some((key, key_at)) => entries.push(YamlEntry {
                    key,
                    key_at,
                    value: node,
                }),
            },
            YamlValue::Scalar(_) => {}
        }
        Ok(())
    }
}

fn unsupported_error(at: usize, what: &str) -> YamlError {
    YamlError {
        at,
        message: format!("{what} is not read here"),
    }
}

/// Returns a value as a name in a map.
fn node_to_key(node: &YamlNode) -> Result<String, YamlError> {
    match &node.value {
        YamlValue::Scalar(Json::String(text)) => Ok(text.clone()),
        YamlValue::Scalar(scalar) => Ok(scalar.to_string()),
        YamlValue::List(_) | YamlValue::Map(_) => Err(unsupported_error(
            node.at.start,
            "a list or a map as a name",
        )),
    }
}

/// Gives a plain scalar the type that YAML's core schema gives it.
fn resolve_scalar(text: &str, is_absent: bool) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ if is_absent => return Json::Null,
        _ => {}
    }
    parse_number(text).map_or_else(|| Json::String(text.to_owned()), Json::Number)
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
        let at = |path: &[&str]| {
            let node = top.get(path).unwrap();
            &source[node.at.start..node.content_end()]
        };
        assert_eq!(at(&["t"]), "Folded over\n  two lines.");
        assert_eq!(at(&["b"]), "- x: 1 # why\n    y: [1, 2]");
        assert_eq!(at(&["d"]), "{k: v}");
        assert_eq!(at(&["d", "k"]), "v");
    }
}
