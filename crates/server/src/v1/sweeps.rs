//! `/v1/sweeps`: what many lessons come to. Look, apply a plan, see what sweeps did, and take one back.

use axum::{extract::Path, response::Response};
use hardwon_api::v1::sweep::{
    SweepPlanDto,
    served::{
        AppliedSweepReply, KeptPlanDto, KeptPlansReply, SweepBody, SweepLookBody, SweepPlanReply,
        SweepReply, SweepsReply, UndoneSweepReply,
    },
};
use hardwon_core::{access::Rights, limits, plan::PlanId, sweep::SweepPlan};
use hardwon_engine::Desk;
use hardwon_store::ScopeFilter;

use super::{
    door::{Door, json},
    query::filter_by_names,
};
use crate::{
    api_key::AskedScope,
    auth::parse_asked_scope,
    body::JsonBody,
    error::{ApiError, ProblemDto, Result},
    sweeps::{self, SweepLook},
};

/// Most bytes of a plan that is sent.
pub(super) const PLAN_BYTES: usize = limits::PLAN_BYTES;

serve_handlers!(
    Read list_sweeps,
    Write apply_plan,
    Read show_sweep,
    Write undo_sweep,
    Read list_plans,
    Learn make_plan,
    Read show_plan
);

/// List the sweeps that can be taken back, the newest first.
///
/// A key that is tied to agents or projects sees those whose lessons are all within.
#[utoipa::path(
    get,
    path = "/v1/sweeps",
    tag = "sweeps",
    responses(
        (status = 200, description = "The sweeps", body = SweepsReply),
    )
)]
fn list_sweeps(door: &Door, _: ()) -> Result<Response> {
    let desks = door.read_desks()?;
    let sweeps = sweeps::list_newest_first(&desks, Desk::sweeps, |sweep| sweep.at)?;
    let last = desks.first().map(Desk::last_sweep).transpose()?.flatten();
    json(&SweepsReply::new(&sweeps, last))
}

/// Read one sweep: what became of each lesson, and why.
#[utoipa::path(
    get,
    path = "/v1/sweeps/{id}",
    tag = "sweeps",
    params(("id" = String, Path, description = "The sweep's name")),
    responses(
        (status = 200, description = "The sweep", body = SweepReply),
        (status = 404, description = "No such sweep is kept", body = ProblemDto),
    )
)]
fn show_sweep(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    let record = door.find(|desk| Ok(desk.sweep(&check_id(desk, id.as_ref())?)?))?;
    json(&SweepReply::from(&record))
}

/// Returns the name of a sweep or a plan, once it is known that the caller may sweep.
fn check_id(desk: &Desk<'_>, id: Option<&PlanId>) -> Result<PlanId> {
    desk.principal().check_right(Rights::Curate)?;
    id.cloned().ok_or_else(sweeps::not_found)
}

/// Look at the lessons, and say what a sweep would do. No lesson changes.
///
/// A plan that has something to do is kept, among the newest eight of the tenant: its name is enough to apply it.
/// With `model` the server's model words groups anew, for a minute at most; groups that are left wait for another look.
#[utoipa::path(
    post,
    path = "/v1/sweeps/plans",
    tag = "sweeps",
    request_body(content = SweepLookBody, description = "Which lessons, and whether the model is asked"),
    responses(
        (status = 200, description = "What would be done", body = SweepPlanReply),
        (status = 409, description = "Another sweep goes on (`sweep_under_way`), or the server has no model", body = ProblemDto),
    )
)]
fn make_plan(door: &Door, JsonBody(body): JsonBody<SweepLookBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id.as_deref(), body.project.as_deref())?;
    let caller = door.caller.clone().without_request();
    let desk = caller.write_desk(&door.state, &scope)?;
    let look = SweepLook {
        within: filter_by_names(&desk, &scope),
        asks_model: body.model,
        is_unattended: false,
    };
    let plan = sweeps::look(&door.state, &desk, &look)?;
    let is_kept = sweeps::keep(&desk, &plan)?;
    json(&SweepPlanReply::new(&plan, is_kept))
}

/// List the plans that are kept, the newest first: those of looks, and what the server proposes of a night.
#[utoipa::path(
    get,
    path = "/v1/sweeps/plans",
    tag = "sweeps",
    responses(
        (status = 200, description = "The plans", body = KeptPlansReply),
    )
)]
fn list_plans(door: &Door, _: ()) -> Result<Response> {
    let desks = door.read_desks()?;
    let plans = sweeps::list_newest_first(&desks, Desk::kept_plans, |plan| plan.at)?;
    let plans = plans.iter().map(KeptPlanDto::from).collect();
    json(&KeptPlansReply { plans })
}

/// Read one plan that is kept.
#[utoipa::path(
    get,
    path = "/v1/sweeps/plans/{id}",
    tag = "sweeps",
    params(("id" = String, Path, description = "The plan's name")),
    responses(
        (status = 200, description = "The plan, with the lessons as they are now", body = SweepPlanReply),
        (status = 404, description = "No such plan is kept", body = ProblemDto),
    )
)]
fn show_plan(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    let reply = door.find(|desk| {
        let plan = sweeps::read_kept(&desk.kept_plan(&check_id(desk, id.as_ref())?)?)?;
        let kept_plan = sweeps::open_kept(desk, &plan)?;
        Ok(SweepPlanReply::from_kept(&kept_plan, plan))
    })?;
    json(&reply)
}

/// Apply a plan, all of it in one transaction.
///
/// A plan of lessons that have changed since is refused: look again. Whatever a plan says is cleaned and decided again,
/// and what cannot be done is left out and named.
#[utoipa::path(
    post,
    path = "/v1/sweeps",
    tag = "sweeps",
    request_body(content = SweepBody, description = "The name of a plan that is kept, or a plan"),
    responses(
        (status = 200, description = "What was done", body = AppliedSweepReply),
        (status = 404, description = "No such plan is kept, or a lesson of it is not one that the key may see", body = ProblemDto),
        (status = 409, description = "The lessons have changed since (`moved`), or another sweep goes on (`sweep_under_way`)", body = ProblemDto),
    )
)]
fn apply_plan(door: &Door, JsonBody(body): JsonBody<SweepBody>) -> Result<Response> {
    let choice = ChosenPlan::parse(body)?;
    let sweep = door.change(&choice.asked_scope()?, |desk| {
        let (plan, within) = choice.find(desk)?;
        Ok(desk.apply_sweep(&plan, &within, None)?)
    })?;
    json(&AppliedSweepReply::from(&sweep))
}

/// The plan that a request is about.
enum ChosenPlan {
    Kept(Option<PlanId>),
    Sent(Box<SweepPlanDto>),
}

impl ChosenPlan {
    fn parse(body: SweepBody) -> Result<Self> {
        match (body.plan_id, body.plan) {
            (Some(id), None) => Ok(Self::Kept(PlanId::parse(&id))),
            (None, Some(plan)) => Ok(Self::Sent(Box::new(plan))),
            _ => Err(ApiError::bad_request("give either plan_id or plan")),
        }
    }

    /// Returns the names that the request is about: those of the plan that was sent.
    fn asked_scope(&self) -> Result<AskedScope> {
        match self {
            Self::Kept(_) => Ok(AskedScope::default()),
            Self::Sent(plan) => {
                let within = &plan.within;
                parse_asked_scope(within.agent.as_deref(), within.project.as_deref())
            }
        }
    }

    fn find(&self, desk: &Desk<'_>) -> Result<(SweepPlan, ScopeFilter)> {
        match self {
            Self::Kept(id) => {
                let row = desk.kept_plan(&check_id(desk, id.as_ref())?)?;
                sweeps::read_plan(desk, &sweeps::read_kept(&row)?)
            }
            Self::Sent(plan) => sweeps::read_plan(desk, plan),
        }
    }
}

/// Take a sweep back: what it took out is recalled again, what it added leaves.
///
/// A lesson that was changed since stays as it is, and is named.
#[utoipa::path(
    post,
    path = "/v1/sweeps/{id}/undo",
    tag = "sweeps",
    params(("id" = String, Path, description = "The sweep's name")),
    responses(
        (status = 200, description = "What was taken back", body = UndoneSweepReply),
        (status = 400, description = "The `Idempotency-Key` is not as it should be", body = ProblemDto),
        (status = 404, description = "No such sweep is kept", body = ProblemDto),
        (status = 409, description = "It was taken back already (`undone`)", body = ProblemDto),
    )
)]
fn undo_sweep(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    let undone = door.change(&AskedScope::default(), |desk| {
        Ok(desk.undo_sweep(&check_id(desk, id.as_ref())?)?)
    })?;
    json(&UndoneSweepReply::from(&undone))
}
