//! Syncs a project's lessons with the files in its repository.
//!
//! For `hardwon sync`, after a command that changes lessons, and after learning in the background. The engine decides what is done to which file.

use std::{
    env,
    path::{Path, PathBuf},
};

use hardwon_api::v1::files::outcome_word;
use hardwon_core::{Trust, TrustClass};
use hardwon_engine::{
    Engine, NoteOutcome, Principal, Rights, SyncAction, SyncReport, SyncStep, files::project_folder,
};

use crate::{CliError, GlobalArgs, Result, Settings, open, output, project};

/// Syncs the files of the project around this folder after a command, whichever project that was about, if settings say so.
pub fn sync_after_command(global: &GlobalArgs) -> Result<()> {
    let here = GlobalArgs {
        project: None,
        everywhere: false,
        ..global.clone()
    };
    let settings = Settings::load(&here)?;
    if settings.sync && settings.server.is_none() {
        let engine = open::open_writer(&settings)?;
        let trouble = sync_after_learning(&engine, &settings, &env::current_dir()?);
        let trouble = trouble.unwrap_or_else(Some);
        trouble.iter().for_each(|note| output::print_note(note));
    }
    Ok(())
}

/// Syncs the files of the project around a folder after learning, and returns what was done, if anything. Failing to
/// sync does not fail the learning.
pub fn sync_after_learning(
    engine: &Engine,
    settings: &Settings,
    folder: &Path,
) -> Result<Option<String>, String> {
    let Ok(root) = find_root(settings, folder) else {
        return Ok(None);
    };
    if !project_folder(&root).is_dir() {
        return Ok(None);
    }
    let principal = Principal {
        trust: Trust::untainted(TrustClass::Imported),
        rights: Rights::Curate,
        ..Principal::background(settings.scope.clone())
    };
    match engine.acting_as(principal).sync_lessons(&root, false) {
        Ok(synced) if synced.steps.is_empty() => Ok(None),
        Ok(synced) => Ok(Some(render_steps(&synced, false).trim_end().to_owned())),
        Err(error) => Err(format!("the files of this project: {error}")),
    }
}

/// Finds the root of the repository around a folder, whose project has the files.
pub fn find_root(settings: &Settings, folder: &Path) -> Result<PathBuf> {
    let root = project::find_root(folder).filter(|_| settings.scope.project.is_some());
    root.ok_or_else(|| {
        CliError::bad_input("sync needs a project's repository, and there is none here")
            .with_hint("go to a repository; `hardwon export DIR` writes lessons to any folder")
    })
}

/// Renders what was done to each file, one line each.
pub fn render_steps(synced: &SyncReport, dry_run: bool) -> String {
    let mut text = String::new();
    for step in &synced.steps {
        let outcome = synced
            .file_outcomes
            .iter()
            .find(|(slug, _)| slug == &step.slug);
        let outcome = outcome.map(|(_, noted)| noted);
        text += &format!("  {}\n", render_step(step, outcome, dry_run));
    }
    for skipped in &synced.skipped {
        let name = output::to_one_line(&skipped.name);
        text += &format!("  skipped    {name}: {}\n", skipped.reason);
    }
    if text.is_empty() {
        return "nothing to do: the files and the lessons agree\n".to_owned();
    }
    let head = if dry_run { "would do\n" } else { "" };
    format!("{head}{text}")
}

fn render_step(step: &SyncStep, noted: Option<&NoteOutcome>, dry_run: bool) -> String {
    let file = format!("{}.md", step.slug);
    let lesson = step.lesson.map(|id| id.to_string()).unwrap_or_default();
    match step.action {
        SyncAction::Report => format!("look at    {file}: {}", step.reason.unwrap_or_default()),
        SyncAction::Rename => {
            let from = step
                .from
                .as_ref()
                .map(|from| format!("{from}.md"))
                .unwrap_or_default();
            format!("renamed    {from} to {file} ({lesson})")
        }
        SyncAction::Forget => format!("forgot     {file}"),
        SyncAction::Agree => format!("in step    {file} ({lesson})"),
        SyncAction::ArchiveFile => format!("moved      {file} to _archive/"),
        SyncAction::RemoveFile => {
            format!("deleted    {file}: its lesson is erased or in another project")
        }
        SyncAction::TakeWords => match noted {
            Some(noted) => format!(
                "{:<10} {file}{}",
                describe_taken(noted),
                render_detail(noted)
            ),
            None if dry_run => format!("take       {file}"),
            None => format!("took       {file}"),
        },
        SyncAction::RestoreLesson => format!("restored   {lesson}: {file} is back"),
        SyncAction::ArchiveLesson => format!("deleted    {lesson}: {file} is gone"),
        SyncAction::Conflict => format!(
            "conflict   {file}: {lesson} changed too; edit {file} to what is right, and delete {}.conflict.md",
            step.slug
        ),
        SyncAction::WriteFile => format!("wrote      {file} ({lesson})"),
    }
}

fn describe_taken(noted: &NoteOutcome) -> &'static str {
    match noted {
        NoteOutcome::AlreadyKnown(_) => "revised",
        other => outcome_word(other),
    }
}

fn render_detail(noted: &NoteOutcome) -> String {
    match noted.lesson() {
        Ok(lesson) => format!(" ({})", lesson.id),
        Err(why) => format!(": {}", output::to_one_line(why)),
    }
}
