//! Learns from what a review fixed or flagged, as `retro --from review` does.

use hardwon_clients::report::{self, ReportKind};
use hardwon_core::OutsideWords;
use hardwon_engine::Lesson;
use hardwon_gates::review::{FinalReview, Finding};
use serde_json::{Value, json};

use crate::{CliError, Result, Settings, open};

/// Learns from a review of this tree; `outside` is what others wrote that the reviewer read.
pub fn learn_from_review(
    settings: &Settings,
    review: &FinalReview,
    tree: &str,
    outside: &str,
) -> Result<Vec<Lesson>> {
    let findings = |findings: &[Finding]| findings.iter().map(write_finding).collect::<Vec<_>>();
    let risks = [findings(&review.blockers), findings(&review.risks)].concat();
    let text = json!({
        "verdict": review.verdict.name(),
        "id": tree,
        "fixes": findings(&review.fixes),
        "residual_risks": risks,
    });
    let report = report::read_report(ReportKind::Review, &text.to_string());
    let mut report = report.map_err(CliError::internal)?;
    if report.signals.is_empty() {
        return Ok(Vec::new());
    }
    if !outside.is_empty() {
        report.outside = OutsideWords::from_text(outside);
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let trace = report.into_trace(desk.principal().scope.clone());
    let learned = desk.learn_from_report(&trace)?;
    let outcomes = learned
        .into_iter()
        .flat_map(|learned| learned.note_outcomes);
    let lessons = outcomes.filter_map(|outcome| outcome.into_lesson().ok());
    Ok(lessons.map(|lesson| *lesson).collect())
}

fn write_finding(finding: &Finding) -> Value {
    let file = finding
        .anchors
        .first()
        .and_then(|anchor| anchor.rsplit_once(':'));
    let text = match file {
        Some((path, _)) if !finding.what.as_str().contains(path) => format!(
            "{} (in {path})",
            finding.what.as_str().trim_end_matches('.')
        ),
        _ => finding.what.to_string(),
    };
    json!({ "what": text, "why": finding.why.as_ref().map(ToString::to_string) })
}
