//! `/v1/sweeps`: what many lessons come to. Look, apply a plan, see what sweeps did, and take one back.

use hardwon_api::v1::sweep::{
    SweepPlanDto,
    served::{
        AppliedSweepReply, KeptPlanDto, KeptPlansReply, SweepBody, SweepLookBody, SweepPlanReply,
        SweepReply, SweepsReply, UndoneSweepReply,
    },
};
use hardwon_engine::{PlanId, SweepPlan, access::Rights};
use hardwon_store::ScopeFilter;

use super::prelude::*;
use crate::{SweepLook, sweeps};

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/sweeps", Read, list_sweeps)
            .tells::<SweepsReply>(200, "The sweeps"),
        verb("POST /v1/sweeps", Write, apply_plan)
            .takes_up_to(limits::PLAN_BYTES)
            .sends("The name of a plan that is kept, or a plan")
            .tells::<AppliedSweepReply>(200, "What was done")
            .or(404, "No such plan is kept, or a lesson of it is not one that the key may see")
            .or(409, "The lessons have changed since (`moved`), or another sweep goes on (`sweep_under_way`)"),
        verb("GET /v1/sweeps/{id}", Read, show_sweep)
            .named("The sweep's name")
            .tells::<SweepReply>(200, "The sweep")
            .or(404, "No such sweep is kept"),
        verb("POST /v1/sweeps/{id}/undo", Write, undo_sweep)
            .named("The sweep's name")
            .tells::<UndoneSweepReply>(200, "What was taken back")
            .or(400, "The `Idempotency-Key` is not as it should be")
            .or(404, "No such sweep is kept")
            .or(409, "It was taken back already (`undone`)"),
        verb("GET /v1/sweeps/plans", Read, list_plans)
            .tells::<KeptPlansReply>(200, "The plans"),
        verb("POST /v1/sweeps/plans", Learn, make_plan)
            .sends("Which lessons, and whether the model is asked")
            .tells::<SweepPlanReply>(200, "What would be done")
            .or(409, "Another sweep goes on (`sweep_under_way`), or the server has no model"),
        verb("GET /v1/sweeps/plans/{id}", Read, show_plan)
            .named("The plan's name")
            .tells::<SweepPlanReply>(200, "The plan, with the lessons as they are now")
            .or(404, "No such plan is kept"),
    ]
}

/// List the sweeps that can be taken back, the newest first.
///
/// A key that is tied to agents or projects sees those whose lessons are all within.
fn list_sweeps(door: &Door, _: ()) -> Result<Response> {
    let desks = door.read_desks(&AskedScope::default())?;
    let sweeps = sweeps::list_newest_first(&desks, Desk::sweeps, |sweep| sweep.at)?;
    let last = desks.first().map(Desk::last_sweep).transpose()?.flatten();
    json(&SweepsReply::new(&sweeps, last))
}

/// Read one sweep: what became of each lesson, and why.
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
fn make_plan(door: &Door, JsonBody(body): JsonBody<SweepLookBody>) -> Result<Response> {
    let scope = parse_asked_scope(body.agent_id, body.project)?;
    // It has no effect a second time, and may be done again.
    let mut door = door.clone();
    door.caller.request = None;
    let desk = door.write_desk(&scope)?;
    let look = SweepLook {
        within: filter_by_names(&desk, &scope),
        asks_model: body.model,
    };
    let plan = sweeps::look(&door.state, &desk, &look)?;
    let is_kept = sweeps::keep(&desk, &plan)?;
    json(&SweepPlanReply::new(&plan, is_kept))
}

/// List the plans that are kept, the newest first.
fn list_plans(door: &Door, _: ()) -> Result<Response> {
    let desks = door.read_desks(&AskedScope::default())?;
    let plans = sweeps::list_newest_first(&desks, Desk::kept_plans, |plan| plan.at)?;
    let plans = plans.iter().map(KeptPlanDto::from).collect();
    json(&KeptPlansReply { plans })
}

/// Read one plan that is kept.
fn show_plan(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    door.find(|desk| {
        let plan = sweeps::read_kept(&desk.kept_plan(&check_id(desk, id.as_ref())?)?)?;
        let kept_plan = sweeps::open_kept(desk, &plan)?;
        json(&SweepPlanReply::from_kept(&kept_plan, plan))
    })
}

/// Apply a plan, all of it in one transaction.
///
/// A plan of lessons that have changed since is refused: look again. Whatever a plan says is cleaned and decided again,
/// and what cannot be done is left out and named.
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
fn undo_sweep(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = PlanId::parse(&id);
    let undone = door.change(&AskedScope::default(), |desk| {
        Ok(desk.undo_sweep(&check_id(desk, id.as_ref())?)?)
    })?;
    json(&UndoneSweepReply::from(&undone))
}
