//! Sweeps of a server's tenants at night, one after the other, as far as whoever runs the server allows.
//!
//! Each tenant is swept under its lease, so of several servers one does it. What takes out a lesson that a person wrote
//! is left for a person. Where the server may only propose, a plan is kept, which the page shows to whoever may apply
//! it.

use std::{sync::atomic::Ordering, time::Duration};

use hardwon_core::{Scope, TenantId, named_enum};
use hardwon_engine::{Desk, Error, ModelPart, PlannedSweep, Principal, SweepError, SweepLease};
use hardwon_store::ScopeFilter;
use jiff::Timestamp;
use tokio::time::sleep;

use crate::{
    AppState, GroupModel, Result, SharedState, SweepLook, WorkKind, key_store::read_tenants,
    log::log_line, sweep_config::NightConfig, sweeps,
};

/// Time between two looks at the clock.
const INTERVAL: Duration = Duration::from_secs(60);
/// Hours from the chosen one on in which a night may still begin, such as after a restart.
const HOURS: i64 = 2;

named_enum! {
    /// What came of one tenant's night.
    NightOutcome {
        /// Lessons were changed.
        Applied = "applied",
        /// A plan is kept for a person.
        Proposed = "proposed",
        /// There was nothing to do.
        Nothing = "nothing",
        /// It was not due, or another sweep went on.
        Skipped = "skipped",
        /// The model could not be asked, so groups stay as they are.
        ModelAway = "model_away",
        /// It could not be done.
        Failed = "failed",
    }
}

/// Goes on until it is given up.
pub(crate) async fn repeat(state: SharedState, config: NightConfig) {
    let mut last_night = None;
    loop {
        let night = find_night(Timestamp::now(), config.hour);
        if night.is_some() && night != last_night {
            sweep_all(&state, config).await;
            last_night = night;
        }
        sleep(INTERVAL).await;
    }
}

/// Returns the number of the night that it is, in days since 1970; `None` by day.
fn find_night(now: Timestamp, hour: u8) -> Option<i64> {
    let since = now.as_second() - i64::from(hour) * 3600;
    let is_night = since.rem_euclid(24 * 3600) < HOURS * 3600;
    is_night.then(|| since.div_euclid(24 * 3600))
}

async fn sweep_all(state: &SharedState, config: NightConfig) {
    let list = |state: &AppState| Ok(read_tenants(&**state.keys).collect::<Result<Vec<_>, _>>()?);
    let Ok(tenants) = state.run(WorkKind::Read, list).await else {
        return log_line("sweeping by night: the tenants could not be listed");
    };
    for tenant in tenants {
        if state.is_stopping.load(Ordering::Relaxed) {
            return;
        }
        let outcome = sweep_tenant(state, tenant.id, config).await;
        state.metrics.count_night_sweep(outcome.name());
    }
}

async fn sweep_tenant(state: &SharedState, tenant: TenantId, config: NightConfig) -> NightOutcome {
    let swept = state.run(WorkKind::Learn, move |state| {
        let scope = Scope::of_tenant(tenant);
        let desk = state.engine.acting_as(Principal::sweep(scope));
        sweep_if_due(state, &desk, config)
    });
    swept.await.unwrap_or(NightOutcome::Failed)
}

fn sweep_if_due(state: &AppState, desk: &Desk<'_>, config: NightConfig) -> Result<NightOutcome> {
    let last = desk.last_sweep()?;
    let news = desk.count_lessons_since(&ScopeFilter::Tenant, last)?;
    let skip = config.gate.find_skip(last, news, Timestamp::now());
    if skip.is_some() {
        return Ok(NightOutcome::Skipped);
    }
    let model = state.group_model.as_ref();
    let swept = desk.under_sweep_lease(model.map(GroupModel::longest_answer), |lease| {
        plan_and_apply(state, desk, config, lease)
    });
    let (plan, is_applied) = match swept {
        Err(Error::Sweep(SweepError::Busy(_))) => return Ok(NightOutcome::Skipped),
        swept => swept?,
    };
    let (is_done, done) = if config.may_apply {
        (is_applied, NightOutcome::Applied)
    } else {
        (sweeps::keep(desk, &plan)?, NightOutcome::Proposed)
    };
    Ok(find_outcome(&plan, is_done, done))
}

/// Plans, and applies the plan if it may and there is something to do. Returns whether it did.
fn plan_and_apply(
    state: &AppState,
    desk: &Desk<'_>,
    config: NightConfig,
    lease: &SweepLease,
) -> hardwon_engine::Result<(PlannedSweep, bool)> {
    let look = SweepLook {
        within: ScopeFilter::Tenant,
        asks_model: state.group_model.is_some(),
        is_unattended: true,
    };
    let plan = sweeps::look_under_lease(state, desk, &look, lease)?;
    let is_applied = config.may_apply && !plan.plan.items.is_empty();
    if is_applied {
        desk.apply_sweep(&plan.plan, &plan.within, Some(lease))?;
    }
    Ok((plan, is_applied))
}

fn find_outcome(planned: &PlannedSweep, is_done: bool, done: NightOutcome) -> NightOutcome {
    match (&planned.plan.model, is_done) {
        (ModelPart::Away(_), _) => NightOutcome::ModelAway,
        (_, true) => done,
        (_, false) => NightOutcome::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_is_two_hours_from_the_chosen_one_on() {
        let check = |at: &str, hour, expected: Option<&str>| {
            let day = |at: &str| at.parse::<Timestamp>().unwrap().as_second() / (24 * 3600);
            let expected = expected.map(|it| day(&format!("{it}T12:00:00Z")));
            assert_eq!(
                find_night(at.parse().unwrap(), hour),
                expected,
                "{at} {hour}"
            );
        };
        check("2026-11-23T02:59:59Z", 3, None);
        check("2026-11-23T03:00:00Z", 3, Some("2026-11-23"));
        check("2026-11-23T04:59:59Z", 3, Some("2026-11-23"));
        check("2026-11-23T05:00:00Z", 3, None);
        // A night that begins before midnight is one.
        check("2026-11-23T23:30:00Z", 23, Some("2026-11-23"));
        check("2026-11-24T00:30:00Z", 23, Some("2026-11-23"));
    }
}
