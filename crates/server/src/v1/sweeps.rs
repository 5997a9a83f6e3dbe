//! `/v1/sweeps`: what many lessons come to. Sweep, list the sweeps, and take one back.
//!
//! What is to change is decided by the engine. Nobody reads the plan before, so what only a person may do is left out. A sweep
//! that asks the model may take a minute, so it has a longer time than other requests; groups that are left then wait for
//! another one.

use std::{cmp::Reverse, sync::atomic::Ordering, time::Instant};

use axum::http::StatusCode;
use hardwon_api::v1::sweep::served::{AppliedSweepReply, SweepBody, SweepsReply, UndoneSweepReply};
use hardwon_engine::{
    AppliedSweep, ModelUse, PlanId, PlannedSweep, SweepModel, SweepRequest, access::Rights,
};
use hardwon_store::ScopeFilter;

use super::prelude::*;
use crate::{AppState, GroupModel, group_model::ASKING_TIME};

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/sweeps", Read, list_sweeps)
            .tells::<SweepsReply>(200, "The sweeps"),
        verb("POST /v1/sweeps", Learn, sweep)
            .sends("Which lessons, and whether the model is asked")
            .tells::<AppliedSweepReply>(200, "What was done")
            .or(409, "Another sweep goes on (`sweep_under_way`), the lessons changed meanwhile (`moved`), or the server has no model"),
        verb("POST /v1/sweeps/{id}/undo", Write, undo_sweep)
            .named("The sweep's name")
            .tells::<UndoneSweepReply>(200, "What was taken back")
            .or(400, "The `Idempotency-Key` is not as it should be")
            .or(404, "No such sweep is kept")
            .or(409, "It was taken back already (`undone`)"),
    ]
}

/// Sweep: look at the lessons, and do what that comes to, all of it in one transaction.
///
/// What takes out a lesson that a person wrote is left out, and words that would be told for one wait for review. With
/// `model` the server's model words groups anew, for a minute at most; groups that are left wait for another sweep.
fn sweep(door: &Door, JsonBody(body): JsonBody<SweepBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id, body.project)?;
    // A look has no effect a second time, and may be done again.
    let mut looking = door.clone();
    looking.caller.request = None;
    let desks = [looking.write_desk(&scope)?, door.write_desk(&scope)?];
    let within = filter_by_names(&desks[0], &scope);
    let (planned, done) = sweep_part(&door.state, desks.each_ref(), within, body.model)?;
    json(&AppliedSweepReply::new(&planned, done.as_ref()))
}

/// List the sweeps that can be taken back, the newest first.
///
/// A key that is tied to agents or projects sees those whose lessons are all within.
fn list_sweeps(door: &Door, _: ()) -> Result<Response> {
    let desks = door.read_desks(&AskedScope::default())?;
    let mut sweeps = Vec::new();
    for desk in &desks {
        sweeps.extend(desk.sweeps()?);
    }
    sweeps.sort_by_key(|sweep| Reverse(sweep.at));
    sweeps.dedup();
    let last = desks.first().map(Desk::last_sweep).transpose()?.flatten();
    json(&SweepsReply::new(&sweeps, last))
}

/// Sweeps a part of a tenant. The looking is done at one desk and the changing at another, which notes that the request was
/// made.
fn sweep_part(
    state: &AppState,
    [looking, changing]: [&Desk<'_>; 2],
    within: ScopeFilter,
    asks_model: bool,
) -> Result<(PlannedSweep, Option<AppliedSweep>)> {
    let missing = || {
        let message =
            "this server has no model: leave `model` out, and nothing is merged by meaning";
        ApiError::new(StatusCode::CONFLICT, message).with_field("model")
    };
    let model = asks_model
        .then(|| state.group_model.as_ref().ok_or_else(missing))
        .transpose()?;
    // A person waits, and the server may be stopped.
    let began = Instant::now();
    let may_ask = || began.elapsed() < ASKING_TIME && !state.is_stopping.load(Ordering::Relaxed);
    let request = SweepRequest {
        within,
        policy: state.config.sweeps,
        model: model.map(|model| SweepModel {
            with: ModelUse {
                model: &*model.model,
                max_answer_tokens: model.max_answer_tokens,
                tokens_per_day: model.tokens_per_day,
            },
            may_ask: &may_ask,
        }),
        // What lessons name is on the machines of those who work there.
        repository: None,
        is_unattended: true,
    };
    looking.under_sweep_lease(model.map(GroupModel::longest_answer), |lease| {
        let planned = looking.plan_sweep(&request, Some(lease))?;
        let has_work = !planned.plan.items.is_empty();
        let apply = || changing.apply_sweep(&planned.plan, &planned.within, Some(lease));
        let done = has_work.then(apply).transpose()?;
        Ok((planned, done))
    })
}

/// Take a sweep back: what it took out is recalled again, what it added leaves.
///
/// A lesson that was changed since stays as it is, and is named.
fn undo_sweep(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    let undone = door.change(&AskedScope::default(), |desk| {
        desk.principal().check_right(Rights::Curate)?;
        let unknown = || ApiError::not_found("there is no sweep of this name");
        Ok(desk.undo_sweep(id.as_ref().ok_or_else(unknown)?)?)
    })?;
    json(&UndoneSweepReply::from(&undone))
}
