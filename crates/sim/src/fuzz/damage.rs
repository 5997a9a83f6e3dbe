//! Damages a payload: its bytes, or its JSON.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Byte sequences that often break parsers and rules.
const PIECES: &[&[u8]] = &[
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"<tool_use_error>",
    b"<system-reminder>",
    b"Exit code 7",
    b"[KNOWN PITFALLS",
    b"[END KNOWN PITFALLS]",
    b"mcp__lessons__search",
    b"\r\n\x1b[31m",
];

/// Damages a payload in one to eight places; `other` lends parts.
pub(super) fn damage_payload(payload: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = match (
        rng.bool(),
        serde_json::from_slice::<Value>(payload),
        serde_json::from_slice::<Value>(other),
    ) {
        (true, Ok(mut value), Ok(other)) => {
            for _ in 0..rng.usize(1..5) {
                damage_value(&mut value, &other, rng);
            }
            serde_json::to_vec(&value).unwrap_or_default()
        }
        _ => payload.to_vec(),
    };
    // A payload that is still JSON reaches deeper, so most of those stay as they are.
    if bytes == payload || rng.u8(..4) == 0 {
        for _ in 0..rng.usize(1..5) {
            damage_bytes(&mut bytes, other, rng);
        }
    }
    bytes
}

/// Changes some bytes.
fn damage_bytes(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.usize(..=bytes.len());
    let end = (at + rng.usize(..64)).min(bytes.len());
    match rng.u8(..6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.u8(..);
            }
        }
        3 => drop(bytes.splice(at..end, random_piece(rng))),
        4 => {
            let from = rng.usize(..=other.len());
            drop(bytes.splice(at..end, other[from..].iter().copied()));
        }
        _ => {
            let nested = vec![b"[{"[rng.usize(..2)]; rng.usize(..4000)];
            drop(bytes.splice(at..at, nested));
        }
    }
}

fn random_piece(rng: &mut Rng) -> Vec<u8> {
    let piece = PIECES[rng.usize(..PIECES.len())];
    piece.repeat(rng.usize(1..4))
}

/// Changes one value somewhere in the JSON.
fn damage_value(value: &mut Value, other: &Value, rng: &mut Rng) {
    let place = pick_place(value, rng);
    match rng.u8(..6) {
        0 => *place = random_value(rng),
        1 => *place = pick_value(other, rng).clone(),
        2 => *place = Value::Array(vec![place.take(); rng.usize(..4)]),
        3 => *place = Value::String(format!("{place}\n{place}")),
        4 => {
            if let Value::String(text) = place {
                text.push_str(
                    &String::from_utf8_lossy(&random_piece(rng)).repeat(rng.usize(1..200)),
                );
            }
        }
        _ => drop_member(place, rng),
    }
}

fn random_value(rng: &mut Rng) -> Value {
    match rng.u8(..8) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(..)),
        3 => json!(0.5),
        4 => json!(""),
        5 => json!({"isError": true, "interrupted": false, "content": "no", "message": "no"}),
        6 => json!([{"type": "text", "text": "<tool_use_error>no</tool_use_error>"}]),
        _ => json!(String::from_utf8_lossy(&random_piece(rng))),
    }
}

fn drop_member(place: &mut Value, rng: &mut Rng) {
    if let Value::Object(members) = place {
        let kept = rng.usize(..=members.len());
        let members_kept: Map<String, Value> = std::mem::take(members)
            .into_iter()
            .enumerate()
            .filter(|(at, _)| *at != kept)
            .map(|(_, member)| member)
            .collect();
        *members = members_kept;
    }
}

/// Picks a value somewhere in the JSON, the whole included.
fn pick_place<'v>(value: &'v mut Value, rng: &mut Rng) -> &'v mut Value {
    let has_inner = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if !has_inner || rng.u8(..4) == 0 {
        return value;
    }
    match value {
        Value::Object(members) => {
            let at = rng.usize(..members.len());
            let inner = members.values_mut().nth(at);
            pick_place(inner.expect("the index is below the length"), rng)
        }
        Value::Array(items) => {
            let at = rng.usize(..items.len());
            pick_place(&mut items[at], rng)
        }
        plain => plain,
    }
}

fn pick_value<'v>(value: &'v Value, rng: &mut Rng) -> &'v Value {
    let inner: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    if inner.is_empty() || rng.u8(..4) == 0 {
        return value;
    }
    pick_value(inner[rng.usize(..inner.len())], rng)
}
