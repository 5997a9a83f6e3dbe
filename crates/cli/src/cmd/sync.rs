//! `hardwon sync`: a project's lessons and the files in its repository.

use std::{env, process::ExitCode};

use hardwon_core::lesson::{Trust, TrustClass};
use hardwon_engine::{
    Principal,
    files::{SyncAction, SyncReport, SyncStep},
};
use serde::Serialize;

use super::import::ImportedFileDto;
use crate::{
    args::{GlobalArgs, SyncArgs},
    config::Settings,
    dto::SkippedDto,
    error::{CliError, ExitReason},
    open, output,
    sync::{find_root, render_steps},
};

pub(super) fn run(global: &GlobalArgs, args: &SyncArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let root = find_root(&settings, &env::current_dir()?)?;
    let engine = if args.dry_run {
        open::open_reader(&settings)?
    } else {
        open::open_writer(&settings)?
    };
    let word = match args.mine {
        true => TrustClass::Person,
        false => TrustClass::Imported,
    };
    let who = Principal {
        trust: Trust::untainted(word),
        ..settings.person()
    };
    let synced = engine.acting_as(who).sync_lessons(&root, args.dry_run)?;
    if args.json {
        output::print_json(&SyncDto::from_synced(&synced, args.dry_run))?;
    } else {
        output::print(&render_steps(&synced, args.dry_run))?;
    }
    Ok(ExitReason::Negative.exit_code_if(needs_person(&synced)))
}

/// Returns whether something was left for a person to settle.
fn needs_person(synced: &SyncReport) -> bool {
    let is_open = |it: &SyncStep| matches!(it.action, SyncAction::Report | SyncAction::Conflict);
    synced.steps.iter().any(is_open) || synced.file_outcomes.iter().any(|(_, it)| it.id().is_none())
}

/// What a sync did, as JSON shows it.
#[derive(Debug, Serialize)]
struct SyncDto<'a> {
    steps: Vec<SyncStepDto>,
    taken: Vec<ImportedFileDto<'a>>,
    skipped: Vec<SkippedDto<'a>>,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct SyncStepDto {
    step: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

impl<'a> SyncDto<'a> {
    fn from_synced(synced: &'a SyncReport, dry_run: bool) -> Self {
        let taken = synced.file_outcomes.iter();
        Self {
            steps: synced.steps.iter().map(SyncStepDto::from).collect(),
            taken: taken
                .map(|(slug, it)| ImportedFileDto::from_noted(format!("{slug}.md"), it))
                .collect(),
            skipped: synced.skipped.iter().map(SkippedDto::from).collect(),
            dry_run,
        }
    }
}

impl From<&SyncStep> for SyncStepDto {
    fn from(step: &SyncStep) -> Self {
        Self {
            step: step.action.name(),
            file: format!("{}.md", step.slug),
            lesson: step.lesson.map(|id| id.0),
            why: step.reason,
        }
    }
}
