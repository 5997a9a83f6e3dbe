//! `hardwon sync`: a project's lessons and the files in its repository.

use std::{env, process::ExitCode};

use hardwon_core::lesson::{Trust, TrustClass};
use hardwon_engine::{
    Principal,
    files::{Step, Synced},
};
use serde::Serialize;

use super::import::TakenDto;
use crate::{
    args::{Global, SyncArgs},
    config::Settings,
    dto::SkippedDto,
    error::{Failure, Kind},
    open, output,
    sync::{find_root, render_steps},
};

pub(super) fn run(global: &Global, args: &SyncArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let root = find_root(&settings, &env::current_dir()?)?;
    let engine = if args.dry_run {
        open::reader(&settings)?
    } else {
        open::writer(&settings)?
    };
    let word = match args.mine {
        true => TrustClass::Person,
        false => TrustClass::Imported,
    };
    let who = Principal {
        trust: Trust::untainted(word),
        ..settings.person()
    };
    let synced = engine.acting_as(who).sync(&root, args.dry_run)?;
    if args.json {
        output::json(&Dto::of(&synced, args.dry_run))?;
    } else {
        output::print(&render_steps(&synced, args.dry_run))?;
    }
    Ok(Kind::Nothing.exit_code_if(needs_a_person(&synced)))
}

/// Returns whether something was left for a person to settle.
fn needs_a_person(synced: &Synced) -> bool {
    let is_open = |step: &Step| matches!(step, Step::Report { .. } | Step::Conflict { .. });
    synced.steps.iter().any(is_open) || synced.taken.iter().any(|(_, it)| it.id().is_none())
}

/// What a sync did, as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    steps: Vec<StepDto>,
    taken: Vec<TakenDto<'a>>,
    skipped: Vec<SkippedDto<'a>>,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct StepDto {
    step: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

impl<'a> Dto<'a> {
    fn of(synced: &'a Synced, dry_run: bool) -> Self {
        let taken = synced.taken.iter();
        Self {
            steps: synced.steps.iter().map(StepDto::from).collect(),
            taken: taken
                .map(|(slug, it)| TakenDto::of(format!("{slug}.md"), it))
                .collect(),
            skipped: synced.skipped.iter().map(SkippedDto::from).collect(),
            dry_run,
        }
    }
}

impl From<&Step> for StepDto {
    fn from(step: &Step) -> Self {
        let (name, lesson, why) = match step {
            Step::Report { why, .. } => ("report", None, Some(*why)),
            Step::Rename { lesson, .. } => ("rename", Some(*lesson), None),
            Step::Forget { .. } => ("forget", None, None),
            Step::Agree { lesson, .. } => ("agree", Some(*lesson), None),
            Step::ArchiveFile { .. } => ("archive_file", None, None),
            Step::RemoveFile { .. } => ("remove_file", None, None),
            Step::Take { onto, .. } => ("take", *onto, None),
            Step::Restore { lesson, .. } => ("restore", Some(*lesson), None),
            Step::ArchiveLesson { lesson, .. } => ("archive_lesson", Some(*lesson), None),
            Step::Conflict { lesson, .. } => ("conflict", Some(*lesson), None),
            Step::Write { lesson, .. } => ("write", Some(*lesson), None),
        };
        Self {
            step: name,
            file: format!("{}.md", step.slug()),
            lesson: lesson.map(|id| id.0),
            why,
        }
    }
}
