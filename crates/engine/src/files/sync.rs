//! Keeping a project's folder in step: what stands on both sides is gathered here, what to do is
//! planned by `plan` and done by `carry`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, Slug, Status},
    lesson_md::render_index,
};

use super::{
    PROJECT_FOLDER, Replaced, Skipped, Step,
    carry::Carrier,
    folder::{Contents, Folder, fault},
    has_left, may_travel,
    plan::{Agreed, Known, Mark, OnDisk, Sides, State, plan},
};
use crate::{Desk, Noted, Result};

/// How often a plan is made anew in one sync, because carrying out one makes another.
const ROUNDS: usize = 3;

/// What a sync did, or would do.
#[derive(Debug, Clone, Default)]
pub struct Synced {
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// What became of the words that files had.
    pub taken: Vec<(Slug, Noted)>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
}

/// Returns the folder of a repository's lessons.
#[must_use]
pub fn project_folder(root: &Path) -> PathBuf {
    PROJECT_FOLDER
        .iter()
        .fold(root.to_owned(), |path, part| path.join(part))
}

/// Brings the lessons of whoever acts and the folder in their repository into step.
pub(crate) fn sync(desk: &Desk<'_>, root: &Path, dry_run: bool) -> Result<Synced> {
    let (engine, scope) = (desk.engine, &desk.who.scope);
    no_links(root)?;
    let folder = Folder::at(&project_folder(root));
    let is_there = folder.path().is_dir();
    if !is_there && !dry_run {
        folder.make()?;
    }
    let _lock = folder.lock()?;
    let mut synced = Synced::default();
    for round in 0..ROUNDS {
        let mut contents = match is_there || !dry_run {
            true => folder.read()?,
            false => Contents::default(),
        };
        let lessons = engine.all_lessons(scope)?;
        let agreed = engine.agreed(folder.path(), scope)?;
        let archived = on_disk(&contents, &agreed, &lessons);
        let replaced = Replaced::of(&lessons, &archived);
        let sides = sides(&lessons, &contents, agreed, &replaced);
        let mut steps = plan(&sides);
        synced.skipped = std::mem::take(&mut contents.skipped);
        if dry_run {
            synced.steps = steps;
            return Ok(synced);
        }
        if round > 0 {
            // What was said once need not be said again.
            steps.retain(|step| !matches!(step, Step::Report { .. }));
        }
        if steps.is_empty() {
            break;
        }
        let mut carrier = Carrier {
            desk,
            folder: &folder,
            contents: &contents,
            lessons: &lessons,
            replaced: &replaced,
            agreed: sides.agreed.clone(),
            taken: Vec::new(),
        };
        let carried = steps.iter().try_for_each(|step| carrier.carry(step));
        // What was done is kept, also when the rest could not be.
        engine.agree(folder.path(), scope, &carrier.agreed)?;
        synced.taken.append(&mut carrier.taken);
        carried?;
        synced.steps.extend(steps);
    }
    write_index(&folder)?;
    Ok(synced)
}

/// Writes the list of what the folder holds now.
pub(super) fn write_index(folder: &Folder) -> Result<()> {
    let contents = folder.read()?;
    let files = contents
        .files
        .values()
        .filter_map(|held| held.read.file.as_ref());
    folder.write_index(&render_index(files.map(|file| file.fields())))
}

/// Refuses a folder that a link leads to.
fn no_links(root: &Path) -> Result<()> {
    let mut path = root.to_owned();
    for part in PROJECT_FOLDER {
        path.push(part);
        if fs::symlink_metadata(&path).is_ok_and(|it| it.is_symlink()) {
            let error = io::Error::other("it is a link, which might lead out of the repository");
            return Err(fault("opening", &path, error));
        }
    }
    Ok(())
}

/// Returns the slugs in the archive, with those that are about to go there.
fn on_disk(
    contents: &Contents,
    agreed: &BTreeMap<Slug, Agreed>,
    lessons: &[Lesson],
) -> BTreeSet<Slug> {
    let left: BTreeSet<LessonId> = lessons
        .iter()
        .filter(|it| has_left(it))
        .map(|it| it.id)
        .collect();
    let leaving = agreed.iter().filter(|(slug, it)| {
        let is_there = contents
            .files
            .get(slug.as_str())
            .is_some_and(|held| held.print == it.file);
        is_there && it.lesson.is_some_and(|id| left.contains(&id)) && it.mark != Mark::Deleted
    });
    let leaving = leaving.map(|(slug, _)| slug.clone());
    contents.archived.iter().cloned().chain(leaving).collect()
}

fn sides(
    lessons: &[Lesson],
    contents: &Contents,
    agreed: BTreeMap<Slug, Agreed>,
    replaced: &Replaced,
) -> Sides {
    let known = lessons.iter().map(|lesson| Known {
        id: lesson.id,
        slug: lesson.slug.clone(),
        said: replaced.said(lesson, &lesson.slug).content_digest(),
        state: state(lesson),
        replaces: lesson.supersedes.clone(),
    });
    let files = contents.named().map(|(slug, held)| {
        let on_disk = OnDisk {
            print: held.print.clone(),
            said: held
                .read
                .file
                .as_ref()
                .map(|file| file.fields().content_digest()),
        };
        (slug, on_disk)
    });
    Sides {
        lessons: known.collect(),
        files: files.collect(),
        agreed,
        conflicts: contents.conflicts.clone(),
    }
}

fn state(lesson: &Lesson) -> State {
    match lesson.status {
        _ if may_travel(lesson) => State::Open,
        Status::Active | Status::Pending { .. } => State::Waits,
        _ => State::Left,
    }
}
