//! `hardwon sync`: a project's lessons and the files in its repository.

use std::{env, process::ExitCode};

use hardwon_api::v1::files::SyncDto;
use hardwon_core::{Trust, TrustClass};
use hardwon_engine::{Principal, SyncAction, SyncReport, SyncStep};

use crate::{
    ExitReason, GlobalArgs, Result, Settings,
    args::SyncArgs,
    open, output,
    sync::{find_root, render_steps},
};

pub(super) fn run(global: &GlobalArgs, args: &SyncArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    let root = find_root(&settings, &env::current_dir()?)?;
    let engine = open::open_or_preview(&settings, args.dry_run, open::open_reader)?;
    let word = if args.mine {
        settings.check_decides()?;
        TrustClass::Person
    } else {
        TrustClass::Imported
    };
    let person = Principal {
        // An agent may have written what it read into the files.
        trust: Trust::new(word, settings.caller().trust.tainted),
        ..settings.person()
    };
    let report = engine.acting_as(person).sync_lessons(&root, args.dry_run)?;
    output::print_answer(
        args.json,
        &SyncDto::from_report(&report, args.dry_run),
        || render_steps(&report, args.dry_run),
    )?;
    Ok(ExitReason::Negative.exit_code_if(needs_person(&report)))
}

/// Returns whether something was left for a person to settle.
fn needs_person(synced: &SyncReport) -> bool {
    let is_open = |it: &SyncStep| matches!(it.action, SyncAction::Report | SyncAction::Conflict);
    synced.steps.iter().any(is_open) || synced.file_outcomes.iter().any(|(_, it)| it.id().is_none())
}
