//! How a review is told: what was decided, what is next, and the exit code.

use std::process::ExitCode;

use hardwon_adapters::TaskEnd;
use hardwon_engine::{Lesson, ModelError};
use hardwon_gates::json::final_review::{FinalReviewDto, ReviewFindingDto, TestRunDto};
use hardwon_gates::review::render_steps;
use hardwon_redact::redact;
use hardwon_repo::ReviewDelivery;

use crate::{ExitReason, Result, output};

/// How much of the end of a failed test run is shown, in bytes.
const TEST_END_BYTES: usize = 1500;

/// Returns the exit code of a review.
pub(super) fn exit_code_of(review: &FinalReviewDto) -> ExitCode {
    match review.verdict.as_str() {
        "approved" | "fixed" => ExitCode::SUCCESS,
        "skipped" => ExitReason::Partial.exit_code(),
        _ => ExitReason::Negative.exit_code(),
    }
}

/// Prints a review, and what is next.
pub(super) fn print_review(review: &FinalReviewDto, is_json: bool, next: &str) -> Result<()> {
    output::print_answer(is_json, review, || {
        format!("{}{next}", render_review(review))
    })
}

fn render_review(review: &FinalReviewDto) -> String {
    let mut text = format!("{}\n", review.verdict);
    let parts = [
        ("fixed", &review.fixes),
        ("blocker", &review.blockers),
        ("risk", &review.residual_risks),
    ];
    for (name, findings) in parts {
        for finding in findings {
            text += &format!("{name:<8} {}\n", render_finding(finding));
        }
    }
    if !review.edits.is_empty() {
        let edits = output::to_one_line(&review.edits.join(", "));
        text += &format!("edited   {edits}\n");
    }
    if let Some(run) = &review.tests {
        let origin = output::to_one_line(run.command.as_deref().unwrap_or("elsewhere"));
        text += &format!("tests    exit status {} ({origin})\n", run.status);
    }
    if !review.dropped_anchors.is_empty() {
        let anchors = review.dropped_anchors.join(", ");
        text += &format!(
            "dropped  places that are not in the diff: {}\n",
            output::to_one_line(&anchors)
        );
    }
    text
}

fn render_finding(finding: &ReviewFindingDto) -> String {
    let reason = finding.why.as_ref().map(|why| format!(": {why}"));
    let places = if finding.anchors.is_empty() {
        String::new()
    } else {
        format!(" ({})", finding.anchors.join(", "))
    };
    output::to_one_line(&format!(
        "{}{}{places}",
        finding.what,
        reason.unwrap_or_default()
    ))
}

/// Says what is next: where the fixes are, and who may deliver.
pub(super) fn render_next(review: &FinalReviewDto, delivery: &ReviewDelivery) -> String {
    let next_step = match (&review.commit, &review.patch) {
        (Some(commit), _) => format!("the fixes are commit {}\n", &commit[..12]),
        (None, Some(patch)) if review.verdict == "blocked" => {
            format!("what it edited is not taken; it is kept to look at: {patch}\n")
        }
        (None, Some(patch)) => format!("the fixes are a patch: {}\n", describe_patch(patch)),
        (None, None) => String::new(),
    };
    let branch = delivery.branch.as_deref().unwrap_or("HEAD");
    match review.verdict.as_str() {
        "approved" | "fixed" => format!("{next_step}{}", render_steps(branch, &delivery.base_name)),
        _ => format!("{next_step}nothing may be delivered: a person decides\n"),
    }
}

/// Says how to take a patch.
pub(super) fn describe_patch(patch: &str) -> String {
    format!("git apply --index '{patch}' && git commit -m 'final review fixes'")
}

/// Makes the exit status of the tests, whatever became of them.
pub(super) fn describe_tests(line: &str, end: Result<TaskEnd, ModelError>) -> TestRunDto {
    let status = match end {
        Ok(end) => {
            let status = end.status.code().unwrap_or(-1);
            if status != 0 {
                print_note!("the tests ended with {status}:\n{}", show_end(&end));
            }
            status
        }
        Err(error) => {
            print_note!("running the tests: {error}");
            -1
        }
    };
    TestRunDto {
        command: Some(redact(line).into_owned()),
        status,
    }
}

/// Returns the end of what tests printed, without secrets.
fn show_end(end: &TaskEnd) -> String {
    let output = format!("{}{}", end.output, end.complaint);
    // Redacted before it is cut: half a secret would be none that a rule knows.
    let clean = redact(&output);
    let from = clean.len().saturating_sub(TEST_END_BYTES);
    let start = clean[..]
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| *at >= from);
    clean[start.unwrap_or(0)..].trim().to_owned()
}

/// Says what was learned. That nothing could be is only worth a note.
pub(super) fn note_lessons(learned: Result<Vec<Lesson>>) {
    match learned {
        Ok(lessons) if lessons.is_empty() => {}
        Ok(lessons) => {
            let count = output::pluralize(lessons.len() as u64, "lesson");
            print_note!("learned {count} from it: see `hardwon lesson list`");
        }
        Err(error) => print_note!("learning from the review: {error}"),
    }
}
