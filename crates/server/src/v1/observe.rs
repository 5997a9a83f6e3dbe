//! `/v1/observe`: a run reports what happens in it, and is told what helps.
//!
//! The server holds nothing between two reports: what is known of a run is in files that all servers of a machine share,
//! so that any of them takes the next report in. A report is taken in whole or not at all, because one that was half
//! taken in could be sent again only by counting its first half twice.

use hardwon_api::v1::{
    lesson::published::name_note_outcome,
    observe::{NudgeDto, ObserveBody, ObserveReply},
};
use hardwon_clients::transcript::plain::{self, LiveLine};
use hardwon_core::{ClientName, Requester, RunEvent, RunId, Scope};
use hardwon_engine::{LiveEvent, Nudge, RunReport};
use serde_json::Value;

use super::prelude::*;
use crate::AppState;

/// Most events of one report.
const REPORT_EVENTS: usize = 256;
/// Most bytes of one report: events may hold pages that an agent read.
const REPORT_BYTES: usize = 1024 * 1024;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        own_verb("POST /v1/observe", observe_run)
            .needs(Capability::Learn)
            .takes_up_to(REPORT_BYTES)
            .sends("The run, and what happened in it since the last report")
            .tells::<ObserveReply>(200, "What the agent should know, perhaps nothing")
            .or(
                400,
                "The body or an event, named by its index, is not as it should be",
            )
            .or(413, "The report is too long")
            .or(
                503,
                "Too much at once, or another report of this run is being taken in: send it again",
            ),
    ]
}

/// Report what happened in a run.
///
/// The answer holds what the agent should know before its next step, usually nothing: that it goes round in a circle,
/// or a lesson about the call to be made or the failure just seen. A run that ends is learned from. Reports of one run
/// may go to different servers that share their files. A report with a malformed event is refused whole.
async fn observe_run(door: Door, JsonBody(body): JsonBody<ObserveBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id.as_ref(), body.project.as_ref())?;
    let report = parse_report(&body)?;
    let is_end = |event: &LiveEvent| matches!(event, LiveEvent::Trace(RunEvent::End { .. }));
    // Only the end of a run changes lessons.
    let kind = if report.events.iter().any(is_end) {
        WorkKind::Write
    } else {
        WorkKind::Read
    };
    let work = move |door: &Door| {
        let (state, desk) = (&door.state, door.write_desk(&scope)?);
        let scope = desk.principal().scope.clone();
        check_runs(&report, &scope)?;
        let nudges = desk.observe_report(report, &*state.sessions.for_report(&scope))?;
        state.recalled.note(&scope.tenant);
        count_learned(state, &nudges);
        json(&build_reply(&nudges))
    };
    door.run(kind, work).await
}

fn parse_report(body: &ObserveBody) -> Result<RunReport> {
    let run = parse_name(Some(&body.session), "session", RunId::parse)?;
    let client = parse_name(body.client.as_deref(), "client", ClientName::parse)?;
    if body.events.len() > REPORT_EVENTS {
        let most = format!("a report has at most {REPORT_EVENTS} events");
        return Err(ApiError::bad_request(most).with_field("events"));
    }
    if body.skills.len() > limits::TAGS {
        let most = format!("at most {} skills are allowed", limits::TAGS);
        return Err(ApiError::bad_request(most).with_field("skills"));
    }
    let mut report = RunReport {
        requester: body.requester(),
        ..RunReport::new(run.expect("it was given"))
    };
    report.client = client.unwrap_or(report.client);
    for (index, event) in body.events.iter().enumerate() {
        let (event, requester) = parse_event(event).map_err(|why| refuse_event(index, &why))?;
        // A run may say of its agent what the report does not.
        if report.requester.identities.is_empty() {
            report.requester = requester;
        }
        report.events.push(event);
    }
    Ok(report)
}

fn parse_event(event: &Value) -> Result<(LiveEvent, Requester), String> {
    let line = plain::parse_live(&event.to_string()).map_err(|why| why.to_string())?;
    let nobody = Requester::default();
    Ok(match line {
        LiveLine::Event(event) => (LiveEvent::Trace(event), nobody),
        // The folder is one of another machine.
        LiveLine::Run { event, asker, .. } => (LiveEvent::Trace(event), asker),
        LiveLine::Calling { tool, args } => (LiveEvent::Calling { tool, args }, nobody),
    })
}

/// Names an event by its index. The words may quote the caller's own, and go back to the caller only.
fn refuse_event(index: usize, why: &str) -> ApiError {
    ApiError::bad_request(format!("events[{index}]: {why}")).with_field("events")
}

/// Checks that the events are of the run, agent and project of the report: a report is about one run.
fn check_runs(report: &RunReport, scope: &Scope) -> Result<()> {
    for (index, event) in report.events.iter().enumerate() {
        let LiveEvent::Trace(RunEvent::Run {
            run,
            agent,
            project,
            ..
        }) = event
        else {
            continue;
        };
        let (is_agent, is_project) = (
            agent.as_ref().is_none_or(|agent| *agent == scope.agent),
            project.is_none() || *project == scope.project,
        );
        let message = match (*run == report.run, is_agent, is_project) {
            (false, ..) => "the field \"run\" must be the session of the report",
            (_, false, _) => "the field \"agent\" must be the agent_id of the report",
            (.., false) => "the field \"project\" must be the project of the report",
            (true, true, true) => continue,
        };
        return Err(refuse_event(index, message));
    }
    Ok(())
}

fn count_learned(state: &AppState, nudges: &[Nudge]) {
    for nudge in nudges {
        if let Nudge::Learned(learned) = nudge {
            let outcomes = learned.note_outcomes.iter().map(name_note_outcome);
            outcomes.for_each(|outcome| state.metrics.count_lesson(outcome));
        }
    }
}

fn build_reply(nudges: &[Nudge]) -> ObserveReply<'_> {
    // That nothing was learned is no news.
    let is_news =
        |nudge: &&Nudge| !matches!(nudge, Nudge::Learned(it) if it.note_outcomes.is_empty());
    ObserveReply {
        nudges: nudges.iter().filter(is_news).map(NudgeDto::from).collect(),
    }
}
