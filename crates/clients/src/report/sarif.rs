//! SARIF 2.1.0: what a scanner found, a point for each of its rules.
//!
//! A scan by itself shows what there is, which may be years old. So it teaches only together with an earlier one, or with
//! what a baseline says of each result (`baselineState`): what is gone was fixed, what is new is flagged. Suppressed results,
//! passes and notes are left out.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{event::Signal, text::RawText};
use serde_json::Value;

use super::{
    Report, ReportError, ReportKind,
    json::{find_list, find_text, parse_json},
    points::add_place,
};

/// What a rule found: the first finding, and how many there are.
struct RuleFindings {
    message: String,
    place: Option<String>,
    count: usize,
}

/// A result by what stays the same when lines move.
type ResultKey = (String, String, String);

pub(super) fn read_sarif(texts: &[String]) -> Result<Report, ReportError> {
    let scans: Vec<Value> = texts
        .iter()
        .map(|text| parse_scan(text))
        .collect::<Result<_, _>>()?;
    let (mut fixed, mut flagged) = (BTreeMap::new(), BTreeMap::new());
    match scans.as_slice() {
        [] => {}
        [scan] => {
            for result in list_findings(scan) {
                match find_text(result, &["baselineState"]) {
                    Some("absent") => add_finding(&mut fixed, result),
                    Some("new" | "updated") => add_finding(&mut flagged, result),
                    _ => {}
                }
            }
        }
        [first, .., last] => {
            add_missing(&mut fixed, first, last);
            add_missing(&mut flagged, last, first);
        }
    }
    let rules: Vec<&str> = fixed
        .keys()
        .chain(flagged.keys())
        .map(String::as_str)
        .collect();
    let mut report = Report::new(ReportKind::Sarif, Some(rules.join("\n")));
    if !rules.is_empty() {
        report.signals.push(Signal::Review {
            fixed: word_findings(&fixed),
            flagged: word_findings(&flagged),
        });
    }
    Ok(report)
}

fn parse_scan(text: &str) -> Result<Value, ReportError> {
    let scan = parse_json(text)?;
    match scan.get("runs") {
        Some(Value::Array(_)) => Ok(scan),
        _ => Err(ReportError::new("it has no `runs`, so it is not SARIF")),
    }
}

fn list_findings(scan: &Value) -> impl Iterator<Item = &Value> {
    let results = find_list(scan, &["runs"])
        .iter()
        .flat_map(|list| find_list(list, &["results"]));
    results.filter(|result| is_finding(result))
}

/// Adds the results of a scan that another one does not have.
fn add_missing(rules: &mut BTreeMap<String, RuleFindings>, scan: &Value, other: &Value) {
    let other_keys: BTreeSet<ResultKey> = list_findings(other).map(find_key).collect();
    let missing = list_findings(scan).filter(|finding| !other_keys.contains(&find_key(finding)));
    missing.for_each(|result| add_finding(rules, result));
}

fn find_key(result: &Value) -> ResultKey {
    let rule = find_text(result, &["ruleId"]).unwrap_or_default();
    let file = find_file(result).unwrap_or_default();
    let message = find_message(result).unwrap_or_default();
    (rule.to_owned(), file, message.to_owned())
}

fn find_message(result: &Value) -> Option<&str> {
    find_text(result.get("message")?, &["text", "markdown"])
}

fn is_finding(result: &Value) -> bool {
    let kind = find_text(result, &["kind"]).unwrap_or("fail");
    let level = find_text(result, &["level"]).unwrap_or("warning");
    let is_suppressed = !find_list(result, &["suppressions"]).is_empty();
    kind == "fail" && !matches!(level, "note" | "none") && !is_suppressed
}

fn add_finding(rules: &mut BTreeMap<String, RuleFindings>, result: &Value) {
    let rule = find_text(result, &["ruleId"]).unwrap_or_default();
    let group = rules
        .entry(rule.to_owned())
        .or_insert_with(|| RuleFindings {
            message: find_message(result)
                .unwrap_or(rule)
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            place: find_file(result),
            count: 0,
        });
    group.count += 1;
}

/// Returns the file. Of one by its whole path only the name is told: the rest is of one machine.
fn find_file(result: &Value) -> Option<String> {
    let location = find_list(result, &["locations"]).first()?;
    let artifact = location.pointer("/physicalLocation/artifactLocation")?;
    let uri = find_text(artifact, &["uri"])?;
    let is_whole = uri.contains("://") || uri.starts_with('/');
    let name = uri.rsplit('/').next().filter(|_| is_whole);
    Some(name.unwrap_or(uri).to_owned())
}

fn word_findings(rules: &BTreeMap<String, RuleFindings>) -> Vec<RawText> {
    let words = rules.iter().map(|(rule, found)| {
        let message = if rule.is_empty() || found.message.contains(rule.as_str()) {
            found.message.clone()
        } else {
            format!("{rule}: {}", found.message)
        };
        let place = match (&found.place, found.count) {
            (Some(place), 1) => Some(place.clone()),
            (Some(place), count) => Some(format!("{place} and {} more", count - 1)),
            (None, _) => None,
        };
        RawText::from(add_place(message, place.as_deref()))
    });
    words.collect()
}
