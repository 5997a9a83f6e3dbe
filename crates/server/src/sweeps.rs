//! Sweeps on a server: how a look at the lessons is taken.
//!
//! What is to change is decided by the engine. A look that asks the model may take a minute, so it has a longer time
//! than other requests; groups that are left then wait for another one.

use std::{cmp::Reverse, sync::atomic::Ordering, time::Instant};

use axum::http::StatusCode;
use hardwon_api::v1::sweep::{InvalidPlan, SweepPlanDto};
use hardwon_engine::{
    Desk, KeptPlan, ModelUse, PlannedSweep, SweepItem, SweepModel, SweepPlan, SweepRequest,
};
use hardwon_store::ScopeFilter;

use crate::{ApiError, AppState, Result, group_model::ASKING_TIME};

/// What a look is about, and how it is taken.
pub(crate) struct SweepLook {
    /// The part of the tenant.
    pub(crate) within: ScopeFilter,
    /// Whether the server's model is asked.
    pub(crate) asks_model: bool,
}

/// Looks at lessons and returns what a sweep would do.
pub(crate) fn look(state: &AppState, desk: &Desk<'_>, look: &SweepLook) -> Result<PlannedSweep> {
    if !look.asks_model {
        return Ok(desk.plan_sweep(&make_request(state, look, None), None)?);
    }
    let missing = || {
        let message =
            "this server has no model: leave `model` out, and nothing is merged by meaning";
        ApiError::new(StatusCode::CONFLICT, message).with_field("model")
    };
    let model = state.group_model.as_ref().ok_or_else(missing)?;
    // A person waits, and the server may be stopped.
    let began = Instant::now();
    let may_ask = || began.elapsed() < ASKING_TIME && !state.is_stopping.load(Ordering::Relaxed);
    let plan = desk.under_sweep_lease(Some(model.longest_answer()), |lease| {
        let model = SweepModel {
            with: ModelUse {
                model: &*model.model,
                max_answer_tokens: model.max_answer_tokens,
                allowance: model.allowance,
                prices: model.prices,
            },
            may_ask: &may_ask,
        };
        desk.plan_sweep(&make_request(state, look, Some(model)), Some(lease))
    });
    Ok(plan?)
}

fn make_request<'a>(
    state: &AppState,
    look: &SweepLook,
    model: Option<SweepModel<'a>>,
) -> SweepRequest<'a> {
    SweepRequest {
        within: look.within.clone(),
        policy: state.config.sweeps,
        model,
        // What lessons name is on the machines of those who work there.
        repository: None,
        is_unattended: false,
    }
}

/// Keeps a plan that has something to do, and returns whether it is kept.
pub(crate) fn keep(desk: &Desk<'_>, planned: &PlannedSweep) -> Result<bool> {
    if planned.plan.items.is_empty() {
        return Ok(false);
    }
    let text = serde_json::to_string(&SweepPlanDto::from(planned));
    let text = text.map_err(ApiError::internal)?;
    Ok(desk.keep_plan(planned, &text)?)
}

/// Reads a plan that was kept.
pub(crate) fn read_kept(kept: &KeptPlan) -> Result<SweepPlanDto> {
    SweepPlanDto::parse(&kept.text).map_err(ApiError::internal)
}

/// Reads a plan that came in, or was kept, and the part of the tenant that it is about.
pub(crate) fn read_plan(desk: &Desk<'_>, plan: &SweepPlanDto) -> Result<(SweepPlan, ScopeFilter)> {
    let invalid = |error: InvalidPlan| ApiError::bad_request(error.to_string()).with_field("plan");
    plan.to_plan(&desk.principal().scope).map_err(invalid)
}

/// Returns a plan that was kept, with its lessons as they are now.
pub(crate) fn open_kept(desk: &Desk<'_>, plan: &SweepPlanDto) -> Result<PlannedSweep> {
    let (sweep_plan, within) = read_plan(desk, plan)?;
    let mut plan = PlannedSweep {
        plan: sweep_plan,
        within,
        lessons: Default::default(),
        left_for_person: plan.left_for_person,
    };
    for id in plan.plan.items.iter().flat_map(SweepItem::lessons) {
        if let Some(lesson) = desk.lesson_if_visible(id)? {
            plan.lessons.insert(id, lesson);
        }
    }
    Ok(plan)
}

/// Returns what the desks of a key list, each once, the newest first.
pub(crate) fn list_newest_first<'s, T: PartialEq>(
    desks: &[Desk<'s>],
    list: impl Fn(&Desk<'s>) -> hardwon_engine::Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for desk in desks {
        all.extend(list(desk)?);
    }
    all.sort_by_key(|row| Reverse(at(row)));
    all.dedup();
    Ok(all)
}

/// Returns that a name stands for nothing that is kept.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("there is no sweep and no plan of this name")
}
