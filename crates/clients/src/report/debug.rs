//! The journal of a debugging session, of which the traced cause is what teaches.
//!
//! `{"description": "…", "phases": {"trace": {"root_cause_file", "root_cause_line", "data_flow"}, "fix": {"status",
//! "fix_description"}}}`, as the published debugger writes it, or simply `{"cause": "…", "fix": "…"}`. A journal without a
//! cause teaches nothing.

use hardwon_core::{RawText, RunStatus, Signal};
use serde_json::Value;

use super::{
    Report, ReportError, ReportKind,
    json::{find_place, find_text, parse_json},
    points::join_sentences,
};

pub(super) fn read_journal(text: &str) -> Result<Report, ReportError> {
    let journal = parse_json(text)?;
    if !journal.is_object() {
        return Err(ReportError::new("a debugging journal is an object"));
    }
    let task = find_text(&journal, &["description", "task", "title"]);
    let cause = find_cause(&journal);
    let subject = find_text(&journal, &["bug_id", "id"]);
    let mut report = Report::new(ReportKind::Debug, subject.map(str::to_owned));
    report.task = task.map(RawText::from);
    let fix = find_fix(&journal);
    if fix.is_none() {
        report.status = RunStatus::Failed;
    }
    if let Some(cause) = cause {
        report.signals.push(Signal::RootCause {
            cause: RawText::from(cause),
            fix: fix.map(RawText::from),
        });
    }
    Ok(report)
}

fn find_cause(journal: &Value) -> Option<String> {
    if let Some(stated) = find_text(journal, &["cause", "root_cause"]) {
        return Some(stated.to_owned());
    }
    let trace = journal.get("phases")?.get("trace")?;
    let cause = find_text(trace, &["root_cause", "cause", "data_flow"]).map(str::to_owned);
    match (cause, find_place(trace)) {
        (Some(cause), Some(place)) => Some(join_sentences([cause, format!("It is at {place}")])),
        (Some(cause), None) => Some(cause),
        (None, place) => place.map(|place| format!("The cause is at {place}.")),
    }
}

/// Returns what fixed it; nothing if the fix did not hold.
fn find_fix(journal: &Value) -> Option<&str> {
    if let Some(stated) = find_text(journal, &["fix"]) {
        return Some(stated);
    }
    let fix = journal.get("phases")?.get("fix")?;
    let has_passed =
        find_text(fix, &["status"]).is_none_or(|text| matches!(text, "passed" | "fixed"));
    find_text(fix, &["fix_description", "description", "fix"]).filter(|_| has_passed)
}
