//! `hardwon sync`: a project's lessons and the files in its repository.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_core::lesson::{Trust, TrustClass};
use hardwon_engine::{
    Actor, Engine, Noted, Principal,
    files::{Step, Synced, project_folder},
};
use serde::Serialize;

use super::import::{TakenDto, became};
use crate::{
    args::{Global, SyncArgs},
    config::Settings,
    dto::SkippedDto,
    error::{Failure, Kind},
    open, output, project,
};

pub(super) fn run(global: &Global, args: &SyncArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let root = root(&settings, &env::current_dir()?)?;
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
        output::print(&told(&synced, args.dry_run))?;
    }
    Ok(Kind::Nothing.exit_code_if(needs_a_person(&synced)))
}

/// Keeps the files of the project around a folder in step after something was learned, and returns
/// what was done, if anything. Trouble with them is no trouble of the learning.
pub(crate) fn after(
    engine: &Engine,
    settings: &Settings,
    folder: &Path,
) -> Result<Option<String>, String> {
    let Ok(root) = root(settings, folder) else {
        return Ok(None);
    };
    if !project_folder(&root).is_dir() {
        return Ok(None);
    }
    let who = Principal {
        trust: Trust::untainted(TrustClass::Imported),
        actor: Actor::rules(),
        ..settings.person()
    };
    match engine.acting_as(who).sync(&root, false) {
        Ok(synced) if synced.steps.is_empty() => Ok(None),
        Ok(synced) => Ok(Some(told(&synced, false).trim_end().to_owned())),
        Err(error) => Err(format!("the files of this project: {error}")),
    }
}

fn root(settings: &Settings, folder: &Path) -> Result<PathBuf, Failure> {
    let root = project::root_of(folder).filter(|_| settings.scope.project.is_some());
    root.ok_or_else(|| {
        Failure::input("sync needs a project's repository, and there is none here")
            .hint("go to a repository; `hardwon export DIR` writes lessons to any folder")
    })
}

/// Returns whether something was left for a person to settle.
fn needs_a_person(synced: &Synced) -> bool {
    let is_open = |step: &Step| matches!(step, Step::Report { .. } | Step::Conflict { .. });
    synced.steps.iter().any(is_open) || synced.taken.iter().any(|(_, it)| it.id().is_none())
}

fn told(synced: &Synced, dry_run: bool) -> String {
    let mut text = String::new();
    for step in &synced.steps {
        let taken = synced.taken.iter().find(|(slug, _)| slug == step.slug());
        let noted = taken.map(|(_, noted)| noted);
        text.push_str(&format!("  {}\n", line(step, noted, dry_run)));
    }
    for skipped in &synced.skipped {
        let name = output::one_line(&skipped.name);
        text.push_str(&format!("  skipped    {name}: {}\n", skipped.why));
    }
    if text.is_empty() {
        return "nothing to do: the files and the lessons agree\n".to_owned();
    }
    let head = if dry_run { "would do\n" } else { "" };
    format!("{head}{text}")
}

fn line(step: &Step, noted: Option<&Noted>, dry_run: bool) -> String {
    let file = format!("{}.md", step.slug());
    match step {
        Step::Report { why, .. } => format!("look at    {file}: {why}"),
        Step::Rename { from, lesson, .. } => format!("renamed    {from}.md to {file} ({lesson})"),
        Step::Forget { .. } => format!("forgot     {file}"),
        Step::Agree { lesson, .. } => format!("in step    {file} ({lesson})"),
        Step::ArchiveFile { .. } => format!("moved      {file} to _archive/"),
        Step::RemoveFile { .. } => {
            format!("deleted    {file}: its lesson is erased or in another project")
        }
        Step::Take { .. } => match noted {
            Some(noted) => format!("{:<10} {file}{}", took(noted), detail(noted)),
            None if dry_run => format!("take       {file}"),
            None => format!("took       {file}"),
        },
        Step::Restore { lesson, .. } => format!("restored   {lesson}: {file} is back"),
        Step::ArchiveLesson { lesson, .. } => format!("archived   {lesson}: {file} is gone"),
        Step::Conflict { slug, lesson } => format!(
            "conflict   {file}: {lesson} changed too; edit {file} to what is right, and delete {slug}.conflict.md"
        ),
        Step::Write { lesson, .. } => format!("wrote      {file} ({lesson})"),
    }
}

fn took(noted: &Noted) -> &'static str {
    match noted {
        Noted::Known(_) => "revised",
        other => became(other),
    }
}

fn detail(noted: &Noted) -> String {
    match noted {
        Noted::Refused(why) => format!(": {}", output::one_line(why)),
        Noted::Recorded(lesson) | Noted::Waiting(lesson) | Noted::Known(lesson) => {
            format!(" ({})", lesson.id)
        }
    }
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
