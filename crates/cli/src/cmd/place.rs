//! `hardwon place`: look, plan, apply, take back, check.
//!
//! Exit codes are those of all work at night: 0 nothing to do or done, 1 there is something to say, 2 it could not look,
//! 3 skipped. What `--audit` does is in [`audit`].

mod audit;
mod list;

use std::{path::Path, process::ExitCode};

use hardwon_engine::{PlanBasis, PlanId};
use hardwon_gates::{
    json::place::{PlacePlanDto, PlacePlanRequest, PlacedDto, PlacedFileDto, PlacedLessonDto},
    leak::LeakScanner,
    place::AgentsFile,
};
use hardwon_repo::Repository;

use super::{leak::find_names, skip};
use crate::{
    CliError, ExitReason, FileEdit, GlobalArgs, PlacePlan, Result, Settings,
    args::PlaceArgs,
    config::{self, Autonomy},
    open, output,
    place::{
        apply::{apply_plan, undo_plan},
        look::{self, make_plan},
        reading::note_placed,
        work_text::read_shared,
    },
    plan_file::PlanningCommand,
};

pub(super) fn run(global: &GlobalArgs, args: &PlaceArgs) -> Result<ExitCode> {
    place_lessons(global, args).map_err(|error| match error.reason {
        ExitReason::Negative => error,
        _ => error.with_reason(ExitReason::BadInput),
    })
}

fn place_lessons(global: &GlobalArgs, args: &PlaceArgs) -> Result<ExitCode> {
    if let Some(id) = &args.undo {
        return undo(global, id, args);
    }
    if args.list {
        return super::succeed(list::run(args));
    }
    let settings = Settings::load(global)?;
    if args.audit {
        return audit::run(global, &settings, args);
    }
    if args.check {
        return check(global, &settings);
    }
    if args.unattended && config::is_pause_requested() {
        return skip("hardwon is paused");
    }
    if let Some(file) = &args.apply {
        return apply_file(global, &settings, file.as_deref(), args);
    }
    let plan = plan_with(global, &settings, args.create)?;
    if args.unattended && settings.autonomy != Autonomy::Propose && !plan.edits.is_empty() {
        return match apply_plan(&plan) {
            Err(error) if error.reason == ExitReason::Partial => skip(error.message()),
            Err(error) => Err(error),
            Ok(done) => {
                note_placed(&settings, &plan);
                show_done(&done, args)
            }
        };
    }
    show_plan(&plan, args)?;
    let has_something = !plan.edits.is_empty() || plan.lacks_file;
    Ok(ExitReason::Negative.exit_code_if(has_something))
}

fn plan_with(global: &GlobalArgs, settings: &Settings, may_create: bool) -> Result<PlacePlan> {
    make_plan(settings, may_create, &build_scanner(global)?)
}

/// Makes what searches the block for what must not be published: whoever can read the repository reads the block.
fn build_scanner(global: &GlobalArgs) -> Result<LeakScanner> {
    scan_for(global, &look::find_repository()?)
}

fn scan_for(global: &GlobalArgs, repository: &Repository) -> Result<LeakScanner> {
    Ok(LeakScanner {
        names: find_names(global, &[], Some(repository.root()))?,
        is_strict: true,
        ignores_comments: false,
    })
}

fn apply_file(
    global: &GlobalArgs,
    settings: &Settings,
    file: Option<&Path>,
    args: &PlaceArgs,
) -> Result<ExitCode> {
    let plan_file = read_plan(file)?;
    if plan_file.kind == audit::PLAN_KIND {
        return audit::apply(global, settings, &plan_file, args);
    }
    let plan = plan_with(global, settings, plan_file.create)?;
    check_same(&plan_file, &plan.basis, &plan.id())?;
    if plan.edits.is_empty() {
        output::print_line("nothing to do")?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = apply_plan(&plan)?;
    note_placed(settings, &plan);
    show_done(&report, args)
}

/// Checks that a plan that is given back is the one that is made now.
fn check_same(given: &PlacePlanRequest, basis: &PlanBasis, id: &PlanId) -> Result<()> {
    if PlanBasis::parse(&given.basis).as_ref() != Some(basis) {
        return Err(CliError::bad_input(
            "the lessons or the files have changed since the plan was made",
        )
        .with_hint("run `hardwon place` again, and apply the new plan"));
    }
    if given.id == id.as_str() {
        Ok(())
    } else {
        Err(
            CliError::bad_input("the plan was edited, or made by another version")
                .with_hint("a plan is applied as it was made; `hardwon place --json` prints one"),
        )
    }
}

fn read_plan(file: Option<&Path>) -> Result<PlacePlanRequest> {
    let text = PlanningCommand::Place.read_plan(file)?;
    text.parse(|text| {
        let plan: PlacePlanRequest = serde_json::from_str(text).map_err(|why| why.to_string())?;
        if ["place", audit::PLAN_KIND].contains(&&*plan.kind) {
            Ok(plan)
        } else {
            Err("it is a plan of another command".to_owned())
        }
    })
}

fn undo(global: &GlobalArgs, id: &str, args: &PlaceArgs) -> Result<ExitCode> {
    let id = PlanningCommand::Place.parse_id(id)?;
    if let Some(code) = audit::undo(global, &id, args)? {
        return Ok(code);
    }
    let report = undo_plan(&id)?;
    output::print_answer(args.json, &report, || {
        let files = report.files.join(", ");
        format!(
            "plan {id} was taken back: {files} as before{}",
            tell_commit(&report)
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Says whether the block is as it was written, and where there is a database with lessons of the project, whether it is
/// up to date.
fn check(global: &GlobalArgs, settings: &Settings) -> Result<ExitCode> {
    let repository = look::find_repository()?;
    let found = read_shared(&repository)?;
    let (name, text) = (found.path.display(), found.text.unwrap_or_default());
    let fault = |fault| look::describe_fault(&found.path, fault);
    let file = AgentsFile::parse(&text).map_err(fault)?;
    if file.block().is_some_and(|block| !block.is_as_written()) {
        print_line!("{name}: the block was edited by hand")?;
        output::print_note(
            "`hardwon place` makes it again; to change a lesson: hardwon lesson edit",
        );
        return Ok(ExitReason::Negative.exit_code());
    }
    let state = match file.block() {
        Some(_) => "the block is as it was written",
        None => "there is no block",
    };
    let lessons = if open::lessons_file(settings).exists() {
        look::find_lessons(settings)?
    } else {
        Default::default()
    };
    if lessons.lessons.is_empty() {
        print_line!("{name}: {state}; no lessons of this project are here to compare it with")?;
        return Ok(ExitCode::SUCCESS);
    }
    let scanner = build_scanner(global)?;
    let choice = look::choose(settings, &lessons, &scanner)?;
    let expected_hash = choice.block.as_ref().map(|block| block.hash());
    let is_current = file.block().map(|block| block.hash()) == expected_hash.as_deref();
    let say = if is_current {
        "up to date"
    } else {
        "out of date: `hardwon place` shows what would change"
    };
    print_line!("{name}: {say}")?;
    Ok(ExitReason::Negative.exit_code_if(!is_current))
}

fn show_plan(plan: &PlacePlan, args: &PlaceArgs) -> Result<()> {
    let answer = build_plan(plan);
    if args.json {
        return output::print_json(&answer);
    }
    output::print(&output::replace_controls(&render_plan(
        &answer,
        plan.lacks_file,
    )))?;
    let json = output::to_json(&answer)?;
    PlanningCommand::Place.offer_shown((!plan.edits.is_empty()).then_some(&json), "it")
}

fn render_plan(plan: &PlacePlanDto, lacks_file: bool) -> String {
    let mut text: String = plan.files.iter().map(render_file).collect();
    if plan.files.is_empty() && !lacks_file {
        text += "nothing to do: the files are as they should be\n";
    }
    for (title, rows) in [("in the block", &plan.placed), ("left out", &plan.left)] {
        if !rows.is_empty() {
            text += &format!("{title}\n");
        }
        for row in rows {
            text += &format!("  {:<5} {}\n", format!("#{}", row.id), row.why);
        }
    }
    for note in &plan.notes {
        text += &format!("note: {note}\n");
    }
    text
}

fn render_file(file: &PlacedFileDto) -> String {
    let removals = file.removed.iter().map(|line| format!("  - {line}"));
    let additions = file.added.iter().map(|line| format!("  + {line}"));
    let lines = removals.chain(additions);
    let lines: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    format!("{} {}\n{lines}", file.verb, file.path)
}

fn build_plan(plan: &PlacePlan) -> PlacePlanDto {
    let (placed, left) = PlacedLessonDto::lists_from_choice(&plan.choice);
    PlacePlanDto {
        kind: "place".to_owned(),
        id: plan.id().to_string(),
        basis: plan.basis.as_str().to_owned(),
        create: plan.may_create,
        files: plan.edits.iter().map(FileEdit::describe).collect(),
        placed,
        left,
        notes: plan.notes.clone(),
    }
}

fn show_done(done: &PlacedDto, args: &PlaceArgs) -> Result<ExitCode> {
    output::print_answer(args.json, done, || {
        format!(
            "wrote {}{}\n`hardwon place --undo {}` takes it back",
            done.files.join(", "),
            tell_commit(done),
            done.id
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

fn tell_commit(done: &PlacedDto) -> String {
    let short = |id: &str| format!(" (commit {}, not pushed)", &id[..id.len().min(12)]);
    done.commit.as_deref().map(short).unwrap_or_default()
}
