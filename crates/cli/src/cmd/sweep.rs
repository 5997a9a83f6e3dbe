//! `hardwon sweep`: look, plan, apply, take back.
//!
//! Exit codes are those of all work at night: 0 nothing to do or done, 1 there is something to say, 2 it could not look,
//! 3 done without the model or skipped.

mod repository;
mod schedule;
mod served;

use std::{fs, path::Path, process::ExitCode};

use hardwon_api::v1::sweep::{AppliedSweepDto, SweepPlanDto, SweepRecordDto, UndoneSweepDto};
use hardwon_core::{
    access::Principal,
    plan::PlanId,
    sweep::{ModelPart, SweepPolicy},
};
use hardwon_engine::{
    Desk, Engine,
    model::Model,
    sweep::{AppliedSweep, PlannedSweep, SweepLease, SweepModel, SweepRequest},
};
use jiff::{SignedDuration, Timestamp};

use self::repository::FolderRepository;
use crate::{
    args::{GlobalArgs, SweepArgs},
    config::{self, Autonomy, Settings},
    error::{CliError, ExitReason},
    model, open, output,
    plan_file::PlanningCommand,
    time,
};

/// What is said of a plan that is shown.
const HOW_TO_APPLY: &str =
    "nothing was changed; `hardwon sweep --apply` does it, and --undo takes it back";

pub(super) fn run(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode, CliError> {
    run_sweep(global, args).map_err(|error| match error.reason {
        // Whoever cannot look has found nothing, and must not look as if all were well.
        ExitReason::Internal => error.with_reason(ExitReason::BadInput),
        ExitReason::Negative | ExitReason::BadInput | ExitReason::Partial => error,
    })
}

fn run_sweep(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    if let Some(server) = &settings.server {
        return served::run(&settings, server, args);
    }
    if let Some(kind) = args.schedule {
        return schedule::run(global, kind, args.install);
    }
    match (&args.apply, &args.undo) {
        (Some(file), _) => apply_file(&settings, file.as_deref(), args),
        (None, Some(id)) => undo(&settings, id, args),
        (None, None) if args.list => list(&settings, args),
        (None, None) if args.unattended => run_unattended(&settings, args),
        (None, None) => look(&settings, args),
    }
}

/// Looks, and shows what would be done.
fn look(settings: &Settings, args: &SweepArgs) -> Result<ExitCode, CliError> {
    let model = configured_model(settings, args)?;
    let (planned, _) = match &model {
        // Asking costs, so it is noted, and one sweep asks at a time.
        Some(_) => {
            let engine = open::open_writer(settings)?;
            plan_under_lease(
                &engine.acting_as(settings.person()),
                settings,
                model.as_deref(),
                false,
                |_, _| Ok(()),
            )?
        }
        None => {
            let engine = open::open_reader(settings)?;
            let desk = engine.acting_as(settings.person());
            (make_plan(&desk, settings, None, false, None)?, ())
        }
    };
    write_files(&planned, args.plan.as_deref(), args.digest.as_deref())?;
    show_plan(&planned, args)?;
    if !args.json {
        let has_work = !planned.plan.items.is_empty();
        let json = output::to_json(&SweepPlanDto::from(&planned))?;
        keep_shown(has_work.then_some(&json))?;
    }
    Ok(exit_code_of(&planned))
}

/// Keeps the plan that was shown, and says how it is applied; none if there is nothing to do.
fn keep_shown(json: Option<&str>) -> Result<(), CliError> {
    PlanningCommand::Sweep.keep_shown(json)?;
    if json.is_some() {
        output::print_note(HOW_TO_APPLY);
    }
    Ok(())
}

fn exit_code_of(planned: &PlannedSweep) -> ExitCode {
    let is_away = matches!(planned.plan.model, ModelPart::Away(_));
    let has_something = !planned.plan.items.is_empty() || planned.left_for_person > 0;
    match is_away {
        true => ExitReason::Partial.exit_code(),
        false => ExitReason::Negative.exit_code_if(has_something),
    }
}

/// Does what a timer starts: looks if it is due, and goes as far as it may.
fn run_unattended(settings: &Settings, args: &SweepArgs) -> Result<ExitCode, CliError> {
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
    let model = configured_model(settings, args)?;
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
    write_files(
        &planned,
        args.plan.as_deref(),
        args.digest.as_deref().or(Some(&digest)),
    )?;
    let json = output::to_json(&SweepPlanDto::from(&planned))?;
    PlanningCommand::Sweep.keep_shown(Some(&json))?;
    match &done {
        Some(done) => show_done(done, args)?,
        None => show_plan(&planned, args)?,
    }
    let is_away = matches!(planned.plan.model, ModelPart::Away(_));
    Ok(match done {
        Some(_) => ExitReason::Partial.exit_code_if(is_away),
        None => exit_code_of(&planned),
    })
}

fn skip(why: &str) -> Result<ExitCode, CliError> {
    output::print_line(&format!("skipped: {why}"))?;
    Ok(ExitReason::Partial.exit_code())
}

/// Plans under a lease, goes on with it, and gives the lease back, whatever happened.
fn plan_under_lease<T>(
    desk: &Desk<'_>,
    settings: &Settings,
    model: Option<&dyn Model>,
    is_unattended: bool,
    go_on: impl FnOnce(&PlannedSweep, &SweepLease) -> Result<T, CliError>,
) -> Result<(PlannedSweep, T), CliError> {
    let answer = SignedDuration::try_from(settings.model.timeout).unwrap_or_default();
    desk.under_sweep_lease(model.map(|_| answer), |lease| {
        let planned = make_plan(desk, settings, model, is_unattended, Some(lease))?;
        let more = go_on(&planned, lease)?;
        Ok((planned, more))
    })
}

fn make_plan(
    desk: &Desk<'_>,
    settings: &Settings,
    model: Option<&dyn Model>,
    is_unattended: bool,
    lease: Option<&SweepLease>,
) -> Result<PlannedSweep, CliError> {
    let repository = FolderRepository::find(settings);
    let request = SweepRequest {
        within: settings.requested_within(),
        policy: SweepPolicy {
            prune_days: settings.sweep_prune_days,
        },
        model: model.map(|model| SweepModel {
            with: model::limit_use(&settings.model, model),
            may_ask: &|| true,
        }),
        repository: repository.as_ref().map(|it| it as _),
        is_unattended,
    };
    Ok(desk.plan_sweep(&request, lease)?)
}

fn configured_model(
    settings: &Settings,
    args: &SweepArgs,
) -> Result<Option<Box<dyn Model>>, CliError> {
    if args.rules {
        return Ok(None);
    }
    model::from_settings(&settings.model).map_err(|it| CliError::bad_input(it.to_string()))
}

fn apply_file(
    settings: &Settings,
    file: Option<&Path>,
    args: &SweepArgs,
) -> Result<ExitCode, CliError> {
    let text = PlanningCommand::Sweep.read_plan(file)?;
    let read = |it: &str| SweepPlanDto::parse(it)?.to_plan(&settings.scope);
    let (plan, within) = text.parse(read)?;
    let engine = open_existing(settings)?;
    let desk = engine.acting_as(settings.person());
    let done = desk.apply_sweep(&plan, &within, None)?;
    show_done(&done, args)?;
    Ok(ExitReason::Negative.exit_code_if(!done.left_out.is_empty()))
}

/// Opens a database that must be there: a plan or an undo is about one.
fn open_existing(settings: &Settings) -> Result<Engine, CliError> {
    if !settings.db.exists() {
        return Err(CliError::bad_input(format!(
            "there is no database {}",
            settings.db.display()
        )));
    }
    open::open_writer(settings)
}

fn parse_id(id: &str) -> Result<PlanId, CliError> {
    PlanId::parse(id).ok_or_else(|| {
        CliError::bad_input("the id of a sweep has 12 digits, 0 to 9 and a to f")
            .with_hint("`hardwon sweep --list` shows them")
    })
}

fn undo(settings: &Settings, id: &str, args: &SweepArgs) -> Result<ExitCode, CliError> {
    let id = parse_id(id)?;
    let engine = open_existing(settings)?;
    let undone = engine.acting_as(settings.person()).undo_sweep(&id)?;
    if args.json {
        output::print_json(&UndoneSweepDto::from(&undone))?;
    } else {
        let restored = output::pluralize(undone.restored.len() as u64, "lesson");
        output::print_line(&format!("sweep {id} was taken back: {restored} as before"))?;
        for id in &undone.left {
            output::print_line(&format!("  {id} was changed since, and stays as it is"))?;
        }
    }
    Ok(ExitReason::Negative.exit_code_if(!undone.left.is_empty()))
}

fn list(settings: &Settings, args: &SweepArgs) -> Result<ExitCode, CliError> {
    let engine = open::open_reader(settings)?;
    let rows: Vec<SweepRecordDto> = engine
        .acting_as(settings.person())
        .sweeps()?
        .iter()
        .map(SweepRecordDto::from)
        .collect();
    for row in &rows {
        if args.json {
            output::print_json(row)?;
            continue;
        }
        let at = row.at.map(time::format_local).unwrap_or_default();
        let undone = if row.undone { ", taken back" } else { "" };
        let (retired, added) = (row.retired, row.added);
        output::print_line(&output::replace_controls(&format!(
            "{}  {at}  by {}: {retired} retired, {added} added{undone}",
            row.id, row.actor
        )))?;
    }
    if rows.is_empty() && !args.json {
        output::print_line("no sweep was applied yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    fs::write(path, text)
        .map_err(|it| CliError::bad_input(format!("writing {}: {it}", path.display())))
}

fn write_files(
    planned: &PlannedSweep,
    plan: Option<&Path>,
    digest: Option<&Path>,
) -> Result<(), CliError> {
    let json = || output::to_json(&SweepPlanDto::from(planned));
    if let Some(path) = plan {
        write_file(path, &(json()? + "\n"))?;
    }
    if let Some(path) = digest {
        let is_json = path.extension().is_some_and(|it| it == "json");
        let text = match is_json {
            true => json()? + "\n",
            false => planned.render_digest(),
        };
        write_file(path, &text)?;
    }
    Ok(())
}

fn show_plan(planned: &PlannedSweep, args: &SweepArgs) -> Result<(), CliError> {
    match args.json {
        true => output::print_json(&SweepPlanDto::from(planned)),
        false => output::print(&output::replace_controls(&planned.render_digest())),
    }
}

fn show_done(done: &AppliedSweep, args: &SweepArgs) -> Result<(), CliError> {
    if args.json {
        return output::print_json(&AppliedSweepDto::from(done));
    }
    let retired = output::pluralize(done.retired.len() as u64, "lesson");
    let added = done.added.len();
    output::print_line(&format!(
        "sweep {}: {retired} retired, {added} added",
        done.id
    ))?;
    for (ids, why) in &done.left_out {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        output::print_line(&output::to_one_line(&format!(
            "  left out {}: {why}",
            ids.join(", ")
        )))?;
    }
    if !done.retired.is_empty() {
        output::print_line(&format!("`hardwon sweep --undo {}` takes it back", done.id))?;
    }
    Ok(())
}
