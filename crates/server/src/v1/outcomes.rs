//! `/v1/outcomes`: how a run ended.

use hardwon_api::v1::outcome::{RunEndBody, RunEndReply};
use hardwon_core::RunId;

use super::prelude::*;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("POST /v1/outcomes", Write, report_run_end)
            .needs(Capability::Learn)
            .sends("The run and its end")
            .tells::<RunEndReply>(200, "What it says about the lessons shown in the run"),
    ]
}

/// Report how a run ended.
///
/// The lessons that recalls of this run showed are credited, once: a run that was judged before, by this or by its
/// trace, stays as it is. A run that no recall named changes nothing.
fn report_run_end(door: &Door, JsonBody(body): JsonBody<RunEndBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id, body.project)?;
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
