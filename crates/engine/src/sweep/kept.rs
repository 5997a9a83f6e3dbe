//! Plans that are kept until somebody applies them: what a person looked at.
//!
//! What is kept is a text of whoever made the plan, and the newest few of a tenant. A plan names lessons, so it is
//! shown only to those who see all of the tenant, or exactly what its maker saw. That its lessons are still the same is
//! checked when it is applied.

use hardwon_core::{LessonId, TenantId, limits};
use hardwon_store::{Read, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::{SweepRecord, SweepState, load_newest, save_row};
use crate::{Desk, PlanId, Result, Visibility, access::Rights};
use crate::{PlannedSweep, SweepError};

/// The name of the records of plans; each has a number besides.
const ROW_NAME: &str = "hardwon sweep plan";

/// A plan that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPlan {
    /// The plan's name.
    pub id: String,
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
    /// Who made it.
    pub actor: String,
    /// How many items it has.
    pub items: usize,
    /// The plan in the form of whoever kept it.
    pub text: String,
    /// What its maker saw.
    sight: String,
}

impl Desk<'_> {
    /// Keeps a plan in a form to be read again. A plan of the same name and maker takes the place of the one before.
    /// Returns `false`, and keeps nothing, if it is too long.
    pub fn keep_plan(&self, planned: &PlannedSweep, text: &str) -> Result<bool> {
        self.principal.check_right(Rights::Curate)?;
        if text.len() > limits::KEPT_PLAN_BYTES {
            return Ok(false);
        }
        let now = self.now();
        let row = KeptPlan {
            id: planned.plan.id().to_string(),
            at: now.as_millisecond(),
            actor: self.principal.actor.0.to_string(),
            items: planned.plan.items.len(),
            text: text.to_owned(),
            sight: self.describe_sight(),
        };
        self.commit(|tx| {
            let plans = load_rows(tx.reader(), self.tenant())?;
            let mut same = plans.iter();
            let same = same.find(|(_, it)| it.id == row.id && it.sight == row.sight);
            if let Some((number, _)) = same {
                return save_row(tx, &row_name(*number), *number, &row, now);
            }
            let mut state = SweepState::load(tx.reader(), self.tenant())?;
            save_row(tx, &row_name(state.planned), state.planned, &row, now)?;
            state.planned += 1;
            state.save(tx, now)
        })?;
        Ok(true)
    }

    /// Returns the plans that are kept, the newest first.
    pub fn kept_plans(&self) -> Result<Vec<KeptPlan>> {
        self.principal.check_right(Rights::Curate)?;
        let rows = load_rows(&*self.snapshot()?, self.tenant())?;
        let sight = self.describe_sight();
        let sees_all = self.principal.visibility == Visibility::Tenant;
        let plans = rows.into_iter().map(|(_, row)| row);
        let plans = plans.filter(|plan| sees_all || plan.sight == sight);
        let mut plans: Vec<KeptPlan> = plans.collect();
        plans.sort_by_key(|plan| std::cmp::Reverse(plan.at));
        Ok(plans)
    }

    /// Returns one plan that is kept.
    ///
    /// # Errors
    ///
    /// `Sweep` if there is no such plan for this principal.
    pub fn kept_plan(&self, id: &PlanId) -> Result<KeptPlan> {
        let mut plans = self.kept_plans()?.into_iter();
        let plan = plans.find(|plan| plan.id == id.as_str());
        plan.ok_or_else(|| SweepError::UnknownPlan(id.clone()).into())
    }

    /// Says what this principal sees, in words that are the same only for those who see the same.
    fn describe_sight(&self) -> String {
        let scope = &self.principal.scope;
        let project = scope.project_name();
        match self.principal.visibility {
            Visibility::Tenant => "all".to_owned(),
            Visibility::Agent => format!("agent {:?}", scope.agent.as_str()),
            Visibility::EveryAgent => {
                format!("project {project:?} and agent {:?}", scope.agent.as_str())
            }
            Visibility::Project => format!("project {:?} {project:?}", scope.agent.as_str()),
        }
    }
}

/// Forgets a plan that is applied, if it was kept.
pub(super) fn forget_plan(
    tx: &mut dyn Write,
    tenant: &TenantId,
    id: &PlanId,
    now: Timestamp,
) -> Result<()> {
    for (number, row) in load_rows(tx.reader(), tenant)? {
        if row.id == id.as_str() {
            save_row(tx, &row_name(number), number, &(), now)?;
        }
    }
    Ok(())
}

/// Forgets the words of a lesson that is erased: those that records of sweeps have of it, and plans, which may repeat
/// them.
pub(crate) fn forget_lesson(
    tx: &mut dyn Write,
    tenant: &TenantId,
    id: LessonId,
    now: Timestamp,
) -> Result<()> {
    for (number, record) in SweepRecord::load_all(tx.reader(), tenant)? {
        if let Some(record) = record.without_words_of(id) {
            record.save(tx, number, now)?;
        }
    }
    for (number, _) in load_rows(tx.reader(), tenant)? {
        save_row(tx, &row_name(number), number, &(), now)?;
    }
    Ok(())
}

/// Loads the plans that are kept, with their numbers, the newest first.
fn load_rows(reader: &dyn Read, tenant: &TenantId) -> Result<Vec<(u64, KeptPlan)>> {
    let plan_count = SweepState::load(reader, tenant)?.planned;
    load_newest(reader, tenant, plan_count, limits::PLANS_KEPT, row_name)
}

fn row_name(number: u64) -> String {
    format!("{ROW_NAME} {}", number % limits::PLANS_KEPT)
}
