//! Undoing what was just done to lessons: each notice has the way back.
//!
//! The store keeps no words of before an edit, so the server keeps those of the last edits on its page for a while, in memory.

use std::sync::{Mutex, PoisonError};

use axum::{Router, response::Response};
use hardwon_core::{
    id::{LessonId, TenantId},
    journal::JournalComment,
    lesson::{Lesson, Status},
    text::RawText,
};
use hardwon_engine::{Desk, LessonEdit};

use super::{
    form::{PostedForm, parse_lesson_id},
    frame::Notice,
    send_on,
    view::take,
};
use crate::{
    error::{ApiError, Result},
    state::SharedState,
    workers::WorkKind,
};

/// Most edits whose former words are kept.
const MAX_KEPT: usize = 64;

/// The words of lessons before their last edits on the page, the newest last.
#[derive(Debug, Default)]
pub(crate) struct FormerWords(Mutex<Vec<(TenantId, LessonId, LessonEdit)>>);

impl FormerWords {
    /// Keeps the words of a lesson that is about to be edited.
    pub(super) fn keep(&self, lesson: &Lesson) {
        let content = &lesson.content;
        let edit = LessonEdit {
            signature: Some(RawText::from(content.signature.as_str())),
            text: Some(RawText::from(content.text.as_str())),
            tags: Some(
                content
                    .tags
                    .iter()
                    .map(|tag| RawText::from(tag.as_str()))
                    .collect(),
            ),
            ..LessonEdit::default()
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push((lesson.scope.tenant.clone(), lesson.id, edit));
    }

    /// Takes the words of before the last edit of a lesson.
    pub(super) fn take(&self, lesson: &Lesson) -> Option<LessonEdit> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its = |(tenant, id, _): &(TenantId, LessonId, LessonEdit)| {
            *tenant == lesson.scope.tenant && *id == lesson.id
        };
        let place = kept.iter().rposition(is_its)?;
        Some(kept.remove(place).2)
    }
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/undo", take(WorkKind::Write, undo_deed))
}

fn undo_deed(form: &PostedForm, _: ()) -> Result<Response> {
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
        Some(Notice::Approved) => {
            desk.hold_for_review(id, &find_former_reason(desk, id)?)?;
            for link in desk.lineage(lesson)? {
                if link.lesson.status == (Status::Superseded { by: id }) {
                    desk.approve_lesson(link.lesson.id, None)?;
                }
            }
        }
        Some(Notice::Rejected) => {
            desk.hold_for_review(id, &find_former_reason(desk, id)?)?;
        }
        Some(Notice::Archived) => {
            desk.approve_lesson(id, None)?;
        }
        Some(Notice::Added) => {
            desk.archive_lesson(id, &RawText::from("adding it was undone"))?;
        }
        Some(Notice::Revised) => {
            let gone = || ApiError::bad_request("the words from before are no longer there");
            desk.revise_lesson(id, &former.take(lesson).ok_or_else(gone)?)?;
        }
        _ => return Err(ApiError::bad_request("this cannot be undone")),
    }
    Ok(())
}

/// Returns why a lesson waited before it was decided about.
fn find_former_reason(desk: &Desk<'_>, id: LessonId) -> Result<RawText> {
    let history = desk.history(id)?;
    let comments = history
        .iter()
        .rev()
        .filter_map(|entry| entry.body.comment.as_ref());
    let reasons = comments
        .filter_map(JournalComment::text)
        .filter_map(|text| {
            let (state, reason) = text.as_str().split_once(": ")?;
            matches!(state, "pending" | "quarantined").then(|| RawText::from(reason))
        });
    Ok(reasons
        .into_iter()
        .next()
        .unwrap_or_else(|| RawText::from("it was decided about, and that was undone")))
}
