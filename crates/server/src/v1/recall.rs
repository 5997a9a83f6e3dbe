//! `/v1/recall`: which lessons fit a task, and the text to put before the turn.

use hardwon_api::v1::recall::request::{RecallBody, RecallReply};
use hardwon_core::{ClientName, RawText, RunId};
use hardwon_engine::RecallRequest;
use hardwon_store::Moment;

use super::prelude::*;
use crate::log::log_line;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("POST /v1/recall", Read, recall_lessons)
            .needs(Capability::Recall)
            .counts_once()
            .sends("The task")
            .tells::<RecallReply>(200, "What fits, perhaps nothing"),
    ]
}

/// Recall the lessons that fit a task.
///
/// Most tasks bring up nothing: then `lessons` is empty and `silent` says why. What is shown is on record, so that its
/// effect can be measured; with `run` it is tied to how that run ends. Where the server's disk is full, the answer stands and is
/// not on record.
fn recall_lessons(door: &Door, JsonBody(body): JsonBody<RecallBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id.as_ref(), body.project.as_ref())?;
    if body
        .limit
        .is_some_and(|limit| !(1..=limits::SHOWN_MAX).contains(&usize::from(limit)))
    {
        let bounds = format!("a limit is from 1 to {}", limits::SHOWN_MAX);
        return Err(ApiError::bad_request(bounds).with_field("limit"));
    }
    let run = parse_name(body.run.as_deref(), "run", RunId::parse)?;
    let client = body.client.as_deref().or(Some("rest"));
    let client = parse_name(client, "client", ClientName::parse)?;
    let desk = door.read_desk(&scope)?;
    let request = RecallRequest {
        requester: body.requester(),
        limit: body.limit.map(usize::from),
        run,
        client,
        moment: Moment::Prompt,
        ..RecallRequest::new(desk.principal().scope.clone(), RawText::from(body.prompt))
    };
    let recall = desk.explain_recall(&request)?;
    // An agent that needs the lessons gets them also where nothing can be written, such as on a full disk.
    match desk.record_recall(&request, &recall) {
        Ok(()) => door.state.recalled.note(&request.scope.tenant),
        Err(error) => {
            door.state.metrics.count_recall("unrecorded");
            log_line(&format!("a recall was answered and not recorded: {error}"));
        }
    }
    let outcome = if recall.preamble.shown.is_empty() {
        "silent"
    } else {
        "shown"
    };
    door.state.metrics.count_recall(outcome);
    json(&RecallReply::from(&recall))
}
