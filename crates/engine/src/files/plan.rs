//! What a sync is to do, decided from what the store says, what the files say, and what both said
//! when they last agreed. Nothing is read and nothing is changed here.
//!
//! The words of both sides are compared by their prints. A side that still says what both said has
//! nothing to add; if both moved on, and not to the same, that is a conflict, and a conflict is
//! shown and never settled by rule.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::{id::LessonId, lesson::Slug};

use super::SlugAllocator;

/// What the store says of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyncLesson {
    pub(super) id: LessonId,
    pub(super) slug: Slug,
    /// The print of its words.
    pub(super) content_digest: String,
    pub(super) state: SyncState,
    /// The lessons that it replaces, or would once it is approved.
    pub(super) replaces: Vec<LessonId>,
}

/// Whether a lesson may be written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncState {
    /// It is in use.
    Exportable,
    /// It waits for a person, or something from outside had a part in it.
    Withheld,
    /// It left the active set.
    Inactive,
}

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyncFile {
    /// The print of its bytes.
    pub(super) file_digest: String,
    /// The print of its words; none if it cannot be read.
    pub(super) content_digest: Option<String>,
}

/// What was agreed on last about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyncAgreement {
    /// The lesson of the file; none if it was no lesson for us.
    pub(super) lesson: Option<LessonId>,
    /// The print of the file's bytes.
    pub(super) file_digest: String,
    /// The print of the lesson's words.
    pub(super) content_digest: String,
    pub(super) mark: AgreementMark,
}

/// What is special about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AgreementMark {
    /// Nothing.
    Unmarked,
    /// Both sides had changed, and the store's lies beside it.
    Conflict,
    /// It was deleted, and its lesson was archived for that.
    Deleted,
    /// The guard turned its words away; it stays as it is until it changes.
    Refused,
}

/// One thing to do. Steps are done in the order of their variants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncStep {
    /// Something cannot be done, and a person should know.
    Report {
        /// The file.
        slug: Slug,
        /// Why.
        reason: &'static str,
    },
    /// A file has a new name.
    Rename {
        /// The name before.
        from: Slug,
        /// The name now.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// Neither side has it any more.
    Forget {
        /// The file.
        slug: Slug,
    },
    /// Both sides say the same.
    Agree {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The lesson left: its file moves to the archive.
    ArchiveFile {
        /// The file.
        slug: Slug,
    },
    /// A person erased the lesson: its file goes too.
    RemoveFile {
        /// The file.
        slug: Slug,
    },
    /// The file has words that the store has not.
    TakeWords {
        /// The file.
        slug: Slug,
        /// The lesson whose words they replace, if there is one.
        target: Option<LessonId>,
    },
    /// The file is back that was deleted: its lesson is in use again.
    RestoreLesson {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The file was deleted: its lesson is archived.
    ArchiveLesson {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// Both sides changed: both are kept and shown.
    Conflict {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
    /// The lesson has words that the file has not.
    WriteFile {
        /// The file.
        slug: Slug,
        /// Its lesson.
        lesson: LessonId,
    },
}

impl SyncStep {
    /// Returns the file that it is about.
    #[must_use]
    pub fn slug(&self) -> &Slug {
        match self {
            Self::Report { slug, .. }
            | Self::Rename { slug, .. }
            | Self::Forget { slug }
            | Self::Agree { slug, .. }
            | Self::ArchiveFile { slug }
            | Self::RemoveFile { slug }
            | Self::TakeWords { slug, .. }
            | Self::RestoreLesson { slug, .. }
            | Self::ArchiveLesson { slug, .. }
            | Self::Conflict { slug, .. }
            | Self::WriteFile { slug, .. } => slug,
        }
    }
}

/// What is known on all sides.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncSides {
    /// The lessons of the project, by number.
    pub(super) lessons: Vec<SyncLesson>,
    /// The files of the folder.
    pub(super) files: BTreeMap<Slug, SyncFile>,
    /// What was agreed on last.
    pub(super) agreements: BTreeMap<Slug, SyncAgreement>,
    /// The files beside which the store's side of a conflict lies.
    pub(super) conflicts: BTreeSet<Slug>,
}

/// Decides what a sync is to do.
pub(super) fn plan_sync(sides: &SyncSides) -> Vec<SyncStep> {
    let lookup = SyncPlanner::from_sides(sides);
    let renamed = lookup.find_renames();
    let left: BTreeSet<&Slug> = renamed.values().copied().collect();
    let slugs: BTreeSet<&Slug> = sides.files.keys().chain(sides.agreements.keys()).collect();
    let mut steps: Vec<SyncStep> = slugs
        .into_iter()
        .filter(|slug| !left.contains(slug))
        .filter_map(|slug| match renamed.get(slug) {
            Some(from) => lookup.rename_step(from, slug),
            None => lookup.step_for_slug(slug),
        })
        .collect();
    steps.extend(lookup.write_steps(&steps));
    steps.sort();
    steps
}

struct SyncPlanner<'a> {
    sides: &'a SyncSides,
    by_id: BTreeMap<LessonId, &'a SyncLesson>,
    /// The lessons that have a file, or a lesson that stands in for them has.
    lessons_with_files: BTreeSet<LessonId>,
}

impl<'a> SyncPlanner<'a> {
    fn from_sides(sides: &'a SyncSides) -> Self {
        let by_id: BTreeMap<LessonId, &SyncLesson> =
            sides.lessons.iter().map(|it| (it.id, it)).collect();
        let of_files = sides.agreements.values().filter_map(|it| it.lesson);
        let mut lessons_with_files: BTreeSet<LessonId> = of_files.collect();
        let waiting = sides
            .lessons
            .iter()
            .filter(|it| it.state == SyncState::Withheld);
        let waiting = waiting.filter(|it| lessons_with_files.contains(&it.id));
        let stood_in: Vec<LessonId> = waiting.flat_map(|it| it.replaces.iter().copied()).collect();
        lessons_with_files.extend(stood_in);
        Self {
            sides,
            by_id,
            lessons_with_files,
        }
    }

    /// Returns the lesson of this name that has no file yet; one in use before one that waits.
    fn find_without_file(&self, slug: &Slug) -> Option<&'a SyncLesson> {
        let all = self.sides.lessons.iter();
        let named = all.filter(|it| it.slug == *slug && !self.lessons_with_files.contains(&it.id));
        let useful = named.filter(|it| it.state != SyncState::Inactive);
        useful.min_by_key(|it| it.state != SyncState::Exportable)
    }

    /// Returns the new names of files that say what a file said that is gone.
    fn find_renames(&self) -> BTreeMap<&'a Slug, &'a Slug> {
        let gone = self.sides.agreements.iter().filter(|(slug, agreed)| {
            let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id));
            agreed.mark == AgreementMark::Unmarked
                && !self.sides.files.contains_key(slug)
                && lesson.is_some_and(|it| {
                    it.state == SyncState::Exportable && it.content_digest == agreed.content_digest
                })
        });
        let mut renamed: BTreeMap<&Slug, &Slug> = BTreeMap::new();
        for (from, agreed) in gone {
            let new = self.sides.files.iter().find(|(slug, file)| {
                file.content_digest.as_ref() == Some(&agreed.content_digest)
                    && !self.sides.agreements.contains_key(slug)
                    && !renamed.contains_key(slug)
            });
            if let Some((slug, _)) = new {
                renamed.insert(slug, from);
            }
        }
        renamed
    }

    fn rename_step(&self, from: &Slug, slug: &Slug) -> Option<SyncStep> {
        let lesson = self.sides.agreements.get(from)?.lesson?;
        Some(SyncStep::Rename {
            from: from.clone(),
            slug: slug.clone(),
            lesson,
        })
    }

    fn step_for_slug(&self, slug: &Slug) -> Option<SyncStep> {
        let sides = self.sides;
        match (sides.files.get(slug), sides.agreements.get(slug)) {
            (Some(file), None) => self.step_for_new_file(slug, file),
            (Some(file), Some(agreed)) => self.step_for_known_file(slug, file, agreed),
            (None, Some(agreed)) => self.step_for_missing_file(slug, agreed),
            (None, None) => None,
        }
    }

    fn step_for_new_file(&self, slug: &Slug, file: &SyncFile) -> Option<SyncStep> {
        let slug = slug.clone();
        let Some(said) = &file.content_digest else {
            return Some(unreadable_step(slug));
        };
        Some(match self.find_without_file(&slug) {
            Some(known) if known.content_digest == *said => SyncStep::Agree {
                slug,
                lesson: known.id,
            },
            Some(known) if known.state == SyncState::Exportable => SyncStep::Conflict {
                slug,
                lesson: known.id,
            },
            _ => SyncStep::TakeWords { slug, target: None },
        })
    }

    fn step_for_known_file(
        &self,
        slug: &Slug,
        file: &SyncFile,
        agreed: &SyncAgreement,
    ) -> Option<SyncStep> {
        let waits = agreed.mark == AgreementMark::Conflict && self.sides.conflicts.contains(slug);
        let slug = slug.clone();
        if waits {
            let why = "both the file and the lesson changed: edit the file, and delete the .conflict.md beside it";
            return Some(SyncStep::Report { slug, reason: why });
        }
        if agreed.mark == AgreementMark::Refused && file.file_digest == agreed.file_digest {
            let why = "the guard rejected it, and it has not changed since";
            return Some(SyncStep::Report { slug, reason: why });
        }
        let is_changed =
            file.file_digest != agreed.file_digest || agreed.mark == AgreementMark::Conflict;
        if is_changed && file.content_digest.is_none() {
            return Some(unreadable_step(slug));
        }
        let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id).copied());
        let Some(lesson) = lesson else {
            return match (is_changed, agreed.lesson) {
                (true, _) => Some(SyncStep::TakeWords { slug, target: None }),
                // It came back after its lesson was deleted, so this is not the file of then.
                (false, Some(_)) if agreed.mark == AgreementMark::Deleted => {
                    Some(SyncStep::TakeWords { slug, target: None })
                }
                (false, Some(_)) => Some(SyncStep::RemoveFile { slug }),
                (false, None) => None,
            };
        };
        let id = lesson.id;
        let says_the_same = file.content_digest.as_ref() == Some(&lesson.content_digest);
        let moved_on = lesson.content_digest != agreed.content_digest;
        match (lesson.state, is_changed) {
            (SyncState::Inactive, false) if agreed.mark == AgreementMark::Deleted => {
                Some(SyncStep::RestoreLesson { slug, lesson: id })
            }
            (SyncState::Inactive, false) => Some(SyncStep::ArchiveFile { slug }),
            (SyncState::Inactive, true) => Some(SyncStep::TakeWords { slug, target: None }),
            (SyncState::Withheld, false) => None,
            (SyncState::Exportable, false)
                if agreed.mark == AgreementMark::Deleted && says_the_same =>
            {
                Some(SyncStep::Agree { slug, lesson: id })
            }
            (SyncState::Exportable, false) if agreed.mark == AgreementMark::Deleted => {
                Some(SyncStep::WriteFile { slug, lesson: id })
            }
            (SyncState::Exportable, false) => {
                moved_on.then_some(SyncStep::WriteFile { slug, lesson: id })
            }
            // Also when a person settled a conflict and did not know of this change.
            (SyncState::Exportable, true) if moved_on && !says_the_same => {
                Some(SyncStep::Conflict { slug, lesson: id })
            }
            (SyncState::Exportable | SyncState::Withheld, true) => Some(SyncStep::TakeWords {
                slug,
                target: Some(id),
            }),
        }
    }

    fn step_for_missing_file(&self, slug: &Slug, agreed: &SyncAgreement) -> Option<SyncStep> {
        let slug = slug.clone();
        let lesson = agreed.lesson.and_then(|id| self.by_id.get(&id).copied());
        let Some(lesson) = lesson else {
            return Some(SyncStep::Forget { slug });
        };
        let id = lesson.id;
        match lesson.state {
            SyncState::Inactive if agreed.mark == AgreementMark::Deleted => None,
            SyncState::Inactive => Some(SyncStep::Forget { slug }),
            SyncState::Exportable
                if agreed.mark != AgreementMark::Unmarked
                    || lesson.content_digest != agreed.content_digest =>
            {
                Some(SyncStep::WriteFile { slug, lesson: id })
            }
            SyncState::Exportable | SyncState::Withheld => {
                Some(SyncStep::ArchiveLesson { slug, lesson: id })
            }
        }
    }

    /// Returns what writes the lessons that have no file, each under a name that is free.
    fn write_steps(&self, steps: &[SyncStep]) -> Vec<SyncStep> {
        let freed = steps.iter().filter(|step| {
            matches!(
                step,
                SyncStep::ArchiveFile { .. } | SyncStep::RemoveFile { .. }
            )
        });
        let freed: BTreeSet<&Slug> = freed.map(SyncStep::slug).collect();
        let of_steps = steps.iter().filter_map(|step| match step {
            SyncStep::Agree { lesson, .. } | SyncStep::Conflict { lesson, .. } => Some(*lesson),
            _ => None,
        });
        let done: BTreeSet<LessonId> = of_steps.collect();
        let there = self.sides.files.keys().chain(self.sides.agreements.keys());
        let mut names =
            SlugAllocator::from_taken(there.filter(|slug| !freed.contains(slug)).cloned());
        let open = self.sides.lessons.iter().filter(|it| {
            it.state == SyncState::Exportable
                && !done.contains(&it.id)
                && !self.lessons_with_files.contains(&it.id)
        });
        open.map(|it| SyncStep::WriteFile {
            slug: names.allocate(&it.slug),
            lesson: it.id,
        })
        .collect()
    }
}

fn unreadable_step(slug: Slug) -> SyncStep {
    SyncStep::Report {
        slug,
        reason: "it is not a valid lesson: `hardwon lint` says why",
    }
}
