//! `hardwon sweep`: look, plan, apply, take back.
//!
//! Exit codes are those of all work at night: 0 nothing to do or done, 1 there is something to say, 2 it could not look,
//! 3 done without the model or skipped.

mod repository;
mod served;

use std::{fs, process::ExitCode};

use hardwon_api::v1::sweep::{
    SweepPlanDto, SweepRecordDto,
    served::{AppliedSweepReply, SweepPlanReply, SweepState, UndoneSweepReply},
};
use hardwon_engine::{
    Desk, Engine, Model, PlanId, PlannedSweep, Principal, SweepLease, SweepModel, SweepPolicy,
    SweepRequest,
};
use jiff::{SignedDuration, Timestamp};

use self::{repository::FolderRepository, served::SweepServer};
use super::skip;
use crate::{
    CliError, ExitReason, PlanText, Result, Settings,
    args::{GlobalArgs, SweepArgs},
    config::{self, Autonomy},
    model, open, output,
    plan_file::PlanningCommand,
    time,
};

/// What a timer is told where a server keeps the lessons.
const SERVER_SWEEPS: &str =
    "the lessons are kept by a server: `hardwon sweep` has it look at them, once you ask";

/// Who keeps the lessons: this machine, or a server. What it says is shown in the same way.
trait SweepKeeper {
    /// Looks, without a model if by rules only; returns the plan, and why a model that there is was not asked.
    fn look(&self, by_rules: bool) -> Result<(SweepPlanReply, Option<String>)>;
    /// Applies a plan.
    fn apply(&self, text: &PlanText) -> Result<AppliedSweepReply>;
    /// Takes a sweep back.
    fn undo(&self, id: &PlanId) -> Result<UndoneSweepReply>;
    /// Lists the sweeps that can be taken back.
    fn list(&self) -> Result<Vec<SweepRecordDto>>;
}

pub(super) fn run(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode> {
    run_sweep(global, args).map_err(CliError::could_not_look)
}

fn run_sweep(global: &GlobalArgs, args: &SweepArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    if let Some(server) = &settings.server {
        if args.unattended {
            return skip(SERVER_SWEEPS);
        }
        return run_at(&SweepServer::new(&settings, server)?, args);
    }
    if args.unattended && args.apply.is_none() && args.undo.is_none() && !args.list {
        run_unattended(&settings, args)
    } else {
        run_at(&settings, args)
    }
}

/// Has whoever keeps the lessons do what is asked, and shows what came of it.
fn run_at(keeper: &dyn SweepKeeper, args: &SweepArgs) -> Result<ExitCode> {
    match (&args.apply, &args.undo) {
        (Some(file), _) => {
            let text = PlanningCommand::Sweep.read_plan(file.as_deref())?;
            let sweep = keeper.apply(&text)?;
            show_done(&sweep, args)?;
            Ok(ExitReason::Negative.exit_code_if(sweep.state != SweepState::Done))
        }
        (None, Some(id)) => {
            let undone = keeper.undo(&PlanningCommand::Sweep.parse_id(id)?)?;
            show_undone(&undone, args)?;
            Ok(ExitReason::Negative.exit_code_if(undone.state != SweepState::Done))
        }
        (None, None) if args.list => show_list(&keeper.list()?, args),
        (None, None) => show_look(keeper, args),
    }
}

/// Looks, and shows what would be done.
fn show_look(keeper: &dyn SweepKeeper, args: &SweepArgs) -> Result<ExitCode> {
    let (reply, why_by_rules) = keeper.look(args.rules)?;
    show_plan(&reply, args)?;
    if let Some(why) = why_by_rules {
        print_note!("its model was not asked: {why}");
    }
    if !args.json {
        let json = output::to_json(&reply.plan)?;
        let has_work = !reply.plan.items.is_empty();
        PlanningCommand::Sweep.offer_shown(has_work.then_some(&json), "it")?;
    }
    Ok(exit_code_of(&reply))
}

/// This machine, by its settings.
impl SweepKeeper for Settings {
    fn look(&self, by_rules: bool) -> Result<(SweepPlanReply, Option<String>)> {
        let model = model::find_for_command(&self.model, by_rules)?;
        let plan = match model.as_deref() {
            // Asking costs, so it is noted, and one sweep asks at a time.
            Some(model) => {
                let engine = open::open_writer(self)?;
                let desk = engine.acting_as(self.person());
                plan_under_lease(&desk, self, Some(model), false, |_, _| Ok(()))?.0
            }
            None => {
                let engine = open::open_reader(self)?;
                make_plan(&engine.acting_as(self.person()), self, None, false, None)?
            }
        };
        Ok((SweepPlanReply::new(&plan, false), None))
    }

    fn apply(&self, text: &PlanText) -> Result<AppliedSweepReply> {
        let read = |text: &str| SweepPlanDto::parse(text)?.to_plan(&self.scope);
        let (plan, within) = text.parse(read)?;
        let engine = open_existing(self)?;
        let sweep = engine
            .acting_as(self.caller())
            .apply_sweep(&plan, &within, None)?;
        Ok(AppliedSweepReply::from(&sweep))
    }

    fn undo(&self, id: &PlanId) -> Result<UndoneSweepReply> {
        let engine = open_existing(self)?;
        let undone = engine.acting_as(self.caller()).undo_sweep(id)?;
        Ok(UndoneSweepReply::from(&undone))
    }

    fn list(&self) -> Result<Vec<SweepRecordDto>> {
        let engine = open::open_reader(self)?;
        let sweeps = engine.acting_as(self.person()).sweeps()?;
        Ok(sweeps.iter().map(SweepRecordDto::from).collect())
    }
}

fn exit_code_of(reply: &SweepPlanReply) -> ExitCode {
    let has_something = !reply.plan.items.is_empty() || reply.plan.left_for_person > 0;
    match reply.state {
        SweepState::ModelAway => ExitReason::Partial.exit_code(),
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
    let reply = SweepPlanReply::new(&planned, false);
    let folder = config::state_folder()?;
    fs::create_dir_all(&folder)?;
    let digest = folder.join("sweep-digest.md");
    fs::write(&digest, &reply.digest).map_err(CliError::bad_file("writing", &digest))?;
    PlanningCommand::Sweep.keep_shown(Some(&output::to_json(&reply.plan)?))?;
    if let Some(done) = &done {
        show_done(&AppliedSweepReply::from(done), args)?;
        let is_away = reply.state == SweepState::ModelAway;
        return Ok(ExitReason::Partial.exit_code_if(is_away));
    }
    show_plan(&reply, args)?;
    Ok(exit_code_of(&reply))
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
        policy: SweepPolicy {
            prune_days: settings.sweep_prune_days,
        },
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

fn show_undone(undone: &UndoneSweepReply, args: &SweepArgs) -> Result<()> {
    let sweep = &undone.sweep;
    output::print_answer(args.json, sweep, || {
        let lessons = output::pluralize(sweep.restored.len() as u64, "lesson");
        let id = output::to_one_line(&sweep.id);
        let left = sweep.left.iter();
        let left = left.map(|id| format!("  #{id} was changed since, and stays as it is\n"));
        let left: String = left.collect();
        format!("sweep {id} was taken back: {lessons} as before\n{left}")
    })
}

fn show_list(rows: &[SweepRecordDto], args: &SweepArgs) -> Result<ExitCode> {
    for row in rows {
        output::print_answer(args.json, row, || {
            let at = row.at.map(time::format_local).unwrap_or_default();
            let undone = if row.undone { ", taken back" } else { "" };
            let (retired, added) = (row.retired, row.added);
            let [id, actor] = [&row.id, &row.actor].map(|text| output::to_one_line(text));
            format!("{id}  {at}  by {actor}: {retired} retired, {added} added{undone}")
        })?;
    }
    if rows.is_empty() && !args.json {
        output::print_line("no sweep was applied yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show_plan(reply: &SweepPlanReply, args: &SweepArgs) -> Result<()> {
    output::print_answer(args.json, &reply.plan, || {
        output::replace_controls(&reply.digest)
    })
}

fn show_done(done: &AppliedSweepReply, args: &SweepArgs) -> Result<()> {
    let sweep = &done.sweep;
    output::print_answer(args.json, sweep, || {
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
