//! `hardwon place --audit`: what in the memories that are read everywhere is about one project, or too long.

use std::process::ExitCode;

use hardwon_core::ProjectId;
use hardwon_engine::PlanId;
use hardwon_gates::{
    json::place::{
        AuditPlanDto, AuditedDto, PlaceAuditEntryDto, PlacePlanRequest, UnreadMemoryDto,
    },
    place::AuditVerdict,
};

use super::{super::refuse_scope_options, check_same, scan_for};
use crate::{
    AuditPlan, AuditRow, AuditStep, ExitReason, GlobalArgs, Result, Settings,
    args::PlaceArgs,
    config, output,
    place::{
        audit::{look_around, shorten_home},
        audit_apply::{apply_audit, undo_audit},
    },
    plan_file::PlanningCommand,
};

/// The kind of plan that an audit makes.
pub(super) const PLAN_KIND: &str = "audit";

pub(super) fn run(global: &GlobalArgs, settings: &Settings, args: &PlaceArgs) -> Result<ExitCode> {
    if let Some(file) = &args.apply {
        return super::apply_file(global, settings, file.as_deref(), args);
    }
    let plan = make_plan(global, settings)?;
    let answer = build_plan(&plan);
    output::print_answer(args.json, &answer, || {
        output::replace_controls(&render_plan(&plan))
    })?;
    if !args.json {
        let json = output::to_json(&answer)?;
        let json = plan.has_work().then_some(&*json);
        PlanningCommand::Place.offer_shown(json, "what is marked with ->")?;
    }
    if !plan.unread.is_empty() {
        return Ok(ExitReason::BadInput.exit_code());
    }
    Ok(ExitReason::Negative.exit_code_if(!plan.is_clean()))
}

fn make_plan(global: &GlobalArgs, settings: &Settings) -> Result<AuditPlan> {
    refuse_scope_options(global, "an audit looks at what is nobody's in particular")?;
    look_around(settings, &|repository| scan_for(global, repository))
}

pub(super) fn apply(
    global: &GlobalArgs,
    settings: &Settings,
    given: &PlacePlanRequest,
    args: &PlaceArgs,
) -> Result<ExitCode> {
    let plan = make_plan(global, settings)?;
    check_same(given, &plan.basis, &plan.id())?;
    if !plan.has_work() {
        output::print_line("nothing to do")?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = apply_audit(settings, &plan, &|repository| scan_for(global, repository))?;
    output::print_answer(args.json, &report, || {
        let summary = output::replace_controls(&render_done(&report));
        format!(
            "{summary}`hardwon place --undo {}` takes it back",
            report.id
        )
    })?;
    Ok(ExitReason::Negative.exit_code_if(!report.left.is_empty()))
}

/// Takes an audit back; `None` if the plan of this name is none.
pub(super) fn undo(global: &GlobalArgs, id: &PlanId, args: &PlaceArgs) -> Result<Option<ExitCode>> {
    let settings = Settings::load(global)?;
    let Some(done) = undo_audit(&settings, id)? else {
        return Ok(None);
    };
    output::print_answer(args.json, &done, || {
        output::replace_controls(&format!("plan {id} was taken back\n{}", render_done(&done)))
    })?;
    Ok(Some(ExitCode::SUCCESS))
}

fn render_plan(plan: &AuditPlan) -> String {
    let home = config::home_folder();
    let mut text = String::new();
    let mut of_file = None;
    let mut keeps = 0;
    for row in &plan.rows {
        if row.verdict == AuditVerdict::Keep {
            keeps += 1;
            continue;
        }
        if of_file != Some(row.file) {
            of_file = Some(row.file);
            let name = row.file.map_or_else(
                || "lessons that hold everywhere".to_owned(),
                |file| shorten_home(&plan.files[file].path, home.as_deref()),
            );
            text += &format!("{name}\n");
        }
        text += &render_row(row);
    }
    for (path, why) in &plan.unread {
        text += &format!(
            "cannot read {}: {why}\n",
            shorten_home(path, home.as_deref())
        );
    }
    let count = match plan.rows.len() {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    text += &format!("{count} looked at; where they belong: {keeps}\n");
    text
}

fn render_row(row: &AuditRow) -> String {
    let place = match row.file {
        Some(_) => format!("line {}", row.number),
        None => format!("#{}", row.number),
    };
    let head = output::to_one_line(&row.head);
    let mut text = format!("  {:<9} {place}: {head}\n", row.verdict.name());
    let mut add =
        |line: String| text.push_str(&format!("            {}\n", output::to_one_line(&line)));
    match &row.verdict {
        AuditVerdict::Keep => {}
        AuditVerdict::Condense { to } => add(format!("to: {to}")),
        AuditVerdict::Relocate { project, named } => {
            let mark = if row.step.is_work() { "->" } else { "by hand:" };
            add(format!(
                "{mark} {}, which `{named}` names",
                project.display_name()
            ));
        }
        AuditVerdict::Undecided { projects } => {
            let names: Vec<&str> = projects.iter().map(ProjectId::display_name).collect();
            add(format!("names {}", names.join(" and ")));
        }
    }
    if let AuditStep::ByHand(why) = &row.step {
        add(format!("because {why}"));
    }
    text
}

fn render_done(done: &AuditedDto) -> String {
    let ids: Vec<String> = done.lessons.iter().map(|id| format!("#{id}")).collect();
    let mut text = String::new();
    if !ids.is_empty() {
        text += &format!("lessons {}\n", ids.join(", "));
    }
    for file in &done.files {
        text += &format!("wrote {file}\n");
    }
    for commit in &done.commits {
        text += &format!("commit {}, not pushed\n", &commit[..commit.len().min(12)]);
    }
    for left in &done.left {
        text += &format!("left: {left}\n");
    }
    text
}

fn build_plan(plan: &AuditPlan) -> AuditPlanDto {
    let entry = |row: &AuditRow| {
        let (mut projects, mut named, mut shorter) = (Vec::new(), None, None);
        match &row.verdict {
            AuditVerdict::Keep => {}
            AuditVerdict::Condense { to } => shorter = Some(to.clone()),
            AuditVerdict::Relocate {
                project,
                named: words,
            } => {
                projects.push(project.as_str().to_owned());
                named = Some(words.clone());
            }
            AuditVerdict::Undecided { projects: several } => {
                projects.extend(several.iter().map(|several| several.as_str().to_owned()));
            }
        }
        PlaceAuditEntryDto {
            file: row
                .file
                .map(|file| plan.files[file].path.display().to_string()),
            line: row.file.map(|_| row.number),
            lesson: row.file.is_none().then_some(row.number),
            head: row.head.clone(),
            verdict: row.verdict.name().to_owned(),
            projects,
            named,
            shorter,
            moves: row.step.is_work(),
            why: match &row.step {
                AuditStep::ByHand(why) => Some(why.clone()),
                _ => None,
            },
        }
    };
    let unread = plan.unread.iter().map(|(path, why)| UnreadMemoryDto {
        file: path.display().to_string(),
        why: why.clone(),
    });
    AuditPlanDto {
        kind: PLAN_KIND.to_owned(),
        id: plan.id().to_string(),
        basis: plan.basis.as_str().to_owned(),
        entries: plan.rows.iter().map(entry).collect(),
        unread: unread.collect(),
    }
}
