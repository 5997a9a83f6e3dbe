//! Keeping a project's folder in step: what stands on both sides is gathered here, what to do is
//! planned by `plan` and done by `carry`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{
    access::Rights,
    id::LessonId,
    lesson::{Lesson, Slug, Status},
    lesson_md::render_index,
};

use super::{
    PROJECT_FOLDER, ReplacedSlugs, SkippedFile, SyncStep,
    carrier::SyncCarrier,
    folder::{FolderContents, LessonDirectory, files_error},
    is_inactive, may_export,
    plan::{AgreementMark, SyncAgreement, SyncFile, SyncLesson, SyncSides, SyncState, plan_sync},
};
use crate::{Desk, NoteOutcome, Result};

/// How often a plan is made anew in one sync, because carrying out one makes another.
const MAX_ROUNDS: usize = 3;

/// What a sync did, or would do.
#[derive(Debug, Clone, Default)]
pub struct SyncReport {
    /// What was done, in order.
    pub steps: Vec<SyncStep>,
    /// What became of the words that files had.
    pub file_outcomes: Vec<(Slug, NoteOutcome)>,
    /// What was passed over.
    pub skipped: Vec<SkippedFile>,
}

/// Returns the folder of a repository's lessons.
#[must_use]
pub fn project_folder(root: &Path) -> PathBuf {
    PROJECT_FOLDER
        .iter()
        .fold(root.to_owned(), |path, part| path.join(part))
}

impl Desk<'_> {
    /// Brings a project's lessons and the folder in its repository into step.
    ///
    /// `root` is the root of the work tree. The folder is made if it is not there. It is the only place
    /// that is written to; neither it nor what leads to it may be a link.
    pub fn sync_lessons(&self, root: &Path, dry_run: bool) -> Result<SyncReport> {
        self.principal.check_right(Rights::Curate)?;
        let scope = &self.principal.scope;
        refuse_links(root)?;
        let folder = LessonDirectory::from_path(&project_folder(root));
        let is_there = folder.path().is_dir();
        if !is_there && !dry_run {
            folder.create()?;
        }
        let _lock = folder.lock()?;
        let mut synced = SyncReport::default();
        for round in 0..MAX_ROUNDS {
            let mut contents = match is_there || !dry_run {
                true => folder.read_contents()?,
                false => FolderContents::default(),
            };
            let lessons = self.all_lessons(scope)?;
            let agreed = self.load_agreements(folder.path(), scope)?;
            let archived = find_archived_slugs(&contents, &agreed, &lessons);
            let replaced = ReplacedSlugs::from_lessons(&lessons, &archived);
            let sides = gather_sides(&lessons, &contents, agreed, &replaced);
            let mut steps = plan_sync(&sides);
            synced.skipped = std::mem::take(&mut contents.skipped);
            if dry_run {
                synced.steps = steps;
                return Ok(synced);
            }
            if round > 0 {
                // What was said once need not be said again.
                steps.retain(|step| !matches!(step, SyncStep::Report { .. }));
            }
            if steps.is_empty() {
                break;
            }
            let mut carrier = SyncCarrier {
                desk: self,
                folder: &folder,
                contents: &contents,
                lessons: &lessons,
                replaced: &replaced,
                agreements: sides.agreements.clone(),
                file_outcomes: Vec::new(),
            };
            let carried = steps.iter().try_for_each(|step| carrier.carry_step(step));
            // What was done is kept, also when the rest could not be.
            self.save_agreements(folder.path(), scope, &carrier.agreements)?;
            synced.file_outcomes.append(&mut carrier.file_outcomes);
            carried?;
            synced.steps.extend(steps);
        }
        write_index(&folder)?;
        Ok(synced)
    }
}

/// Writes the list of what the folder holds now.
pub(super) fn write_index(folder: &LessonDirectory) -> Result<()> {
    let contents = folder.read_contents()?;
    let files = contents
        .files
        .values()
        .filter_map(|held| held.parsed.file.as_ref());
    folder.write_index(&render_index(files.map(|file| file.fields())))
}

/// Refuses a folder that a link leads to.
fn refuse_links(root: &Path) -> Result<()> {
    let mut path = root.to_owned();
    for part in PROJECT_FOLDER {
        path.push(part);
        if fs::symlink_metadata(&path).is_ok_and(|it| it.is_symlink()) {
            let error = io::Error::other("it is a link, which might lead out of the repository");
            return Err(files_error("opening", &path, error));
        }
    }
    Ok(())
}

/// Returns the slugs in the archive, with those that are about to go there.
fn find_archived_slugs(
    contents: &FolderContents,
    agreed: &BTreeMap<Slug, SyncAgreement>,
    lessons: &[Lesson],
) -> BTreeSet<Slug> {
    let left: BTreeSet<LessonId> = lessons
        .iter()
        .filter(|it| is_inactive(it))
        .map(|it| it.id)
        .collect();
    let leaving = agreed.iter().filter(|(slug, it)| {
        let is_there = contents
            .files
            .get(slug.as_str())
            .is_some_and(|held| held.digest == it.file_digest);
        is_there
            && it.lesson.is_some_and(|id| left.contains(&id))
            && it.mark != AgreementMark::Deleted
    });
    let leaving = leaving.map(|(slug, _)| slug.clone());
    contents.archived.iter().cloned().chain(leaving).collect()
}

fn gather_sides(
    lessons: &[Lesson],
    contents: &FolderContents,
    agreed: BTreeMap<Slug, SyncAgreement>,
    replaced: &ReplacedSlugs,
) -> SyncSides {
    let known = lessons.iter().map(|lesson| SyncLesson {
        id: lesson.id,
        slug: lesson.slug.clone(),
        content_digest: replaced
            .lesson_fields(lesson, &lesson.slug)
            .content_digest(),
        state: sync_state(lesson),
        replaces: lesson.supersedes.clone(),
    });
    let files = contents.named_files().map(|(slug, held)| {
        let on_disk = SyncFile {
            file_digest: held.digest.clone(),
            content_digest: held
                .parsed
                .file
                .as_ref()
                .map(|file| file.fields().content_digest()),
        };
        (slug, on_disk)
    });
    SyncSides {
        lessons: known.collect(),
        files: files.collect(),
        agreements: agreed,
        conflicts: contents.conflicts.clone(),
    }
}

fn sync_state(lesson: &Lesson) -> SyncState {
    match lesson.status {
        _ if may_export(lesson) => SyncState::Exportable,
        Status::Active | Status::Pending { .. } => SyncState::Withheld,
        _ => SyncState::Inactive,
    }
}
