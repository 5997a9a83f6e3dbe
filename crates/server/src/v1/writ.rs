//! `/v1/writ`: the `/lesson` lines of a text, carried out and answered.

use hardwon_api::v1::writ::{WritBody, WritDto, WritsReply};
use hardwon_core::writ;

use super::prelude::*;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("POST /v1/writ", Write, run_writs)
            .needs(Capability::Learn)
            .sends("The text")
            .tells::<WritsReply>(200, "The lines, and what came of each"),
    ]
}

/// Carry out the `/lesson` lines of a text.
///
/// They have the rights and the trust of the key. What is wrong with a line is in its reply, and the others are carried
/// out.
fn run_writs(door: &Door, JsonBody(body): JsonBody<WritBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id, body.project)?;
    let desk = door.write_desk(&scope)?;
    let writs = writ::parse(&body.text);
    let writs = writs.iter().take(limits::WRITS).map(|writ| {
        let answer = WritDto::from_parsed(&writ.writ);
        Ok(answer.with_outcome(desk.run_writ(&writ.writ)?))
    });
    let writs = writs.collect::<Result<Vec<_>>>()?;
    json(&WritsReply { writs })
}
