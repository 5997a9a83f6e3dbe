//! `/v1/reviews`: the lessons that wait for a person, and what the person decides.

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::{
    lesson::published::{LessonPatch, LessonReply},
    review::{ApprovalBody, PublishedReview, RejectionBody, ReviewPageReply, ReviewReply},
};
use hardwon_core::{id::LessonId, lesson::Lesson, text::RawText};
use hardwon_engine::{Desk, LessonEdit, Relation};
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{QueryOf, filter_by_names, parse_lesson, parse_limit, parse_number, try_desks};
use crate::{
    auth::{Caller, parse_asked_scope},
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    state::SharedState,
    v1::lessons::check_words,
};

/// Lessons of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (20, 50);

serve_handlers!(
    list_reviews,
    show_review,
    approve_lesson,
    edit_lesson,
    reject_lesson
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
        (status = 400, description = "A parameter is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
    )
)]
async fn list_reviews(
    State(state): State<SharedState>,
    caller: Caller,
    QueryOf(query): QueryOf<ReviewQuery>,
) -> Result<Response> {
    let asked = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let after = parse_number(query.cursor.as_deref(), "cursor")?;
    state
        .read(move |state| {
            let desk = caller.read_desk(state, &asked)?;
            let within = filter_by_names(&desk, &asked);
            let after = LessonId(after.unwrap_or(0));
            let waiting = desk.waiting_lessons(&within, after, limit)?;
            let related = waiting
                .into_iter()
                .map(|it| find_related(&desk, it))
                .collect::<Result<Vec<_>>>()?;
            let last = related.last().filter(|_| related.len() == limit);
            let reply = ReviewPageReply {
                next_cursor: last.map(|(it, _)| it.id.0.to_string()),
                reviews: related
                    .iter()
                    .map(|(lesson, beside)| PublishedReview::from_related(lesson, beside))
                    .collect(),
            };
            Ok(Json(reply).into_response())
        })
        .await
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
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
    )
)]
async fn show_review(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    state
        .read(move |state| {
            let desks = caller.read_desks(state, &Default::default())?;
            let (lesson, beside) =
                try_desks(desks, |desk| find_related(desk, desk.waiting_lesson(id)?))?;
            let review = PublishedReview::from_related(&lesson, &beside);
            Ok(Json(ReviewReply { review }).into_response())
        })
        .await
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
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
        (status = 409, description = "It does not fit the lessons that are there", body = ProblemDto),
    )
)]
async fn approve_lesson(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ApprovalBody>,
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let why = body.why.map(RawText::from);
    decide(state, caller, id, move |desk| {
        desk.approve_lesson(id, why.as_ref())
    })
    .await
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
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
        (status = 409, description = "Another lesson says the same", body = ProblemDto),
        (status = 422, description = "The words were refused, with the reason", body = ProblemDto),
    )
)]
async fn edit_lesson(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(patch): JsonBody<LessonPatch>,
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    if patch.is_empty() {
        return Err(ApiError::bad_request(
            "nothing to change: give signature, lesson_text or tags",
        ));
    }
    check_words(patch.signature.as_deref(), patch.lesson_text.as_deref())?;
    let edit = LessonEdit::from(patch);
    decide(state, caller, id, move |desk| {
        desk.revise_and_approve_lesson(id, &edit)
    })
    .await
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
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
        (status = 404, description = "No such lesson that waits", body = ProblemDto),
    )
)]
async fn reject_lesson(
    State(state): State<SharedState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<RejectionBody>,
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    let why = body.why.filter(|it| !it.trim().is_empty());
    let missing = || ApiError::bad_request("required field: why").with_field("why");
    let why = RawText::from(why.ok_or_else(missing)?);
    decide(state, caller, id, move |desk| desk.archive_lesson(id, &why)).await
}

/// Carries a decision about a lesson that waits out, and answers with the lesson as it is then.
async fn decide(
    state: SharedState,
    caller: Caller,
    id: LessonId,
    decision: impl Fn(&Desk<'_>) -> hardwon_engine::Result<Lesson> + Send + 'static,
) -> Result<Response> {
    state
        .write(move |state| {
            try_desks(caller.write_desks(state, &Default::default())?, |desk| {
                desk.waiting_lesson(id)?;
                decision(desk)?;
                Ok(Json(LessonReply::from(&desk.lesson(id)?)).into_response())
            })
        })
        .await
}
