//! Lessons in files: writing a folder of them, reading one, and keeping one in step.
//!
//! [`export_lessons`](crate::Desk::export_lessons) writes the lessons of one scope, [`import_lessons`](crate::Desk::import_lessons) reads a
//! folder, and [`sync_lessons`](crate::Desk::sync_lessons) does both ways for the folder of a project. What is to be
//! done in a sync is decided by `plan`, a pure function; `carry` carries it out. Files come and
//! go through `folder` alone, which follows no link and leaves no half of a file. What a file says
//! is `crate::lesson_md`'s business.

mod agreement;
mod carrier;
mod export;
mod folder;
mod import;
mod plan;
mod sync;
mod take_words;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::{
    Desk, FileFinding, LessonFields, Result,
    lesson_md::{self, lint_folder},
    paging::for_each_lesson,
};
use hardwon_core::{Lesson, LessonId, Scope, Slug, Status};
use hardwon_store::{LessonListing, ScopeFilter};
use jiff::Timestamp;

pub use export::ExportReport;
pub use folder::SkippedFile;
pub use import::{FileImport, ImportReport};
pub use plan::{SyncAction, SyncStep};
pub use sync::{SyncReport, project_folder};

use folder::{FolderContents, LessonDirectory};

/// Where a repository keeps the lessons of its project.
pub const PROJECT_FOLDER: [&str; 2] = [".hardwon", "lessons"];

/// What is wrong with a folder or a file.
#[derive(Debug, Clone, Default)]
pub struct LintReport {
    /// How many files were looked at.
    pub files: usize,
    /// What is wrong, by file and line.
    pub findings: Vec<(String, FileFinding)>,
    /// What was passed over.
    pub skipped: Vec<SkippedFile>,
}

/// Looks for what is wrong with a folder of lessons, or with one file among those beside it.
pub fn lint_path(path: &Path, now: Timestamp) -> Result<LintReport> {
    if path.is_dir() {
        let contents = LessonDirectory::from_path(path).read_contents()?;
        return Ok(LintReport {
            files: contents.files.len(),
            findings: lint_folder(&contents.to_lesson_folder(), now),
            skipped: contents.skipped,
        });
    }
    let one = FolderContents::from_file(path)?;
    let names: Vec<String> = one.to_lesson_folder().files.into_keys().collect();
    // What it replaces stands beside it, if anywhere.
    let beside = path.parent().map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    });
    let mut contents = beside
        .and_then(|beside| LessonDirectory::from_path(beside).read_contents().ok())
        .unwrap_or_default();
    contents.files.extend(one.files);
    let findings = lint_folder(&contents.to_lesson_folder(), now);
    Ok(LintReport {
        files: names.len(),
        findings: findings
            .into_iter()
            .filter(|(name, _)| names.contains(name))
            .collect(),
        skipped: Vec::new(),
    })
}

impl Desk<'_> {
    /// Returns every lesson of exactly this scope, in whatever state, by number.
    fn all_lessons(&self, scope: &Scope) -> Result<Vec<Lesson>> {
        let mut all = Vec::new();
        let listing = LessonListing {
            within: ScopeFilter::Scope(scope.clone()),
            ..LessonListing::default()
        };
        let reader = self.snapshot()?;
        for_each_lesson(&*reader, &scope.tenant, listing, |lesson| all.push(lesson))?;
        all.reverse();
        Ok(all)
    }
}

/// Returns whether a lesson may be written to a file that others read: in use, and nothing from
/// outside had a part in it.
fn may_export(lesson: &Lesson) -> bool {
    lesson.status == Status::Active && !lesson.trust.tainted
}

/// Returns whether a lesson left the active set.
fn is_inactive(lesson: &Lesson) -> bool {
    !matches!(lesson.status, Status::Active | Status::Pending { .. })
}

/// The files of the lessons that each lesson replaced.
#[derive(Debug, Clone, Default)]
struct ReplacedSlugs(BTreeMap<LessonId, Vec<Slug>>);

impl ReplacedSlugs {
    /// Finds them among the slugs that have a file.
    fn from_lessons(lessons: &[Lesson], on_disk: &BTreeSet<Slug>) -> Self {
        let by_id: BTreeMap<LessonId, &Lesson> =
            lessons.iter().map(|lesson| (lesson.id, lesson)).collect();
        let mut pairs: BTreeSet<(LessonId, LessonId)> = BTreeSet::new();
        for lesson in lessons {
            if let Status::Superseded { by } = lesson.status {
                pairs.insert((by, lesson.id));
            }
            pairs.extend(lesson.supersedes.iter().map(|old| (lesson.id, *old)));
        }
        let mut slugs: BTreeMap<LessonId, Vec<Slug>> = BTreeMap::new();
        for (new, old) in pairs {
            let (Some(new), Some(old)) = (by_id.get(&new), by_id.get(&old)) else {
                continue;
            };
            // A file cannot replace itself, which it would seem to after an edit that made a new
            // lesson.
            if on_disk.contains(&old.slug) && old.slug != new.slug {
                slugs.entry(new.id).or_default().push(old.slug.clone());
            }
        }
        Self(slugs)
    }

    fn replaced_slugs(&self, lesson: &Lesson) -> &[Slug] {
        self.0.get(&lesson.id).map_or(&[], Vec::as_slice)
    }

    fn lesson_fields(&self, lesson: &Lesson, slug: &Slug) -> LessonFields {
        LessonFields::from_admitted(
            &lesson.admitted,
            lesson.counts,
            slug,
            self.replaced_slugs(lesson),
        )
    }

    fn render_lesson(&self, lesson: &Lesson, slug: &Slug) -> String {
        lesson_md::render_lesson(lesson, slug, self.replaced_slugs(lesson))
    }
}

/// Names that are taken, and where to look for the next one that is free.
#[derive(Debug, Clone, Default)]
struct SlugAllocator {
    taken: BTreeSet<Slug>,
    next_number: BTreeMap<Slug, u32>,
}

impl SlugAllocator {
    fn from_taken(taken: impl IntoIterator<Item = Slug>) -> Self {
        Self {
            taken: taken.into_iter().collect(),
            next_number: BTreeMap::new(),
        }
    }

    /// Takes a name: the slug, else the slug with the lowest number that is free.
    fn allocate(&mut self, slug: &Slug) -> Slug {
        if self.taken.insert(slug.clone()) {
            return slug.clone();
        }
        let number = self.next_number.entry(slug.clone()).or_insert(2);
        loop {
            let slug_with_number = slug.with_number(*number);
            *number = number.saturating_add(1);
            if self.taken.insert(slug_with_number.clone()) {
                return slug_with_number;
            }
        }
    }
}
