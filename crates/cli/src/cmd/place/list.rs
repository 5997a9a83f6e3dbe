//! `hardwon place --list`: the plans that were applied, and what `--undo` would take back of each.

use std::{path::Path, process::ExitCode};

use hardwon_gates::json::place::AppliedPlanDto;

use super::{build_file, render_edit};
use crate::{
    args::PlaceArgs,
    config,
    error::CliError,
    output,
    place::{
        applied::{AppliedPlan, list_applied},
        audit::shorten_home,
    },
    time,
};

pub(super) fn run(args: &PlaceArgs) -> Result<ExitCode, CliError> {
    let plans = list_applied()?;
    if args.json {
        let plans: Vec<AppliedPlanDto> = plans.iter().map(build_plan).collect();
        output::print_json(&plans)?;
        return Ok(ExitCode::SUCCESS);
    }
    let home = config::home_folder();
    let mut text: String = plans
        .iter()
        .map(|plan| render_plan(plan, home.as_deref()))
        .collect();
    if plans.is_empty() {
        text.push_str("no plan was applied on this machine\n");
    }
    output::print(&output::replace_controls(&text))?;
    Ok(ExitCode::SUCCESS)
}

fn build_plan(plan: &AppliedPlan) -> AppliedPlanDto {
    AppliedPlanDto {
        id: plan.id.clone(),
        at: plan.at,
        root: plan.root.as_ref().map(|root| root.display().to_string()),
        commit: plan.commit.clone(),
        undone: plan.is_undone,
        files: plan.edits.iter().map(build_file).collect(),
        restored: plan.restored.clone(),
        lessons: plan.lessons.clone(),
        changed_since: plan.changed_since.clone(),
    }
}

fn render_plan(plan: &AppliedPlan, home: Option<&Path>) -> String {
    let at = plan
        .at
        .map_or_else(String::new, |at| format!("  {}", time::format_local(at)));
    let place = plan.root.as_ref();
    let place = place.map_or_else(
        || "an audit of general memories".to_owned(),
        |root| shorten_home(root, home),
    );
    let commit = plan.commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!("  commit {commit:.12}"));
    format!("{}{at}  {place}{commit}\n{}", plan.id, render_undo(plan))
}

/// Says what taking a plan back would do.
fn render_undo(plan: &AppliedPlan) -> String {
    if plan.is_undone {
        return "  taken back\n".to_owned();
    }
    if !plan.changed_since.is_empty() {
        let files = plan.changed_since.join(", ");
        return format!("  --undo refuses: {files} was changed since\n");
    }
    let edits: String = plan.edits.iter().map(render_edit).collect();
    let files = plan.restored.iter();
    let files = files.map(|file| format!("put back {file} as it was\n"));
    let lessons = plan.lessons.iter().map(|id| format!("#{id}"));
    let lessons = lessons.collect::<Vec<_>>().join(", ");
    let lessons = if lessons.is_empty() {
        String::new()
    } else {
        format!("put back the lessons {lessons}\n")
    };
    let all = format!("{edits}{}{lessons}", files.collect::<String>());
    let lines = all.lines().map(|line| format!("  {line}\n"));
    format!("  --undo would\n{}", lines.collect::<String>())
}
