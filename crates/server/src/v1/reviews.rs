//! `/v1/reviews`: the lessons that wait for a person, and what the person decides.

use axum::{extract::Path, response::Response};
use hardwon_api::v1::{
    lesson::published::{LessonPatch, LessonReply},
    review::{ApprovalBody, PublishedReview, RejectionBody, ReviewPageReply, ReviewReply},
};
use hardwon_core::{id::LessonId, lesson::Lesson, text::RawText};
use hardwon_engine::{Desk, LessonEdit, Relation};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    door::{Door, json},
    query::{QueryOf, filter_by_names, parse_lesson, parse_limit, parse_number},
};
use crate::{
    api_key::AskedScope,
    auth::parse_asked_scope,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    v1::lessons::check_words,
};

/// Lessons of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (20, 50);

serve_handlers!(
    Read list_reviews,
    Read show_review,
    Write approve_lesson,
    Write edit_lesson,
    Write reject_lesson
);

/// Which lessons that wait to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReviewQuery {
    /// Only lessons of this agent.
    agent_id: Option<String>,
    /// Only lessons of this project.
    project: Option<String>,
    /// How many: 20 unless said, at most 50.
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List the lessons that wait for a person, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/reviews",
    tag = "reviews",
    params(ReviewQuery),
    responses(
        (status = 200, description = "A page of lessons, each with those to compare it with", body = ReviewPageReply),
    )
)]
fn list_reviews(door: &Door, QueryOf(query): QueryOf<ReviewQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = parse_number(query.cursor.as_deref(), "cursor")?;
    let desk = door.read_desk(&scope)?;
    let within = filter_by_names(&desk, &scope);
    let after = LessonId(after.unwrap_or(0));
    let waiting = desk.waiting_lessons(&within, after, limit)?;
    let entries = waiting
        .into_iter()
        .map(|waiting| find_related(&desk, waiting))
        .collect::<Result<Vec<_>>>()?;
    let last = entries.last().filter(|_| entries.len() == limit);
    let reply = ReviewPageReply {
        next_cursor: last.map(|(it, _)| it.id.0.to_string()),
        reviews: entries
            .iter()
            .map(|(lesson, beside)| PublishedReview::from_related(lesson, beside))
            .collect(),
    };
    json(&reply)
}

fn find_related(desk: &Desk<'_>, lesson: Lesson) -> Result<(Lesson, Vec<(Relation, Lesson)>)> {
    let beside = desk.related_lessons(&lesson)?;
    Ok((lesson, beside))
}

/// Read one lesson that waits, beside those to compare it with.
#[utoipa::path(
    get,
    path = "/v1/reviews/{id}",
    tag = "reviews",
    params(("id" = i64, Path, description = "The lesson's number")),
    responses(
        (status = 200, description = "The lesson", body = ReviewReply),
        (status = 400, description = "This is no number of a lesson", body = ProblemDto),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
    )
)]
fn show_review(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let (lesson, beside) = door.find(|desk| find_related(desk, desk.waiting_lesson(id)?))?;
    let review = PublishedReview::from_related(&lesson, &beside);
    json(&ReviewReply { review })
}

/// Approve a lesson, so that it may be recalled.
///
/// Lessons that it replaces step back, unless a more trusted source stands behind them.
#[utoipa::path(
    post,
    path = "/v1/reviews/{id}/approve",
    tag = "reviews",
    params(("id" = i64, Path, description = "The lesson's number")),
    request_body(content = ApprovalBody, description = "Why, if there is a reason to record"),
    responses(
        (status = 200, description = "The lesson as it is now", body = LessonReply),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
        (status = 409, description = "It does not fit the lessons that are there", body = ProblemDto),
    )
)]
fn approve_lesson(
    door: &Door,
    (Path(id), JsonBody(body)): (Path<String>, JsonBody<ApprovalBody>),
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let reason = body.why.map(RawText::from);
    decide(door, id, |desk| desk.approve_lesson(id, reason.as_ref()))
}

/// Change the words of a lesson that waits, and approve it.
#[utoipa::path(
    post,
    path = "/v1/reviews/{id}/edit",
    tag = "reviews",
    params(("id" = i64, Path, description = "The lesson's number")),
    request_body(content = LessonPatch, description = "The new words"),
    responses(
        (status = 200, description = "The lesson as it is now", body = LessonReply),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
        (status = 409, description = "Another lesson says the same", body = ProblemDto),
        (status = 422, description = "The words were refused, with the reason", body = ProblemDto),
    )
)]
fn edit_lesson(
    door: &Door,
    (Path(id), JsonBody(patch)): (Path<String>, JsonBody<LessonPatch>),
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    if patch.is_empty() {
        return Err(ApiError::bad_request(
            "nothing to change: give signature, lesson_text or tags",
        ));
    }
    check_words(patch.signature.as_deref(), patch.lesson_text.as_deref())?;
    let edit = LessonEdit::from(patch);
    decide(door, id, |desk| desk.revise_and_approve_lesson(id, &edit))
}

/// Reject a lesson. It stays on record, and is never recalled.
#[utoipa::path(
    post,
    path = "/v1/reviews/{id}/reject",
    tag = "reviews",
    params(("id" = i64, Path, description = "The lesson's number")),
    request_body(content = RejectionBody, description = "Why"),
    responses(
        (status = 200, description = "The lesson as it is now", body = LessonReply),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
    )
)]
fn reject_lesson(
    door: &Door,
    (Path(id), JsonBody(body)): (Path<String>, JsonBody<RejectionBody>),
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let reason = body.why.filter(|text| !text.trim().is_empty());
    let missing = || ApiError::bad_request("required field: why").with_field("why");
    let reason = RawText::from(reason.ok_or_else(missing)?);
    decide(door, id, |desk| desk.archive_lesson(id, &reason))
}

/// Carries a decision about a lesson that waits out, and answers with the lesson as it is then.
fn decide(
    door: &Door,
    id: LessonId,
    decision: impl Fn(&Desk<'_>) -> hardwon_engine::Result<Lesson>,
) -> Result<Response> {
    door.change(&AskedScope::default(), |desk| {
        desk.waiting_lesson(id)?;
        decision(desk)?;
        json(&LessonReply::from(&desk.lesson(id)?))
    })
}
