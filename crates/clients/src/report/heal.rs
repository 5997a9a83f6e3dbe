//! The report of a loop that repairs failing checks: how many attempts it took, and what was left.
//!
//! `{"status": "healed", "task": "…", "attempts": [{"summary": "…"}], "remaining_failures": [{"file_path", "line",
//! "error_type", "message"}], "escalation_reason": "…"}`, as the published loop writes it. A single attempt that worked is
//! no struggle.

use hardwon_core::{RawText, RunStatus, Signal};
use serde_json::Value;

use super::{
    Report, ReportError, ReportKind,
    json::{find_list, find_number, find_place, find_text, parse_json},
    points::join_sentences,
};

/// How many failures that were left are told.
const FAILURES_TOLD: usize = 3;

pub(super) fn read_heal(text: &str) -> Result<Report, ReportError> {
    let heal = parse_json(text)?;
    let attempts = count_attempts(&heal);
    let task = find_text(&heal, &["task", "description"]);
    let remaining = find_list(&heal, &["remaining_failures", "failures"]);
    let is_escalated = match find_text(&heal, &["status", "outcome"]) {
        Some(status) => matches!(status, "escalated" | "failed" | "gave_up"),
        None if attempts == 0 && remaining.is_empty() => {
            return Err(ReportError::new(
                "it has neither `status` nor `attempts`, which say how the loop ended",
            ));
        }
        // What is left says that the loop gave up.
        None => !remaining.is_empty(),
    };
    let detail = if is_escalated {
        describe_rest(&heal, remaining)
    } else {
        describe_last_attempt(&heal).unwrap_or_default()
    };
    let subject = find_text(&heal, &["id", "bug_id", "source"]);
    let mut report = Report::new(ReportKind::Heal, subject.map(str::to_owned));
    if is_escalated {
        report.status = RunStatus::Failed;
    }
    report.task = task.map(RawText::from);
    if attempts > 1 || is_escalated {
        report.signals.push(Signal::Heal {
            attempts,
            escalated: is_escalated,
            detail: RawText::from(detail),
        });
    }
    Ok(report)
}

fn count_attempts(heal: &Value) -> u32 {
    let attempt_count = u64::try_from(find_list(heal, &["attempts"]).len()).unwrap_or(u64::MAX);
    let counter = find_number(heal, &["attempts", "attempt_count"]).unwrap_or(0);
    u32::try_from(attempt_count.max(counter)).unwrap_or(u32::MAX)
}

/// Says what helped, if the last attempt says so.
fn describe_last_attempt(heal: &Value) -> Option<String> {
    let last = find_list(heal, &["attempts"]).last()?;
    let summary = find_text(last, &["summary", "fix", "fix_description", "description"])?;
    Some(summary.to_owned())
}

fn describe_rest(heal: &Value, remaining: &[Value]) -> String {
    let reason = find_text(heal, &["escalation_reason", "reason"]).map(str::to_owned);
    let failures = remaining.iter().take(FAILURES_TOLD).filter_map(|failure| {
        let message = find_text(failure, &["message", "error"])?;
        let place = find_place(failure);
        Some(place.map_or_else(|| message.to_owned(), |place| format!("{place}: {message}")))
    });
    let rest = join_sentences(reason.into_iter().chain(failures));
    if rest.is_empty() {
        rest
    } else {
        format!("Trace the cause before trying fixes, which did not help: {rest}")
    }
}
