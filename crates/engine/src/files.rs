//! Lessons in files: writing a folder of them, reading one, and keeping one in step.
//!
//! [`export`](crate::Desk::export) writes the lessons of one scope, [`import`](crate::Desk::import) reads a
//! folder, and [`sync`](crate::Desk::sync) does both ways for the folder of a project. What is to be
//! done in a sync is decided by `plan`, a pure function; `carry` carries it out. Files come and
//! go through `folder` alone, which follows no link and leaves no half of a file. What a file says
//! is `hardwon_core::lesson_md`'s business.

mod base;
mod carry;
mod export;
mod folder;
mod import;
mod plan;
mod sync;
mod take;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, Slug, Status},
    lesson_md::{self, FileFinding, LessonFields, lint_folder},
    scope::Scope,
};
use hardwon_store::{Listing, Within};
use jiff::Timestamp;

use crate::{Engine, Result};

pub use export::Exported;
pub use folder::Skipped;
pub use import::{Imported, Taken};
pub use plan::Step;
pub(crate) use sync::sync;
pub use sync::{Synced, project_folder};

use folder::{Contents, Folder};

/// Where a repository keeps the lessons of its project.
pub const PROJECT_FOLDER: [&str; 2] = [".hardwon", "lessons"];

/// What is wrong with a folder or a file.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    /// How many files were looked at.
    pub files: usize,
    /// What is wrong, by file and line.
    pub findings: Vec<(String, FileFinding)>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
}

/// Looks for what is wrong with a folder of lessons, or with one file among those beside it.
pub fn lint(path: &Path, now: Timestamp) -> Result<Looked> {
    if path.is_dir() {
        let contents = Folder::at(path).read()?;
        return Ok(Looked {
            files: contents.files.len(),
            findings: lint_folder(&contents.shelf(), now),
            skipped: contents.skipped,
        });
    }
    let one = Contents::of_file(path)?;
    let names: Vec<String> = one.shelf().files.into_keys().collect();
    // What it replaces stands beside it, if anywhere.
    let beside = path.parent().map(|it| {
        if it.as_os_str().is_empty() {
            Path::new(".")
        } else {
            it
        }
    });
    let mut contents = beside
        .and_then(|it| Folder::at(it).read().ok())
        .unwrap_or_default();
    contents.files.extend(one.files);
    let findings = lint_folder(&contents.shelf(), now);
    Ok(Looked {
        files: names.len(),
        findings: findings
            .into_iter()
            .filter(|(name, _)| names.contains(name))
            .collect(),
        skipped: Vec::new(),
    })
}

impl Engine {
    /// Returns every lesson of exactly this scope, in whatever state, by number.
    fn all_lessons(&self, scope: &Scope) -> Result<Vec<Lesson>> {
        let mut all = Vec::new();
        let mut listing = Listing {
            within: Within::Scope(scope.clone()),
            ..Listing::default()
        };
        let reader = self.store.snapshot()?;
        loop {
            let page = reader.lessons(&scope.tenant, &listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            all.extend(page);
        }
        all.reverse();
        Ok(all)
    }
}

/// Returns whether a lesson may be written to a file that others read: in use, and nothing from
/// outside had a part in it.
fn may_travel(lesson: &Lesson) -> bool {
    lesson.status == Status::Active && !lesson.trust.tainted
}

/// Returns whether a lesson left the active set.
fn has_left(lesson: &Lesson) -> bool {
    !matches!(lesson.status, Status::Active | Status::Pending { .. })
}

/// The files of the lessons that each lesson replaced.
#[derive(Debug, Clone, Default)]
struct Replaced(BTreeMap<LessonId, Vec<Slug>>);

impl Replaced {
    /// Finds them among the slugs that have a file.
    fn of(lessons: &[Lesson], on_disk: &BTreeSet<Slug>) -> Self {
        let by_id: BTreeMap<LessonId, &Lesson> = lessons.iter().map(|it| (it.id, it)).collect();
        let mut pairs: BTreeSet<(LessonId, LessonId)> = BTreeSet::new();
        for lesson in lessons {
            if let Status::Superseded { by } = lesson.status {
                pairs.insert((by, lesson.id));
            }
            pairs.extend(lesson.supersedes.iter().map(|old| (lesson.id, *old)));
        }
        let mut replaced: BTreeMap<LessonId, Vec<Slug>> = BTreeMap::new();
        for (new, old) in pairs {
            let (Some(new), Some(old)) = (by_id.get(&new), by_id.get(&old)) else {
                continue;
            };
            // A file cannot replace itself, which it would seem to after an edit that made a new
            // lesson.
            if on_disk.contains(&old.slug) && old.slug != new.slug {
                replaced.entry(new.id).or_default().push(old.slug.clone());
            }
        }
        Self(replaced)
    }

    fn by(&self, lesson: &Lesson) -> &[Slug] {
        self.0.get(&lesson.id).map_or(&[], Vec::as_slice)
    }

    fn said(&self, lesson: &Lesson, slug: &Slug) -> LessonFields {
        LessonFields::from_admitted(&lesson.admitted, lesson.counts, slug, self.by(lesson))
    }

    fn render(&self, lesson: &Lesson, slug: &Slug) -> String {
        lesson_md::render_lesson(lesson, slug, self.by(lesson))
    }
}

/// Names that are taken, and where to look for the next one that is free.
#[derive(Debug, Clone, Default)]
struct Names {
    taken: BTreeSet<Slug>,
    next: BTreeMap<Slug, u32>,
}

impl Names {
    fn of(taken: impl IntoIterator<Item = Slug>) -> Self {
        Self {
            taken: taken.into_iter().collect(),
            next: BTreeMap::new(),
        }
    }

    /// Takes a name: the slug, else the slug with the lowest number that is free.
    fn take(&mut self, slug: &Slug) -> Slug {
        if self.taken.insert(slug.clone()) {
            return slug.clone();
        }
        let number = self.next.entry(slug.clone()).or_insert(2);
        loop {
            let numbered = slug.with_number(*number);
            *number = number.saturating_add(1);
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}
