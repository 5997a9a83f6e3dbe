//! Undoing what was just done to lessons: each notice has the way back.

use super::prelude::*;
use crate::FormerWords;

pub(super) fn undo_deed(form: &PostedForm, _: ()) -> Result<Response> {
    form.visitor.check_may_curate()?;
    let deed = Notice::from_name(form.fields.text("deed"));
    for id in form.fields.list("ids") {
        let id = parse_lesson_id(id)?;
        let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
        undo_for_lesson(&form.visitor.state.former_words, &desk, &lesson, deed)?;
    }
    let path = form.fields.path_back(form.fields.text("ids"));
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
        Some(Notice::Rejected | Notice::Archived) => {
            match find_former_states(desk, id)?.into_iter().next() {
                Some(Some(reason)) => desk.hold_for_review(id, &reason)?,
                _ => desk.approve_lesson(id, None)?,
            };
        }
        Some(Notice::Approved) => {
            let reason = find_former_states(desk, id)?.into_iter().flatten().next();
            let undone = || RawText::from("it was decided about, and that was undone");
            desk.hold_for_review(id, &reason.unwrap_or_else(undone))?;
            for link in desk.lineage(lesson)? {
                if link.lesson.status == (Status::Superseded { by: id }) {
                    desk.approve_lesson(link.lesson.id, None)?;
                }
            }
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

/// Returns why a lesson waited before it was decided about, the last state first; `None` for each time that it was put to use.
fn find_former_states(desk: &Desk<'_>, id: LessonId) -> Result<Vec<Option<RawText>>> {
    let history = desk.history(id)?;
    let comments = history.iter().rev();
    let comments = comments.filter_map(|entry| entry.body.comment.as_ref()?.text());
    let states = comments.filter_map(|text| {
        let text = text.as_str();
        match text.split_once(": ").unwrap_or((text, "")) {
            ("pending" | "quarantined", reason) => Some(Some(RawText::from(reason))),
            ("active", _) => Some(None),
            _ => None,
        }
    });
    Ok(states.collect())
}
