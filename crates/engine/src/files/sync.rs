//! Keeping a project's folder in step: what stands on both sides is gathered here, what to do is
//! planned by `plan` and done by `carrier`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{Lesson, LessonId, Slug};

use super::{
    PROJECT_FOLDER, ReplacedSlugs,
    agreement::{AgreementMark, SyncAgreement},
    carrier::SyncCarrier,
    folder::{FolderContents, LessonDirectory, files_error},
    is_inactive,
    plan::{SyncSides, plan_sync},
};
use crate::{Desk, NoteOutcome, Result, access::Rights, lesson_md::render_index};
use crate::{SkippedFile, SyncAction, SyncStep};

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
pub fn project_folder(root: &Path) -> PathBuf {
    root.join(PROJECT_FOLDER[0]).join(PROJECT_FOLDER[1])
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
        let mut report = SyncReport::default();
        for round in 0..MAX_ROUNDS {
            let mut contents = if is_there || !dry_run {
                folder.read_contents()?
            } else {
                FolderContents::default()
            };
            report.skipped = std::mem::take(&mut contents.skipped);
            let lessons = self.all_lessons(scope)?;
            let agreements = self.load_agreements(folder.path(), scope)?;
            let archived_slugs = find_archived_slugs(&contents, &agreements, &lessons);
            let sides = SyncSides {
                lessons: &lessons,
                replaced: &ReplacedSlugs::from_lessons(&lessons, &archived_slugs),
                contents: &contents,
                agreements: &agreements,
            };
            let mut steps = plan_sync(&sides);
            if dry_run {
                report.steps = steps;
                return Ok(report);
            }
            if round > 0 {
                // What was said once need not be said again.
                steps.retain(|step| step.action != SyncAction::Report);
            }
            if steps.is_empty() {
                break;
            }
            let mut carrier = SyncCarrier::new(self, &folder, &sides);
            let result = steps
                .into_iter()
                .try_for_each(|step| carrier.carry_step(step));
            // What was done is kept, also when the rest could not be.
            self.save_agreements(folder.path(), scope, &carrier.agreements)?;
            report.file_outcomes.append(&mut carrier.file_outcomes);
            report.steps.append(&mut carrier.done);
            result?;
        }
        write_index(&folder)?;
        Ok(report)
    }
}

/// Writes the list of what the folder holds now.
pub(super) fn write_index(folder: &LessonDirectory) -> Result<()> {
    let contents = folder.read_contents()?;
    let files = contents.files.values();
    let files = files.filter_map(|held| held.parsed.file.as_ref());
    folder.write_index(&render_index(files.map(|file| file.fields())))
}

/// Refuses a folder that a link leads to.
fn refuse_links(root: &Path) -> Result<()> {
    for path in [root.join(PROJECT_FOLDER[0]), project_folder(root)] {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            let error = io::Error::other("it is a link, which might lead out of the repository");
            return Err(files_error("opening", &path, error));
        }
    }
    Ok(())
}

/// Returns the slugs in the archive, with those that are about to go there.
fn find_archived_slugs(
    contents: &FolderContents,
    agreements: &BTreeMap<Slug, SyncAgreement>,
    lessons: &[Lesson],
) -> BTreeSet<Slug> {
    let left = lessons.iter().filter(|lesson| is_inactive(lesson));
    let left: BTreeSet<LessonId> = left.map(|lesson| lesson.id).collect();
    let leaving = agreements.iter().filter(|(slug, it)| {
        let file = contents.files.get(slug.as_str());
        file.is_some_and(|file| file.digest == it.file_digest)
            && it.lesson().is_some_and(|id| left.contains(&id))
            && it.mark != AgreementMark::Deleted
    });
    let leaving = leaving.map(|(slug, _)| slug);
    contents.archived.iter().chain(leaving).cloned().collect()
}
