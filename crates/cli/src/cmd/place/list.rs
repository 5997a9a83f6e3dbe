//! `hardwon place --list`: the plans that were applied, and what `--undo` would take back of each.

use std::path::Path;

use hardwon_gates::json::place::AppliedPlanDto;

use super::render_file;
use crate::{
    Result,
    args::PlaceArgs,
    config, output,
    place::{applied::list_applied, audit::shorten_home},
    time,
};

pub(super) fn run(args: &PlaceArgs) -> Result<()> {
    let plans = list_applied()?;
    let home = config::home_folder();
    output::print_answer(args.json, &plans, || {
        let text: String = plans
            .iter()
            .rev()
            .map(|plan| render_plan(plan, home.as_deref()))
            .collect();
        if text.is_empty() {
            return "no plan was applied on this machine".to_owned();
        }
        output::replace_controls(&text)
    })
}

fn render_plan(plan: &AppliedPlanDto, home: Option<&Path>) -> String {
    let at = time::format_local(plan.at);
    let place = plan.root.as_ref();
    let place = place.map_or_else(
        || "an audit of general memories".to_owned(),
        |root| shorten_home(Path::new(root), home),
    );
    let commit = plan.commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!("  commit {commit:.12}"));
    format!("{}  {at}  {place}{commit}\n{}", plan.id, render_undo(plan))
}

/// Says what taking a plan back would do.
fn render_undo(plan: &AppliedPlanDto) -> String {
    if plan.undone {
        return "  taken back\n".to_owned();
    }
    if !plan.changed_since.is_empty() {
        let files = plan.changed_since.join(", ");
        return format!("  --undo refuses: {files} was changed since\n");
    }
    let edits: String = plan.files.iter().map(render_file).collect();
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
