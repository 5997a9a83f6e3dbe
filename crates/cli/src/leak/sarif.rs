//! The report as SARIF 2.1.0, which code hosts and editors read.
//!
//! A result's fingerprint is made of its rule, its path and its redacted line: it survives a line that moves, and tells
//! nothing about the value.

use hardwon_core::digest::{hash_parts, to_hex};
use hardwon_gates::json::leak::LeakFindingDto;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::LeakReport;

/// What a path in an address has as %XX: all but the unreserved, and the slash.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Writes the report.
pub fn render_sarif(report: &LeakReport) -> Value {
    let mut rules: Vec<&LeakFindingDto> = Vec::new();
    for hit in &report.hits {
        if !rules.iter().any(|known| known.rule == hit.rule) {
            rules.push(hit);
        }
    }
    let index_of = |hit: &LeakFindingDto| rules.iter().position(|known| known.rule == hit.rule);
    let results = report
        .hits
        .iter()
        .map(|hit| render_result(hit, index_of(hit)));
    let unread = report.unread.iter().map(|file| {
        let text = format!("cannot read {}: {}", file.path, file.reason);
        json!({ "level": "error", "message": { "text": text } })
    });
    let notes = report
        .notes
        .iter()
        .map(|note| json!({ "level": "note", "message": { "text": note } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hardwon",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|hit| render_rule(hit)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.unread.is_empty(),
                "toolExecutionNotifications": unread.chain(notes).collect::<Vec<_>>(),
            }],
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn render_rule(hit: &LeakFindingDto) -> Value {
    let text = format!("{} {}", hit.rule, hit.message);
    json!({
        "id": hit.rule,
        "shortDescription": { "text": text },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": ["security"], "security-severity": "8.0" },
    })
}

fn render_result(hit: &LeakFindingDto, rule: Option<usize>) -> Value {
    let parts = [hit.rule, &hit.path, &hit.excerpt].map(str::as_bytes);
    let mut place = json!({
        "artifactLocation": { "uri": encode_path(&hit.path), "uriBaseId": "%SRCROOT%" },
    });
    if hit.line > 0 {
        place["region"] = json!({
            "startLine": hit.line,
            "startColumn": hit.column,
            "snippet": { "text": hit.excerpt },
        });
    }
    let commit = hit
        .commit
        .as_deref()
        .map(|commit| format!(", since commit {commit}"));
    let text = format!("{}{}", hit.message, commit.unwrap_or_default());
    json!({
        "ruleId": hit.rule,
        "ruleIndex": rule,
        "level": "error",
        "message": { "text": format!("{}: {text}", hit.rule) },
        "locations": [{ "physicalLocation": place }],
        "partialFingerprints": { "hardwonLeak/v1": to_hex(&hash_parts(parts)[..16]) },
    })
}

/// Writes a path as a relative URI.
fn encode_path(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}
