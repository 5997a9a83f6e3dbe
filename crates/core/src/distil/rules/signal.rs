//! The wording for what the runtime itself found out.

use super::{DraftWording, find_names, task_head};
use crate::{
    distil::words::{derive_title, whole_sentences},
    lesson::Cause,
    limits,
};

/// Words a root cause. One without a fix is still the place to look first when the same occurs.
pub(super) fn from_root_cause(cause: &str, fix: Option<&str>) -> Option<DraftWording> {
    let cause = whole_sentences(cause, limits::POINT_CHARS)?;
    let (title, text) = match fix {
        Some(fix) => {
            let fix = whole_sentences(fix, limits::POINT_CHARS)?;
            let text = format!("{fix} The cause was: {cause}");
            (fix, text)
        }
        None => (cause.clone(), format!("Look for this cause first: {cause}")),
    };
    Some(wording_from_signal(
        &title,
        text,
        Some(cause.clone()),
        Cause::Debugged,
        "a debugging session named the cause",
        "debugging",
    ))
}

/// Words what helped a repair loop; if that is unknown, how many attempts the task took.
pub(super) fn from_heal(
    attempts: u32,
    escalated: bool,
    detail: &str,
    task: Option<&str>,
) -> Option<DraftWording> {
    let detail_text = whole_sentences(detail, limits::POINT_CHARS);
    let task = task.filter(|task| detail.trim().is_empty() && !task.is_empty());
    let detail = match task {
        Some(_) => advice_on_attempts(attempts, escalated),
        None => detail_text?,
    };
    let (cause, verb) = if escalated {
        (Cause::Escalated, "gave up after")
    } else {
        (Cause::Retried, "took")
    };
    let note = format!("{verb} {attempts} attempts");
    let words = wording_from_signal(&detail, detail.clone(), None, cause, &note, "checks");
    Some(match task.map(task_head) {
        Some(task) => DraftWording {
            signature: task.clone(),
            situation: Some(task),
            ..words
        },
        None => words,
    })
}

fn advice_on_attempts(attempts: u32, escalated: bool) -> String {
    if escalated {
        "Ask a person early in such a task: attempts to get its checks to pass were given up."
            .to_owned()
    } else {
        format!(
            "Run the checks early in such a task, and read the whole failure before another try: they passed at attempt {attempts} only."
        )
    }
}

pub(super) fn from_review(fixed: bool, point: &str) -> Option<DraftWording> {
    let point = whole_sentences(point, limits::POINT_CHARS)?;
    let note = if fixed {
        "a review fixed it"
    } else {
        "a review flagged it"
    };
    Some(wording_from_signal(
        &point,
        format!("Check before handing over: {point}"),
        Some(point.clone()),
        Cause::Reviewed,
        note,
        "review",
    ))
}

pub(super) fn from_discrepancy(detail: &str) -> Option<DraftWording> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(wording_from_signal(
        &detail,
        format!("Verify before claiming: {detail}"),
        Some(detail.clone()),
        Cause::Hallucination,
        "a verifier found the claim untrue",
        "verification",
    ))
}

pub(super) fn from_low_quality(detail: &str) -> Option<DraftWording> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(wording_from_signal(
        &detail,
        format!("Check the result for this before handing it over: {detail}"),
        Some(detail.clone()),
        Cause::LowQuality,
        "the result scored low",
        "quality",
    ))
}

pub(super) fn wording_from_signal(
    title: &str,
    text: String,
    mistake: Option<String>,
    cause: Cause,
    note: &str,
    tag: &str,
) -> DraftWording {
    DraftWording {
        title: derive_title(title),
        signature: find_names(title).join(" "),
        text,
        situation: None,
        mistake,
        tags: [vec![tag.to_owned()], find_names(title)].concat(),
        tools: Vec::new(),
        cause,
        confidence: 0.6,
        note: note.to_owned(),
        names_failure: false,
    }
}
