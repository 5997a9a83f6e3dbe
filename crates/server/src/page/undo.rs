//! Undoing what was just done to lessons: each notice has the way back.

use axum::response::Response;
use hardwon_core::{Lesson, LessonId, RawText, Status};
use hardwon_engine::Desk;

use super::{
    form::{PostedForm, parse_lesson_id},
    frame::Notice,
    send_on,
};
use crate::{ApiError, FormerWords, Result};

pub(super) fn undo_deed(form: &PostedForm, _: ()) -> Result<Response> {
    form.visitor.check_may_curate()?;
    let deed = Notice::from_name(form.fields.text("deed"));
    let mut path = "/lessons".to_owned();
    for id in form.fields.list("ids") {
        let id = parse_lesson_id(id)?;
        let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
        undo_for_lesson(&form.visitor.state.former_words, &desk, &lesson, deed)?;
        path = match lesson.status {
            Status::Archived { .. } if deed == Some(Notice::Rejected) => "/review".to_owned(),
            _ => format!("/lessons/{}", id.0),
        };
    }
    Ok(send_on(&format!("{path}?done={}", Notice::Undone.name())))
}

fn undo_for_lesson(
    former: &FormerWords,
    desk: &Desk<'_>,
    lesson: &Lesson,
    deed: Option<Notice>,
) -> Result<()> {
    let id = lesson.id;
    match deed {
        Some(Notice::Rejected) => {
            desk.hold_for_review(id, &find_former_reason(desk, id)?)?;
        }
        Some(Notice::Approved) => {
            desk.hold_for_review(id, &find_former_reason(desk, id)?)?;
            for link in desk.lineage(lesson)? {
                if link.lesson.status == (Status::Superseded { by: id }) {
                    desk.approve_lesson(link.lesson.id, None)?;
                }
            }
        }
        Some(Notice::Archived) => {
            desk.approve_lesson(id, None)?;
        }
        Some(Notice::Added) => {
            desk.archive_lesson(id, &RawText::from("adding it was undone"))?;
        }
        Some(Notice::Revised) => {
            let missing_words =
                || ApiError::bad_request("the words from before are no longer there");
            desk.revise_lesson(id, &former.take(lesson).ok_or_else(missing_words)?)?;
        }
        _ => return Err(ApiError::bad_request("this cannot be undone")),
    }
    Ok(())
}

/// Returns why a lesson waited before it was decided about.
fn find_former_reason(desk: &Desk<'_>, id: LessonId) -> Result<RawText> {
    let history = desk.history(id)?;
    let mut comments = history
        .iter()
        .rev()
        .filter_map(|entry| entry.body.comment.as_ref()?.text());
    let reason = comments.find_map(|text| {
        let (state, reason) = text.as_str().split_once(": ")?;
        matches!(state, "pending" | "quarantined").then_some(reason)
    });
    Ok(RawText::from(
        reason.unwrap_or("it was decided about, and that was undone"),
    ))
}
