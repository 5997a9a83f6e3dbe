//! `/v1/writ`: the `/lesson` lines of a text, carried out and answered.

use axum::response::Response;
use hardwon_api::v1::writ::{WritBody, WritDto, WritsReply};
use hardwon_core::{limits, writ};

use super::door::{Door, json};
use crate::{api_key::Capability, auth::parse_asked_scope, body::JsonBody, error::Result};

serve_handlers!(
    Write run_writs
);

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
    )
)]
fn run_writs(door: &Door, JsonBody(body): JsonBody<WritBody>) -> Result<Response> {
    door.caller.check_capability(Capability::Learn)?;
    let scope = parse_asked_scope(body.agent_id.as_deref(), body.project.as_deref())?;
    let desk = door.write_desk(&scope)?;
    let writs = writ::parse(&body.text);
    let writs = writs.iter().take(limits::WRITS).map(|writ| {
        let answer = WritDto::from_parsed(&writ.writ);
        Ok(answer.with_outcome(desk.run_writ(&writ.writ)?))
    });
    let writs = writs.collect::<Result<Vec<_>>>()?;
    json(&WritsReply { writs })
}
