//! `hardwon lesson delete`, `restore` and `erase`: out of use, back, and gone for good.

use std::{fs, path::PathBuf};

use hardwon_core::{
    lesson::{Lesson, Status},
    text::RawText,
};
use hardwon_engine::{Actor, Engine};

use super::{all, find, row};
use crate::{
    args::{DeleteArgs, EraseArgs},
    config::Settings,
    error::Failure,
    open, output,
};

/// Takes lessons out of use.
pub(super) fn delete(settings: &Settings, args: &DeleteArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let why = RawText::from("a person deleted it");
    for lesson in all(&engine, settings, &args.ids, in_use)? {
        engine.archive(&lesson, &why, &Actor::person())?;
        output::line(&format!("deleted {}", lesson.id))?;
    }
    output::note("`hardwon lesson restore` brings it back, `hardwon lesson erase` leaves no trace");
    Ok(())
}

/// Finds a lesson that is not deleted already.
fn in_use(engine: &Engine, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(engine, settings, id)?;
    match lesson.status {
        Status::Archived { .. } => Err(Failure::nothing(format!(
            "{} is deleted already",
            lesson.id
        ))
        .hint("`hardwon lesson erase` deletes it for good")),
        _ => Ok(lesson),
    }
}

/// Brings lessons back into use.
pub(super) fn restore(settings: &Settings, args: &DeleteArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let why = RawText::from("a person brought it back");
    for lesson in all(&engine, settings, &args.ids, gone)? {
        let back = engine.approve(&lesson, Some(&why), &Actor::person())?;
        output::line(&format!("restored {}", row(&back)))?;
    }
    Ok(())
}

/// Finds a lesson that is out of use and does not wait for review.
fn gone(engine: &Engine, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(engine, settings, id)?;
    match lesson.status {
        Status::Archived { .. } | Status::Superseded { .. } => Ok(lesson),
        Status::Active => Err(Failure::input(format!("{} is in use", lesson.id))),
        Status::Pending { .. } | Status::Quarantined { .. } => {
            Err(Failure::input(format!("{} waits for review", lesson.id))
                .hint("`hardwon lesson approve` lets it be recalled"))
        }
    }
}

/// Erases lessons for good, and names what may hold them still.
pub(super) fn erase(settings: &Settings, args: &EraseArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    for lesson in all(&engine, settings, &args.ids, find)? {
        engine.erase(&lesson, &Actor::person())?;
        output::line(&format!("erased {}", lesson.id))?;
    }
    for path in backups(settings) {
        output::note(&format!("a backup may hold it still: {}", path.display()));
    }
    Ok(())
}

/// Returns the copies of the database that lie beside it: those that an upgrade or `restore` kept.
fn backups(settings: &Settings) -> Vec<PathBuf> {
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
    let mut found: Vec<PathBuf> = beside.filter(is_copy).collect();
    found.sort();
    found
}
