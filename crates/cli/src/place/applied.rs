//! The plans that were applied on this machine, and what taking each of them back would do.

use hardwon_engine::PlanId;
use hardwon_gates::json::place::AppliedPlanDto;

use super::{
    audit_record::{describe_audit, folder_of_audits},
    record::{PlaceRecord, folder_of_all, list_ids},
};
use crate::Result;

/// How many plans are told, the newest.
const TOLD: usize = 20;

/// Lists the newest plans, placements and audits, oldest first.
pub fn list_applied() -> Result<Vec<AppliedPlanDto>> {
    let mut plans = Vec::new();
    for id in list_ids(&folder_of_all()?)? {
        plans.push(describe_placement(&id)?);
    }
    for id in list_ids(&folder_of_audits()?)? {
        plans.extend(describe_audit(&id)?);
    }
    plans.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    Ok(plans.split_off(plans.len().saturating_sub(TOLD)))
}

fn describe_placement(id: &PlanId) -> Result<AppliedPlanDto> {
    let record = PlaceRecord::load(id)?;
    let (mut files, mut changed_since) = (Vec::new(), Vec::new());
    for file in &record.files {
        match record.find_undo(file)? {
            Some(edit) => files.push(edit.describe()),
            None => changed_since.push(file.path.display().to_string()),
        }
    }
    Ok(AppliedPlanDto {
        id: record.id,
        at: record.at,
        root: Some(record.root.display().to_string()),
        commit: record.commit,
        undone: record.is_undone,
        files,
        restored: Vec::new(),
        lessons: Vec::new(),
        changed_since,
    })
}
