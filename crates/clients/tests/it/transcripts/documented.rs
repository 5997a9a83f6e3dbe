//! Tests that the plain trace agrees with its document and its schema.

use hardwon_clients::transcript::plain;
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../../../../docs/trace.md");
const SCHEMA: &str = include_str!("../../../../../docs/trace.schema.json");

/// Returns the types of events in the schema, each with a smallest line: its required fields.
fn kinds() -> Vec<(Value, Value)> {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let kinds = schema["oneOf"].as_array().unwrap().iter();
    kinds
        .map(|kind| (kind.clone(), smallest_line(kind)))
        .collect()
}

fn smallest_line(kind: &Value) -> Value {
    let fields = kind["required"].as_array().unwrap().iter();
    let line = fields.map(|field| {
        let field = field.as_str().unwrap();
        let property = &kind["properties"][field];
        let value = match (&property["const"], &property["enum"][0]) {
            (Value::Null, Value::Null) => json!("some words"),
            (Value::Null, first) => first.clone(),
            (only, _) => only.clone(),
        };
        (field.to_owned(), value)
    });
    Value::Object(line.collect())
}

#[test]
fn the_documents_examples_are_events() {
    let block = DOCUMENT.split("```").nth(1).unwrap();
    let lines: Vec<&str> = block.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 7);
    for line in lines {
        assert!(plain::parse_live(line).is_ok(), "{line}");
    }
}

#[test]
fn what_the_schema_requires_is_enough_and_needed() {
    assert_eq!(kinds().len(), 6);
    for (_, line) in kinds() {
        assert!(plain::parse_live(&line.to_string()).is_ok(), "{line}");
        for field in line.as_object().unwrap().keys() {
            let mut without = line.clone();
            without.as_object_mut().unwrap().remove(field);
            assert!(
                plain::parse_live(&without.to_string()).is_err(),
                "{without}"
            );
        }
    }
}

#[test]
fn every_value_of_the_schema_is_taken_and_no_other() {
    for (kind, line) in kinds() {
        for (field, property) in kind["properties"].as_object().unwrap() {
            let Some(values) = property["enum"].as_array() else {
                continue;
            };
            let with = |value: Value| {
                let mut line = line.clone();
                line[field] = value;
                plain::parse_live(&line.to_string())
            };
            for value in values {
                assert!(with(value.clone()).is_ok(), "{field} {value}");
            }
            assert!(with(json!("nonsense")).is_err(), "{field}");
        }
    }
}

#[test]
fn a_bad_line_says_what_is_wrong() {
    let why = |line: &str| plain::parse_live(line).unwrap_err().to_string();
    assert_eq!(
        why(r#"{"type":"tool","tool":"bash"}"#),
        r#"an event of type "tool" needs the field "status""#
    );
    assert_eq!(
        why(r#"{"type":"hunch"}"#),
        r#"the field "type" must be run, calling, tool, message, signal or end"#
    );
    assert_eq!(
        why(r#"{"type":"end","status":"over"}"#),
        r#"the field "status" must be completed, failed or aborted"#
    );
    assert!(why("{\"type\":").starts_with("not an event object: EOF"));
}
