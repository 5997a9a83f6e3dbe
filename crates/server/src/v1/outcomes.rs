//! `/v1/outcomes` and `/v1/lessons/{id}/feedback`: how a run ended, and how a lesson fared.

use axum::{extract::Path, response::Response};
use hardwon_api::v1::outcome::{FeedbackBody, JudgedLesson, RunEndBody, RunEndReply};
use hardwon_core::{guard, id::RunId};

use super::{
    door::{Door, json},
    query::parse_lesson,
    recall::parse_name,
};
use crate::{
    api_key::Capability,
    auth::parse_asked_scope,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
};

serve_handlers!(
    Write report_run_end,
    Write judge_lesson
);

/// Report how a run ended.
///
/// The lessons that recalls of this run showed are credited, once: a run that was judged before, by this or by its
/// trace, stays as it is. A run that no recall named changes nothing.
#[utoipa::path(
    post,
    path = "/v1/outcomes",
    tag = "learn",
    request_body(content = RunEndBody, description = "The run and its end"),
    responses(
        (status = 200, description = "What it says about the lessons shown in the run", body = RunEndReply),
    )
)]
fn report_run_end(door: &Door, JsonBody(body): JsonBody<RunEndBody>) -> Result<Response> {
    door.caller.check_capability(Capability::Learn)?;
    let scope = parse_asked_scope(body.agent_id.as_deref(), body.project.as_deref())?;
    let run = parse_name(Some(&body.run), "run", RunId::parse)?.expect("it was given");
    if body
        .score
        .is_some_and(|score| !(0.0..=1.0).contains(&score))
    {
        return Err(ApiError::bad_request("a score is between 0 and 1").with_field("score"));
    }
    let desk = door.write_desk(&scope)?;
    let end = desk.report_run_end(&run, body.status.into(), body.score)?;
    json(&RunEndReply::from(&end))
}

/// Judge a lesson.
///
/// The word counts as far as the key's trust reaches. A lesson that is said to be stale waits for a person, unless it
/// came from a more trusted source.
#[utoipa::path(
    post,
    path = "/v1/lessons/{id}/feedback",
    tag = "lessons",
    params(("id" = i64, Path, description = "The lesson's number")),
    request_body(content = FeedbackBody, description = "How it fared"),
    responses(
        (status = 200, description = "What is known of the lesson now", body = JudgedLesson),
        (status = 404, description = "No such lesson, or not one that the key may see", body = ProblemDto),
    )
)]
fn judge_lesson(
    door: &Door,
    (Path(id), JsonBody(body)): (Path<String>, JsonBody<FeedbackBody>),
) -> Result<Response> {
    let id = parse_lesson(&id)?;
    door.caller.check_capability(Capability::Learn)?;
    let scope = parse_asked_scope(body.agent_id.as_deref(), body.project.as_deref())?;
    let note = body.note.unwrap_or_default();
    guard::check_comment(&note)
        .map_err(|bad| ApiError::bad_request(format!("the note {bad}")).with_field("note"))?;
    let judgement = door.change(&scope, |desk| {
        Ok(desk.judge_lesson(id, body.verdict.into(), &note)?)
    })?;
    let reply = JudgedLesson::from_lesson(&judgement.lesson, judgement.is_counted);
    json(&reply)
}
