//! `hardwon lesson delete`, `restore` and `erase`: out of use, back, and gone for good.

use std::{fs, path::PathBuf};

use hardwon_core::{Lesson, RunId, Status};
use hardwon_engine::{Desk, FileSessions};

use super::{super::ask, change_each, find_all, find_lesson, render_row};
use crate::{CliError, Result, Settings, config, open, output};

/// Takes lessons out of use.
pub(super) fn delete_lessons(settings: &Settings, ids: &[String]) -> Result<()> {
    change_each(settings, ids, find_undeleted, |desk, lesson| {
        desk.archive_lesson(lesson.id, &"a person deleted it".into())?;
        Ok(format!("deleted {}", lesson.id))
    })?;
    output::print_note(
        "`hardwon lesson restore` undoes this, `hardwon lesson erase` removes the text for good",
    );
    Ok(())
}

/// Finds a lesson that is not deleted already.
fn find_undeleted(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson> {
    let lesson = find_lesson(desk, settings, id)?;
    match lesson.status {
        Status::Archived { .. } => Err(negative!("{} is deleted already", lesson.id)
            .with_hint("`hardwon lesson erase` deletes it for good")),
        _ => Ok(lesson),
    }
}

/// Brings lessons back into use.
pub(super) fn restore_lessons(settings: &Settings, ids: &[String]) -> Result<()> {
    let reason = "a person brought it back".into();
    change_each(settings, ids, find_restorable, |desk, lesson| {
        let lesson = desk.approve_lesson(lesson.id, Some(&reason))?;
        Ok(format!("restored {}", render_row(&lesson)))
    })
}

/// Finds a lesson that is out of use and does not wait for review.
fn find_restorable(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson> {
    let lesson = find_lesson(desk, settings, id)?;
    match lesson.status {
        Status::Archived { .. } | Status::Superseded { .. } => Ok(lesson),
        Status::Active => Err(bad_input!("{} is in use", lesson.id)),
        Status::Pending { .. } | Status::Quarantined { .. } => {
            Err(bad_input!("{} waits for review", lesson.id)
                .with_hint("`hardwon lesson approve` puts it to use"))
        }
    }
}

/// Erases lessons for good, once that is agreed to, and names what may hold them still.
pub(super) fn erase_lessons(settings: &Settings, ids: &[String], yes: bool) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    let lessons: Vec<Lesson> = find_all(&desk, settings, ids, find_lesson)?.collect();
    if !yes {
        confirm_erase(&lessons)?;
    }
    for lesson in lessons {
        desk.erase_lesson(lesson.id)?;
        delete_session_logs(&lesson)?;
        print_line!("erased {}", lesson.id)?;
    }
    for path in find_backups(settings) {
        print_note!(
            "this backup may still contain it; delete it yourself: {}",
            path.display()
        );
    }
    Ok(())
}

/// Deletes what hooks kept of the sessions that a lesson is from, or in which its text stands.
fn delete_session_logs(lesson: &Lesson) -> Result<()> {
    let sessions = FileSessions::new(&config::state_folder()?);
    let runs = lesson
        .evidence
        .iter()
        .map(|evidence| RunId::parse(evidence.reference.as_str()));
    let runs: Vec<RunId> = runs.flatten().collect();
    let text = lesson.content.text.as_str().to_owned();
    Ok(sessions.delete_memories(&runs, &[text])?)
}

/// Shows what is to be erased and asks. Where nobody can be asked, it has to be said that it is meant.
fn confirm_erase(lessons: &[Lesson]) -> Result<()> {
    if !ask::can_ask() {
        return Err(
            bad_input!("this erases lessons for good").with_hint("if you mean it, add --yes")
        );
    }
    for lesson in lessons {
        output::print_line(&render_row(lesson))?;
    }
    let number = output::pluralize(lessons.len() as u64, "lesson");
    if ask::ask_yes_no(
        &format!("Erase {number} for good? This cannot be undone."),
        false,
    )? {
        Ok(())
    } else {
        Err(CliError::negative("nothing was erased"))
    }
}

/// Returns the copies of the database: those beside it, which an upgrade or `restore` kept, and those of the nights.
fn find_backups(settings: &Settings) -> Vec<PathBuf> {
    let Some(name) = settings.db.file_name() else {
        return Vec::new();
    };
    // What the database needs itself has a `-` there.
    let prefix = format!("{}.", name.to_string_lossy());
    let folder = settings.db.parent().into_iter().flat_map(fs::read_dir);
    let beside = folder.flatten().flatten().map(|entry| entry.path());
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(&prefix)
    };
    let nightly = config::backups_folder().into_iter().flat_map(fs::read_dir);
    let nightly = nightly.flatten().flatten().map(|entry| entry.path());
    let mut backups: Vec<PathBuf> = beside.filter(is_copy).chain(nightly).collect();
    backups.sort();
    backups
}
