//! Writing the lessons of a scope to a folder.

use std::{collections::BTreeMap, io, path::Path};

use hardwon_core::{Lesson, LessonId, Slug, Status, limits};
use serde::Serialize;

use super::{
    ReplacedSlugs, SlugAllocator,
    agreement::{AgreementMark, SyncAgreement},
    folder::{FolderContents, LessonDirectory, files_error, hash_bytes},
    is_inactive, may_export,
    sync::write_index,
};
use crate::{Desk, Result, Rights, SkippedFile};

/// What an export did. Its JSON is that of `hardwon export --json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    /// The files that were written.
    pub written: Vec<Slug>,
    /// How many files say already what they should.
    pub unchanged: usize,
    /// The files that moved to the archive, because their lessons left.
    pub archived: Vec<Slug>,
    /// The files that were deleted, because their lessons were erased.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Slug>,
    /// How many lessons were left out, by the reason.
    #[serde(rename = "left_out")]
    pub omitted: BTreeMap<&'static str, usize>,
    /// What was passed over.
    pub skipped: Vec<SkippedFile>,
}

impl Desk<'_> {
    /// Writes every lesson of exactly this scope that is in use, one file each, and the list of
    /// them. Files of lessons that left move to the archive, and what was written of one that was erased is deleted;
    /// others stay as they are.
    ///
    /// With `all`, those that wait for a person are written too. They were held back for a reason,
    /// and whoever reads the folder does not see it.
    pub fn export_lessons(&self, path: &Path, all: bool) -> Result<ExportReport> {
        self.principal.check_right(Rights::Curate)?;
        let scope = &self.principal.scope;
        let lessons = self.all_lessons(scope)?;
        let goes = |lesson: &Lesson| is_exported(lesson, all);
        check_count(&lessons, all, path)?;
        let folder = LessonDirectory::from_path(path);
        folder.create()?;
        let _lock = folder.lock()?;
        let contents = folder.read_contents()?;
        let names = assign_names(&lessons, &contents);
        let mut report = ExportReport {
            omitted: count_omitted(lessons.iter().filter(|lesson| !goes(lesson))),
            ..ExportReport::default()
        };
        let mut archived_slugs = contents.archived.clone();
        for (slug, lesson) in &names {
            if is_inactive(lesson) && contents.files.contains_key(slug.as_str()) {
                folder.archive_file(slug)?;
                archived_slugs.insert(slug.clone());
                report.archived.push(slug.clone());
            }
        }
        let mut agreements = self.load_agreements(path, scope)?;
        let is_erased = |id: LessonId| {
            lessons
                .binary_search_by_key(&id, |lesson| lesson.id)
                .is_err()
        };
        for (slug, agreement) in &agreements {
            let there = contents.files.get(slug.as_str());
            let is_as_written = there.is_some_and(|held| held.digest == agreement.file_digest);
            if is_as_written
                && !names.contains_key(slug)
                && agreement.lesson().is_some_and(is_erased)
            {
                folder.remove_file(slug)?;
                report.removed.push(slug.clone());
            }
        }
        agreements.retain(|slug, _| !report.removed.contains(slug));
        let slugs = ReplacedSlugs::from_lessons(&lessons, &archived_slugs);
        for (slug, lesson) in names.iter().filter(|(_, lesson)| goes(lesson)) {
            let text = slugs.render_lesson(lesson, slug);
            let there = contents.files.get(slug.as_str());
            let file_digest = hash_bytes(text.as_bytes());
            let is_there = there.is_some_and(|held| held.digest == file_digest);
            let agreement = SyncAgreement {
                lesson_number: Some(lesson.id.0),
                file_digest,
                content_digest: slugs.lesson_fields(lesson, slug).content_digest(),
                mark: AgreementMark::Unmarked,
            };
            agreements.insert(slug.clone(), agreement);
            if is_there {
                report.unchanged += 1;
            } else {
                folder.write_lesson(slug, &text)?;
                report.written.push(slug.clone());
            }
        }
        write_index(&folder)?;
        // Where it cannot be kept, what is erased later stays in the folder.
        drop(self.save_agreements(path, scope, &agreements));
        report.skipped = contents.skipped;
        Ok(report)
    }
}

/// Returns whether a lesson is written: one in use, or with `all` one that waits.
fn is_exported(lesson: &Lesson, all: bool) -> bool {
    may_export(lesson) || (all && !is_inactive(lesson))
}

/// Checks that a folder can be read again: it holds only so many files.
fn check_count(lessons: &[Lesson], all: bool, place: &Path) -> Result<()> {
    let count = lessons
        .iter()
        .filter(|lesson| is_exported(lesson, all))
        .count();
    if count > limits::LESSON_FILES {
        let message = format!("a folder holds at most {} lessons", limits::LESSON_FILES);
        Err(files_error(
            "exporting to",
            place,
            io::Error::other(message),
        ))
    } else {
        Ok(())
    }
}

/// Counts lessons by why they stay.
fn count_omitted<'a>(lessons: impl Iterator<Item = &'a Lesson>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for lesson in lessons {
        let is_tainted = lesson.status == Status::Active && lesson.trust.tainted;
        let reason = if is_tainted {
            "tainted"
        } else {
            lesson.status.name()
        };
        *counts.entry(reason).or_default() += 1;
    }
    counts
}

/// Gives every lesson a name of its own, whatever its state, so that a name stays with its lesson
/// when others leave. Only a lesson that one of the same name replaced leaves its name to that. A name that not every
/// system can have is kept where there is a file of it, and else avoided.
fn assign_names<'a>(
    lessons: &'a [Lesson],
    contents: &FolderContents,
) -> BTreeMap<Slug, &'a Lesson> {
    let by_id: BTreeMap<LessonId, &Lesson> =
        lessons.iter().map(|lesson| (lesson.id, lesson)).collect();
    let (mut names, mut taken) = (
        BTreeMap::new(),
        SlugAllocator::from_taken(contents.blocked_slugs().cloned()),
    );
    for lesson in lessons {
        let heir = match lesson.status {
            Status::Superseded { by } => by_id.get(&by),
            _ => None,
        };
        if heir.is_none_or(|heir| heir.slug != lesson.slug) {
            let slug = if contents.files.contains_key(lesson.slug.as_str()) {
                lesson.slug.clone()
            } else {
                lesson.slug.avoid_device_name()
            };
            names.insert(taken.allocate(&slug), lesson);
        }
    }
    names
}
