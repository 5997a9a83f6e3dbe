//! `/v1/writ`: the `/lesson` lines of a text, carried out and answered.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use hardwon_api::v1::writ::{WritBody, WritDto, WritsReply};
use hardwon_core::{api_key::Capability, limits, writ};

use crate::{
    auth::{Caller, parse_asked_scope},
    body::JsonBody,
    error::{ProblemDto, Result},
    state::SharedState,
};

serve_handlers!(run_writs);

/// Carry out the `/lesson` lines of a text.
///
/// They have the rights and the trust of the key. What is wrong with a line is in its reply, and the others are carried
/// out.
#[utoipa::path(
    post,
    path = "/v1/writ",
    tag = "learn",
    request_body(content = WritBody, description = "The text"),
    responses(
        (status = 200, description = "The lines, and what came of each", body = WritsReply),
        (status = 400, description = "The body is not as it should be", body = ProblemDto),
        (status = 401, description = "No valid key", body = ProblemDto),
        (status = 403, description = "The key does not allow it", body = ProblemDto),
    )
)]
async fn run_writs(
    State(state): State<SharedState>,
    caller: Caller,
    JsonBody(body): JsonBody<WritBody>,
) -> Result<Response> {
    caller.check_capability(Capability::Learn)?;
    let asked = parse_asked_scope(body.agent_id.as_deref(), body.project.as_deref())?;
    state
        .write(move |state| {
            let desk = caller.write_desk(state, &asked)?;
            let spotted = writ::parse(&body.text);
            let writs = spotted.iter().take(limits::WRITS).map(|it| {
                let answer = WritDto::from_parsed(&it.writ);
                Ok(answer.with_outcome(desk.run_writ(&it.writ)?))
            });
            let writs = writs.collect::<Result<Vec<_>>>()?;
            Ok(Json(WritsReply { writs }).into_response())
        })
        .await
}
