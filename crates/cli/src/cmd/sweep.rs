//! `hardwon sweep`: look, plan, apply, take back.
//!
//! Exit codes are those of all work at night: 0 nothing to do or done, 1 there is something to say, 2 it could not look,
//! 3 done without the model or skipped.

mod repository;

use std::{fs, path::Path, process::ExitCode};

use hardwon_api::v1::sweep::{AppliedSweepDto, SweepPlanDto, SweepRecordDto, UndoneSweepDto};
use hardwon_engine::{
    AppliedSweep, Desk, Engine, Model, ModelPart, PlannedSweep, Principal, SweepLease, SweepModel,
    SweepRequest, UndoneSweep,
};
use jiff::{SignedDuration, Timestamp};

use self::repository::FolderRepository;
use super::skip;
use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings,
    args::SweepArgs,
    config::{self, Autonomy},
    model, open, output,
    plan_file::PlanningCommand,
    time,
};

pub(super) fn run(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode> {
    run_sweep(global, args).map_err(CliError::could_not_look)
}

fn run_sweep(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    if args.unattended && settings.server.is_some() {
        return skip("the lessons are kept by a server, which sweeps when it is asked");
    }
    open::refuse_server(&settings)?;
    match (&args.apply, &args.undo) {
        (Some(file), _) => apply_plan(&settings, file.as_deref(), args),
        (None, Some(id)) => undo_sweep(&settings, id, args),
        (None, None) if args.list => list_sweeps(&settings, args),
        (None, None) if args.unattended => run_unattended(&settings, args),
        (None, None) => look(&settings, args),
    }
}

/// Looks, and shows what would be done.
fn look(settings: &Settings, args: &SweepArgs) -> Result<ExitCode> {
    let model = model::find_for_command(&settings.model, args.rules)?;
    let planned = match model.as_deref() {
        // Asking costs, so it is noted, and one sweep asks at a time.
        Some(model) => {
            let engine = open::open_writer(settings)?;
            let desk = engine.acting_as(settings.person());
            plan_under_lease(&desk, settings, Some(model), false, |_, _| Ok(()))?.0
        }
        None => {
            let engine = open::open_reader(settings)?;
            let desk = engine.acting_as(settings.person());
            make_plan(&desk, settings, None, false, None)?
        }
    };
    let plan = SweepPlanDto::from(&planned);
    show_plan(&planned, &plan, args)?;
    if !args.json {
        let json = output::to_json(&plan)?;
        let has_work = !plan.items.is_empty();
        PlanningCommand::Sweep.offer_shown(has_work.then_some(&json), "it")?;
    }
    Ok(exit_code_of(&planned))
}

fn apply_plan(settings: &Settings, file: Option<&Path>, args: &SweepArgs) -> Result<ExitCode> {
    let text = PlanningCommand::Sweep.read_plan(file)?;
    let read = |text: &str| SweepPlanDto::parse(text)?.to_plan(&settings.scope);
    let (plan, within) = text.parse(read)?;
    let engine = open_existing(settings)?;
    let desk = engine.acting_as(settings.caller());
    let sweep = desk.apply_sweep(&plan, &within, None)?;
    show_done(&sweep, args)?;
    Ok(ExitReason::Negative.exit_code_if(!sweep.left_out.is_empty()))
}

fn undo_sweep(settings: &Settings, id: &str, args: &SweepArgs) -> Result<ExitCode> {
    let id = PlanningCommand::Sweep.parse_id(id)?;
    let engine = open_existing(settings)?;
    let undone = engine.acting_as(settings.caller()).undo_sweep(&id)?;
    show_undone(&undone, args)?;
    Ok(ExitReason::Negative.exit_code_if(!undone.left.is_empty()))
}

fn exit_code_of(planned: &PlannedSweep) -> ExitCode {
    let has_something = !planned.plan.items.is_empty() || planned.left_for_person > 0;
    match planned.plan.model {
        ModelPart::Away(_) => ExitReason::Partial.exit_code(),
        _ => ExitReason::Negative.exit_code_if(has_something),
    }
}

/// Does what a timer starts: looks if it is due, and goes as far as it may.
fn run_unattended(settings: &Settings, args: &SweepArgs) -> Result<ExitCode> {
    if config::is_pause_requested() {
        return skip("hardwon is paused");
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(Principal::sweep(settings.scope.clone()));
    let last = desk.last_sweep()?;
    let news = desk.count_lessons_since(&settings.requested_within(), last)?;
    if let Some(why) = settings.sweep_gate.find_skip(last, news, Timestamp::now()) {
        return skip(&why.to_string());
    }
    let model = model::find_for_command(&settings.model, args.rules)?;
    let may_apply = settings.autonomy != Autonomy::Propose;
    let (planned, done) =
        plan_under_lease(&desk, settings, model.as_deref(), true, |planned, lease| {
            let is_some = may_apply && !planned.plan.items.is_empty();
            is_some
                .then(|| Ok(desk.apply_sweep(&planned.plan, &planned.within, Some(lease))?))
                .transpose()
        })?;
    let folder = config::state_folder()?;
    fs::create_dir_all(&folder)?;
    let digest = folder.join("sweep-digest.md");
    fs::write(&digest, planned.render_digest()).map_err(CliError::bad_file("writing", &digest))?;
    let plan = SweepPlanDto::from(&planned);
    PlanningCommand::Sweep.keep_shown(Some(&output::to_json(&plan)?))?;
    if let Some(done) = &done {
        show_done(done, args)?;
        let is_away = matches!(planned.plan.model, ModelPart::Away(_));
        return Ok(ExitReason::Partial.exit_code_if(is_away));
    }
    show_plan(&planned, &plan, args)?;
    Ok(exit_code_of(&planned))
}

/// Plans under a lease, goes on with it, and gives the lease back, whatever happened.
fn plan_under_lease<T>(
    desk: &Desk<'_>,
    settings: &Settings,
    model: Option<&dyn Model>,
    is_unattended: bool,
    go_on: impl FnOnce(&PlannedSweep, &SweepLease) -> Result<T>,
) -> Result<(PlannedSweep, T)> {
    let answer = SignedDuration::try_from(settings.model.timeout).unwrap_or_default();
    desk.under_sweep_lease(model.map(|_| answer), |lease| {
        let plan = make_plan(desk, settings, model, is_unattended, Some(lease))?;
        let more = go_on(&plan, lease)?;
        Ok((plan, more))
    })
}

fn make_plan(
    desk: &Desk<'_>,
    settings: &Settings,
    model: Option<&dyn Model>,
    is_unattended: bool,
    lease: Option<&SweepLease>,
) -> Result<PlannedSweep> {
    let repository = FolderRepository::find(settings);
    let request = SweepRequest {
        within: settings.requested_within(),
        policy: settings.sweeps,
        model: model.map(|model| SweepModel {
            with: model::limit_use(&settings.model, model),
            may_ask: &|| true,
        }),
        repository: repository.as_ref().map(|repository| repository as _),
        is_unattended,
    };
    Ok(desk.plan_sweep(&request, lease)?)
}

/// Opens a database that must be there: a plan or an undo is about one.
fn open_existing(settings: &Settings) -> Result<Engine> {
    if !settings.db.exists() {
        return Err(bad_input!("there is no database {}", settings.db.display()));
    }
    open::open_writer(settings)
}

fn show_undone(undone: &UndoneSweep, args: &SweepArgs) -> Result<()> {
    let sweep = UndoneSweepDto::from(undone);
    output::print_answer(args.json, &sweep, || {
        let lessons = output::pluralize(sweep.restored.len() as u64, "lesson");
        let id = output::to_one_line(&sweep.id);
        let left = sweep.left.iter();
        let left = left.map(|id| format!("  #{id} was changed since, and stays as it is\n"));
        let left: String = left.collect();
        format!("sweep {id} was taken back: {lessons} as before\n{left}")
    })
}

fn list_sweeps(settings: &Settings, args: &SweepArgs) -> Result<ExitCode> {
    let engine = open::open_reader(settings)?;
    let sweeps = engine.acting_as(settings.person()).sweeps()?;
    for row in sweeps.iter().map(SweepRecordDto::from) {
        output::print_answer(args.json, &row, || {
            let at = row.at.map(time::format_local).unwrap_or_default();
            let undone = if row.undone { ", taken back" } else { "" };
            let (retired, added) = (row.retired, row.added);
            let [id, actor] = [&row.id, &row.actor].map(|text| output::to_one_line(text));
            format!("{id}  {at}  by {actor}: {retired} retired, {added} added{undone}")
        })?;
    }
    if sweeps.is_empty() && !args.json {
        output::print_line("no sweep was applied yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show_plan(planned: &PlannedSweep, plan: &SweepPlanDto, args: &SweepArgs) -> Result<()> {
    output::print_answer(args.json, plan, || {
        output::replace_controls(&planned.render_digest())
    })
}

fn show_done(done: &AppliedSweep, args: &SweepArgs) -> Result<()> {
    let sweep = AppliedSweepDto::from(done);
    output::print_answer(args.json, &sweep, || {
        let (id, added) = (output::to_one_line(&sweep.id), sweep.added.len());
        let lessons = output::pluralize(sweep.retired.len() as u64, "lesson");
        let mut text = format!("sweep {id}: {lessons} retired, {added} added\n");
        for left in &sweep.left_out {
            let ids: Vec<String> = left.members.iter().map(|id| format!("#{id}")).collect();
            let reason = output::to_one_line(&left.why);
            text += &format!("  left out {}: {reason}\n", ids.join(", "));
        }
        if !sweep.retired.is_empty() {
            text += &format!("`hardwon sweep --undo {id}` takes it back\n");
        }
        text
    })
}
