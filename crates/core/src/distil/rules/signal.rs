//! The forms of words for what the runtime itself found out.

use super::{Words, named_in};
use crate::{
    distil::words::{title_of, whole_sentences},
    lesson::Cause,
    limits,
};

pub(super) fn from_root_cause(cause: &str, fix: &str) -> Option<Words> {
    let cause = whole_sentences(cause, limits::POINT_CHARS)?;
    let fix = whole_sentences(fix, limits::POINT_CHARS)?;
    Some(signalled(
        &fix,
        format!("{fix} The cause was: {cause}"),
        Some(cause.clone()),
        Cause::Debugged,
        "a debugging session named the cause",
        "debugging",
    ))
}

pub(super) fn from_heal(attempts: u32, escalated: bool, detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    let (cause, note) = if escalated {
        (
            Cause::Escalated,
            format!("gave up after {attempts} attempts"),
        )
    } else {
        (Cause::Retried, format!("took {attempts} attempts"))
    };
    Some(signalled(
        &detail,
        detail.clone(),
        None,
        cause,
        &note,
        "checks",
    ))
}

pub(super) fn from_review(fixed: bool, point: &str) -> Option<Words> {
    let point = whole_sentences(point, limits::POINT_CHARS)?;
    let note = if fixed {
        "a review fixed it"
    } else {
        "a review flagged it"
    };
    Some(signalled(
        &point,
        format!("Check before handing over: {point}"),
        Some(point.clone()),
        Cause::Reviewed,
        note,
        "review",
    ))
}

pub(super) fn from_discrepancy(detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(signalled(
        &detail,
        format!("Verify before claiming: {detail}"),
        Some(detail.clone()),
        Cause::Hallucination,
        "a verifier found the claim untrue",
        "verification",
    ))
}

pub(super) fn from_low_quality(detail: &str) -> Option<Words> {
    let detail = whole_sentences(detail, limits::POINT_CHARS)?;
    Some(signalled(
        &detail,
        format!("Check the result for this before handing it over: {detail}"),
        Some(detail.clone()),
        Cause::LowQuality,
        "the result scored low",
        "quality",
    ))
}

fn signalled(
    title: &str,
    text: String,
    mistake: Option<String>,
    cause: Cause,
    note: &str,
    tag: &str,
) -> Words {
    Words {
        title: title_of(title),
        signature: named_in(title).join(" "),
        text,
        situation: None,
        mistake,
        tags: [vec![tag.to_owned()], named_in(title)].concat(),
        tools: Vec::new(),
        cause,
        confidence: 0.6,
        note: note.to_owned(),
        names_failure: false,
    }
}
