//! `hardwon lesson delete`, `restore` and `erase`: out of use, back, and gone for good.

use std::{fs, path::PathBuf};

use hardwon_core::{
    lesson::{Lesson, Status},
    text::RawText,
};
use hardwon_engine::Desk;

use super::{super::ask, all, find, row};
use crate::{
    args::{DeleteArgs, EraseArgs, RestoreLessonArgs},
    config::Settings,
    error::Failure,
    open, output,
};

/// Takes lessons out of use.
pub(super) fn delete(settings: &Settings, args: &DeleteArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let why = RawText::from("a person deleted it");
    for lesson in all(&desk, settings, &args.ids, in_use)? {
        desk.archive(lesson.id, &why)?;
        output::line(&format!("deleted {}", lesson.id))?;
    }
    output::note(
        "`hardwon lesson restore` undoes this, `hardwon lesson erase` removes the text for good",
    );
    Ok(())
}

/// Finds a lesson that is not deleted already.
fn in_use(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(desk, settings, id)?;
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
pub(super) fn restore(settings: &Settings, args: &RestoreLessonArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let why = RawText::from("a person brought it back");
    for lesson in all(&desk, settings, &args.ids, gone)? {
        let back = desk.approve(lesson.id, Some(&why))?;
        output::line(&format!("restored {}", row(&back)))?;
    }
    Ok(())
}

/// Finds a lesson that is out of use and does not wait for review.
fn gone(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(desk, settings, id)?;
    match lesson.status {
        Status::Archived { .. } | Status::Superseded { .. } => Ok(lesson),
        Status::Active => Err(Failure::input(format!("{} is in use", lesson.id))),
        Status::Pending { .. } | Status::Quarantined { .. } => {
            Err(Failure::input(format!("{} waits for review", lesson.id))
                .hint("`hardwon lesson approve` puts it to use"))
        }
    }
}

/// Erases lessons for good, once that is agreed to, and names what may hold them still.
pub(super) fn erase(settings: &Settings, args: &EraseArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let lessons: Vec<Lesson> = all(&desk, settings, &args.ids, find)?.collect();
    if !args.yes {
        agree(&lessons)?;
    }
    for lesson in lessons {
        desk.erase(lesson.id)?;
        output::line(&format!("erased {}", lesson.id))?;
    }
    for path in backups(settings) {
        output::note(&format!(
            "this backup may still contain it; delete it yourself: {}",
            path.display()
        ));
    }
    Ok(())
}

/// Shows what is to be erased and asks; a script, which nobody can be asked in, named its lessons itself.
fn agree(lessons: &[Lesson]) -> Result<(), Failure> {
    if !ask::can_ask() {
        return Ok(());
    }
    for lesson in lessons {
        output::line(&row(lesson))?;
    }
    let number = output::count(lessons.len() as u64, "lesson");
    match ask::ask(
        &format!("Erase {number} for good? This cannot be undone."),
        false,
    )? {
        true => Ok(()),
        false => Err(Failure::nothing("nothing was erased")),
    }
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
